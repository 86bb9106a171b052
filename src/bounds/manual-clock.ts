import type { Clock, Timer } from './clock.ts';

/** A clock that its program sets. */
export interface ManualClock extends Clock {
  /** When something is due, by `monotonic`: now, where `soon` was given something; undefined: nothing waits. */
  readonly due: number | undefined;
  /** Timers that run, and what `soon` was given and has not run. */
  readonly waiting: number;
  /**
   * It is this late now, in milliseconds since 1970: runs what `soon` was given, and what is due, in the order of its time.
   * An earlier time than before sets `now` back and runs no timer.
   */
  tick(now: number): void;
}

interface ManualTimer extends Timer {
  readonly due: number;
  readonly run: () => void;
}

/** The order in which timers run: by their time, and of one time in the order in which they were started. */
const byTime = (a: ManualTimer, b: ManualTimer): number => a.due - b.due;

/**
 * A clock for a machine without timers, and for tests: time passes, and timers run, only when the program calls `tick`.
 * `now` is the first time, in milliseconds since 1970.
 */
export function manualClock(now: number = 0): ManualClock {
  let steady = 0;
  let timers: ManualTimer[] = [];
  let next: (() => void)[] = [];

  /** What it calls may start timers, which may be due at once: they run in the next tick, so that each tick ends. */
  function run(): void {
    const ready = next;
    next = [];
    for (const call of ready) call();
    const due = timers.filter((timer) => timer.due <= steady);
    for (const timer of due.sort(byTime)) {
      if (!timers.includes(timer)) continue;
      timer.stop();
      timer.run();
    }
  }

  return {
    now: () => now,
    monotonic: () => steady,
    get due() {
      if (next.length > 0) return steady;
      return timers.length === 0 ? undefined : timers.reduce((first, { due }) => Math.min(first, due), Infinity);
    },
    get waiting() {
      return timers.length + next.length;
    },
    after(ms, call) {
      const timer: ManualTimer = {
        due: steady + Math.max(0, ms),
        run: call,
        stop() {
          timers = timers.filter((one) => one !== timer);
        },
      };
      timers.push(timer);
      return timer;
    },
    soon: (call) => void next.push(call),
    tick(later) {
      steady += Math.max(0, later - now);
      now = later;
      run();
    },
  };
}
