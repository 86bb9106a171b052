import type { Result } from './base.ts';

/** Since 2026-07-28, where both members are required: how long, and by whom, a result may be kept. */
export interface CacheableResult extends Result {
  /** Since 2026-07-28. How long the result stays fresh, in milliseconds; 0: not at all. */
  ttlMs?: number | undefined;
  /** Since 2026-07-28. `public`: for everybody, also at intermediaries; `private`: only for this user. */
  cacheScope?: 'public' | 'private' | undefined;
}
