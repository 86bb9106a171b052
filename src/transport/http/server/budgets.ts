import { peerBudget } from '../../../bounds/budget.ts';
import type { Budget } from '../../../bounds/budget.ts';
import { weightOfValues } from '../../../bounds/weight.ts';
import type { Auth } from '../../auth.ts';

/** With this many principals, those that hold nothing are dropped. */
const manyPrincipals = 1000;

/**
 * A request of at most this many bytes is always served: all that may be open at once take little memory, and
 * a client with small requests is not affected by others that fill the budget.
 */
export const smallRequest = 4096;

/** The same for its memory, twice as much: a short text can hold many values. Bundlers drop a literal that is not used. */
export const smallMemory = 8192;

/** Whether a request whose text has at most `smallRequest` bytes takes little memory too. */
export const isSmall = (request: object): boolean => weightOfValues(request) <= smallMemory;

/** The budgets of an endpoint's clients: one for each principal, however many sessions and requests it has. */
export class Budgets {
  readonly #byPrincipal = new Map<string, Budget>();
  /** Shared by all unauthenticated requests outside of a session. */
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

  /** The budget of requests without a session. */
  ofRequests(auth: Auth | undefined): Budget {
    return auth ? this.of(auth) : this.#anonymous ??= peerBudget();
  }

  #forget(): void {
    for (const [principal, { used }] of this.#byPrincipal) if (used === 0) this.#byPrincipal.delete(principal);
  }
}
