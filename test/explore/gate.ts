/** Something that waits until the explorer lets it go on. */
export class Gate<T = void> {
  #waiting: ((value: T) => void)[] = [];

  /** How many wait. */
  get waits(): number {
    return this.#waiting.length;
  }

  wait(): Promise<T> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** Lets the first go on. */
  open(value: T): void {
    this.#waiting.shift()?.(value);
  }
}
