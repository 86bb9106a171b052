import type { Clock, Timer } from './clock.ts';

/** A clock that the program advances with `tick`. */
export interface ManualClock extends Clock {
  /** When the next call is due, by `monotonic`: now if a call of `soon` waits; undefined: no call waits. */
  readonly due: number | undefined;
  /** The number of pending timers and pending calls of `soon`. */
  readonly waiting: number;
  /**
   * Sets the time to `now`, in milliseconds since 1970. Runs the pending calls of `soon`, then the due timers in the order
   * of their times. An earlier time than before sets `now` back; `monotonic` then does not change.
   */
  tick(now: number): void;
}

interface ManualTimer extends Timer {
  readonly due: number;
  readonly run: () => void;
}

/** The order in which timers run: by due time; the stable sort keeps the order of start for equal times. */
const byTime = (a: ManualTimer, b: ManualTimer): number => a.due - b.due;

/**
 * A clock for a machine without timers, and for tests: time passes, and timers run, only when the program calls `tick`.
 * `now` is the first time, in milliseconds since 1970.
 */
export function manualClock(now: number = 0): ManualClock {
  let steady = 0;
  let timers: ManualTimer[] = [];
  let next: (() => void)[] = [];

  /** Timers that these calls start run in the next tick, even if they are due at once: so each tick ends. */
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
