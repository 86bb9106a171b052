import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import pg from 'pg';
import { storeTests } from 'barewire/tasks/testing';
import type { TaskStore } from 'barewire/tasks';
import { postgresStore } from '../src/index.ts';
import { postgresServer } from './server.ts';
import { silentWay } from './silent-way.ts';

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

test('a lease that was given while the clock was a day ahead is believed for no longer than it is', { skip }, async () => {
  const pool = newPool();
  const store = await postgresStore(pool, { schema: 'ahead' });
  const task = { owner: '', createdAt: 1, expiresAt: null, head: '{}' };
  for (const id of ['free', 'given', 'renewed', 'long']) await store.create({ id, ...task });
  const renewed = await store.lease('renewed', 60_000);
  assert.ok(renewed && await store.lease('given', 200) && await store.lease('long', 60_000));
  await store.renew(renewed.lease, 200);
  // The database's state after its clock was a day ahead.
  await pool.query('UPDATE ahead.tasks SET held_from = held_from + 86400000, held_until = held_until + 86400000 WHERE held_until > 0');
  assert.deepEqual([...await store.due(10)], ['free'], 'leases are believed at first');
  const began = performance.now();
  while ((await store.due(10)).length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(performance.now() - began < 60_000, 'no longer than they are');
  assert.deepEqual([...await store.due(10)].sort(), ['free', 'given', 'renewed']);
  assert.equal((await store.lease('given', 1000))?.lease.fence, 2);
  await store.close();
  await pool.end();
});

test('tables of an earlier version get what is new', { skip }, async () => {
  const pool = newPool();
  const first = await postgresStore(pool, { schema: 'older' });
  await first.create({ id: 'a', owner: '', createdAt: 1, expiresAt: null, head: '{}' });
  await first.close();
  await pool.query('DROP INDEX older.tasks_held_from; ALTER TABLE older.tasks DROP COLUMN held_from');
  const store = await postgresStore(pool, { schema: 'older' });
  assert.equal((await store.lease('a', 1000))?.lease.fence, 1);
  assert.deepEqual([...await store.due(10)], []);
  await store.close();
  await pool.end();
});

test('a database that starts again is listened to again', { skip }, async () => {
  const pools = [newPool(), newPool()] as const;
  const errors: Error[] = [];
  const [one, two] = await Promise.all([
    postgresStore(pools[0], { schema: 'again' }), postgresStore(pools[1], { schema: 'again', onError: (error) => errors.push(error) }),
  ]);
  assert.ok(one && two);
  for (let starts = 1; starts <= 2; starts++) {
    await server?.restart();
    const told = new Promise<void>((resolve) => two.watch((id, change) => change === 'due' && id.startsWith(`${starts}-`) && resolve()));
    let heard = false;
    void told.then(() => (heard = true));
    for (let n = 0; !heard; n++) {
      await one.create({ id: `${starts}-${n}`, owner: '', createdAt: 1, expiresAt: null, head: '{}' }).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.ok(n < 1000, 'nobody listens any more');
    }
  }
  assert.ok(errors.length > 0, 'and the author hears of it');
  for (const store of [one, two]) await store.close();
  for (const pool of pools) await pool.end();
});

test('a connection that breaks while it begins to listen is given back, and one takes its place', { skip }, async () => {
  const pool = newPool();
  let breaks = 0;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
    Object.assign(client, {
      query(...args: unknown[]) {
        if (String(args[0]).startsWith('LISTEN') && breaks-- > 0) connection.stream.destroy();
        return query(...args);
      },
    });
  });
  const store = await postgresStore(pool, { schema: 'breaks' });
  const told = new Promise<void>((resolve) => store.watch(() => resolve()));
  for (let round = 0; round < 3; round++) {
    breaks = 2;
    await pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN breaks%' AND pid <> pg_backend_pid()");
    while (breaks >= 0 || pool.totalCount - pool.idleCount === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await pool.query("SELECT pg_notify('breaks_tasks', 'due x')");
  await told;
  assert.equal(pool.totalCount - pool.idleCount, 1, 'connections that are kept');
  await store.close();
  // Waits for each connection in use.
  await pool.end();
});

test('whatever is asked over a way that was cut without a word rejects in time, and goes another way next time', { skip }, async (t) => {
  const way = await silentWay(host);
  const pool = new pg.Pool({ host: way.host, user: 'postgres', database: 'postgres', max: 3 });
  pool.on('error', () => {});
  t.after(async () => {
    await way.close();
    await pool.end();
  });
  // Preparations and checks have all the time that a busy machine needs.
  const others = newPool();
  const patient = await postgresStore(others, { schema: 'silent', answerMs: 60_000 });
  const task = { owner: '', createdAt: 1, expiresAt: null, head: '{}' };
  for (const id of ['held', 'waits', 'other']) await patient.create({ id, ...task });
  const [held, waits] = [await patient.lease('held', 600_000), await patient.lease('waits', 600_000)];
  assert.ok(held && waits);
  await patient.release(waits.lease, 0, [], ['a']);
  const store = await postgresStore(pool, { schema: 'silent', answerMs: 300 });
  const operations: Record<string, () => Promise<unknown>> = {
    create: () => store.create({ id: 'new', ...task }),
    load: () => store.load('held'),
    lease: () => store.lease('other', 600_000),
    renew: () => store.renew(held.lease, 600_000),
    append: () => store.append(held.lease, 0, ['1']),
    answer: () => store.answer('waits', new Map([['a', '"yes"']])),
    due: () => store.due(10),
    list: () => store.list('', undefined, 10),
    count: () => store.count(),
    expire: () => store.expire(0),
    release: () => store.release(held.lease, 1, [], []),
    end: () => store.end('waits', '{}'),
  };
  for (const [name, operate] of Object.entries(operations)) {
    // The maximum of the pool: none may stay in use.
    await Promise.all([1, 2, 3].map(() => pool.query('SELECT pg_sleep(0.01)')));
    way.silence();
    const unanswered = /answered in time|terminated/;
    await assert.rejects(operate(), unanswered, name);
    // Repeats until an answer comes in time: on a busy machine an operation may succeed but be answered too late.
    const answered = (): Promise<boolean> => operate().then(() => true, (error: unknown) => !unanswered.test(String(error)));
    while (!await answered()) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.deepEqual((await patient.load('held'))?.records, ['1']);
  assert.equal((await patient.load('waits'))?.end, '{}');
  for (const one of [store, patient]) await one.close();
  await others.end();
});

test('a connection that breaks in the moment in which it is there ends nothing but the question', { skip }, async () => {
  let breaking = 0;
  // Like a database that restarts behind a stalled network: both messages arrive at once.
  class Breaking extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(done: (error?: Error) => void): void;
    override connect(done?: (error?: Error) => void): Promise<pg.Client> | void {
      if (!done) return super.connect();
      super.connect((error?: Error) => {
        done(error);
        if (!error && breaking-- > 0) this.emit('error', new Error('terminating connection'));
      });
    }
  }
  const pool = new pg.Pool({ host, user: 'postgres', database: 'postgres', max: 4, Client: Breaking });
  pool.on('error', () => {});
  const store = await postgresStore(pool, { schema: 'moment' });
  breaking = 3;
  await Promise.allSettled([store.count(), store.count(), store.count()]);
  assert.equal(await store.count(), 0);
  assert.ok(breaking <= 0);
  await store.close();
  await pool.end();
});

test('the name of a schema is a name', { skip }, async () => {
  const pool = newPool();
  await assert.rejects(postgresStore(pool, { schema: 'x; drop table y' }), RangeError);
  await pool.end();
});
