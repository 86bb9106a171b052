// Idle sessions: heap per session after garbage collection.
import { sessions } from '../lib/http-load.mjs';
import { ask, end, spawnHttp } from '../lib/process.mjs';
import { sessionPeers as peers } from './http.mjs';

export const tables = {
  sessions: {
    title: 'idle HTTP sessions: heap each',
    unit: 'KiB',
    more: false,
    note: 'A program that needs longer than the time limit, or more than 1 GiB of heap, is measured with as many sessions as it had by then.',
  },
};

// A heap size is not a timing: one round is enough.
export const rounds = 1;

export async function round(bench) {
  const goal = bench.sessions;
  const row = `${goal.toLocaleString('en')} sessions`;
  for (const [peer, program] of bench.inTurn(peers)) {
    await bench.attempt(['sessions', row], peer, async () => {
      const child = await spawnHttp(program, { SESSIONS: goal }, ['--expose-gc', '--max-old-space-size=3000']);
      try {
        // The first sessions compile code and fill caches, which is not the cost of an idle session.
        await sessions(child.port, Math.min(200, goal / 10));
        const before = await ask(child, 'heap', 'heapUsed');
        const deadline = Date.now() + bench.sessionMs;
        const step = Math.max(100, goal / 20);
        let count = 0;
        let now = before;
        while (count < goal && Date.now() < deadline && now.heapUsed < 2 ** 30) {
          await sessions(child.port, step);
          count += step;
          now = await ask(child, 'heap', 'heapUsed');
        }
        bench.record('sessions', row, peer, (now.heapUsed - before.heapUsed) / count / 1024, { count, goal });
      } finally {
        await end(child);
      }
    });
  }
}
