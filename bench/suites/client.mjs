// The client's side: a client of each library drives the bare server. The client program measures itself.
import { spawn } from 'node:child_process';
import { end, here, pin, runtime, spawnHttp } from '../lib/process.mjs';

const peers = {
  bare: 'clients/bare.mjs',
  'node:http': 'clients/bare-node-http.mjs',
  barewire: 'clients/barewire.mjs',
  'barewire/http1': 'clients/barewire-http1.mjs',
  'barewire/fetch': 'clients/barewire-fetch.mjs',
  'sdk v1': 'clients/sdk-v1.mjs',
  'sdk v2': 'clients/sdk-v2.mjs',
};

export const tables = {
  client: {
    title: 'client driving the bare server: calls a second',
    unit: '/s',
    more: true,
    note: 'Over HTTP the bare client is the platform’s `fetch`, which the official SDKs stand on; barewire is `httpTransport` of `barewire/http`, barewire/http1 the same with `engine: http1Client`, barewire/fetch that of `barewire/fetch`. The bare client on `node:http` is what barewire is to be held against.',
  },
};

const rows = [
  ['stdio, 20 B, 1 in flight', 'stdio', 1, 20],
  ['stdio, 20 B, 64 in flight', 'stdio', 64, 20],
  ['stdio, 64 KiB, 64 in flight', 'stdio', 64, 64 * 1024],
  ['HTTP session, 20 B, 1 in flight', 'http', 1, 20],
  ['HTTP session, 20 B, 32 in flight', 'http', 32, 20],
];

export async function round(bench) {
  const server = await spawnHttp('servers/bare-http.mjs', {}, [], true);
  try {
    for (const [peer, program] of bench.inTurn(peers)) {
      for (const [row, transport, inFlight, size] of rows) {
        if (['node:http', 'barewire/http1', 'barewire/fetch'].includes(peer) && transport === 'stdio') continue;
        const target = transport === 'http' ? `http://127.0.0.1:${server.port}/mcp` : here('servers/bare-stdio.mjs');
        await bench.attempt(['client', row], peer, async () => {
          // Child processes inherit this process's core.
          pin([process.pid, server.pid], inFlight === 1);
          const out = await runClient(program, [transport, target, inFlight, size, bench.ms, bench.warmMs]);
          bench.record('client', row, peer, out.perSecond, out);
        });
      }
    }
  } finally {
    pin([process.pid], false);
    await end(server);
  }
}

function runClient(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(runtime.node, [here(program), ...args.map(String)], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let complaints = '';
    let result;
    child.stderr.on('data', (chunk) => (complaints += chunk));
    child.on('message', (message) => (result = message));
    child.on('exit', (code) =>
      result ? resolve(result) : reject(new Error(`the client ended (${code}): ${complaints.trim().slice(0, 600)}`)),
    );
  });
}
