/**
 * A Map of at most `max` entries (0: none): one more drops the entry that was set longest ago. To set an entry again makes
 * it the newest.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;
  // Kept, because a new iterator would first pass all holes that deleted entries have left.
  #oldest: Iterator<K> | undefined;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#max) this.delete((this.#oldest ??= this.keys()).next().value as K);
    // An iterator that stands still keeps what the Map held when it was larger.
    else if (this.size < this.#max / 2) this.#oldest = undefined;
    return this;
  }
}
