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

/**
 * Replaces the runtime's clock by one whose time passes only by `pass`, for code that takes no clock. The runtime's timers stay, so it
 * serves beside Node's fetch, whose timers throw if they fire after their response was collected.
 */
export function mockSystemClock(mocks: { method<K extends 'now' | 'monotonic' | 'after'>(object: Clock, name: K, implementation: Clock[K]): unknown }): SteppedClock {
  const clock = steppedClock({ ...systemClock });
  for (const name of ['now', 'monotonic', 'after'] as const) mocks.method(systemClock, name, clock[name]);
  return clock;
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

export function steppedClock(real: Clock = systemClock): SteppedClock {
  const manual = manualClock(Date.now());
  return {
    ...real,
    now: () => manual.now(),
    monotonic: () => manual.monotonic(),
    after: (ms, run, background) => (ms <= 0 ? real : manual).after(ms, run, background),
    pass: (ms) => manual.tick(manual.now() + ms),
  };
}

/**
 * A clock for parts that are all in this process. Its time stands still while they work, and leaps to the next timer when for some
 * milliseconds and some turns of the event loop no part has used the clock. So a wait costs milliseconds, and a busy machine changes
 * nothing. Input and output of other processes take real time: this clock does not wait for them.
 */
export function leapingClock(): Clock {
  const manual = manualClock(Date.now());
  let [used, watched] = [0, false];
  /** Leaps when the clock was not used in this many looks, one after another. */
  const look = (quiet: number, before: number): void => {
    if (used !== before) return look(0, used);
    if (quiet < 5) return void setTimeout(() => setImmediate(() => setImmediate(() => look(quiet + 1, before))), 1);
    const { due } = manual;
    watched = due !== undefined;
    if (due === undefined) return;
    manual.tick(manual.now() + due - manual.monotonic());
    look(0, used);
  };
  const watch = (): void => {
    used++;
    if (watched) return;
    watched = true;
    look(0, used);
  };
  return {
    ...systemClock,
    now: () => manual.now(),
    monotonic: () => manual.monotonic(),
    after(ms, run, background) {
      if (ms <= 0) return systemClock.after(ms, run, background);
      watch();
      return manual.after(ms, run, background);
    },
  };
}
