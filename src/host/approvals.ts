import type { Clock } from '../bounds/clock.ts';
import { BoundedMap } from '../bounds/bounded-map.ts';
import { digestOf } from '../skills/digest.ts';

/** The facts that a person was shown. An approval is bound to them. */
export interface Shown {
  readonly server: string;
  readonly tool: string;
  /** The digest of the tool's definition. */
  readonly digest: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly principal: string;
  /** An app asked for the call. A grant for a model does not hold for an app. */
  readonly origin?: 'app';
}

/** How long an approval lasts: for this call, or as a grant for this session or permanently. */
export type Reach = 'once' | 'session' | 'always';

/** An approval for more than one call: of this tool with this definition, with any arguments. */
export interface Grant {
  readonly server: string;
  readonly tool: string;
  readonly digest: string;
  readonly principal: string;
  /** For calls of apps. Undefined: for others. */
  readonly origin?: 'app';
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface PendingApproval {
  readonly bound: string;
  readonly until: number;
}

/** The largest number of unused approvals. */
const maxHeld = 1_000;

/**
 * Approvals: each is bound to the shown facts, is used once, and expires. Grants last longer; the host's store keeps the permanent ones.
 */
export class Approvals {
  readonly #held = new BoundedMap<string, PendingApproval>(maxHeld);
  readonly #clock: Clock;
  readonly #ttlMs: number;
  #grants: Grant[] = [];
  #count = 0;

  constructor(clock: Clock, ttlMs: number, grants: readonly Grant[] = []) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#grants = [...grants];
  }

  get grants(): readonly Grant[] {
    return this.#grants;
  }

  /** Creates an approval of the shown facts. Its id can be used once. */
  async approve(shown: Shown): Promise<string> {
    const until = this.#clock.monotonic() + this.#ttlMs;
    const id = `${++this.#count}-${crypto.randomUUID()}`;
    this.#held.set(id, { bound: await digestOf(shown), until });
    return id;
  }

  /** Uses an approval up. False: it does not exist, has expired, or was given for something else. */
  async spend(id: string, call: Shown): Promise<boolean> {
    const held = this.#held.get(id);
    // Delete it before the first await, so that two calls cannot both use it.
    this.#held.delete(id);
    return held !== undefined && held.until > this.#clock.monotonic() && held.bound === await digestOf(call);
  }

  grant(grant: Grant): void {
    this.#grants.push(grant);
  }

  granted({ server, tool, digest, principal, origin }: Omit<Shown, 'args'>): boolean {
    return this.#grants.some((grant) => grant.server === server && grant.tool === tool
      && grant.digest === digest && grant.principal === principal && grant.origin === origin);
  }

  /** Revokes every grant that fits; returns their number. */
  revoke(fits: (grant: Grant) => boolean): number {
    const before = this.#grants.length;
    this.#grants = this.#grants.filter((grant) => !fits(grant));
    return before - this.#grants.length;
  }
}
