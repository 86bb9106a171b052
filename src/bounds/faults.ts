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

// Noise: bytes since the peer's last message. A peer that sends only noise is given up.

/** What a line or an event that is not a message counts, beside its bytes. */
const lineBytes = 100;

/** 256 MiB: an hour of seven hundred lines a second. */
export const defaultMaxNoiseBytes: number = 268_435_456;

/**
 * The noise after a message of this `kind`, or after a refusal (`kind` as the codec decoded it).
 */
export const noiseAfter = (noise: number, kind: string): number => (kind === 'refusal' ? noise + lineBytes : 0);

/** The reason for giving up a peer that sends only noise. */
export const noiseFault = (limit: number): string => `it sent ${limit} bytes without a message among them`;
