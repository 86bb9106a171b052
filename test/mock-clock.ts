import type { MockTimers } from 'node:test';
import { systemClock } from '../src/bounds/clock.ts';
import type { Clock } from '../src/bounds/clock.ts';
import { manualClock } from '../src/bounds/manual-clock.ts';
import type { ManualClock } from '../src/bounds/manual-clock.ts';

interface Mocks {
  readonly timers: MockTimers;
  method(object: Clock, name: 'now' | 'monotonic', implementation: () => number): unknown;
}

/** Mocks the runtime's timers and both times of its clock, for code that takes no clock. Other tests use `manualClock`. */
export function mockClock(mocks: Mocks, options: Parameters<MockTimers['enable']>[0]): void {
  mocks.timers.enable(options);
  mocks.method(systemClock, 'now', () => Date.now());
  mocks.method(systemClock, 'monotonic', () => Date.now());
}

/** Advances a clock by milliseconds. */
export const pass = (clock: ManualClock, ms: number): void => clock.tick(clock.now() + ms);

/** A clock with the function's time and the runtime's timers. */
export const clockOf = (now: () => number): Clock => ({ ...systemClock, now, monotonic: now });

/** A clock whose timers wait for a promise from `wait` instead of a time; turns of the event loop stay the runtime's. */
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

/** A clock whose time passes only by `pass`; turns of the event loop, input and output stay the runtime's. */
export interface SteppedClock extends Clock {
  /** Advances the time by these milliseconds and runs the due timers. */
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
