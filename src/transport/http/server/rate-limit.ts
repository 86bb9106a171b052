import { BoundedMap } from '../../../bounds/bounded-map.ts';
import { checkOptions } from '../../../bounds/options.ts';
import { systemClock } from '../../../bounds/clock.ts';
import type { Clock } from '../../../bounds/clock.ts';
import type { Authenticate, Authenticator } from './admission.ts';

/** The options of `rateLimit`. */
export interface RateLimitOptions {
  /** HTTP requests that one principal may make in `perMs` milliseconds. After a pause, all of them may come at once. */
  requests: number;
  /** The period for `requests`, in milliseconds. 1 minute. */
  perMs?: number | undefined;
  /** Principals that are counted at once; the next one replaces the one without requests for longest. 100,000. */
  maxPrincipals?: number | undefined;
  /** Time. Default: the runtime's clock. */
  clock?: Clock | undefined;
}

/**
 * Adds a rate limit to an `auth`: a principal that makes too many requests gets 429 with `Retry-After`. Requests that `auth`
 * refuses are not counted, since they have no principal. Each process counts separately.
 * Throws a RangeError for numbers below 1.
 */
export function rateLimit(
  auth: Authenticate | Authenticator, options: RateLimitOptions,
): Authenticator {
  checkOptions<object>('rateLimit: options', { ...options, requests: options.requests ?? null }, { requests: 'number', perMs: 0, maxPrincipals: 'number', clock: 'object' });
  const { requests, perMs = 60_000, maxPrincipals = 100_000, clock = systemClock } = options;
  for (const [name, value] of Object.entries({ requests, perMs, maxPrincipals })) {
    if (!(value >= 1)) throw new RangeError(`rateLimit: options.${name} must be 1 or more, not ${value}`);
  }
  const authenticator = typeof auth === 'function' ? { authenticate: auth } : auth;
  const requestMs = perMs / requests;
  /** When each principal may make all of its requests again. */
  const restedAt = new BoundedMap<string, number>(maxPrincipals);

  /** Counts a request. Returns the milliseconds until it is allowed; 0: now. */
  function waitOf(principal: string): number {
    const at = clock.monotonic();
    const rested = Math.max(at, restedAt.get(principal) ?? 0) + requestMs;
    // A sum of many fractions is not exact: ignore a millionth of a request.
    const wait = rested - at - perMs;
    if (wait > requestMs / 1e6) return wait;
    restedAt.set(principal, rested);
    return 0;
  }

  return {
    challenge: authenticator.challenge,
    documents: authenticator.documents,
    async authenticate(request) {
      const found = await authenticator.authenticate(request);
      if (!found || !('principal' in found) || typeof found.principal !== 'string') return found;
      const wait = waitOf(found.principal);
      if (wait === 0) return found;
      return {
        status: 429, message: `Too many requests: ${requests} in ${perMs} ms are allowed`, code: 'rate_limited',
        headers: { 'retry-after': `${Math.ceil(wait / 1000)}` },
      };
    },
  };
}
