import { OrderOfUse } from '../../jsonrpc/order-of-use.ts';
import type { Placed } from '../../jsonrpc/order-of-use.ts';

/**
 * Remembers DPoP proofs, so that none is accepted twice (RFC 9449 section 11.1). `proofReplays` is one for a process;
 * one of your own can be shared by several.
 */
export interface ProofReplays {
  /**
   * Whether the proof is new; it is remembered from then on. `key` is the thumbprint of the key that signed it,
   * `created` and `expires` are milliseconds since the epoch: after `expires` it is refused anyway.
   */
  add(key: string, jti: string, created: number, expires: number): boolean | Promise<boolean>;
}

/** What bounds the memory of DPoP proofs. */
export interface ProofReplayLimits {
  /** Proofs that are remembered, of all keys; those of the key that was quiet longest go first. 100,000. */
  maxProofs: number;
  /** Proofs of one key that are remembered; the oldest goes first. 10,000. */
  maxProofsPerKey: number;
}

/** The limits that hold where none is given. */
export const defaultProofReplayLimits: ProofReplayLimits = { maxProofs: 100_000, maxProofsPerKey: 10_000 };

interface Proof extends Placed<Proof> {
  readonly jti: string;
  readonly created: number;
  readonly expires: number;
}

/** The proofs of one key. */
interface Remembered extends Placed<Remembered> {
  readonly key: string;
  readonly byId: Map<string, Proof>;
  readonly proofs: OrderOfUse<Proof>;
  /** Proofs of this key that were made up to then are refused: they may have been seen and forgotten. */
  floor: number;
}

/**
 * A bounded memory that lets no proof pass twice: what it had to forget is too old from then on. A key that makes
 * more proofs than are remembered shortens its own time alone.
 */
export function proofReplays(limits: Partial<ProofReplayLimits>, now: () => number): ProofReplays {
  const { maxProofs, maxProofsPerKey } = { ...defaultProofReplayLimits, ...limits };
  const byKey = new Map<string, Remembered>();
  const keys = new OrderOfUse<Remembered>();
  let count = 0;
  /** As `Remembered.floor`, for all keys. */
  let floor = -Infinity;

  const fresh = (key: string): Remembered => ({
    key, byId: new Map(), proofs: new OrderOfUse(), floor: -Infinity, older: undefined, newer: undefined,
  });

  function forget({ byId, proofs }: Remembered, proof: Proof): void {
    byId.delete(proof.jti);
    proofs.remove(proof);
    count--;
  }

  /** Forgets what has expired, and what is too much. */
  function clean(own: Remembered, at: number): void {
    for (const proof of own.proofs) {
      if (proof.expires > at) {
        if (own.byId.size <= maxProofsPerKey) return;
        own.floor = Math.max(own.floor, proof.created);
      }
      forget(own, proof);
    }
  }

  /** Makes room by the keys that were quiet longest, and drops those of which nothing is left. */
  function shrink(at: number): void {
    for (const own of keys) {
      clean(own, at);
      if (own.byId.size > 0 && count <= maxProofs) return;
      for (const { created } of own.proofs) floor = Math.max(floor, created);
      count -= own.byId.size;
      byKey.delete(own.key);
      keys.remove(own);
    }
  }

  return {
    add(key, jti, created, expires) {
      const known = byKey.get(key);
      const own = known ?? fresh(key);
      const at = now();
      clean(own, at);
      if (created <= Math.max(floor, own.floor) || own.byId.has(jti)) return false;
      if (known) keys.remove(own);
      else byKey.set(key, own);
      keys.add(own);
      const proof: Proof = { jti, created, expires, older: undefined, newer: undefined };
      own.byId.set(jti, proof);
      own.proofs.add(proof);
      count++;
      clean(own, at);
      shrink(at);
      return true;
    },
  };
}
