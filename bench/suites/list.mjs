// tools/list with a thousand tools, over stdio and in an HTTP session.
import { askOnce, load as loadHttp, sessions } from '../lib/http-load.mjs';
import { listTools } from '../lib/messages.mjs';
import { end, spawnHttp, spawnStdio } from '../lib/process.mjs';
import { load, open, talk } from '../lib/stdio-load.mjs';
import { sessionPeers } from './http.mjs';
import { peers as stdioPeers } from './stdio.mjs';

const TOOLS = 1000;

export const tables = {
  list: { title: `tools/list with ${TOOLS} tools: lists a second`, unit: '/s', more: true },
};

function check(answer) {
  const count = answer?.result?.tools?.length;
  if (count !== TOOLS) throw new Error(`expected ${TOOLS} tools in one page, got ${count ?? JSON.stringify(answer)?.slice(0, 200)}`);
}

export async function round(bench) {
  const message = listTools();
  for (const [peer, program] of bench.inTurn(stdioPeers)) {
    await bench.attempt(['list', 'stdio, 8 in flight'], peer, async () => {
      const child = spawnStdio(program, { TOOLS });
      try {
        await open(child);
        const wire = talk(child);
        check(await wire.ask(999_999, `${message.before}999999${message.after}`));
        wire.release();
        const out = await load(child, message, { inFlight: 8, ms: bench.ms, warmMs: bench.warmMs, firstId: 1_000_000 });
        bench.record('list', 'stdio, 8 in flight', peer, out.perSecond, out);
      } finally {
        await end(child);
      }
    });
  }
  for (const [peer, program] of bench.inTurn(sessionPeers)) {
    await bench.attempt(['list', 'HTTP session, 32 connections'], peer, async () => {
      const child = await spawnHttp(program, { TOOLS });
      try {
        const session = await sessions(child.port, 32);
        const sample = await askOnce(child.port, message, { session: session.ids[0], version: session.version });
        check(sample.messages.at(-1));
        const size = sample.body.length;
        const out = await loadHttp(child.port, message, {
          connections: 32,
          ms: bench.ms,
          warmMs: bench.warmMs,
          session,
          expect: (body) => body.length === size,
        });
        bench.record('list', 'HTTP session, 32 connections', peer, out.perSecond, out);
      } finally {
        await end(child);
      }
    });
  }
}
