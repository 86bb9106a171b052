import type { Result } from './base.ts';

/** A result with cache hints: for how long, and for which users, it may be cached. Since 2026-07-28, where both are required. */
export interface CacheableResult extends Result {
  /** Since 2026-07-28. How long the result stays fresh, in milliseconds; 0: it is stale at once. */
  ttlMs?: number | undefined;
  /** Since 2026-07-28. `public`: for everybody, also at intermediaries; `private`: only for this user. */
  cacheScope?: 'public' | 'private' | undefined;
}

/**
 * How long a result with this `ttlMs` stays fresh, in milliseconds. Negative numbers and other values count as 0.
 * 2026-07-28 server/utilities/caching#time-to-live-ttl-field.
 */
export const freshMs = (ttlMs: unknown): number => (typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : 0);
