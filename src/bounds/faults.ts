import type { Clock } from './clock.ts';

/** The number of faults that are reported in full in each interval. */
const toldInFull = 10;

/** Milliseconds. */
const intervalMs = 1000;

/**
 * Reports protocol faults of a peer: ten per second in full, and the number of the others. The `Error` of a fault,
 * with its stack, is created only when the fault is reported.
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

  /** Reports a fault, or only counts it after ten within the second. */
  add(make: () => Error): void {
    const now = this.#clock.monotonic();
    if (now - this.#since >= intervalMs) {
      this.end();
      this.#since = now;
    }
    if (++this.#count <= toldInFull) this.#tell(make());
  }

  /**
   * Reports how many faults of the last interval were only counted. Called at the first fault after the interval, and
   * when the peer has gone.
   */
  end(): void {
    const more = this.#count - toldInFull;
    this.#count = 0;
    if (more > 0) this.#tell(new Error(`${more} more faults within a second`));
  }
}
