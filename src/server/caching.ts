export interface CacheHint {
  /** Milliseconds for which a client may keep the result. */
  readonly ttlMs?: number;
  /** `public`: the same for everybody, so that caches may share it. */
  readonly scope?: 'public' | 'private';
}

/**
 * 2026-07-28 server/utilities/caching: both fields, always; kept for nobody unless the author says otherwise.
 */
export function cacheFields(
  hint: CacheHint | undefined,
): { ttlMs: number; cacheScope: 'public' | 'private' } {
  return { ttlMs: Math.max(0, Math.floor(hint?.ttlMs ?? 0)), cacheScope: hint?.scope ?? 'private' };
}
