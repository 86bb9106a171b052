// The engines of the load run: how to start the server of each, and how a process connects to it.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stallingProxy } from './stalling-proxy.mjs';

const root = (name) => new URL(`../../../integrations/${name}/`, import.meta.url);
const load = (name, file) => import(new URL(`dist/${file}`, root(name)));
const library = (name, what) => createRequire(new URL('package.json', root(name)))(what);
const nothing = () => {};

/** The server behind a proxy that can stall. `at`: the address for the processes. */
async function behindProxy(server, to, where, at) {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-proxy-'));
  chmodSync(folder, 0o700);
  const proxy = await stallingProxy(to, where(folder));
  return {
    ...server, at: at(proxy.address, folder), stall: proxy.stall, heal: proxy.heal,
    async stop() {
      await proxy.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const engines = {
  redis: {
    async start() {
      const server = await (await load('redis', 'test/server.js')).redisServer();
      return server && behindProxy(server, server.url, (folder) => join(folder, 'redis'), (_, folder) => join(folder, 'redis'));
    },
    async open(at, options) {
      const { redisEngine } = await load('redis', 'src/index.js');
      const reconnectStrategy = (tries) => Math.min(20 * tries, 200);
      const client = library('redis', 'redis').createClient({ socket: { path: at, tls: false, reconnectStrategy } });
      client.on('error', nothing);
      await client.connect();
      return redisEngine(client, options);
    },
  },
  nats: {
    async start() {
      const server = await (await load('nats', 'test/server.js')).natsServer();
      if (!server) return undefined;
      const [host, port] = server.url.split(':');
      return behindProxy(server, { host, port: Number(port) }, () => ({ host, port: 0 }), (address) => `${host}:${address.port}`);
    },
    async open(at, options) {
      const { natsEngine } = await load('nats', 'src/index.js');
      const { connect } = library('nats', '@nats-io/transport-node');
      const connection = await connect({
        servers: at, maxReconnectAttempts: -1, reconnectTimeWait: 50, reconnectJitter: 50, waitOnFirstConnect: true,
      });
      return natsEngine(connection, options);
    },
  },
  postgres: {
    async start() {
      const server = await (await load('postgres', 'test/server.js')).postgresServer();
      const name = '.s.PGSQL.5432';
      return server && behindProxy(server, join(server.host, name), (folder) => join(folder, name), (_, folder) => folder);
    },
    async open(at, options) {
      const { postgresEngine } = await load('postgres', 'src/index.js');
      const pool = new (library('postgres', 'pg').Pool)({ host: at, user: 'postgres', database: 'postgres', max: 8 });
      pool.on('error', nothing);
      return postgresEngine(pool, options);
    },
  },
};
