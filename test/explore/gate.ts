/** Holds callers until the explorer lets them continue. */
export class Gate<T = void> {
  #waiting: ((value: T) => void)[] = [];

  /** The number of callers that wait. */
  get waits(): number {
    return this.#waiting.length;
  }

  wait(): Promise<T> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** Lets the first caller continue. */
  open(value: T): void {
    this.#waiting.shift()?.(value);
  }
}
