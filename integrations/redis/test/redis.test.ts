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

test('a server that has forgotten the scripts is told them again', { skip: !server && 'there is no redis-server' }, async () => {
  const client = createClient({ socket: { path, tls: false } });
  await client.connect();
  const store = await redisStore(client, { prefix: 'forgot:' });
  const task = { owner: '', createdAt: 1, expiresAt: null, head: '{}' };
  await store.create({ id: 'a', ...task });
  await client.scriptFlush();
  await Promise.all([store.create({ id: 'b', ...task }), store.create({ id: 'c', ...task })]);
  assert.equal(await store.count(), 3);
  await assert.rejects(store.create({ id: 'c', ...task }), /there is a task c/);
  await store.close();
  client.destroy();
});
