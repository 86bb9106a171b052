import { OrderOfUse } from '../../bounds/order-of-use.ts';
import type { OwnProofs } from './own-proofs.ts';

/** Principals by the number of their proofs. */
export class PrincipalsBySize {
  /** The proofs of all principals. */
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

  /** Changes the proofs of a principal. */
  change(own: OwnProofs, change: () => void): void {
    this.remove(own);
    change();
    this.add(own);
  }

  /** A principal with the largest number of proofs; among several, the one whose number changed longest ago. */
  largest(): OwnProofs | undefined {
    while (this.#most > 0 && !this.#lists.has(this.#most)) this.#most--;
    for (const own of this.#lists.get(this.#most) ?? []) return own;
    return undefined;
  }
}
