/** How long a result may be kept, and by whom. 2026-07-28 server/utilities/caching. */
export interface CacheHint {
  /** Milliseconds for which a client may keep the result: a finite number. */
  readonly ttlMs?: number;
  /** `public`: the same for everybody, so that caches may share it. */
  readonly scope?: 'public' | 'private';
}

/**
 * 2026-07-28 server/utilities/caching: both fields, always; kept for nobody unless the author says otherwise.
 * Throws a RangeError for a time that JSON cannot say.
 */
export function cacheFields(
  hint: CacheHint | undefined,
): { ttlMs: number; cacheScope: 'public' | 'private' } {
  const ttlMs = hint?.ttlMs ?? 0;
  if (!Number.isFinite(ttlMs)) throw new RangeError(`ttlMs must be a finite number of milliseconds, not ${ttlMs}`);
  return { ttlMs: Math.max(0, Math.floor(ttlMs)), cacheScope: hint?.scope ?? 'private' };
}
