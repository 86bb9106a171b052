// Preloaded into each test file's process by scripts/test.mjs. If all tests of a file have ended, but something left open keeps
// the process alive, the file fails after five seconds, and the open resources are named. Otherwise a failed assertion that skips
// a `close()` would wait for the file's time limit.
// Processes that the file starts are marked, so that they can be ended with it (leftovers.mjs).

// Imported, because a test may remove the globals.
import { clearTimeout, setTimeout } from 'node:timers';
import { isMainThread } from 'node:worker_threads';
import { endLeftovers, markChildren } from './leftovers.mjs';
import { membersOf } from './together.mjs';

const QUIET_MS = Number(process.env.QUIET_MS ?? 5_000);

/**
 * The number of waiting or running tests. node:test has no event for it inside the process, so its reports on stdout are counted.
 */
let open = 0;
let timer;

const count = (text, word) => text.split(word).length - 1;

// Programs started by a test may inherit both the option and the environment.
if (process.env.NODE_TEST_CONTEXT === 'child-v8' && isMainThread && /\.test\.m?[jt]s$/.test(process.argv[1] ?? '')) {
  markChildren(process.ppid, process.argv[1]);
  const { write } = process.stdout;
  process.stdout.write = function (chunk, ...rest) {
    if (typeof chunk !== 'string') {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
      open += count(text, 'test:enqueue') - count(text, 'test:complete');
      clearTimeout(timer);
      if (open <= 0) timer = setTimeout(end, QUIET_MS).unref();
    }
    return write.call(this, chunk, ...rest);
  };
}

function end() {
  const left = [...new Set(process.getActiveResourcesInfo())].join(', ');
  console.error(`${membersOf(process.argv[1]).join(', ')}: all tests have ended, and the process has not for ${QUIET_MS / 1000} s. Still open: ${left}`);
  for (const one of endLeftovers(process.ppid, process.argv[1])) console.error(`ended: ${one}`);
  process.exitCode = 1;
  process.exit();
}
