import { systemClock } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import { OwnProofs } from './own-proofs.ts';
import { PrincipalsBySize } from './principals-by-size.ts';
import { PrincipalsByTime } from './principals-by-time.ts';

/** A DPoP proof that has passed all other checks. */
export interface PresentedProof {
  /** The principal of the access token that came with it. */
  readonly principal: string;
  /** The thumbprint of the key that signed it. */
  readonly key: string;
  readonly jti: string;
  /**
   * When it was made, in milliseconds since the epoch: by the client's clock, so it may be in the future of this one.
   */
  readonly created: number;
  /** When it expires and is refused anyway, in milliseconds since the epoch. */
  readonly expires: number;
}

/**
 * Remembers DPoP proofs, so that no proof is accepted twice (RFC 9449 section 11.1). `proofReplays` makes one for
 * this process; your own may be shared by several processes.
 */
export interface ProofReplays {
  /** Whether the proof is new. A new proof is remembered until it expires. */
  add(proof: PresentedProof): boolean | Promise<boolean>;
}

/** Limits of the memory of DPoP proofs. */
export interface ProofReplayLimits {
  /**
   * The number of remembered proofs; each principal counts as one more. Above it, the principal with the most proofs
   * forgets its oldest, and from then on proofs of that principal that are as old are refused. 100,000.
   */
  maxProofs: number;
}

/** The default limits. */
export const defaultProofReplayLimits: ProofReplayLimits = { maxProofs: 100_000 };

/**
 * A bounded memory that accepts no proof twice: a proof as old as a forgotten one is refused. The principal with the
 * most proofs makes room, and only its own proofs are refused for that, whatever their dates.
 */
export function proofReplays(limits: Partial<ProofReplayLimits> = {}, now: () => number = systemClock.now): ProofReplays {
  checkOptions('proofReplays: limits', limits, defaultProofReplayLimits);
  const memory = new ProofMemory({ ...defaultProofReplayLimits, ...limits });
  return { add: (proof) => memory.add(proof, now()) };
}

/**
 * The proofs of all principals.
 *
 * If there are more principals than half of `maxProofs`, and none has more than one proof, the principal whose proof
 * has the earliest date is forgotten completely. From then on, principals that are not remembered can only bring
 * proofs newer than that one, which is never dated in the future. To guarantee this, at most a quarter of `maxProofs`
 * principals may have proofs dated in the future at a time.
 */
class ProofMemory {
  readonly #maxProofs: number;
  readonly #byPrincipal = new Map<string, OwnProofs>();
  readonly #bySize = new PrincipalsBySize();
  readonly #leaving = new PrincipalsByTime(({ expires }) => expires);
  /** The principals that have a proof dated in the future. */
  readonly #ahead = new PrincipalsByTime(({ newest }) => newest);
  /** The same as `OwnProofs.floor`, for principals that are not remembered. */
  #floor = -Infinity;

  constructor({ maxProofs }: ProofReplayLimits) {
    this.#maxProofs = maxProofs;
  }

  /** See `ProofReplays.add`; `at` is the time now. */
  add({ principal, key, jti, created, expires }: PresentedProof, at: number): boolean {
    this.#clean(this.#byPrincipal.get(principal), at);
    const known = this.#byPrincipal.get(principal);
    const id = `${key} ${jti}`;
    if (known?.has(id) || created <= (known?.floor ?? this.#floor)) return false;
    if (created > at && !(known && this.#ahead.has(known)) && this.#ahead.size >= Math.floor(this.#maxProofs / 4)) return false;
    const own = known ?? this.#remember(principal);
    this.#bySize.change(own, () => own.add(id, created, expires));
    this.#leaving.add(own);
    if (created > at) this.#ahead.add(own);
    this.#makeRoom(at);
    return true;
  }

  #remember(principal: string): OwnProofs {
    const own = new OwnProofs(principal, this.#floor);
    this.#byPrincipal.set(principal, own);
    this.#bySize.add(own);
    return own;
  }

  #dropFirst(): void {
    const own = this.#leaving.takeFirst() as OwnProofs;
    this.#bySize.remove(own);
    this.#byPrincipal.delete(own.principal);
  }

  /** Forgets proofs until the limit holds. */
  #makeRoom(at: number): void {
    while (this.#bySize.proofs + this.#byPrincipal.size > this.#maxProofs) {
      const most = this.#bySize.largest() as OwnProofs;
      if (most.size > 1) {
        this.#bySize.change(most, () => most.forgetFirst(at));
      } else {
        // Its newest proof is not dated in the future: principals with such proofs are so few that others leave before
        // them.
        this.#floor = Math.max(this.#floor, this.#leaving.first()?.newest ?? this.#floor);
        this.#dropFirst();
      }
    }
  }

  /** Forgets what has expired: each expired proof of this principal, and other principals whose proofs have all expired. */
  #clean(own: OwnProofs | undefined, at: number): void {
    while (own?.hasExpired(at)) this.#bySize.change(own, () => own.forgetFirst(at));
    while ((this.#ahead.first()?.newest ?? Infinity) <= at) this.#ahead.takeFirst();
    while ((this.#leaving.first()?.expires ?? Infinity) <= at) this.#dropFirst();
  }
}
