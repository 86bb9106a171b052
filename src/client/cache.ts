import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import { BoundedMap } from '../bounds/bounded-map.ts';
import type { Bag } from '../jsonrpc/message.ts';
import { freshMs } from '../protocol/caching.ts';
import { hasCacheHints, listMethods, neededCapability } from '../protocol/methods.ts';
import { defaultMaxCached } from './options.ts';
import type { Cache } from './parts.ts';

/** Characters of all cached results and their keys together. */
const maxCachedLength = 67_108_864;

/** `server/discover` is not cached: each connection sends it once anyway, and again only in place of a ping. */
const isCacheable = (method: string): boolean =>
  hasCacheHints(method) && method !== 'server/discover';

/** The part of a client that keeps at most `max` results. */
export function resultCache(max: number = defaultMaxCached): Cache {
  checkOptions('resultCache: max', max, 'number');
  return new ResultCache(max);
}

interface KeptResult {
  readonly text: string;
  readonly until: number;
}

/** At most `max` results, and the characters of all of them with their keys. */
class KeptResults extends BoundedMap<string, KeptResult> {
  length = 0;

  override set(key: string, kept: KeptResult): this {
    this.delete(key);
    this.length += key.length + kept.text.length;
    return super.set(key, kept);
  }

  override delete(key: string): boolean {
    const kept = this.get(key);
    if (kept) this.length -= key.length + kept.text.length;
    return super.delete(key);
  }

  override clear(): void {
    this.length = 0;
    super.clear();
  }
}

/**
 * Results that the server declares fresh for a while. The key of a result is its method, parameters and
 * authorization; the key of a public result is its method and parameters. Source: 2026-07-28
 * server/utilities/caching.
 */
class ResultCache implements Cache {
  // Results are kept as text, so that a caller that changes its result does not change the kept one.
  readonly #kept: KeptResults;
  /** Grows with every invalidation: a result that was requested before an invalidation must not be kept after it. */
  epoch = 0;
  #clock = systemClock;

  constructor(max: number) {
    this.#kept = new KeptResults(max);
  }

  attach(clock: Clock): void {
    this.#clock = clock;
  }

  keeps(method: string): boolean {
    return isCacheable(method);
  }

  /** The result of an equal request, while it is fresh. */
  find(method: string, params: Bag | undefined, context: string = ''): Bag | undefined {
    if (!isCacheable(method)) return undefined;
    const key = keyOf(method, params);
    for (const scope of ['public', `own ${context}`]) {
      const kept = this.#kept.get(key + scope);
      if (kept !== undefined && this.#clock.monotonic() < kept.until) return JSON.parse(kept.text) as Bag;
      this.#kept.delete(key + scope);
    }
    return undefined;
  }

  /** Keeps a result for as long as it says; `epoch` is the value at the time of the request. */
  keep(method: string, params: Bag | undefined, result: Bag, epoch: number, context: string = ''): void {
    const { ttlMs, cacheScope } = result;
    if (epoch !== this.epoch || !isCacheable(method)) return;
    const ms = freshMs(ttlMs);
    if (ms === 0) return;
    // 2026-07-28 server/utilities/caching#cache-key: the result of a retry depends on more than the key.
    if (params?.['inputResponses'] !== undefined || params?.['requestState'] !== undefined) return;
    const key = keyOf(method, params) + (cacheScope === 'public' ? 'public' : `own ${context}`);
    this.#kept.set(key, { text: JSON.stringify(result), until: this.#clock.monotonic() + ms });
    while (this.#kept.length > maxCachedLength) this.#kept.dropOldest();
  }

  /** Drops the results that a notification makes stale. */
  invalidate(notification: string, params: Bag | undefined): void {
    if (notification === 'notifications/resources/updated') {
      const { uri } = params ?? {};
      // The URI may name a part of a resource that was read.
      if (typeof uri !== 'string') return;
      this.#dropWhere('resources/read', (read) => typeof read === 'string' && uri.startsWith(read));
      return;
    }
    const changed = /^notifications\/(\w+)\/list_changed$/.exec(notification)?.[1];
    for (const method of listMethods) if (neededCapability(method) === changed) this.drop(method);
  }

  drop(method: string): void {
    this.#dropWhere(method, () => true);
  }

  #dropWhere(method: string, concerns: (uri: unknown) => boolean): void {
    this.epoch++;
    for (const key of this.#kept.keys()) {
      if (!key.startsWith(`${method} `)) continue;
      const { uri } = JSON.parse(key.slice(method.length, key.indexOf('\n'))) as Bag;
      if (concerns(uri)) this.#kept.delete(key);
    }
  }

  clear(): void {
    this.epoch++;
    this.#kept.clear();
  }
}

// `_meta` says how to answer (progress, logging), so it is not part of the key. The scope follows the line break.
const keyOf = (method: string, params: Bag | undefined): string =>
  `${method} ${JSON.stringify({ ...params, _meta: undefined })}\n`;
