import type { Clock } from './clock.ts';

/** The number of faults that are reported in full in each interval. */
const toldInFull = 10;

/** Milliseconds. */
const intervalMs = 1000;

/**
 * Reports what a peer does wrong: ten faults a second in full, and the number of the others. The error of a fault and
 * its stack are made only when the fault is reported.
 */
export class Faults {
  readonly #tell: (error: Error) => void;
  readonly #clock: Clock;
  #since = -intervalMs;
  #count = 0;

  constructor(tell: (error: Error) => void, clock: Clock) {
    this.#tell = tell;
    this.#clock = clock;
  }

  /** Reports a fault, or counts it. */
  add(make: () => Error): void {
    const now = this.#clock.monotonic();
    if (now - this.#since >= intervalMs) {
      this.end();
      this.#since = now;
    }
    if (++this.#count <= toldInFull) this.#tell(make());
  }

  /**
   * Reports how many faults of the last interval were not reported. Called when the interval is over and when the
   * peer has gone.
   */
  end(): void {
    const more = this.#count - toldInFull;
    this.#count = 0;
    if (more > 0) this.#tell(new Error(`${more} more faults within a second`));
  }
}
