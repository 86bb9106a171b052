/**
 * A Map of at most `max` entries (0: it stays empty): one entry more drops the entry that was set longest ago.
 * Setting an entry again makes it the newest.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;
  // One iterator for many deletions: a new one would first pass every hole that deleted entries left.
  #oldest: Iterator<K> | undefined;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#max) this.dropOldest();
    // An iterator keeps the table of the Map from when it was larger, so drop it after the Map has shrunk.
    else if (this.size < this.#max / 2) this.#oldest = undefined;
    return this;
  }

  /** Drops the entry that was set longest ago. The map must not be empty. */
  dropOldest(): void {
    this.delete((this.#oldest ??= this.keys()).next().value as K);
  }
}
