import { BoundedMap } from '../../jsonrpc/bounded-map.ts';
import { isObject } from '../../jsonrpc/codec.ts';
import { authorizationServerMetadata } from '../authorization-server-metadata.ts';
import { OAuthError, shown, TokenError } from '../errors.ts';
import { fetchJson } from '../fetch-json.ts';
import type { FetchLimits, FetchOptions } from '../fetch-json.ts';
import { sha256 } from '../jwk.ts';
import type { TokenClaims } from './access-token.ts';
import type { VerifyContext, VerifyToken } from './verify.ts';

/** What bounds introspection. */
export interface IntrospectionLimits {
  /**
   * Milliseconds for which an answer is kept; the token's own end is looked at each time. A token that is revoked goes on
   * being accepted that long; 0: every request asks. 0.
   */
  introspectionCacheMs: number;
  /** Answers that are kept; the oldest goes first. 1000. */
  maxIntrospections: number;
}

/** The limits that hold where none is given. */
export const defaultIntrospectionLimits: IntrospectionLimits = { introspectionCacheMs: 0, maxIntrospections: 1000 };

/** Where tokens are introspected (RFC 7662), and as which client. */
export interface IntrospectionOptions extends FetchOptions {
  readonly limits?: Partial<IntrospectionLimits & FetchLimits> | undefined;
  /** Who is asked. Default: the only authorization server of the resource. */
  readonly issuer?: string;
  /** Where. Default: `introspection_endpoint` of the issuer's metadata. */
  readonly endpoint?: string;
  /** How this resource is known to the authorization server. RFC 7662 section 2.1 wants it to say who asks. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Where the secret goes. Default `client_secret_basic`. */
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post';
  /** Further header fields, such as an `Authorization` of another kind. Asked for each request. */
  readonly headers?: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
}

interface Kept {
  readonly claims: TokenClaims;
  readonly until: number;
}

/**
 * Verifies tokens by asking the authorization server (RFC 7662): for opaque tokens, and where a revoked one must be
 * refused at once. `TokenError` `token_inactive` where it says no; `OAuthError` (`introspection_failed`,
 * `introspection_malformed`, `introspection_unavailable`, those of `fetchJson`) where it says nothing.
 */
export function introspection(options: IntrospectionOptions): VerifyToken {
  const { clientId, clientSecret, authMethod = 'client_secret_basic' } = options;
  const { introspectionCacheMs, maxIntrospections } = { ...defaultIntrospectionLimits, ...options.limits };
  const kept = new BoundedMap<string, Kept>(maxIntrospections);
  let found: Promise<string> | undefined;

  async function ask(token: string, issuer: string): Promise<TokenClaims> {
    // One that could not be found is looked for again.
    const url = options.endpoint ?? await (found ??= locate(issuer, options).catch((thrown: unknown) => {
      found = undefined;
      throw thrown;
    }));
    const body = new URLSearchParams({ token, token_type_hint: 'access_token' });
    const headers: Record<string, string> = {
      accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...await options.headers?.(),
    };
    if (clientId !== undefined && authMethod === 'client_secret_basic') {
      // RFC 6749 section 2.3.1: both are form-encoded first.
      headers['authorization'] = `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret ?? '')}`)}`;
    } else if (clientId !== undefined) {
      body.set('client_id', clientId);
      body.set('client_secret', clientSecret ?? '');
    }
    const what = `token introspection of ${issuer}`;
    const { status, value } = await fetchJson(url, what, { method: 'POST', headers, body: body.toString() }, options);
    if (status !== 200) throw new OAuthError('introspection_failed', `${what} (${url}): status ${status}, expected 200`);
    if (!isObject(value) || typeof value['active'] !== 'boolean') {
      const active = isObject(value) ? value['active'] : undefined;
      throw new OAuthError('introspection_malformed', `${what} (${url}): active is ${shown(active)}, expected true or false`);
    }
    if (!value['active']) throw new TokenError('token_inactive', `${issuer} says that the token is not active`);
    return { ...value, iss: value['iss'] ?? issuer };
  }

  return async (token, context) => {
    const issuer = issuerOf(options, context);
    if (introspectionCacheMs <= 0) return ask(token, issuer);
    // The token itself is not kept.
    const key = await sha256(token);
    const now = context.now();
    const known = kept.get(key);
    if (known && now < known.until) return known.claims;
    kept.delete(key);
    const claims = await ask(token, issuer);
    kept.set(key, { claims, until: now + introspectionCacheMs });
    return claims;
  };
}

function issuerOf({ issuer }: IntrospectionOptions, { issuers }: VerifyContext): string {
  if (issuer !== undefined) return issuer;
  if (issuers.length === 1) return issuers[0] as string;
  throw new TypeError('introspection: with several authorization servers, say which is asked (issuer)');
}

async function locate(issuer: string, options: FetchOptions): Promise<string> {
  const metadata = await authorizationServerMetadata(issuer, options);
  if (metadata?.introspection_endpoint !== undefined) return metadata.introspection_endpoint;
  const why = metadata ? 'has no introspection_endpoint' : 'was not found';
  throw new OAuthError('introspection_unavailable', `authorization server metadata of ${issuer} ${why}: say where with endpoint`);
}

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
