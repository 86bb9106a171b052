/** A limited number of places. Those that find none wait in their order. */
export class Places {
  #left: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#left = places;
  }

  /** Takes a place. Resolves when there is one; undefined: there was one at once. */
  take(): Promise<void> | undefined {
    if (this.#left > 0) {
      this.#left -= 1;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Gives a place back: the first that waits has it. */
  free(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#left += 1;
  }
}
