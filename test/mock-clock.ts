import type { MockTimers } from 'node:test';

interface Mocks {
  readonly timers: MockTimers;
  method(object: typeof performance, name: 'now', implementation: () => number): unknown;
}

/** Mocks timers, the system's clock, and with it the clock that nobody sets. */
export function mockClock(mocks: Mocks, options: Parameters<MockTimers['enable']>[0]): void {
  mocks.timers.enable(options);
  mocks.method(performance, 'now', () => Date.now());
}
