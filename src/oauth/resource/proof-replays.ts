import { systemClock } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import { OwnProofs } from './own-proofs.ts';
import { PrincipalsBySize } from './principals-by-size.ts';
import { PrincipalsByTime } from './principals-by-time.ts';

/** A DPoP proof that has passed all other checks. */
export interface PresentedProof {
  /** The principal of the access token in the same request. */
  readonly principal: string;
  /** The thumbprint of the key that signed it. */
  readonly key: string;
  readonly jti: string;
  /** Its creation time, in milliseconds since the epoch, by the client's clock: it may be in the future of ours. */
  readonly created: number;
  /** Its expiry, in milliseconds since the epoch. After that it is refused anyway. */
  readonly expires: number;
}

/**
 * Remembers DPoP proofs, so that no proof is accepted twice (RFC 9449 section 11.1). `proofReplays` makes one for this
 * process; your own may be shared by several processes.
 */
export interface ProofReplays {
  /** Whether the proof is new. A new proof is remembered until it expires. */
  add(proof: PresentedProof): boolean | Promise<boolean>;
}

/** Limits of the memory of DPoP proofs. */
export interface ProofReplayLimits {
  /**
   * The most remembered proofs; each principal counts as one more. Above it, the principal with the most proofs forgets
   * its oldest, and from then on its proofs of that age are refused. 100,000.
   */
  maxProofs: number;
}

/** The default limits. */
export const defaultProofReplayLimits: ProofReplayLimits = { maxProofs: 100_000 };

/**
 * Makes a bounded memory that accepts no proof twice: proofs as old as a forgotten one are refused. The principal with
 * the most proofs makes room, so only its own proofs are refused, whatever their dates.
 */
export function proofReplays(limits: Partial<ProofReplayLimits> = {}, now: () => number = systemClock.now): ProofReplays {
  checkOptions('proofReplays: limits', limits, defaultProofReplayLimits);
  const memory = new ProofMemory({ ...defaultProofReplayLimits, ...limits });
  return { add: (proof) => memory.add(proof, now()) };
}

/**
 * The proofs of all principals.
 *
 * If there are more principals than half of `maxProofs`, and none has more than one proof, the principal whose proofs
 * expire first is forgotten completely. From then on, unknown principals need proofs newer than its newest, which is
 * never dated in the future. To guarantee that, at most a quarter of `maxProofs` principals may have proofs dated in the
 * future at a time.
 */
class ProofMemory {
  readonly #maxProofs: number;
  readonly #byPrincipal = new Map<string, OwnProofs>();
  readonly #bySize = new PrincipalsBySize();
  readonly #leaving = new PrincipalsByTime(({ expires }) => expires);
  /** The principals with a proof dated in the future. */
  readonly #ahead = new PrincipalsByTime(({ newest }) => newest);
  /** Like `OwnProofs.floor`, for principals that are not remembered. */
  #floor = -Infinity;

  constructor({ maxProofs }: ProofReplayLimits) {
    this.#maxProofs = maxProofs;
  }

  /** See `ProofReplays.add`; `at` is the current time. */
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

  /** Forgets proofs until the limit is met. */
  #makeRoom(at: number): void {
    while (this.#bySize.proofs + this.#byPrincipal.size > this.#maxProofs) {
      const most = this.#bySize.largest() as OwnProofs;
      if (most.size > 1) {
        this.#bySize.change(most, () => most.forgetFirst(at));
      } else {
        // Its newest proof is not dated in the future: principals with such proofs are so few that others leave first.
        this.#floor = Math.max(this.#floor, this.#leaving.first()?.newest ?? this.#floor);
        this.#dropFirst();
      }
    }
  }

  /** Forgets the expired proofs of this principal, and other principals whose proofs have all expired. */
  #clean(own: OwnProofs | undefined, at: number): void {
    while (own?.hasExpired(at)) this.#bySize.change(own, () => own.forgetFirst(at));
    while ((this.#ahead.first()?.newest ?? Infinity) <= at) this.#ahead.takeFirst();
    while ((this.#leaving.first()?.expires ?? Infinity) <= at) this.#dropFirst();
  }
}
