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

interface Proof {
  readonly created: number;
  readonly expires: number;
}

interface Remembered {
  /** By `jti`, the oldest first. */
  readonly proofs: Map<string, Proof>;
  /** Proofs of this key that were made up to then are refused: they may have been seen and forgotten. */
  floor: number;
}

/**
 * A bounded memory that lets no proof pass twice: what it had to forget is too old from then on. A key that makes
 * more proofs than are remembered shortens its own time alone.
 */
export function proofReplays(limits: Partial<ProofReplayLimits>, now: () => number): ProofReplays {
  const { maxProofs, maxProofsPerKey } = { ...defaultProofReplayLimits, ...limits };
  /** The key that was used longest ago comes first. */
  const byKey = new Map<string, Remembered>();
  let count = 0;
  /** As `Remembered.floor`, for all keys. */
  let floor = -Infinity;

  /** Forgets what has expired. */
  function clean({ proofs }: Remembered, at: number): void {
    for (const [jti, { expires }] of proofs) {
      if (expires > at) return;
      proofs.delete(jti);
      count--;
    }
  }

  /** Makes room by the keys that were quiet longest, and drops those of which nothing is left. */
  function shrink(at: number): void {
    for (const [key, remembered] of byKey) {
      clean(remembered, at);
      if (remembered.proofs.size > 0 && count <= maxProofs) return;
      for (const { created } of remembered.proofs.values()) floor = Math.max(floor, created);
      count -= remembered.proofs.size;
      byKey.delete(key);
    }
  }

  return {
    add(key, jti, created, expires) {
      const own = byKey.get(key) ?? { proofs: new Map<string, Proof>(), floor: -Infinity };
      const at = now();
      clean(own, at);
      if (created <= Math.max(floor, own.floor) || own.proofs.has(jti)) return false;
      byKey.delete(key);
      byKey.set(key, own);
      own.proofs.set(jti, { created, expires });
      count++;
      if (own.proofs.size > maxProofsPerKey) {
        const [first, oldest] = own.proofs.entries().next().value as [string, Proof];
        own.proofs.delete(first);
        count--;
        own.floor = Math.max(own.floor, oldest.created);
      }
      shrink(at);
      return true;
    },
  };
}
