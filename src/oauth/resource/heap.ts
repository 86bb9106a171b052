/** A binary heap, ordered by a number. `first` is the smallest item; `add` and `take` cost the logarithm of the size. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #numberOf: (item: T) => number;

  constructor(numberOf: (item: T) => number) {
    this.#numberOf = numberOf;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The item with the smallest number; undefined if the heap is empty. */
  get first(): T | undefined {
    return this.#items[0];
  }

  /** Adds an item. Its number must not change while it is in the heap. */
  add(item: T): void {
    const items = this.#items;
    const number = this.#numberOf(item);
    let at = items.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = items[above] as T;
      if (this.#numberOf(parent) <= number) break;
      items[at] = parent;
      at = above;
    }
    items[at] = item;
  }

  /** Removes and returns the item with the smallest number. */
  take(): T | undefined {
    const items = this.#items;
    const taken = items[0];
    const last = items.pop();
    if (items.length === 0 || last === undefined) return taken;
    const number = this.#numberOf(last);
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      const [left, right] = [items[below], items[below + 1]];
      if (left === undefined) break;
      if (right !== undefined && this.#numberOf(right) < this.#numberOf(left)) below++;
      const child = items[below] as T;
      if (number <= this.#numberOf(child)) break;
      items[at] = child;
      at = below;
    }
    items[at] = last;
    return taken;
  }
}
