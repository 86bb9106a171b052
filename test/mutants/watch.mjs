// Looks at a process that runs tests, and at those that the tests have started.
import { readFileSync } from 'node:fs';

/**
 * Ends a process by what it did, not by the clock, for others use the machine: by the processor time that it and its
 * descendants used, and by how long all of them sleep without a pause. Where there is no /proc, by the clock only. All in
 * milliseconds.
 */
export class Watch {
  /** The limit that was passed: work, asleep, or ms. */
  ended;
  #timer;
  /** Descendants that were seen, and when each was started. */
  #seen = new Map();

  constructor(pid, most, end) {
    const began = performance.now();
    let awake = began;
    this.#timer = setInterval(() => {
      const now = performance.now();
      const { sleeps, work } = this.#lookAt(pid);
      if (!sleeps) awake = now;
      this.ended = work > most.work ? 'work' : now - awake > most.asleep ? 'asleep' : now - began > most.ms ? 'ms' : undefined;
      if (!this.ended) return;
      clearInterval(this.#timer);
      end();
    }, 100);
  }

  /** Ends the watch, and what the process has left behind: a pseudo-terminal is a session of its own, and outlives it. */
  end() {
    clearInterval(this.#timer);
    for (const [pid, started] of this.#seen) {
      if (statOf(pid)?.started !== started) continue;
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }

  /** Whether a process and its descendants all wait for something, and the processor time that they have used. */
  #lookAt(pid) {
    const stat = statOf(pid);
    if (!stat) return { sleeps: false, work: 0 };
    let { sleeps, work } = stat;
    for (const child of childrenOf(pid)) {
      const started = statOf(child)?.started;
      if (started === undefined) continue;
      this.#seen.set(child, started);
      const one = this.#lookAt(child);
      sleeps &&= one.sleeps;
      work += one.work;
    }
    return { sleeps, work };
  }
}

/** What /proc says of a process: whether it sleeps, the milliseconds of it and of its ended children, and when it was started. */
function statOf(pid) {
  try {
    const [state, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
    return { sleeps: state === 'S' || state === 'Z', work: [10, 11, 12, 13].reduce((sum, at) => sum + Number(rest[at]) * 10, 0), started: rest[18] };
  } catch {
    return undefined;
  }
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
