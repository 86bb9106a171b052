import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';

/** How long a result may be kept, and by whom. 2026-07-28 server/utilities/caching. */
export interface CacheHint {
  /** Milliseconds for which a client may keep the result: a finite number. */
  readonly ttlMs?: number;
  /** `public`: the same for everybody, so that caches may share it. */
  readonly scope?: 'public' | 'private';
}

/**
 * The two fields of a result that say how long it may be kept; without a hint nobody may keep it. Throws a RangeError for
 * a time that JSON cannot say. 2026-07-28 server/utilities/caching.
 */
export function cacheFields(hint: CacheHint | undefined): CacheFields {
  const ttlMs = hint?.ttlMs ?? 0;
  if (!Number.isFinite(ttlMs)) throw new RangeError(`ttlMs must be a finite number of milliseconds, not ${ttlMs}`);
  return { ttlMs: Math.max(0, Math.floor(ttlMs)), cacheScope: hint?.scope ?? 'private' };
}

/** The results that clients of 2026-07-28 may cache. */
export type Cacheable = 'discover' | 'tools' | 'prompts' | 'resources' | 'resourceTemplates' | 'read';

/** For `checkOptions`. */
export const hintShape: Shape<CacheHint> = { ttlMs: 'number', scope: '"public" or "private"' };

/** The same, of the hints of a server. */
export const cacheShape: Shape<Partial<Record<Cacheable, CacheHint>>> = {
  discover: hintShape, tools: hintShape, prompts: hintShape, resources: hintShape, resourceTemplates: hintShape, read: hintShape,
};

/** The fields of a result that say how long it may be kept, and by whom. */
export interface CacheFields {
  /** Milliseconds from 0, a whole number. */
  readonly ttlMs: number;
  /** Who may keep it: anybody, or only who has asked. */
  readonly cacheScope: 'public' | 'private';
}

/** How long each kind of result may be kept: made by `caching`. */
export interface Caching {
  /** `isPrivate`: the result differs between requesters, so no shared cache may keep it. */
  fields(kind: Cacheable, isPrivate?: boolean): CacheFields;
}

/**
 * Lets clients of 2026-07-28 keep results: `hints` say how long each kind may be kept, and by whom. Hand it in as `caching`;
 * a server without it lets nobody keep any, but for resources with a `cache` of their own. Throws a RangeError for a time
 * that is not finite.
 */
export function caching(hints: Readonly<Partial<Record<Cacheable, CacheHint>>>): Caching {
  checkOptions('caching: hints', hints, cacheShape);
  for (const hint of Object.values(hints)) cacheFields(hint);
  return {
    fields(kind, isPrivate) {
      const hint = hints[kind];
      return cacheFields(isPrivate ? { ...hint, scope: 'private' } : hint);
    },
  };
}
