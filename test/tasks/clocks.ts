import type { TestContext } from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';

/** Both clocks of a process, in the hand of a test. Timers go on by the real time. */
export interface Clocks {
  /** Milliseconds pass: both clocks go on. */
  pass(ms: number): void;
  /** Somebody sets the system's clock, forwards or back; or the machine has slept for so long, where `ms` is positive. */
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
