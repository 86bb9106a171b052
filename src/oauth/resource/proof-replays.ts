import { checkOptions } from '../../bounds/options.ts';
import { OwnProofs } from './own-proofs.ts';
import { PrincipalsBySize } from './principals-by-size.ts';
import { PrincipalsByTime } from './principals-by-time.ts';

/** A DPoP proof that has passed all other checks. */
export interface PresentedProof {
  /** Whose access token it came with. */
  readonly principal: string;
  /** The thumbprint of the key that signed it. */
  readonly key: string;
  readonly jti: string;
  /** When it was made, in milliseconds since the epoch: by the client's clock, so it may lie ahead of this one's. */
  readonly created: number;
  /** When it is too old and is refused anyway, in milliseconds since the epoch. */
  readonly expires: number;
}

/**
 * Remembers DPoP proofs, so that none is accepted twice (RFC 9449 section 11.1). `proofReplays` is one for a process;
 * one of your own can be shared by several.
 */
export interface ProofReplays {
  /** Whether the proof is new. It is then remembered until it expires. */
  add(proof: PresentedProof): boolean | Promise<boolean>;
}

/** What bounds the memory of DPoP proofs. */
export interface ProofReplayLimits {
  /**
   * Proofs that are remembered; each principal counts as one more. Where there are too many, the principal with the most
   * forgets its oldest, and from then on proofs of that principal that are as old are refused. 100,000.
   */
  maxProofs: number;
}

/** The limits that hold where none is given. */
export const defaultProofReplayLimits: ProofReplayLimits = { maxProofs: 100_000 };

/**
 * A bounded memory that lets no proof pass twice: what it had to forget is too old from then on. Room is made by the
 * principal with the most proofs, and only its own proofs are refused for it, whatever dates they bear.
 *
 * Where there are more principals than half of `maxProofs`, none of whom has more than one proof, the one whose proof was
 * made first is forgotten altogether. From then on principals that are not remembered can bring only newer proofs than
 * that one, which never lies ahead of the present. So that there is always such a one, at most a quarter of `maxProofs`
 * principals may have proofs dated ahead at a time.
 */
export function proofReplays(limits: Partial<ProofReplayLimits> = {}, now: () => number = Date.now): ProofReplays {
  checkOptions('proofReplays: limits', limits, defaultProofReplayLimits);
  const { maxProofs } = { ...defaultProofReplayLimits, ...limits };
  const byPrincipal = new Map<string, OwnProofs>();
  const bySize = new PrincipalsBySize();
  const leaving = new PrincipalsByTime(({ expires }) => expires);
  /** The principals that have a proof dated ahead. */
  const ahead = new PrincipalsByTime(({ newest }) => newest);
  /** As `OwnProofs.floor`, for principals that are not remembered. */
  let floor = -Infinity;

  function remember(principal: string): OwnProofs {
    const own = new OwnProofs(principal, floor);
    byPrincipal.set(principal, own);
    bySize.add(own);
    return own;
  }

  function dropFirst(): void {
    const own = leaving.takeFirst() as OwnProofs;
    bySize.remove(own);
    byPrincipal.delete(own.principal);
  }

  /** Forgets what is too much. */
  function makeRoom(at: number): void {
    while (bySize.proofs + byPrincipal.size > maxProofs) {
      const most = bySize.largest() as OwnProofs;
      if (most.size > 1) {
        bySize.change(most, () => most.forgetFirst(at));
      } else {
        // Its newest does not lie ahead of the present: those that do are so few that others leave before them.
        floor = Math.max(floor, leaving.first()?.newest ?? floor);
        dropFirst();
      }
    }
  }

  /** Forgets what has expired: of this principal each proof, of the others those that have nothing else. */
  function clean(own: OwnProofs | undefined, at: number): void {
    while (own?.hasExpired(at)) bySize.change(own, () => own.forgetFirst(at));
    while ((ahead.first()?.newest ?? Infinity) <= at) ahead.takeFirst();
    while ((leaving.first()?.expires ?? Infinity) <= at) dropFirst();
  }

  return {
    add({ principal, key, jti, created, expires }) {
      const at = now();
      clean(byPrincipal.get(principal), at);
      const known = byPrincipal.get(principal);
      const id = `${key} ${jti}`;
      if (known?.has(id) || created <= (known?.floor ?? floor)) return false;
      if (created > at && !(known && ahead.has(known)) && ahead.size >= Math.floor(maxProofs / 4)) return false;
      const own = known ?? remember(principal);
      bySize.change(own, () => own.add(id, created, expires));
      leaving.add(own);
      if (created > at) ahead.add(own);
      makeRoom(at);
      return true;
    },
  };
}
