/** A semaphore: a limited number of places. Callers that find no free place wait in order of arrival. */
export class Places {
  #left: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#left = places;
  }

  /** Takes a place. Returns a promise for the place, or undefined if the caller has it at once. */
  take(): Promise<void> | undefined {
    if (this.#left > 0) {
      this.#left -= 1;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Gives a place back: the first waiting caller gets it. */
  free(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#left += 1;
  }
}
