// The engines of the load run, for every process of it: how their servers are started, and how one is opened.
import { createRequire } from 'node:module';

const root = (name) => new URL(`../../../integrations/${name}/`, import.meta.url);
const load = (name, file) => import(new URL(`dist/${file}`, root(name)));
const library = (name, what) => createRequire(new URL('package.json', root(name)))(what);
const nothing = () => {};

export const engines = {
  redis: {
    async start() {
      const server = await (await load('redis', 'test/server.js')).redisServer();
      return server && { ...server, at: server.url };
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
      return server && { ...server, at: server.url };
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
      return server && { ...server, at: server.host };
    },
    async open(at, options) {
      const { postgresEngine } = await load('postgres', 'src/index.js');
      const pool = new (library('postgres', 'pg').Pool)({ host: at, user: 'postgres', database: 'postgres', max: 8 });
      pool.on('error', nothing);
      return postgresEngine(pool, options);
    },
  },
};
