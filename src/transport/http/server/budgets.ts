import { peerBudget } from '../../../bounds/budget.ts';
import type { Budget } from '../../../bounds/budget.ts';
import type { Auth } from '../../auth.ts';

/** Principals that are remembered before those that hold nothing are looked for and dropped. */
const manyPrincipals = 1000;

/**
 * Bytes of a request that is always served: as many of them as may be open at once are still little, and
 * a client that asks little notices nothing of others that fill the budget.
 */
export const smallRequest = 4096;

/** The budgets of an endpoint's clients: one a principal, whatever it opens. */
export class Budgets {
  readonly #byPrincipal = new Map<string, Budget>();
  /** What those who say no name may hold together, outside of a session. */
  #anonymous: Budget | undefined;

  /** The budget of a principal's sessions and requests. */
  of({ principal }: Auth): Budget {
    let budget = this.#byPrincipal.get(principal);
    if (budget === undefined) {
      if (this.#byPrincipal.size >= manyPrincipals) this.#forget();
      this.#byPrincipal.set(principal, budget = peerBudget());
    }
    return budget;
  }

  /** The budget of requests that belong to no session. */
  ofRequests(auth: Auth | undefined): Budget {
    return auth ? this.of(auth) : this.#anonymous ??= peerBudget();
  }

  #forget(): void {
    for (const [principal, { used }] of this.#byPrincipal) if (used === 0) this.#byPrincipal.delete(principal);
  }
}
