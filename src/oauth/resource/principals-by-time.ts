import { Heap } from './heap.ts';
import type { OwnProofs } from './own-proofs.ts';

/**
 * Principals ordered by a time that only increases, the earliest first. A principal is placed by its time when it was
 * added, and moved if its time is later when it comes first.
 */
export class PrincipalsByTime {
  readonly #standing = new Set<OwnProofs>();
  readonly #heap = new Heap<{ readonly own: OwnProofs; readonly time: number }>(({ time }) => time);
  readonly #timeOf: (own: OwnProofs) => number;

  constructor(timeOf: (own: OwnProofs) => number) {
    this.#timeOf = timeOf;
  }

  get size(): number {
    return this.#standing.size;
  }

  has(own: OwnProofs): boolean {
    return this.#standing.has(own);
  }

  add(own: OwnProofs): void {
    if (this.#standing.has(own)) return;
    this.#standing.add(own);
    this.#heap.add({ own, time: this.#timeOf(own) });
  }

  first(): OwnProofs | undefined {
    for (let next = this.#heap.first; next; next = this.#heap.first) {
      const { own, time } = next;
      if (time === this.#timeOf(own)) return own;
      this.#heap.take();
      this.#heap.add({ own, time: this.#timeOf(own) });
    }
    return undefined;
  }

  takeFirst(): OwnProofs | undefined {
    const own = this.first();
    if (own === undefined) return undefined;
    this.#heap.take();
    this.#standing.delete(own);
    return own;
  }
}
