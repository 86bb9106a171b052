// The environment of the programs: Redis with the carts, the HTTP service of the products, and the load generator.
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { createClient } from 'redis';
import { end } from '../lib/process.mjs';
import { prepare, rustProgram, saidPort } from './peers.mjs';

const execute = promisify(execFile);

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts redis-server in memory. Its shell ends it whenever the bench ends, even after a crash. */
async function startRedis(users) {
  const port = await freePort();
  const command = `redis-server --port ${port} --bind 127.0.0.1 --save '' --appendonly no >/dev/null & trap "kill $!" EXIT; cat >/dev/null`;
  const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.on('error', () => {});
  const url = `redis://127.0.0.1:${port}`;
  const client = createClient({ url, socket: { reconnectStrategy: (tries) => (tries < 50 ? 100 : new Error('redis-server does not answer; is it installed?')) } });
  client.on('error', () => {});
  await client.connect();
  for (let i = 0; i < users; i++) {
    const user = `user-${String(i).padStart(5, '0')}`;
    await client.hSet(`cart:${user}`, { user, items: '[{"product":"00042","quantity":2},{"product":"01337","quantity":1}]', currency: 'EUR', total: '58.26' });
  }
  const version = /redis_version:(\S+)/.exec(await client.info('server'))?.[1];
  await client.close();
  return { child, url, version };
}

/** Starts both; resolves with the environment for every program, the version of Redis, and `close`. */
export async function openWorld(users) {
  await prepare('rust');
  const redis = await startRedis(users);
  const catalogue = spawn(rustProgram, ['catalogue', 'one'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const port = await saidPort(catalogue);
  return {
    env: { REDIS_URL: redis.url, CATALOGUE_URL: `http://127.0.0.1:${port}` },
    redis: redis.version,
    async close() {
      await end(catalogue);
      const ended = new Promise((resolve) => redis.child.once('exit', resolve));
      redis.child.stdin.end();
      await ended;
    },
  };
}

/**
 * One run of the load generator. Resolves with `{ perSecond, all, p50, p99, errors, reason, unfinished, driver }`: `all` counts
 * every request, `driver` is the generator's share of a core.
 */
export async function load(plan) {
  const limit = plan.lead_ms + plan.ms + 10_000;
  const running = execute(rustProgram, ['load'], { timeout: limit, killSignal: 'SIGKILL' });
  running.child.stdin.on('error', () => {});
  running.child.stdin.end(JSON.stringify(plan));
  const { stdout } = await running;
  return JSON.parse(stdout);
}

/** The pids of a process and its children: a program with several processes counts as one. */
function family(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return [pid, ...(children === '' ? [] : children.split(' ').flatMap((child) => family(Number(child))))];
  } catch {
    return [pid];
  }
}

/** The sum of `read(pid)` over a process and its children. */
export const familySum = (pid, read) => family(pid).reduce((total, each) => total + read(each), 0);
