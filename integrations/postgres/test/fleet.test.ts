import assert from 'node:assert/strict';
import { once } from 'node:events';
import test, { after } from 'node:test';
import pg from 'pg';
import type { FleetEngine } from 'barewire/fleet';
import { engineTests, storeTests } from 'barewire/fleet/testing';
import { postgresEngine } from '../src/index.ts';
import { postgresServer } from './server.ts';
import { silentWay } from './silent-way.ts';

const server = await postgresServer();
const skip = !server && 'there is no PostgreSQL';
const leaseMs = 1000;
let schemas = 0;

after(() => server?.stop());

const newPool = (): pg.Pool => {
  const pool = new pg.Pool({ host: server?.host ?? '', user: 'postgres', database: 'postgres', max: 5 });
  pool.on('error', () => {});
  return pool;
};

/** Ends a pool like the death of its process: including the connections in use. */
async function cut(pool: pg.Pool): Promise<void> {
  const clients = (pool as unknown as { _clients: { connection: { stream: { destroy(): void } } }[] })._clients;
  for (const { connection } of [...clients]) connection.stream.destroy();
  await pool.end();
}

for (const { name, run } of [...engineTests, ...storeTests]) {
  test(name, { skip }, async (t) => {
    const schema = `fleet_${++schemas}`;
    const pools = new Map<FleetEngine, pg.Pool>();
    t.after(async () => {
      for (const pool of pools.values()) if (!pool.ended) await cut(pool);
    });
    const again = async (): Promise<FleetEngine> => {
      const pool = newPool();
      const engine = await postgresEngine(pool, { schema, leaseMs });
      pools.set(engine, pool);
      return engine;
    };
    await run(async () => ({
      engine: await again(), again, leaseMs,
      async kill(engine) {
        const pool = pools.get(engine);
        if (pool) await cut(pool);
      },
      restart: async () => server?.restart(),
    }));
  });
}

test('a process whose lease ran out is told, and has its name again', { skip }, async () => {
  const pool = newPool();
  const engine = await postgresEngine(pool, { schema: 'lost', leaseMs: 300 });
  for (const change of ['UPDATE lost.fleet_processes SET held_until = 0', 'DELETE FROM lost.fleet_processes']) {
    const bus = await engine.join('p1');
    const lost = new Promise<void>((resolve) => {
      bus.receive({ message() {}, told() {}, gap() {}, lost: resolve });
    });
    await pool.query(change);
    await lost;
    assert.deepEqual(await bus.gone(['p1']), []);
    await bus.leave();
  }
  await pool.end();
});

test('what is told may be longer than NOTIFY carries', { skip }, async () => {
  const pool = newPool();
  const engine = await postgresEngine(pool, { schema: 'long' });
  const bus = await engine.join('p1');
  const text = 'é'.repeat(1_000_000);
  const told = new Promise<string>((resolve) => {
    bus.receive({ message() {}, told: (_, heard) => resolve(heard), gap() {}, lost() {} });
  });
  await bus.tell('t', text);
  assert.equal(await told === text, true);
  await bus.leave();
  await pool.end();
});

test('of a stream that is too long the oldest events are forgotten', { skip }, async () => {
  const pool = newPool();
  const { streams } = await postgresEngine(pool, { schema: 'short', maxBytesPerStream: 100 });
  const part = { session: 's', stream: 't', head: '', over: false, ttlMs: 10_000 };
  await streams.append({ ...part, first: 1, texts: ['a'.repeat(60), 'b'.repeat(30), 'c'.repeat(30)] });
  assert.equal(await streams.after('s', 't', 0), undefined);
  assert.deepEqual((await streams.after('s', 't', 1))?.texts, ['b'.repeat(30), 'c'.repeat(30)]);
  await streams.append({ ...part, first: 4, texts: ['d'.repeat(1000)] });
  assert.deepEqual((await streams.after('s', 't', 3))?.texts, ['d'.repeat(1000)]);
  await pool.end();
});

test('a connection that listens, and whose way is cut without a word, is replaced: what is told arrives again', { skip }, async (t) => {
  const way = await silentWay(server?.host ?? '');
  const pool = new pg.Pool({ host: way.host, user: 'postgres', database: 'postgres', max: 5 });
  pool.on('error', () => {});
  t.after(async () => {
    await way.close();
    await cut(pool).catch(() => {});
  });
  const errors: string[] = [];
  const engine = await postgresEngine(pool, { schema: 'silent', leaseMs: 900, answerMs: 300, onError: ({ message }) => errors.push(message) });
  const bus = await engine.join('p1');
  const told: string[] = [];
  await new Promise<void>((resolve) => {
    bus.receive({ message() {}, told: (_, text) => void told.push(text), gap: resolve, lost() {} });
    // Every existing connection becomes silent; new ones work.
    way.silence();
  });
  assert.ok(errors.includes('the connection that listens has not answered in time'), errors.join());
  for (let n = 0; told.length === 0; n++) {
    await bus.tell('t', String(n)).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual([...new Set(told)], told, 'each once');
  await bus.leave();
});
