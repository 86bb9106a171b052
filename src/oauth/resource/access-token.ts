import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { Auth, AuthRefusal } from '../../transport/internal-exports.ts';
import { shown, TokenError } from '../errors.ts';
import { principalOf } from './principal.ts';
import type { introspected } from './introspection.ts';

/** The claims of a token, by the names of RFC 7519, RFC 7662 and RFC 9068. Times are seconds since the epoch. */
export interface TokenClaims {
  /** The authorization server. Default: the only one of the resource. */
  readonly iss?: unknown;
  /** The person, or the client's id if a client acts for itself. */
  readonly sub?: unknown;
  /** The resources that the token is for, which must include this one. */
  readonly aud?: unknown;
  readonly exp?: unknown;
  readonly nbf?: unknown;
  readonly client_id?: unknown;
  /** The grant that issued the token, as some servers state it: a string or a list. `gty` is read likewise. */
  readonly grant_type?: unknown;
  readonly gty?: unknown;
  /** The scopes, separated by spaces. If missing, `scp` is read, a list or a string. */
  readonly scope?: unknown;
  /** The key that the token is bound to: `{ jkt }`. RFC 9449 section 6. */
  readonly cnf?: unknown;
  readonly [introspected]?: boolean;
  readonly [name: string]: unknown;
}

/** The facts about an accepted access token. The token itself is not stored. */
export interface TokenDetails {
  /** Issuer and person or client, as JSON. A new token of the same person has the same value. */
  readonly principal: string;
  readonly issuer: string;
  /** `sub`. Undefined if introspection names the person by `username`, or if a client was admitted without `sub`. */
  readonly subject: string | undefined;
  readonly clientId: string | undefined;
  readonly scopes: readonly string[];
  /** The token's expiry, in milliseconds since the epoch; undefined if it has none. */
  readonly expiresAt: number | undefined;
  readonly claims: TokenClaims;
}

/** An accepted access token, as handlers see it in `ctx.auth`. */
export interface AccessToken extends Auth, TokenDetails {
  readonly principal: string;
  readonly clientId: string | undefined;
  readonly expiresAt: number | undefined;
  readonly lacks: (scopes: readonly string[]) => AuthRefusal | undefined;
}

/** The conditions for a token. */
export interface Expected {
  /** The trusted issuers, compared as strings. */
  readonly issuers: readonly string[];
  /** The names of this resource, normalized by `canonicalName`: `aud` must contain one of them. */
  readonly audiences: readonly string[];
  /** The allowed difference between clocks, in milliseconds. */
  readonly leewayMs: number;
  readonly now: number;
  /**
   * Whether to admit clients that act for themselves, if the token names the client credentials grant instead of a `sub`.
   */
  readonly clientsWithoutSubject: boolean;
}

/** The contents of a token that meets the conditions. */
export interface Judged {
  readonly details: TokenDetails;
  /** The thumbprint of the key that the token is bound to. */
  readonly jkt: string | undefined;
}

/**
 * Checks the claims of a token: issuer, audience, times and binding. Throws `TokenError` with the codes `token_issuer`,
 * `token_audience`, `token_expired`, `token_not_yet`, `token_subject`, `token_binding`, `token_malformed`. RFC 9068
 * section 4; OAuth 2.1 section 5.2.
 */
export function judgeClaims(
  claims: TokenClaims, { issuers, audiences, leewayMs, now, clientsWithoutSubject }: Expected,
): Judged {
  const issuer = claims.iss ?? (issuers.length === 1 ? issuers[0] : undefined);
  if (typeof issuer !== 'string' || !issuers.includes(issuer)) {
    throw new TokenError('token_issuer', `the token's iss is ${shown(claims.iss)}, expected ${oneOf(issuers)}`);
  }
  const audience: unknown[] = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
  if (!audience.some((name) => typeof name === 'string' && audiences.includes(canonicalName(name)))) {
    const given = audience.length === 1 ? shown(audience[0]) : `a list without it`;
    throw new TokenError('token_audience', `the token's aud is ${given}, expected ${oneOf(audiences)}`);
  }
  const expires = time(claims, 'exp');
  if (expires !== undefined && now >= expires + leewayMs) {
    throw new TokenError('token_expired', `the token expired ${Math.ceil((now - expires) / 1000)} s ago`);
  }
  const begins = time(claims, 'nbf');
  if (begins !== undefined && now + leewayMs < begins) {
    throw new TokenError('token_not_yet', `the token is not valid for another ${Math.ceil((begins - now) / 1000)} s`);
  }
  const details = {
    ...principalOf(claims, issuer, clientsWithoutSubject),
    issuer, claims,
    scopes: scopesOf(claims),
    // Includes the leeway, as for requests: if a stream ended before its token is refused, the client would reopen it
    // with the same token, and it would end at once.
    expiresAt: expires === undefined ? undefined : expires + leewayMs,
  };
  return { details, jkt: boundTo(claims) };
}

/**
 * The name of a resource with scheme and host in lower case, since authorization servers may write them in any case
 * (2026-07-28 basic/authorization#canonical-server-uri, RFC 3986 section 6.2.2.1). A name that is not a URL is returned
 * unchanged.
 */
export const canonicalName = (name: string): string =>
  name.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#@]*(?=[/?#]|$)/i, (origin) => origin.toLowerCase());

const oneOf = (names: readonly string[]): string =>
  names.length === 1 ? JSON.stringify(names[0]) : `one of ${names.map((name) => JSON.stringify(name)).join(', ')}`;

/** A NumericDate, converted to milliseconds. */
function time(claims: TokenClaims, name: 'exp' | 'nbf'): number | undefined {
  const value = claims[name];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value * 1000;
  throw new TokenError('token_malformed', `the token's ${name} is ${shown(value)}, expected a number`);
}

/** RFC 9068 section 2.2.3; `scp` as Entra and Okta write it. */
function scopesOf({ scope, scp }: TokenClaims): string[] {
  const given = scope ?? scp;
  const list: unknown[] = typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : [];
  return [...new Set(list.filter((name) => typeof name === 'string' && name !== '') as string[])];
}

function boundTo({ cnf }: TokenClaims): string | undefined {
  if (cnf === undefined) return undefined;
  const jkt = isObject(cnf) ? cnf['jkt'] : undefined;
  if (typeof jkt === 'string') return jkt;
  // A token bound to a certificate must not pass as a bearer token: a thief could use it without the certificate.
  throw new TokenError('token_binding', 'the cnf of the token is not supported, expected cnf.jkt');
}
