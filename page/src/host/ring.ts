/** The last items of a sequence. */
export class Ring<T> {
  readonly #most: number;
  #items: T[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  push(item: T): void {
    this.#items.push(item);
    // Cut rarely, so that a push is cheap on average.
    if (this.#items.length >= 2 * this.#most) this.#items = this.#items.slice(-this.#most);
  }

  /** The last `count`, the oldest first. */
  last(count: number = this.#most): readonly T[] {
    return this.#items.slice(-Math.min(count, this.#most));
  }

  clear(): void {
    this.#items = [];
  }
}

/** Collects items for `ms` milliseconds, then passes them on together. */
export class Gathered<T> {
  readonly #ms: number;
  readonly #hand: (items: readonly T[]) => void;
  #items: T[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, hand: (items: readonly T[]) => void) {
    this.#ms = ms;
    this.#hand = hand;
  }

  add(item: T): void {
    this.#items.push(item);
    this.#timer ??= setTimeout(() => this.flush(), this.#ms);
  }

  /** Passes on the collected items now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const items = this.#items;
    this.#items = [];
    if (items.length > 0) this.#hand(items);
  }
}
