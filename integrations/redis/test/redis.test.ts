import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { createClient } from 'redis';
import { storeTests } from 'barewire/tasks/testing';
import { redisStore } from '../src/index.ts';
import { redisServer } from './server.ts';

const server = await redisServer();
const path = server?.url ?? '';
let prefixes = 0;

after(() => server?.stop());

for (const { name, run } of storeTests) {
  test(name, { skip: !server && 'there is no redis-server' }, async (t) => {
    const prefix = `test-${++prefixes}:`;
    const open = async (): Promise<ReturnType<typeof redisStore> extends Promise<infer S> ? S : never> => {
      const client = createClient({ socket: { path, tls: false } });
      client.on('error', () => {});
      await client.connect();
      const store = await redisStore(client, { prefix });
      t.after(async () => {
        await store.close();
        client.destroy();
      });
      return store;
    };
    await run(async () => ({ store: await open(), again: open }));
  });
}

test('what one process does, others hear', { skip: !server && 'there is no redis-server' }, async () => {
  const clients = [createClient({ socket: { path, tls: false } }), createClient({ socket: { path, tls: false } })] as const;
  for (const client of clients) await client.connect();
  const [one, two] = [await redisStore(clients[0], { prefix: 'heard:' }), await redisStore(clients[1], { prefix: 'heard:' })];
  const told = new Promise<unknown[]>((resolve) => two.watch((...change) => resolve(change)));
  await one.create({ id: 'a', owner: '', createdAt: 1, expiresAt: null, head: '{}' });
  assert.deepEqual(await told, ['a', 'due']);
  for (const store of [one, two]) await store.close();
  for (const client of clients) client.destroy();
});

test('whatever is asked while Redis stands still rejects in time', { skip: !server && 'there is no redis-server' }, async () => {
  const client = createClient({ socket: { path, tls: false } });
  await client.connect();
  const pid = Number(/process_id:(\d+)/.exec(await client.info('server'))?.[1]);
  const patient = await redisStore(client, { prefix: 'still:', answerMs: 60_000 });
  const store = await redisStore(client, { prefix: 'still:', answerMs: 50 });
  const task = { owner: '', createdAt: 1, expiresAt: null, head: '{}' };
  for (const id of ['held', 'other']) await patient.create({ id, ...task });
  const held = await patient.lease('held', 600_000);
  assert.ok(held);
  const operations: Record<string, () => Promise<unknown>> = {
    create: () => store.create({ id: 'new', ...task }),
    load: () => store.load('held'),
    lease: () => store.lease('other', 600_000),
    renew: () => store.renew(held.lease, 600_000),
    append: () => store.append(held.lease, 0, ['1']),
    due: () => store.due(10),
    list: () => store.list('', undefined, 10),
    count: () => store.count(),
    expire: () => store.expire(0),
    release: () => store.release(held.lease, 1, [], ['a']),
    answer: () => store.answer('held', new Map([['a', '"yes"']])),
    end: () => store.end('held', '{}'),
  };
  for (const [name, operate] of Object.entries(operations)) {
    process.kill(pid, 'SIGSTOP');
    try {
      await assert.rejects(operate(), /has not answered in time/, name);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    // Earlier commands arrive before this.
    await client.ping();
  }
  for (const one of [store, patient]) await one.close();
  client.destroy();
});

test('what happened while the clock was a day ahead holds up nothing when it is set back', { skip: !server && 'there is no redis-server' }, async () => {
  const client = createClient({ socket: { path, tls: false } });
  await client.connect();
  const store = await redisStore(client, { prefix: 'ahead:' });
  const task = { owner: '', createdAt: 1, expiresAt: null, head: '{}' };
  for (const id of ['free', 'waits', 'given', 'renewed', 'long']) await store.create({ id, ...task });
  const [waits, renewed] = [await store.lease('waits', 60_000), await store.lease('renewed', 60_000)];
  assert.ok(waits && renewed && await store.lease('given', 200) && await store.lease('long', 60_000));
  await store.release(waits.lease, 0, [], ['a']);
  await store.answer('waits', new Map([['a', '"yes"']]));
  await store.renew(renewed.lease, 200);
  // The state of Redis after its clock was a day ahead.
  const day = 86_400_000;
  for (const id of ['given', 'renewed', 'long']) {
    await client.hIncrBy(`ahead:t:${id}`, 'until', day);
    for (const set of ['held', 'given']) await client.zIncrBy(`ahead:${set}`, day, id);
  }
  for (const id of ['free', 'waits']) await client.zIncrBy('ahead:due', day, id);
  assert.deepEqual([...await store.due(10)].sort(), ['free', 'waits'], 'leases are believed at first');
  assert.equal(await store.lease('given', 1000), undefined);
  const began = performance.now();
  while ((await store.due(10)).length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(performance.now() - began < 60_000, 'no longer than they are');
  assert.deepEqual([...await store.due(10)].sort(), ['free', 'given', 'renewed', 'waits']);
  assert.equal((await store.lease('given', 1000))?.lease.fence, 2);
  await store.close();
  client.destroy();
});

test('a server that has forgotten the scripts is told them again', { skip: !server && 'there is no redis-server' }, async (t) => {
  const client = createClient({ socket: { path, tls: false } });
  t.after(() => client.destroy());
  await client.connect();
  const store = await redisStore(client, { prefix: 'forgot:' });
  const task = { owner: '', createdAt: 1, expiresAt: null, head: '{}' };
  await store.create({ id: 'a', ...task });
  await client.scriptFlush();
  await Promise.all([store.create({ id: 'b', ...task }), store.create({ id: 'c', ...task })]);
  assert.equal(await store.count(), 3);
  await assert.rejects(store.create({ id: 'c', ...task }), /the task c exists/);
  await store.close();
});
