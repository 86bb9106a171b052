// Watches a process that runs tests, and its descendants.
import { readFileSync } from 'node:fs';

/** A mutant of a limit may start processes without end; with more than this of them alive its tests have ended. */
const mostProcesses = 500;

/**
 * Ends a process by its activity instead of the clock, because others use the machine: by the processor time of it and its descendants, and
 * by how long all of them sleep continuously. Without /proc, by the clock only. All in milliseconds.
 */
export class Watch {
  /** The exceeded limit: work, asleep, processes, or ms. */
  ended;
  #timer;
  /** Descendants seen so far, and their start times. */
  #seen = new Map();

  constructor(pid, most, end) {
    const began = performance.now();
    let awake = began;
    this.#timer = setInterval(() => {
      const now = performance.now();
      const { sleeps, work, count } = this.#lookAt(pid);
      if (!sleeps) awake = now;
      this.ended = count > mostProcesses ? 'processes' : work > most.work ? 'work' : now - awake > most.asleep ? 'asleep' : now - began > most.ms ? 'ms' : undefined;
      if (!this.ended) return;
      clearInterval(this.#timer);
      end();
    }, 100);
  }

  /** Ends the watch, and kills remaining descendants: a process on a pseudo-terminal has a separate session and survives. */
  end() {
    clearInterval(this.#timer);
    for (const [pid, started] of this.#seen) {
      if (statOf(pid)?.started !== started) continue;
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has already exited.
      }
    }
  }

  /** Whether a process and all its descendants sleep, their processor time, and their count. */
  #lookAt(pid) {
    const stat = statOf(pid);
    if (!stat) return { sleeps: false, work: 0, count: 0 };
    let { sleeps, work } = stat;
    let count = 1;
    for (const child of childrenOf(pid)) {
      const started = statOf(child)?.started;
      if (started === undefined) continue;
      this.#seen.set(child, started);
      const one = this.#lookAt(child);
      sleeps &&= one.sleeps;
      work += one.work;
      count += one.count;
    }
    return { sleeps, work, count };
  }
}

/** The values of /proc: whether a process sleeps, the milliseconds of it and of its ended children, and its start time. */
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
