/** An item of an `OrderOfUse`. Only the list sets these links. */
export interface Placed<T> {
  older: T | undefined;
  newer: T | undefined;
}

/**
 * A list in the order of use: the item that was used longest ago comes first. A Map would keep a hole for each item
 * that moves to the end, and a search for the oldest item would pass all holes.
 */
export class OrderOfUse<T extends Placed<T>> {
  #oldest: T | undefined;
  newest: T | undefined;

  /** Appends an item that is not in the list. */
  add(one: T): void {
    const before = this.newest;
    one.older = before;
    if (before) before.newer = one;
    else this.#oldest = one;
    this.newest = one;
  }

  /** Removes an item that is in the list. */
  remove(one: T): void {
    const { older, newer } = one;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.newest = older;
    one.older = one.newer = undefined;
  }

  /** Iterates from the oldest item. The loop body may remove the current item. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let one = this.#oldest; one;) {
      const next: T | undefined = one.newer;
      yield one;
      one = next;
    }
  }
}
