// stdio: calls per second, processor time per call, peak memory, and the first response after spawn.
import { performance } from 'node:perf_hooks';
import { checked, load, open, talk } from '../lib/stdio-load.mjs';
import { echo, initialize } from '../lib/messages.mjs';
import { end, peakMemory, pin, spawnStdio } from '../lib/process.mjs';

export const peers = {
  bare: 'servers/bare-stdio.mjs',
  barewire: 'servers/barewire-stdio.mjs',
  'sdk v1': 'servers/sdk-v1-stdio.mjs',
  'sdk v2': 'servers/sdk-v2-stdio.mjs',
  tmcp: 'servers/tmcp-stdio.mjs',
  fastmcp: 'servers/fastmcp-stdio.mjs',
};

// For comparison, a tuned bare program: one write for all requests of one read.
const withBatched = { ...peers, 'bare, batched': 'servers/bare-batched-stdio.mjs' };

const payloads = [
  ['20 B', 20],
  ['1 KiB', 1024],
  ['64 KiB', 64 * 1024],
  ['5 MiB', 5 * 1024 * 1024],
];

export const tables = {
  stdio: {
    title: 'stdio: calls a second',
    unit: '/s',
    more: true,
    note: '`bare` writes each answer as it is made, as most people would write it; `bare, batched` writes once for all that one read brought.',
  },
  'stdio-cpu': { title: 'stdio: processor time a call, 64 in flight', unit: 'µs', more: false },
  'stdio-memory': { title: 'stdio: peak resident memory after the load', unit: 'MiB', more: false },
  start: { title: 'stdio: first answer after spawn', unit: 'ms', more: false, difference: true },
};

export async function round(bench) {
  for (const [peer, program] of bench.inTurn(withBatched)) {
    for (const [label, size] of payloads) {
      await bench.attempt(['stdio', `${label}, 64 in flight`], peer, async () => {
        const child = spawnStdio(program);
        try {
          await open(child);
          const text = 'a'.repeat(size);
          await checked(child, text);
          const message = echo(text);
          const { ms, warmMs } = bench;
          pin([process.pid, child.pid], true);
          const one = await load(child, message, { inFlight: 1, ms: ms / 2, warmMs, firstId: 1_000_000, drain: true });
          pin([process.pid, child.pid], false);
          bench.record('stdio', `${label}, 1 in flight`, peer, one.perSecond, one);
          const many = await load(child, message, { inFlight: 64, ms, warmMs: warmMs / 2, firstId: one.nextId });
          bench.record('stdio', `${label}, 64 in flight`, peer, many.perSecond, many);
          bench.record('stdio-cpu', label, peer, many.cpuMicros);
          bench.record('stdio-memory', `${label}, 64 in flight`, peer, peakMemory(child.pid) / 2 ** 20);
        } finally {
          pin([process.pid], false);
          await end(child);
        }
      });
    }
  }
  for (let i = 0; i < bench.spawns; i++) {
    for (const [peer, program] of bench.inTurn(peers)) {
      await bench.attempt(['start', 'initialize answered'], peer, async () => {
        const started = performance.now();
        const child = spawnStdio(program);
        try {
          await talk(child).ask(1, initialize());
          bench.record('start', 'initialize answered', peer, performance.now() - started);
        } finally {
          await end(child);
        }
      });
    }
  }
}
