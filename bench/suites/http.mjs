// HTTP: the modern revision without a session, a legacy session, and SSE answers with ten notifications.
import * as sockets from '../lib/http-load.mjs';
import * as wrk from '../lib/wrk.mjs';
import { checkEcho, echo, messagesOf, progressCall } from '../lib/messages.mjs';
import { cpuSeconds, end, pin, spawnHttp } from '../lib/process.mjs';

const modernPeers = {
  bare: 'servers/bare-http.mjs',
  barewire: 'servers/barewire-http.mjs',
  'barewire/http1': 'servers/barewire-http1.mjs',
  'sdk v2': 'servers/sdk-v2-modern.mjs',
  tmcp: 'servers/tmcp-http.mjs',
};

export const sessionPeers = {
  bare: 'servers/bare-http.mjs',
  barewire: 'servers/barewire-http.mjs',
  'barewire/http1': 'servers/barewire-http1.mjs',
  'sdk v1': 'servers/sdk-v1-http.mjs',
  'sdk v2': 'servers/sdk-v2-http.mjs',
  tmcp: 'servers/tmcp-http.mjs',
  'mcp-lite': 'servers/mcp-lite-http.mjs',
  fastmcp: 'servers/fastmcp-http.mjs',
};

const modes = [
  { key: 'http-modern', name: 'HTTP, 2026-07-28, no session', peers: modernPeers, modern: true },
  { key: 'http-session', name: 'HTTP, 2025-11-25, in a session', peers: sessionPeers },
  { key: 'http-sse', name: 'HTTP, 2025-11-25, SSE answer with 10 progress notifications', peers: sessionPeers, sse: true },
];

export const tables = {};
for (const { key, name } of modes) {
  tables[key] = { title: `${name}: calls a second`, unit: '/s', more: true, decided: true };
  tables[`${key}-p50`] = { title: `${name}: median latency`, unit: 'ms', more: false, decided: true };
  tables[`${key}-p99`] = { title: `${name}: 99th percentile of latency`, unit: 'ms', more: false, decided: true };
  tables[`${key}-cpu`] = { title: `${name}: processor time a call`, unit: 'µs', more: false, decided: true };
}

// A tail latency depends on the slowest hundredth: three rounds show little of it.
export const leastRounds = 9;
export const decided = ['bare', 'barewire', 'barewire/http1'];

const text = 'a'.repeat(20);

export async function round(bench) {
  for (const mode of modes) {
    if (!bench.wants(mode.key)) continue;
    for (const [peer, program] of bench.inTurn(mode.peers)) {
      await bench.attempt([mode.key, '32 connections'], peer, async () => {
        const child = await spawnHttp(program);
        try {
          const { port } = child;
          const modern = mode.modern === true;
          const session = modern ? undefined : await sockets.sessions(port, 32);
          const message = mode.sse ? progressCall({ modern }) : echo(text, { modern });
          const sample = await sockets.askOnce(port, message, {
            modern,
            session: session?.ids[0],
            version: session?.version,
          });
          if (mode.sse) checkProgress(sample.messages);
          else checkEcho(sample.messages.at(-1), text);
          const generator = wrk.present && !mode.sse ? wrk : sockets;
          for (const connections of bench.connections) {
            pin([process.pid, child.pid], connections === 1);
            const row = `${connections} connection${connections === 1 ? '' : 's'}`;
            const kinds = ['', '-p50', '-p99', '-cpu'].map((kind) => mode.key + kind);
            const out = await bench.unhindered(kinds, row, connections, async (inFlight) => {
              let cpu = 0;
              const found = await generator.load(port, message, {
                connections: inFlight,
                ms: bench.ms,
                warmMs: connections === bench.connections[0] ? bench.warmMs : bench.warmMs / 2,
                modern,
                session,
                bytes: sample.bytes,
                expect: mode.sse ? elevenEvents : (body) => body.includes(text),
                counted: () => (cpu = cpuSeconds(child.pid)),
              });
              return { ...found, cpu: cpuSeconds(child.pid) - cpu };
            });
            const { inFlight } = out;
            bench.record(mode.key, row, peer, out.perSecond, out);
            bench.record(`${mode.key}-p50`, row, peer, out.p50, { inFlight });
            bench.record(`${mode.key}-p99`, row, peer, out.p99, { inFlight });
            bench.record(`${mode.key}-cpu`, row, peer, (out.cpu * 1e6) / (out.perSecond * (bench.ms / 1000)), { inFlight });
          }
        } finally {
          pin([process.pid], false);
          await end(child);
        }
      });
    }
  }
}

function checkProgress(messages) {
  const steps = messages.filter((message) => message.method === 'notifications/progress');
  if (steps.length !== 10 || messages.at(-1).result?.content?.[0]?.text !== 'done') {
    throw new Error(`expected 10 notifications and a result, got ${JSON.stringify(messages).slice(0, 300)}`);
  }
}

// Under load the events are counted, not parsed.
function elevenEvents(body) {
  let count = 0;
  for (let at = body.indexOf('"jsonrpc"'); at >= 0; at = body.indexOf('"jsonrpc"', at + 9)) count++;
  return count === 11 || messagesOf('text/event-stream', body).length === 11;
}
