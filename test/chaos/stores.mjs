// The stores of the chaos run, for every process of it: how they are started, and how one is opened.
import { createRequire } from 'node:module';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderStore } from '../../dist/lib/tasks-node.js';

const integration = (name) => new URL(`../../integrations/${name}/`, import.meta.url);
const client = (name) => createRequire(new URL('package.json', integration(name)))(name === 'redis' ? 'redis' : 'pg');

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
      return server && { at: server.url, stop: server.stop };
    },
    async open(at) {
      const { redisStore } = await import(new URL('dist/src/index.js', integration('redis')));
      const connection = client('redis').createClient({ socket: { path: at, tls: false } });
      connection.on('error', () => {});
      await connection.connect();
      const store = await redisStore(connection);
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
      return server && { at: server.host, stop: server.stop };
    },
    async open(at) {
      const { postgresStore } = await import(new URL('dist/src/index.js', integration('postgres')));
      const pool = new (client('postgres').Pool)({ host: at, user: 'postgres', database: 'postgres', max: 12 });
      pool.on('error', () => {});
      const store = await postgresStore(pool);
      return { ...store, close: async () => {
        await store.close();
        await pool.end();
      } };
    },
  },
};
