// One of several processes for the same sessions, or a program without sharing, selected by FLEET. AT: the address of the engine.
// Counts the traffic with its engine.
import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { control } from './control.mjs';

const { FLEET: kind, AT: at } = process.env;
const key = new Uint8Array(32).fill(7);

// Every connection that this process opens goes to its engine.
const outward = new Set();
let writes = 0;
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  outward.add(this);
  for (const name of ['_write', '_writev']) {
    const own = this[name];
    this[name] = function (...given) {
      writes++;
      return own.apply(this, given);
    };
  }
  return connect.apply(this, args);
};

const client = async (name, what) => {
  const { createRequire } = await import('node:module');
  return createRequire(new URL(`../../integrations/${name}/package.json`, import.meta.url))(what);
};
const engines = {
  async redis() {
    const { redisEngine } = await import('../../integrations/redis/dist/src/index.js');
    const { createClient } = await client('redis', 'redis');
    return redisEngine(await createClient({ url: at }).connect());
  },
  async nats() {
    const { natsEngine } = await import('../../integrations/nats/dist/src/index.js');
    const { connect: open } = await client('nats', '@nats-io/transport-node');
    return natsEngine(await open({ servers: at }));
  },
  async postgres() {
    const { postgresEngine } = await import('../../integrations/postgres/dist/src/index.js');
    const { Pool } = await client('postgres', 'pg');
    return postgresEngine(new Pool({ host: at, user: 'postgres', database: 'postgres' }));
  },
};

async function listener() {
  if (kind.startsWith('tmcp')) {
    const { createRequestListener } = await import('@remix-run/node-fetch-server');
    const { HttpTransport } = await import('@tmcp/transport-http');
    const { build } = await import('./tmcp.mjs');
    let sessionManager;
    if (kind === 'tmcp-redis') {
      const { RedisInfoSessionManager, RedisStreamSessionManager } = await import('@tmcp/session-manager-redis');
      sessionManager = { streams: new RedisStreamSessionManager(at), info: new RedisInfoSessionManager(at) };
    }
    const transport = new HttpTransport(build(), { path: '/mcp', ...sessionManager && { sessionManager } });
    return createRequestListener(async (request) => await transport.respond(request) ?? new Response(null, { status: 404 }));
  }
  const { httpListener } = await import('barewire/http');
  const { fleet, memoryEngine } = await import('barewire/fleet');
  const { build } = await import('./barewire.mjs');
  if (kind === 'alone') return httpListener(build());
  const engine = kind === 'sealed' ? undefined : kind === 'memory' ? memoryEngine() : await engines[kind]();
  return httpListener(build(), { fleet: await fleet({ keys: [key], engine, onError: (error) => process.stderr.write(`${error.stack}\n`) }) });
}

const httpServer = createServer(await listener());
httpServer.listen(0, '127.0.0.1');
control(httpServer);
process.on('message', (message) => {
  if (message !== 'engine') return;
  let bytes = 0;
  for (const socket of outward) bytes += socket.bytesRead + socket.bytesWritten;
  process.send({ bytes, writes });
});
