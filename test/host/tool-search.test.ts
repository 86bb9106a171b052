import assert from 'node:assert/strict';
import test from 'node:test';
import { ToolSearch } from '../../src/host/tool-search.ts';
import type { Searchable } from '../../src/host/tool-search.ts';
import { wordsOf } from '../../src/host/words.ts';
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
