import { checkOptions } from '../../bounds/options.ts';
import { BoundedMap } from '../../bounds/bounded-map.ts';
import { isObject } from '../../jsonrpc/internal-exports.ts';
import { authorizationServerMetadata } from '../authorization-server-metadata.ts';
import { OAuthError, shown, shownUrl, TokenError } from '../errors.ts';
import { defaultFetchLimits, fetchShape } from '../fetch-json.ts';
import type { FetchLimits, FetchOptions } from '../fetch-json.ts';
import { sha256 } from '../jwk.ts';
import { postJson } from '../post-json.ts';
import type { PostAnswer } from '../post-json.ts';
import type { TokenClaims } from './access-token.ts';
import type { VerifyContext, VerifyToken } from './verify.ts';

/**
 * Marks the claims of a token introspection answer, in which `username` may name the person. A symbol, so that no member
 * of a token or answer can have this name; copies by spreading keep it.
 */
export const introspected: unique symbol = Symbol.for('barewire.introspected');

/** Limits of introspection. */
export interface IntrospectionLimits {
  /**
   * Milliseconds for which the answer about an active token is cached; its expiry is checked each time. A revoked token
   * is still accepted that long. 0: no cache. 0.
   */
  introspectionCacheMs: number;
  /**
   * Milliseconds for which an inactive token is refused without another request, so that repeating it causes no traffic.
   * A token that becomes active is also refused that long. 0: no cache. 5 seconds.
   */
  inactiveCacheMs: number;
  /** The most cached answers, for active and for inactive tokens each; the oldest is dropped first. 1000. */
  maxIntrospections: number;
}

/** The default limits. */
export const defaultIntrospectionLimits: IntrospectionLimits = {
  introspectionCacheMs: 0, inactiveCacheMs: 5000, maxIntrospections: 1000,
};

/** The introspection endpoint (RFC 7662), and the client credentials of this resource. */
export interface IntrospectionOptions extends FetchOptions {
  readonly limits?: Partial<IntrospectionLimits & FetchLimits> | undefined;
  /** The issuer to ask. Default: the authorization server of the resource, if there is only one. */
  readonly issuer?: string;
  /** The URL to ask. Default: `introspection_endpoint` of the issuer's metadata. */
  readonly endpoint?: string;
  /**
   * The client credentials of this resource at the authorization server. RFC 7662 section 2.1 requires the endpoint
   * to authenticate its callers.
   */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The way to send the secret. Default `client_secret_basic`. */
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post';
  /** Further header fields, such as another kind of `Authorization`. Called for each request. */
  readonly headers?: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
}

/** A cached answer, and the time of its request. */
interface CachedAnswer {
  /** Undefined: the token is not active. */
  readonly claims: TokenClaims | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Verifies tokens by asking the authorization server (RFC 7662): for opaque tokens, or to refuse revoked tokens at once.
 * The person is the answer's `sub`, otherwise its `username`. `TokenError`: `token_inactive` if the token is inactive,
 * `token_issuer` if the answer is about another issuer's token. `OAuthError` (`introspection_failed`,
 * `introspection_malformed`, `introspection_unavailable`, those of `fetchJson`) if there is no usable answer.
 */
export function introspection(options: IntrospectionOptions): VerifyToken {
  checkOptions('introspection: options', options, {
    ...fetchShape, issuer: 'string', endpoint: 'string', clientId: 'string', clientSecret: 'string',
    authMethod: '"client_secret_basic" or "client_secret_post"', headers: 'function',
    limits: { ...defaultFetchLimits, ...defaultIntrospectionLimits },
  });
  const { introspectionCacheMs, inactiveCacheMs, maxIntrospections } = { ...defaultIntrospectionLimits, ...options.limits };
  const kept = new BoundedMap<string, CachedAnswer>(maxIntrospections);
  const inactive = new BoundedMap<string, CachedAnswer>(maxIntrospections);
  const ask = asking(options);

  return async (token, context) => {
    const issuer = issuerOf(options, context);
    // Only a digest of the token is stored.
    const key = await sha256(token);
    const now = context.now();
    // The first comparison is for a clock that was set back: an answer must not be used longer than allowed.
    const isFresh = (answer: CachedAnswer | undefined, ms: number): boolean => answer !== undefined && now >= answer.at && now < answer.at + ms;
    const refuse = (): never => {
      throw new TokenError('token_inactive', `${issuer} says that the token is not active`);
    };
    if (isFresh(inactive.get(key), inactiveCacheMs)) refuse();
    inactive.delete(key);
    const known = kept.get(key);
    if (isFresh(known, introspectionCacheMs)) return known?.claims;
    kept.delete(key);
    const claims = await ask(token, issuer);
    if (claims === undefined && inactiveCacheMs > 0) inactive.set(key, { claims, at: now });
    if (claims !== undefined && introspectionCacheMs > 0) kept.set(key, { claims, at: now });
    return claims ?? refuse();
  };
}

/** Returns a function that asks an issuer about a token. Undefined: the token is inactive. */
function asking(options: IntrospectionOptions): (token: string, issuer: string) => Promise<TokenClaims | undefined> {
  const { clientId, clientSecret, authMethod = 'client_secret_basic' } = options;
  let found: Promise<string> | undefined;
  return async (token, issuer) => {
    // After a failure, look the endpoint up again.
    const url = options.endpoint ?? await (found ??= locate(issuer, options).catch((thrown: unknown) => {
      found = undefined;
      throw thrown;
    }));
    const body = new URLSearchParams({ token, token_type_hint: 'access_token' });
    const headers: Record<string, string> = {
      accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...await options.headers?.(),
    };
    if (clientId !== undefined && authMethod === 'client_secret_basic') {
      // RFC 6749 section 2.3.1: both values are form-encoded first.
      headers['authorization'] = `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret ?? '')}`)}`;
    } else if (clientId !== undefined) {
      body.set('client_id', clientId);
      body.set('client_secret', clientSecret ?? '');
    }
    const what = `token introspection of ${issuer}`;
    return read(await postJson(url, what, { headers, body: body.toString() }, options), `${what} (${shownUrl(url)})`, issuer);
  };
}

function read({ status, value, says }: PostAnswer, what: string, issuer: string): TokenClaims | undefined {
  if (status !== 200) throw new OAuthError('introspection_failed', `${what}: status ${status}, expected 200`);
  const { active, iss } = isObject(value) ? value : {};
  if (!isObject(value) || typeof active !== 'boolean') {
    throw new OAuthError('introspection_malformed', `${what}: active is ${says(active)}, expected true or false`);
  }
  if (!active) return undefined;
  // An authorization server may answer only about its own subjects. An answer with another issuer would pass for a
  // subject of that issuer.
  if (iss !== undefined && iss !== null && iss !== issuer) {
    throw new TokenError('token_issuer', `the token's iss is ${says(iss)}, expected ${shown(issuer)}, which was asked`);
  }
  return { ...value, iss: issuer, [introspected]: true };
}

function issuerOf({ issuer }: IntrospectionOptions, { issuers }: VerifyContext): string {
  if (issuer !== undefined) return issuer;
  if (issuers.length === 1) return issuers[0] as string;
  throw new TypeError('introspection: there are several authorization servers: set issuer');
}

async function locate(issuer: string, options: FetchOptions): Promise<string> {
  const metadata = await authorizationServerMetadata(issuer, options);
  if (metadata?.introspection_endpoint !== undefined) return metadata.introspection_endpoint;
  const why = metadata ? 'has no introspection_endpoint' : 'was not found';
  throw new OAuthError('introspection_unavailable', `authorization server metadata of ${issuer} ${why}: set endpoint`);
}

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
