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
export function cacheFields(hint: CacheHint | undefined): CacheFields {
  const ttlMs = hint?.ttlMs ?? 0;
  if (!Number.isFinite(ttlMs)) throw new RangeError(`ttlMs must be a finite number of milliseconds, not ${ttlMs}`);
  return { ttlMs: Math.max(0, Math.floor(ttlMs)), cacheScope: hint?.scope ?? 'private' };
}

/** The results that clients of 2026-07-28 may cache. */
export type Cacheable = 'discover' | 'tools' | 'prompts' | 'resources' | 'resourceTemplates' | 'read';

/** What a result says of its keeping. */
export interface CacheFields {
  /** Milliseconds from 0, a whole number. */
  readonly ttlMs: number;
  /** Who may keep it: anybody, or only who has asked. */
  readonly cacheScope: 'public' | 'private';
}

/** How long each kind of result may be kept: made by `caching`. */
export interface Caching {
  /** `isPrivate`: what one requester may see is not to be shown to another. */
  fields(kind: Cacheable, isPrivate?: boolean): CacheFields;
}

/** Kept for nobody. */
export const notKept: CacheFields = { ttlMs: 0, cacheScope: 'private' };

/**
 * Lets clients of 2026-07-28 keep results: how long each kind, and for whom. Hand it in as `caching`; a server without it
 * lets nobody keep any. Throws a RangeError for a time that is no number of milliseconds.
 */
export function caching(hints: Readonly<Partial<Record<Cacheable, CacheHint>>>): Caching {
  for (const hint of Object.values(hints)) cacheFields(hint);
  return {
    fields(kind, isPrivate) {
      const hint = hints[kind];
      return cacheFields(isPrivate ? { ...hint, scope: 'private' } : hint);
    },
  };
}
