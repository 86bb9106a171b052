/** Faults that are told in full in each interval. */
const toldInFull = 10;

/** Milliseconds. */
const intervalMs = 1000;

/**
 * What a peer does wrong, as it is told to somebody: ten faults a second in full, of the others how many there were.
 * A fault costs nothing until it is told: its error, and the stack of that, are made then.
 */
export class Faults {
  readonly #tell: (error: Error) => void;
  #since = 0;
  #count = 0;

  constructor(tell: (error: Error) => void) {
    this.#tell = tell;
  }

  /** Tells of a fault, or counts it. */
  add(make: () => Error): void {
    const now = Date.now();
    if (now - this.#since >= intervalMs) {
      this.end();
      this.#since = now;
    }
    if (++this.#count <= toldInFull) this.#tell(make());
  }

  /** Tells how many faults of the last interval were not told: when it is over, and when the peer has gone. */
  end(): void {
    const more = this.#count - toldInFull;
    this.#count = 0;
    if (more > 0) this.#tell(new Error(`${more} more faults within a second`));
  }
}
