import assert from 'node:assert/strict';
import test from 'node:test';
import { Catalogue } from '../../src/host/catalogue.ts';
import { memoryStore } from '../../src/host/store.ts';

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } }) as const;
const pin = (name: string): object => ({ digest: `d-${name}`, tool: tool(name) });
const kept = { tools: { a: pin('a') }, prompts: [], resources: [], templates: [], listedAt: 1 };

test('catalogue: what the store has is taken if it is whole; anything else counts as never listed', async () => {
  const cases: [unknown, boolean][] = [
    [kept, true], [{ ...kept, gone: { b: pin('b') } }, true], [{ ...kept, gone: undefined }, true], [{ ...kept, tools: {} }, true],
    ...[undefined, null, 5, 'x', []].map((value): [unknown, boolean] => [value, false]),
    ...['tools', 'prompts', 'resources', 'templates', 'listedAt'].flatMap((name) => [null, 'x', undefined].map((value): [unknown, boolean] => [{ ...kept, [name]: value }, false])),
    ...[5, null, 'x', { digest: 5, tool: tool('a') }, { digest: 'd' }, { digest: 'd', tool: 5 }, { digest: 'd', tool: tool('other') }].flatMap((bad): [unknown, boolean][] => [[{ ...kept, tools: { a: bad } }, false], [{ ...kept, gone: { a: bad } }, false], [{ ...kept, tools: { b: pin('b'), a: bad } }, false]]),
    [{ ...kept, gone: null }, false], [{ ...kept, gone: 'x' }, false],
  ];
  for (const [value, whole] of cases) {
    const store = { ...memoryStore(), get: async (key: string) => (key === 'pins/id-s' ? value : undefined) };
    const catalogue = new Catalogue(store, (server) => `id-${server}`, () => true);
    await catalogue.load(['s', 't']);
    assert.deepEqual([catalogue.server('s'), catalogue.server('t')], [whole ? value : undefined, undefined], JSON.stringify(value));
  }
});

test('catalogue: the pin of a tool is what was listed under exactly its name', async () => {
  const store = memoryStore();
  // A server may give a tool any name.
  const tools = JSON.parse(`{"a": ${JSON.stringify(pin('a'))}, "__proto__": ${JSON.stringify(pin('__proto__'))}}`) as unknown;
  await store.set('pins/s', { ...kept, tools });
  const catalogue = new Catalogue(store, (server) => server, () => true);
  await catalogue.load(['s', 'never']);
  for (const name of ['a', '__proto__']) assert.deepEqual(catalogue.pin('s', name), pin(name));
  for (const name of ['b', 'toString', 'constructor', 'hasOwnProperty', '']) assert.equal(catalogue.pin('s', name), undefined, name);
  for (const server of ['never', 'none', '__proto__', 'toString']) assert.equal(catalogue.pin(server, 'a'), undefined, server);
});

test('catalogue: a tool that is not offered is hidden, and named as such', async () => {
  const store = memoryStore();
  await store.set('pins/s', { ...kept, tools: { a: pin('a'), b: pin('b'), ['__proto__x']: pin('__proto__x') } });
  const hidden = new Set(['b']);
  const catalogue = new Catalogue(store, (server) => server, (_server, { name }) => !hidden.has(name));
  await catalogue.load(['s']);
  const { listed, hidden: names } = catalogue.offeredBy('s');
  assert.deepEqual([Object.keys(listed?.tools ?? {}), names], [['a', '__proto__x'], ['b']]);
  assert.deepEqual(Object.keys(catalogue.server('s')?.tools ?? {}), ['a', 'b', '__proto__x']);
  assert.deepEqual(catalogue.offeredBy('none'), { listed: undefined, hidden: [] });
  assert.deepEqual([catalogue.tool('s/a')?.tool.name, catalogue.tool('s/b'), catalogue.hidden('s/b')?.tool.name, catalogue.hidden('s/a')], ['a', undefined, 'b', undefined]);
  hidden.clear();
  catalogue.changed();
  assert.equal(catalogue.tool('s/b')?.tool.name, 'b');
});
