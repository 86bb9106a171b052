// The same tool in other languages: one call at 32 connections in both eras, and whole sessions of 50 users. Each peer
// twice: as it comes, and on one thread. `node run.mjs --only languages`.
import { peers, startPeer, untilAnswers } from '../languages/peers.mjs';
import { connection } from '../lib/http-load.mjs';
import * as sockets from '../lib/http-load.mjs';
import { checkEcho, echo, headers, initialize, initialized, messagesOf, request } from '../lib/messages.mjs';
import { cpuSeconds, end, peakMemory } from '../lib/process.mjs';
import * as wrk from '../lib/wrk.mjs';

const modes = {
  modern: 'HTTP, 2026-07-28, no session, 32 connections: calls a second',
  session: 'HTTP, 2025-11-25, in a session, 32 connections: calls a second',
  iteration: 'initialize, initialized, tools/call, DELETE; 50 users: iterations a second',
};
export const tables = {};
for (const [mode, title] of Object.entries(modes)) tables[`languages-${mode}`] = { title: `Other languages. ${title}`, unit: '/s', more: true };
tables['languages-memory'] = { title: 'Other languages. Peak resident memory after the calls', unit: 'MiB', more: false, alone: true };

const text = 'a'.repeat(20);

export async function round(bench) {
  for (const mode of Object.keys(modes)) {
    for (const [peer, { several, ...programs }] of bench.inTurn(peers)) {
      if (programs[mode] === undefined) continue;
      for (const row of several ? ['as it comes'] : ['as it comes', 'one thread']) {
        // A program of Node runs its JavaScript on one thread either way.
        await bench.attempt([`languages-${mode}`, row], peer, async () => {
          const child = await startPeer(programs[mode], row === 'one thread');
          try {
            await measure(bench, mode, row, peer, child);
          } finally {
            await end(child);
          }
        });
      }
    }
  }
}

async function measure(bench, mode, row, peer, child) {
  const { port } = child;
  const modern = mode === 'modern';
  const session = await untilAnswers(async () => (modern ? undefined : sockets.sessions(port, 32)));
  const message = echo(text, { modern });
  const options = { modern, session: session?.ids[0], version: session?.version };
  const sample = await untilAnswers(() => sockets.askOnce(port, message, options));
  checkEcho(sample.messages.at(-1), text);
  const cpu = cpuSeconds(child.pid);
  const out = mode === 'iteration'
    ? await iterations(port, { users: 50, ms: bench.ms, warmMs: bench.warmMs })
    // wrk compares lengths, and events have ids of many lengths.
    : await (wrk.present && !sample.head.toLowerCase().includes('text/event-stream') ? wrk : sockets).load(port, message, {
      connections: 32, ms: bench.ms, warmMs: bench.warmMs, modern, session, bytes: sample.bytes, expect: (body) => body.includes(text),
    });
  out.server = cpuSeconds(child.pid) - cpu;
  bench.record(`languages-${mode}`, row, peer, out.perSecond, out);
  if (mode !== 'iteration') bench.record('languages-memory', `${mode}, ${row}`, peer, peakMemory(child.pid) / 2 ** 20);
}

/** Users that each open a session, say so, call, and end it, over a connection of their own. */
async function iterations(port, { users, ms, warmMs }) {
  const call = echo(text);
  const open = request('initialize');
  let done = 0;
  let errors = 0;
  let counting = false;
  let stopped = false;
  const field = (answer, name) => new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(answer.head)?.[1];
  async function user() {
    const line = connection(port);
    while (!stopped) {
      const opened = await line.post(headers(open), initialize());
      const session = field(opened, 'mcp-session-id');
      await line.post(headers(open, { session }), initialized);
      const answer = await line.post(headers(call, { session }), `${call.before}1${call.after}`);
      const last = answer.status === 200 ? messagesOf(field(answer, 'content-type'), answer.body).at(-1) : undefined;
      await line.post({ 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }, undefined, 'DELETE');
      if (!counting) continue;
      if (last?.result?.content?.[0]?.text === text) done += 1;
      else errors += 1;
    }
    line.close();
  }
  const all = Promise.all(Array.from({ length: users }, user));
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, warmMs))]);
  counting = true;
  const began = performance.now();
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, ms))]);
  const seconds = (performance.now() - began) / 1000;
  stopped = true;
  await all;
  return { perSecond: done / seconds, errors };
}
