import type { MockTimers } from 'node:test';
import { systemClock } from '../src/bounds/clock.ts';
import type { Clock } from '../src/bounds/clock.ts';
import { manualClock } from '../src/bounds/manual-clock.ts';

interface Mocks {
  readonly timers: MockTimers;
  method(object: Clock, name: 'now' | 'monotonic', implementation: () => number): unknown;
}

/** Mocks the timers of the runtime and both times of its clock, for tests of what is handed no clock. Others take a `manualClock`. */
export function mockClock(mocks: Mocks, options: Parameters<MockTimers['enable']>[0]): void {
  mocks.timers.enable(options);
  mocks.method(systemClock, 'now', () => Date.now());
  mocks.method(systemClock, 'monotonic', () => Date.now());
}

/** A clock whose time is what the function says; its timers are the runtime's. */
export const clockOf = (now: () => number): Clock => ({ ...systemClock, now, monotonic: now });

/** A clock whose timers wait for a promise instead of a time. `wait` gives it for each; turns of the event loop stay as they are. */
export function waitingClock(wait: (ms: number) => Promise<void>): Clock {
  return {
    ...systemClock,
    after(ms, run, background) {
      if (ms <= 0) return systemClock.after(ms, run, background);
      let stopped = false;
      void wait(ms).then(() => stopped || run());
      return {
        stop() {
          stopped = true;
        },
      };
    },
  };
}

/** A clock whose time passes only when the test says so; turns of the event loop stay the runtime's, and so does input and output. */
export interface SteppedClock extends Clock {
  /** So many milliseconds pass: the timers that are due run. */
  pass(ms: number): void;
}

export function steppedClock(): SteppedClock {
  const manual = manualClock(Date.now());
  return {
    ...systemClock,
    now: () => manual.now(),
    monotonic: () => manual.monotonic(),
    after: (ms, run, background) => (ms <= 0 ? systemClock : manual).after(ms, run, background),
    pass: (ms) => manual.tick(manual.now() + ms),
  };
}
