import type { TestContext } from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';

/** Both clocks of a process, controlled by a test. Timers still use real time. */
export interface Clocks {
  /** Advances both clocks. */
  pass(ms: number): void;
  /** Sets the system clock forward or back. A positive `ms` is also what a sleep of the machine looks like. */
  step(ms: number): void;
}

export function handClocks(t: TestContext): Clocks {
  let [steady, system] = [1_000_000, Date.now()];
  t.mock.method(systemClock, 'monotonic', () => steady);
  t.mock.method(Date, 'now', () => system);
  t.mock.method(systemClock, 'now', () => system);
  return {
    pass(ms) {
      steady += ms;
      system += ms;
    },
    step(ms) {
      system += ms;
    },
  };
}
