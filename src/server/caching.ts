import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';

/** How long clients may cache a result, and whether caches may share it. 2026-07-28 server/utilities/caching. */
export interface CacheHint {
  /** Milliseconds for which a client may cache the result: a finite number. Default: 0. */
  readonly ttlMs?: number;
  /** `public`: the same for every user, so that caches may share it. Default: `private`. */
  readonly scope?: 'public' | 'private';
}

/**
 * The two caching fields of a result; without a hint it may not be cached. Throws a RangeError if `ttlMs` is not finite.
 * 2026-07-28 server/utilities/caching.
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

/** The hints of a server, for `checkOptions`. */
export const cacheShape: Shape<Partial<Record<Cacheable, CacheHint>>> = {
  discover: hintShape, tools: hintShape, prompts: hintShape, resources: hintShape, resourceTemplates: hintShape, read: hintShape,
};

/** The caching fields of a result. */
export interface CacheFields {
  /** Milliseconds, a whole number from 0. */
  readonly ttlMs: number;
  /** `public`: every cache may keep it. `private`: only the requester. */
  readonly cacheScope: 'public' | 'private';
}

/** The caching fields for each kind of result. Made by `caching`. */
export interface Caching {
  /** `isPrivate`: the result differs between requesters, so no shared cache may keep it. */
  fields(kind: Cacheable, isPrivate?: boolean): CacheFields;
}

/**
 * Lets clients of 2026-07-28 cache results, as the hint for each kind says. Pass it as `caching`; without it no result may be
 * cached, except resources with their own `cache`. Throws a RangeError if a `ttlMs` is not finite.
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
