import { isObject } from '../../jsonrpc/internal-exports.ts';
import { OAuthError, shownUrl } from '../errors.ts';
import { fetchJson } from '../fetch-json.ts';
import type { FetchOptions } from '../fetch-json.ts';
import type { Jwk } from '../jwk.ts';

/** Limits of the key sets of authorization servers. */
export interface KeySetLimits {
  /** The most keys in a set. 100. */
  maxKeys: number;
  /** Milliseconds after which a set is fetched again, or earlier if its `Cache-Control: max-age` is shorter. 10 minutes. */
  maxKeysAgeMs: number;
  /** Milliseconds for which an old set is still used if fetching it again fails. 1 hour. */
  maxKeysStaleMs: number;
  /**
   * Milliseconds until one more fetch is allowed for keys that are not in the set; three are allowed at once. This limits
   * the traffic that invented key ids can cause. 10 seconds.
   */
  keysCooldownMs: number;
}

/** The default limits. */
export const defaultKeySetLimits: KeySetLimits = {
  maxKeys: 100,
  maxKeysAgeMs: 600_000,
  maxKeysStaleMs: 3_600_000,
  keysCooldownMs: 10_000,
};

export interface KeySetOptions extends KeySetLimits, FetchOptions {
  readonly now: () => number;
}

/** The public keys of one authorization server (RFC 7517 section 5), fetched when needed and cached. */
export interface KeySet {
  /** The keys. Rejects with `OAuthError` (`jwks_…`, `fetch_…`) if none are cached and the fetch fails. */
  keys(): Promise<readonly Jwk[]>;
  /** Fetches the keys again because one was missing; undefined if that happened too often recently. */
  refetch(): Promise<readonly Jwk[]> | undefined;
}

/** The shortest `max-age` that is obeyed, in milliseconds: fetching for each request would be useless. */
const minAgeMs = 30_000;
const burst = 3;

/**
 * Caches the key set of one server. `locate` finds its URL, and is called again after a failure. `what` names the set in
 * errors.
 *
 * Long function: the keys, their age, the last failure and the allowance are one state.
 */
export function keySet(locate: () => Promise<string>, what: string, options: KeySetOptions): KeySet {
  const { now, maxKeysAgeMs, maxKeysStaleMs, keysCooldownMs } = options;
  let held: readonly Jwk[] | undefined;
  let loadedAt = -Infinity;
  let freshMs = 0;
  let failedAt = -Infinity;
  let failure: unknown;
  let url: string | undefined;
  let fetching: Promise<readonly Jwk[]> | undefined;
  let allowance = burst;
  let countedAt = now();

  async function load(): Promise<readonly Jwk[]> {
    try {
      url ??= await locate();
      const { keys, maxAgeMs = maxKeysAgeMs } = await fetchKeys(url, what, options);
      held = keys;
      loadedAt = now();
      freshMs = Math.min(maxKeysAgeMs, Math.max(minAgeMs, maxAgeMs));
      failedAt = -Infinity;
      return held;
    } catch (thrown) {
      failedAt = now();
      failure = thrown;
      url = undefined;
      throw thrown;
    } finally {
      fetching = undefined;
    }
  }

  /** All waiting callers share one fetch. */
  const fetch = (): Promise<readonly Jwk[]> => fetching ??= load();

  /** The current time. If the clock was set back, recorded times that are later are changed to it. */
  function present(): number {
    const at = now();
    [loadedAt, failedAt, countedAt] = [Math.min(loadedAt, at), Math.min(failedAt, at), Math.min(countedAt, at)];
    return at;
  }

  return {
    async keys() {
      const at = present();
      if (held && at < loadedAt + freshMs) return held;
      const usable = held !== undefined && at < loadedAt + freshMs + maxKeysStaleMs;
      // After a failure, wait before the next attempt.
      if (at < failedAt + keysCooldownMs) {
        if (usable) return held as readonly Jwk[];
        throw failure;
      }
      try {
        return await fetch();
      } catch (thrown) {
        if (usable) return held as readonly Jwk[];
        throw thrown;
      }
    },
    refetch() {
      if (fetching) return fetching;
      const at = present();
      allowance = Math.min(burst, allowance + (at - countedAt) / keysCooldownMs);
      countedAt = at;
      if (allowance < 1) return undefined;
      allowance--;
      return fetch();
    },
  };
}

/** Fetches the keys, and the `max-age` of the response. */
async function fetchKeys(url: string, what: string, options: KeySetOptions): Promise<{ readonly keys: readonly Jwk[]; readonly maxAgeMs: number | undefined }> {
  const { status, value, header } = await fetchJson(url, what, { headers: { accept: 'application/json' } }, options);
  if (status !== 200) throw new OAuthError('jwks_unavailable', `${what} (${shownUrl(url)}): status ${status}, expected 200`);
  const keys = isObject(value) ? value['keys'] : undefined;
  if (!Array.isArray(keys)) throw new OAuthError('jwks_invalid', `${what} (${shownUrl(url)}): the list "keys" is missing`);
  if (keys.length > options.maxKeys) {
    throw new OAuthError('jwks_invalid', `${what} (${shownUrl(url)}): ${keys.length} keys, the limit is ${options.maxKeys}`);
  }
  return { keys: keys.filter(isObject), maxAgeMs: maxAge(header('cache-control')) };
}

/** `max-age` of a `Cache-Control` field, in milliseconds. */
function maxAge(field: string | undefined): number | undefined {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(field ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
