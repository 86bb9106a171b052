// The stores of the chaos run, used in all its processes: how to start and open each, and how to disturb its backend.
import { createRequire } from 'node:module';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderStore } from '../../dist/lib/tasks-node.js';
import { proxy } from './proxy.mjs';

/** How long a store waits for its engine, in ms: less than some stalls and than a silent cut. */
const answerMs = 2000;

const integration = (name) => new URL(`../../integrations/${name}/`, import.meta.url);
const client = (name) => createRequire(new URL('package.json', integration(name)))(name === 'redis' ? 'redis' : 'pg');

/**
 * An engine behind a proxy. `socket`: the name of its socket. `step` sets its clock: stored times matter only relative to the
 * clock, so `step` moves them the opposite way.
 */
async function engine(started, socket, at, step) {
  if (!started) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'barewire-proxy-'));
  const between = await proxy(join(folder, socket), at);
  return {
    at: folder,
    hold: between.hold,
    letGo: between.letGo,
    cut: between.cut,
    silence: between.silence,
    restart: () => started.restart(),
    step,
    async stop() {
      await between.close();
      await started.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const stepRedis = `
for _, key in ipairs(redis.call('KEYS', 'barewire:tasks:t:*')) do
  local till = tonumber(redis.call('HGET', key, 'until'))
  if till > 0 then redis.call('HSET', key, 'until', till - ARGV[1]) end
end
for _, set in ipairs({'due', 'held', 'given'}) do
  for _, id in ipairs(redis.call('ZRANGE', 'barewire:tasks:'..set, 0, -1)) do
    redis.call('ZINCRBY', 'barewire:tasks:'..set, -ARGV[1], id)
  end
end
return 0
`;

export const stores = {
  folder: {
    async start() {
      const at = await mkdtemp(join(tmpdir(), 'barewire-chaos-'));
      return { at, stop: () => rm(at, { recursive: true, force: true }) };
    },
    open: (at) => folderStore(at),
  },
  redis: {
    async start() {
      const { redisServer } = await import(new URL('dist/test/server.js', integration('redis')));
      const server = await redisServer();
      return engine(server, 'redis.sock', server?.url, async (ms) => {
        const connection = client('redis').createClient({ socket: { path: server.url, tls: false } });
        connection.on('error', () => {});
        await connection.connect();
        await connection.eval(stepRedis, { arguments: [String(ms)] });
        connection.destroy();
      });
    },
    async open(at) {
      const { redisStore } = await import(new URL('dist/src/index.js', integration('redis')));
      const connection = client('redis').createClient({ socket: { path: join(at, 'redis.sock'), tls: false } });
      connection.on('error', () => {});
      await connection.connect();
      const store = await redisStore(connection, { answerMs });
      return { ...store, close: async () => {
        await store.close();
        connection.destroy();
      } };
    },
  },
  postgres: {
    async start() {
      const { postgresServer } = await import(new URL('dist/test/server.js', integration('postgres')));
      const server = await postgresServer();
      return engine(server, '.s.PGSQL.5432', server && join(server.host, '.s.PGSQL.5432'), async (ms) => {
        const one = new (client('postgres').Client)({ host: server.host, user: 'postgres', database: 'postgres' });
        one.on('error', () => {});
        await one.connect();
        await one.query(`UPDATE barewire.tasks SET held_until = held_until - ${ms}, held_from = held_from - ${ms} WHERE held_until > 0`);
        await one.end();
      });
    },
    async open(at) {
      const { postgresStore } = await import(new URL('dist/src/index.js', integration('postgres')));
      const pool = new (client('postgres').Pool)({ host: at, user: 'postgres', database: 'postgres', max: 12 });
      pool.on('error', () => {});
      const store = await postgresStore(pool, { answerMs });
      return { ...store, close: async () => {
        await store.close();
        await pool.end();
      } };
    },
  },
};
