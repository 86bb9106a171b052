import { OrderOfUse } from '../../bounds/order-of-use.ts';
import type { OwnProofs } from './own-proofs.ts';

/** Principals, ordered by the number of their proofs. */
export class PrincipalsBySize {
  /** The number of proofs of all principals. */
  proofs: number = 0;
  readonly #lists = new Map<number, OrderOfUse<OwnProofs>>();
  #most = 0;

  add(own: OwnProofs): void {
    const { size } = own;
    let list = this.#lists.get(size);
    if (list === undefined) this.#lists.set(size, list = new OrderOfUse());
    list.add(own);
    this.#most = Math.max(this.#most, size);
    this.proofs += size;
  }

  remove(own: OwnProofs): void {
    const { size } = own;
    const list = this.#lists.get(size) as OrderOfUse<OwnProofs>;
    list.remove(own);
    if (list.newest === undefined) this.#lists.delete(size);
    this.proofs -= size;
  }

  /** Changes the proofs of a principal, and its place in the order. */
  change(own: OwnProofs, change: () => void): void {
    this.remove(own);
    change();
    this.add(own);
  }

  /** A principal with the most proofs; of several, the one whose number has not changed for the longest time. */
  largest(): OwnProofs | undefined {
    while (this.#most > 0 && !this.#lists.has(this.#most)) this.#most--;
    for (const own of this.#lists.get(this.#most) ?? []) return own;
    return undefined;
  }
}
