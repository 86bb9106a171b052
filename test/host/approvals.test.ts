import assert from 'node:assert/strict';
import test from 'node:test';
import { clockOf } from '../mock-clock.ts';
import { Approvals } from '../../src/host/approvals.ts';
import type { Shown } from '../../src/host/approvals.ts';
import { Host } from '../../src/host/host.ts';
import { memoryStore } from '../../src/host/store.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

const shown: Shown = { server: 's', tool: 't', digest: 'd1', args: { a: [1, { b: 'x' }] }, principal: 'ada' };

/** The shown call with one part changed. */
const others: readonly Shown[] = [
  { ...shown, server: 'S' }, { ...shown, tool: 't2' }, { ...shown, digest: 'd2' }, { ...shown, principal: 'bob' },
];
const otherArgs: readonly Shown[] = [
  { ...shown, args: {} }, { ...shown, args: { a: [1, { b: 'y' }] } }, { ...shown, args: { a: [1, { b: 'x' }], c: null } }, { ...shown, args: { a: [{ b: 'x' }, 1] } },
  // A member moved from one part to another.
  { ...shown, args: { ...shown.args, tool: 't' } },
];

test('approvals: an approval opens what was shown, once, and nothing that differs in one thing', async () => {
  for (const other of [...others, ...otherArgs]) {
    const approvals = new Approvals(clockOf(() => 0), 1_000);
    assert.equal(await approvals.spend(await approvals.approve(shown), other), false, JSON.stringify(other));
  }
  const approvals = new Approvals(clockOf(() => 0), 1_000);
  const id = await approvals.approve(shown);
  assert.equal(await approvals.spend('1-other', shown), false);
  // The order of members does not matter.
  assert.equal(await approvals.spend(id, { ...shown, args: JSON.parse('{"a":[1,{"b":"x"}]}') as Record<string, unknown> }), true);
  assert.equal(await approvals.spend(id, shown), false);
  const twice = await approvals.approve(shown);
  assert.deepEqual(await Promise.all([approvals.spend(twice, shown), approvals.spend(twice, shown)]), [true, false]);
});

test('approvals: an approval ends by itself', async () => {
  let now = 0;
  const approvals = new Approvals(clockOf(() => now), 1_000);
  const [late, early] = [await approvals.approve(shown), await approvals.approve(shown)];
  now = 999;
  assert.equal(await approvals.spend(early, shown), true);
  now = 1_000;
  assert.equal(await approvals.spend(late, shown), false);
});

test('approvals: a grant holds for server, tool, definition and principal, whatever the arguments, and for nothing else', () => {
  const approvals = new Approvals(clockOf(() => 5), 1_000);
  approvals.grant({ server: 's', tool: 't', digest: 'd1', principal: 'ada', at: 5 });
  for (const one of [shown, ...otherArgs]) assert.equal(approvals.granted(one), true);
  for (const other of others) assert.equal(approvals.granted(other), false, JSON.stringify(other));
  assert.equal(approvals.revoke(({ tool }) => tool === 't2'), 0);
  assert.equal(approvals.revoke(({ tool }) => tool === 't'), 1);
  assert.equal(approvals.granted(shown), false);
});

test('approvals: a grant of a host does not hold for another server, tool, definition or person', async (t) => {
  const store = memoryStore();
  const asked: string[] = [];
  const host = (names: readonly string[], description: string, principal: string): Host => {
    const made = new Host({
      info: { name: 'host', version: '1.0.0' },
      servers: Object.fromEntries(names.map((name) => [name, { command: name }])),
      transport: () => {
        const server = new McpServer({ name: 'any', version: '1.0.0' });
        for (const tool of ['one', 'two']) server.tool(tool, { description }, () => tool);
        return memoryTransport(server);
      },
      store, principal,
      person: {
        approve: async ({ server, tool }) => {
          asked.push(`${server}/${tool.name} ${tool.description} ${principal}`);
          return { allow: 'always' };
        },
        acceptChange: async () => true,
      },
    });
    t.after(() => made.close());
    return made;
  };
  const first = host(['a', 'b'], 'v1', 'ada');
  for (const name of ['a/one', 'a/one', 'a/two', 'b/one']) await first.call(name, {});
  await host(['a'], 'v1', 'ada').call('a/one', { other: 'arguments' });
  await host(['a'], 'v1', 'bob').call('a/one', {});
  await host(['a'], 'v2', 'ada').call('a/one', {});
  assert.deepEqual(asked, ['a/one v1 ada', 'a/two v1 ada', 'b/one v1 ada', 'a/one v1 bob', 'a/one v2 ada']);
});

test('approvals: what a store holds that is no grant gives nothing', async (t) => {
  const store = memoryStore();
  await store.set('grants', [null, 5, {}, { server: 'a', tool: 'one' }, { server: 'a', tool: 'one', digest: {}, principal: 'user', at: 1 }]);
  const server = new McpServer({ name: 'a', version: '1.0.0' });
  server.tool('one', {}, () => 'one');
  const host = new Host({ info: { name: 'host', version: '1.0.0' }, servers: { a: { command: 'a' } }, transport: () => memoryTransport(server), store });
  t.after(() => host.close());
  await assert.rejects(host.call('a/one'), { code: 'refused' });
  assert.deepEqual(await host.grants(), []);
});

test('approvals: grants that are given side by side are all kept', async (t) => {
  const store = memoryStore();
  const server = new McpServer({ name: 'a', version: '1.0.0' });
  const tools = Array.from({ length: 10 }, (_, i) => `t${i}`);
  for (const tool of tools) server.tool(tool, {}, () => tool);
  const host = new Host({
    info: { name: 'host', version: '1.0.0' }, servers: { a: { command: 'a' } }, transport: () => memoryTransport(server), store,
    person: { approve: async () => ({ allow: 'always' }) },
  });
  t.after(() => host.close());
  await Promise.all(tools.map((tool) => host.call(`a/${tool}`)));
  assert.equal((await store.get('grants') as unknown[]).length, 10);
});
