/** What stands in an order of use; only the order itself sets these. */
export interface Placed<T> {
  older: T | undefined;
  newer: T | undefined;
}

/** Things in the order of use, the oldest first. In a Map each use would leave a hole, and a search for the oldest passes them all. */
export class OrderOfUse<T extends Placed<T>> {
  #oldest: T | undefined;
  newest: T | undefined;

  /** Puts one at the end; it must not be there yet. */
  add(one: T): void {
    const before = this.newest;
    one.older = before;
    if (before) before.newer = one;
    else this.#oldest = one;
    this.newest = one;
  }

  /** Takes one out; it must be there. */
  remove(one: T): void {
    const { older, newer } = one;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.newest = older;
    one.older = one.newer = undefined;
  }

  /** The one that was returned last may be removed before the next is asked for. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let one = this.#oldest; one;) {
      const next: T | undefined = one.newer;
      yield one;
      one = next;
    }
  }
}
