import assert from 'node:assert/strict';
import test from 'node:test';
import { searchables } from '../../src/host/searchable.ts';
import { synonyms } from '../../src/host/synonyms.ts';
import { ToolSearch } from '../../src/host/tool-search.ts';
import type { Searchable } from '../../src/host/searchable.ts';
import { stem, wordsOf } from '../../src/host/words.ts';
import { requests, tools } from './requests.ts';

const searchable = ([server, name, description]: (typeof tools)[number]): Searchable =>
  ({ name: `${server}__${name}`, server, tool: { name, description, inputSchema: { type: 'object' } } });

test('tool search: the right tool is among the first five for 45 of 50 requests', (t) => {
  const search = new ToolSearch(tools.map(searchable));
  assert.equal(requests.length, 50);
  const missed = requests.filter(([request, server, tool]) =>
    !search.find(request, 5).some(({ name }) => name === `${server}__${tool}`));
  t.diagnostic(`missed: ${missed.map(([request]) => request).join('; ') || 'none'}`);
  assert.ok(50 - missed.length >= 45, `${50 - missed.length} of 50`);
});

test('tool search: always in the same order, whatever the order of the catalogue', () => {
  const one = new ToolSearch(tools.map(searchable));
  const other = new ToolSearch([...tools].reverse().map(searchable));
  for (const [request] of requests) {
    assert.deepEqual(other.find(request, 20).map(({ name }) => name), one.find(request, 20).map(({ name }) => name));
  }
});

test('tool search: 5,000 tools take under 10 ms', (t) => {
  const many = Array.from({ length: 5_000 }, (_, i): Searchable => {
    const [server, name, description] = tools[i % tools.length] as (typeof tools)[number];
    return { name: `${server}${i}__${name}`, server: `${server}${i}`, tool: { name: `${name}_${i}`, description, inputSchema: { type: 'object' } } };
  });
  const search = new ToolSearch(many);
  for (let i = 0; i < 20; i++) search.find('create a new pull request for the file in the repository');
  const times = requests.map(([request]) => {
    const began = process.cpuUsage();
    search.find(request);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  }).sort((a, b) => a - b);
  const median = times[25] ?? 0;
  t.diagnostic(`median ${median.toFixed(2)} ms of processor time`);
  assert.ok(median < 10, `${median} ms`);
});

test('tool search: names are split into words, and words lose their endings', () => {
  assert.deepEqual(wordsOf('createPullRequests HTMLParser'), wordsOf('create_pull_request html parsing'));
  assert.deepEqual(wordsOf('searches searching searched'), wordsOf('search search search'));
  assert.equal(new ToolSearch([]).find('anything').length, 0);
});

const names = (found: readonly Searchable[]): string[] => found.map(({ name }) => name);
const tool = (name: string, description: string): Searchable => ({ name: `s__${name}`, server: 's', tool: { name, description, inputSchema: { type: 'object' } } });

test('tool search: at most 200 synonyms, each a pair of different words, none twice', () => {
  assert.ok(synonyms.length <= 200, `${synonyms.length}`);
  const pairs = synonyms.map((pair) => pair.split('=').map((side) => side.split(' ').map(stem).join(' ')));
  for (const pair of pairs) {
    assert.equal(pair.length, 2, pair.join());
    assert.ok(pair[0] !== '' && pair[1] !== '' && pair[0] !== pair[1], pair.join());
  }
  assert.equal(new Set(pairs.map((pair) => pair.toSorted().join('='))).size, pairs.length);
});

test('tool search: a synonym finds a tool, and the word itself finds a better one', () => {
  const search = new ToolSearch([tool('make_directory', 'Makes a directory'), tool('sort_folders', 'Sorts folders'), tool('echo', 'Says it again')]);
  assert.deepEqual(names(search.find('folder')), ['s__sort_folders', 's__make_directory']);
  assert.deepEqual(names(search.find('where is the folder?')).slice(0, 2), ['s__sort_folders', 's__make_directory']);
  // Phrases, also with words that mean nothing on their own.
  assert.deepEqual(names(new ToolSearch([tool('stat', 'The size of a thing'), tool('big', 'A big thing')]).find('how large is it')), ['s__stat']);
});

test('tool search: a word in the name says more than one in a description or an argument', () => {
  const search = new ToolSearch<Searchable>([
    { name: 'c', server: 's', tool: { name: 'c', description: 'Does it', inputSchema: { type: 'object', properties: { x: { description: 'the invoice' } } } } },
    { name: 'b', server: 's', tool: { name: 'b', description: 'Prints an invoice', inputSchema: { type: 'object' } } },
    { name: 'a', server: 's', tool: { name: 'get_invoice', description: 'Returns it', inputSchema: { type: 'object' } } },
  ]);
  assert.deepEqual(names(search.find('invoice')), ['a', 'b', 'c']);
});

test('tool search: prompts, resources and templates are found beside tools', () => {
  const all = searchables({
    tools: () => [{ name: 's__add', server: 's', tool: { name: 'add', inputSchema: { type: 'object' } }, digest: '' }],
    prompts: () => [{ server: 's', item: { name: 'plan_trip', description: 'Plans a trip', arguments: [{ name: 'city', description: 'where to' }] } }],
    resources: () => [{ server: 's', item: { name: 'prices', uri: 'trips://prices', mimeType: 'text/csv' } }],
    templates: () => [{ server: 's', item: { name: 'one city', uriTemplate: 'trips://cities/{name}' } }],
  });
  const search = new ToolSearch(all);
  assert.deepEqual(names(search.find('plan my trip', 1)), ['s/plan_trip']);
  assert.deepEqual(names(search.find('csv')), ['s/trips://prices']);
  assert.deepEqual(names(search.find('add', 1)), ['s__add']);
  assert.ok(names(search.find('city')).includes('s/trips://cities/{name}'));
});

test('tool search: every text of an item is searched', () => {
  const inputSchema = { type: 'object', properties: { walrus: { type: 'string', description: 'an otter' } } } as const;
  const search = new ToolSearch<Searchable>([
    { name: 't1', server: 'aardvark', tool: { name: 'badger', title: 'Camel', description: 'A donkey. An eagle.', inputSchema } },
    { name: 't2', server: 's', tool: { name: 'none', annotations: { title: 'Ferret' }, inputSchema: { type: 'object' } } },
    { name: 'p', server: 's', prompt: { name: 'goat', title: 'Hamster', description: 'An iguana. A jaguar.', arguments: [{ name: 'koala', description: 'a lemur' }] } },
    { name: 'r', server: 's', resource: { name: 'moose', title: 'Newt', description: 'An ocelot. A panda.', uri: 'quail://x', mimeType: 'rabbit' } },
    { name: 'u', server: 's', template: { name: 'seal', title: 'Tiger', description: 'A urchin. A viper.', uriTemplate: 'weasel://{x}', mimeType: 'yak' } },
  ]);
  for (const [name, words] of [
    ['t1', 'aardvark badger camel donkey eagle walrus otter'], ['t2', 'ferret'], ['p', 'goat hamster iguana jaguar koala lemur'],
    ['r', 'moose newt ocelot panda quail rabbit'], ['u', 'seal tiger urchin viper weasel yak'],
  ] as const) for (const word of words.split(' ')) assert.deepEqual(names(search.find(word)), [name], word);
});

test('tool search: without a fitting word the order is that of rank, and of names where it is equal', async () => {
  const ranks: Readonly<Record<string, number>> = { a: 0.2, b: 0.9, c: -1, d: 0.2, e: 0.5, f: Number.NaN, g: 0, h: Infinity };
  const items = Object.keys(ranks).map((name) => tool(name, 'x'));
  for (const given of [items, [...items].reverse()]) {
    const search = new ToolSearch(given, { rank: async (_query, all) => all.map(({ name }) => ranks[name.slice(3)] ?? Number.NaN) });
    assert.deepEqual(names(await search.ranked('zebra')), ['b', 'e', 'a', 'd', 'g', 'c'].map((name) => `s__${name}`));
    for (const limit of [0, -1, 2]) assert.equal((await search.ranked('zebra', limit)).length, Math.max(0, limit));
  }
});

test('tool search: rank is joined with the order by words, and what it rejects with is told', async () => {
  const items = [tool('a', 'alpha'), tool('b', 'beta'), tool('c', 'gamma')];
  const asked: [string, string[]][] = [];
  const search = new ToolSearch(items, { rank: async (query, all) => {
    asked.push([query, names(all)]);
    return all.map(({ name }) => (name === 's__c' ? 0.9 : name === 's__a' ? 0.1 : Number.NaN));
  } });
  // By words only beta matches; by meaning gamma ranks first, then alpha. A tool whose score is not a number is not found by meaning.
  assert.deepEqual(new Set(names(await search.ranked('beta', 2))), new Set(['s__b', 's__c']));
  assert.deepEqual(names(await search.ranked('alpha')), ['s__a', 's__c']);
  assert.deepEqual(asked[0], ['beta', ['s__a', 's__b', 's__c']]);
  assert.deepEqual(names(search.find('beta')), ['s__b']);
  assert.deepEqual(names(await new ToolSearch(items).ranked('beta')), ['s__b']);
  await assert.rejects(new ToolSearch(items, { rank: () => Promise.reject(new Error('no model')) }).ranked('beta'), /no model/);
});

test('tool search: whatever a server lists is read as far as it is text', () => {
  const odd = JSON.parse('{"name":"__proto__","title":7,"description":["x"],"inputSchema":{"type":"object","properties":{"__proto__":{"description":{}},"constructor":null,"toString":"x"}}}') as never;
  const search = new ToolSearch<Searchable>([{ name: 's____proto__', server: 's', tool: odd }, tool('long', 'word '.repeat(200_000))]);
  assert.deepEqual(names(search.find('constructor')), ['s____proto__']);
  assert.deepEqual(search.find('hasOwnProperty valueOf'), []);
  assert.deepEqual(names(search.find(`${'word '.repeat(100_000)}`)), ['s__long']);
});

test('tool search: equal scores are in the order of the names, from every order of the catalogue', () => {
  const orders = (all: readonly string[]): string[][] => (all.length === 0 ? [[]] : all.flatMap((first) => orders(all.filter((one) => one !== first)).map((rest) => [first, ...rest])));
  for (const order of orders(['a', 'b', 'c', 'd', 'e'])) {
    assert.deepEqual(names(new ToolSearch(order.map((name) => tool(name, 'zebra'))).find('zebra')), ['a', 'b', 'c', 'd', 'e'].map((name) => `s__${name}`), order.join());
  }
});
