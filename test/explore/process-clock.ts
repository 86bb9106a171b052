import type { Clock, Timer } from '../../src/bounds/clock.ts';

/** The clock of one process in a world. If the process dies, its timers are cancelled. */
export class ProcessClock implements Clock {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #dead = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(ms: number, run: () => void): Timer | undefined {
    if (this.#dead) return undefined;
    const inner = this.#clock.after(ms, () => {
      this.#timers.delete(timer);
      run();
    });
    const timer = {
      stop: () => {
        this.#timers.delete(timer);
        inner?.stop();
      },
    };
    this.#timers.add(timer);
    return timer;
  }

  soon(run: () => void): void {
    this.#clock.soon(() => this.#dead || run());
  }

  die(): void {
    this.#dead = true;
    for (const timer of [...this.#timers]) timer.stop();
  }
}
