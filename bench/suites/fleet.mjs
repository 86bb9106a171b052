// Several processes for the same sessions: the cost of a call in all of them and their engine.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { here, runtime } from '../lib/process.mjs';

const setting = 'Legacy sessions, 16 at once; each goes round over all processes. Redis, NATS and PostgreSQL run on this machine and sync '
  + 'each write. ';

export const tables = {
  fleet: {
    title: 'processor time a call, summed over the processes',
    unit: 'µs',
    more: false,
    note: `${setting}Two cores are shared with the load generator: the figures are time spent, and show no scaling. \`alone\` is barewire `
      + 'without a fleet, and is not asked for more than one process: it would answer 404. The bare program and tmcp in memory answer '
      + 'whatever session is named.',
  },
  'fleet-bytes': {
    title: 'bytes between the processes and their engine, a call',
    unit: 'B',
    more: false,
    note: 'Both directions, over two processes. What a call does not cause (leases) is in it.',
  },
  'fleet-writes': {
    title: 'writes of the processes to their engine, a call',
    unit: '',
    more: false,
    note: 'A round trip is one write or a part of one: commands that go out together are one.',
  },
};

// Its figures are sums over thousands of calls, so few rounds suffice.
export const rounds = 2;

const run = promisify(execFile);

const port = () => new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = probe.address();
    probe.close(() => resolve(free));
  });
});

/** The available engines, and functions that stop them. */
async function start() {
  const found = { stops: [] };
  const folder = mkdtempSync(join(tmpdir(), 'barewire-bench-'));
  const redis = await port();
  const child = spawn('redis-server', [
    '--port', String(redis), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--appendfsync', 'always', '--save', '',
  ], { stdio: ['ignore', 'pipe', 'ignore'] });
  found.stops.push(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  if (await ready(child)) found.redis = `redis://127.0.0.1:${redis}`;
  for (const name of ['redis', 'nats', 'postgres']) {
    const integration = here(`../integrations/${name}`);
    if (!existsSync(`${integration}/dist/test/server.js`)) {
      for (const args of [['ci'], ['run', 'build']]) execFileSync('npm', ['--silent', ...args], { cwd: integration, stdio: 'ignore' });
    }
    if (name === 'redis') continue;
    const { natsServer, postgresServer } = await import(`${integration}/dist/test/server.js`);
    const server = await (natsServer ?? postgresServer)();
    if (server === undefined) continue;
    found[name] = server.url ?? server.host;
    found.stops.push(() => server.stop());
  }
  return found;
}

const ready = (child) => new Promise((resolve) => {
  child.once('error', () => resolve(false));
  child.once('exit', () => resolve(false));
  let said = '';
  child.stdout.on('data', (chunk) => {
    said = (said + chunk).slice(-1000);
    if (said.includes('eady to accept connections')) resolve(true);
  });
});

export async function round(bench) {
  const found = await start();
  const peers = {
    bare: 'bare', barewire: 'alone', 'barewire, keys': 'sealed', 'barewire, Redis': 'redis', 'barewire, NATS': 'nats',
    'barewire, PostgreSQL': 'postgres', tmcp: 'tmcp', 'tmcp, Redis': 'tmcp-redis',
  };
  const calls = bench.quick ? 3000 : 20_000;
  const one = async (peer, kind, count, what) => {
    const at = found[kind.replace('tmcp-', '')] ?? '';
    if (/redis|nats|postgres/.test(kind) && at === '') return undefined;
    // Calls with events, and those of tmcp, take several times as long.
    const total = what === 'echo' && !kind.startsWith('tmcp') ? calls : Math.ceil(calls / 5);
    const { stdout } = await run(runtime.node, [here('fleet.mjs'), kind, String(count), what, '--calls', String(total), '--at', at]);
    return JSON.parse(stdout);
  };
  try {
    for (const [what, title] of [['echo', 'a call'], ['progress', 'a call with 10 progress events']]) {
      for (const count of [1, 2, 4]) {
        for (const [peer, kind] of bench.inTurn(peers)) {
          if (kind === 'alone' && count > 1) continue;
          const row = `${title}, ${count} process${count > 1 ? 'es' : ''}`;
          await bench.attempt(['fleet', row], peer, async () => {
            const figures = await one(peer, kind, count, what);
            if (figures === undefined) return;
            bench.record('fleet', row, peer, figures.micros, figures);
            if (count !== 2 || !/redis|nats|postgres/.test(kind)) return;
            bench.record('fleet-bytes', title, peer, figures.bytes, figures);
            bench.record('fleet-writes', title, peer, figures.writes, figures);
          });
        }
      }
    }
  } finally {
    for (const stop of found.stops) await stop();
  }
}
