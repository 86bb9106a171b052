import type { Result } from './base.ts';

/** Since 2026-07-28, where both members are required: how long, and by whom, a result may be kept. */
export interface CacheableResult extends Result {
  /** Since 2026-07-28. How long the result stays fresh, in milliseconds; 0: not at all. */
  ttlMs?: number | undefined;
  /** Since 2026-07-28. `public`: for everybody, also at intermediaries; `private`: only for this user. */
  cacheScope?: 'public' | 'private' | undefined;
}

/**
 * How long a result that says this `ttlMs` is fresh, in milliseconds. A negative time counts as 0, and so does what is not a
 * number. 2026-07-28 server/utilities/caching#time-to-live-ttl-field.
 */
export const freshMs = (ttlMs: unknown): number => (typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : 0);
