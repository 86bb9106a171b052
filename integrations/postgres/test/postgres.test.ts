import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import pg from 'pg';
import { storeTests } from 'barewire/tasks/testing';
import type { TaskStore } from 'barewire/tasks';
import { postgresStore } from '../src/index.ts';
import { postgresServer } from './server.ts';

const server = await postgresServer();
const skip = !server && 'there is no PostgreSQL';
const host = server?.host ?? '';
let schemas = 0;

after(() => server?.stop());

const newPool = (): pg.Pool => {
  const pool = new pg.Pool({ host, user: 'postgres', database: 'postgres', max: 10 });
  pool.on('error', () => {});
  return pool;
};

for (const { name, run } of storeTests) {
  test(name, { skip }, async (t) => {
    const schema = `test_${++schemas}`;
    const open = async (): Promise<TaskStore> => {
      const pool = newPool();
      const store = await postgresStore(pool, { schema });
      t.after(async () => {
        await store.close();
        await pool.end();
      });
      return store;
    };
    await run(async () => ({ store: await open(), again: open }));
  });
}

test('what one process does, others hear; the tables are made once', { skip }, async () => {
  const pools = [newPool(), newPool()] as const;
  const [one, two] = await Promise.all(pools.map((pool) => postgresStore(pool, { schema: 'heard' })));
  assert.ok(one && two);
  const told = new Promise<unknown[]>((resolve) => two.watch((...change) => resolve(change)));
  await one.create({ id: 'a', owner: '', createdAt: 1, expiresAt: null, head: '{}' });
  assert.deepEqual(await told, ['a', 'due']);
  for (const store of [one, two]) await store.close();
  for (const pool of pools) await pool.end();
});

test('the name of a schema is a name', { skip }, async () => {
  const pool = newPool();
  await assert.rejects(postgresStore(pool, { schema: 'x; drop table y' }), RangeError);
  await pool.end();
});
