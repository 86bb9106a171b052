import { BoundedMap } from '../../../bounds/bounded-map.ts';
import { checkOptions } from '../../../bounds/options.ts';
import { systemClock } from '../../../bounds/clock.ts';
import type { Clock } from '../../../bounds/clock.ts';
import type { Authenticate, Authenticator } from './admission.ts';

/** The options of `rateLimit`. */
export interface RateLimitOptions {
  /** HTTP requests that one principal may make in `perMs` milliseconds. As many may come at once after a rest. */
  requests: number;
  /** The time for that many requests, in milliseconds. 1 minute. */
  perMs?: number | undefined;
  /** Principals that are counted at once; one more, and the one that was quiet longest is forgotten. 100,000. */
  maxPrincipals?: number | undefined;
  /** What time it is. Default: the runtime's clock. */
  clock?: Clock | undefined;
}

/**
 * An `auth` that also counts: a principal that has made more requests than it may gets 429 with `Retry-After`. What `auth`
 * refuses is not counted, since it has no principal. It counts in this process.
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
  /** When each principal will have all of its requests again. */
  const restedAt = new BoundedMap<string, number>(maxPrincipals);

  /** Counts a request. Returns the milliseconds until it may be made; 0: now. */
  function waitOf(principal: string): number {
    const at = clock.monotonic();
    const rested = Math.max(at, restedAt.get(principal) ?? 0) + requestMs;
    // A sum of many fractions is not exact: a millionth of a request is not counted against anybody.
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
