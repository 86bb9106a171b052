import type { Placed } from '../../bounds/order-of-use.ts';
import { Heap } from './heap.ts';

interface RememberedProof {
  readonly id: string;
  readonly created: number;
  readonly expires: number;
}

/** The DPoP proofs of one principal. Times are milliseconds since the epoch. */
export class OwnProofs implements Placed<OwnProofs> {
  older: OwnProofs | undefined;
  newer: OwnProofs | undefined;
  readonly principal: string;
  /** Proofs made up to this time are refused, since they may have been used and forgotten. */
  floor: number;
  /** The creation time of the newest proof so far. */
  newest: number = -Infinity;
  /** The latest expiry of the proofs so far. */
  expires: number = -Infinity;
  readonly #ids = new Set<string>();
  readonly #held = new Heap<RememberedProof>(({ created }) => created);

  constructor(principal: string, floor: number) {
    this.principal = principal;
    this.floor = floor;
  }

  get size(): number {
    return this.#held.size;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string, created: number, expires: number): void {
    this.#ids.add(id);
    this.#held.add({ id, created, expires });
    this.newest = Math.max(this.newest, created);
    this.expires = Math.max(this.expires, expires);
  }

  /** Whether the proof with the earliest creation time has expired. */
  hasExpired(at: number): boolean {
    const { first } = this.#held;
    return first !== undefined && first.expires <= at;
  }

  /**
   * Forgets the proof with the earliest creation time. If it has not expired, proofs of that time or earlier are refused
   * from then on.
   */
  forgetFirst(at: number): void {
    const proof = this.#held.take();
    if (proof === undefined) return;
    this.#ids.delete(proof.id);
    if (proof.expires > at) this.floor = Math.max(this.floor, proof.created);
  }
}
