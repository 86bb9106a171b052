import { shown, TokenError } from '../errors.ts';
import type { TokenClaims } from './access-token.ts';
import { introspected } from './introspection.ts';

/** The principal of a token. */
export interface Principal {
  /** Unique among all issuers, persons and clients, as JSON. */
  readonly principal: string;
  readonly subject: string | undefined;
  readonly clientId: string | undefined;
}

/**
 * Determines the principal of a token; no other code does. Sessions, sealed state, tasks and DPoP proofs belong to this
 * principal.
 *
 * - `sub` names the person (RFC 9068 section 2.2 requires it). If it equals the client's id, the client acts for itself;
 *   a person and a client never have the same principal (RFC 9068 section 5).
 * - In an introspection answer, `username` names the person if `sub` does not (RFC 7662 section 2.2).
 * - A token with neither is refused: if it belonged to its client, all users of the client would be one principal. With
 *   `clientsWithoutSubject` it belongs to the client if it states that the client credentials grant issued it.
 *
 * Throws `TokenError`: `token_subject`, `token_malformed`.
 */
export function principalOf(claims: TokenClaims, issuer: string, clientsWithoutSubject: boolean): Principal {
  const subject = text(claims, 'sub');
  // Some servers write `azp` (OpenID Connect) or `cid`.
  const clientId = text(claims, 'client_id') ?? text(claims, 'azp') ?? text(claims, 'cid');
  const username = claims[introspected] ? text(claims, 'username') : undefined;
  const named = (...names: readonly (string | null)[]): Principal => ({ principal: JSON.stringify([issuer, ...names]), subject, clientId });
  if (subject !== undefined && subject !== clientId) return named(subject);
  if (username !== undefined && username !== subject) return named(null, null, username);
  if (clientId !== undefined && (subject !== undefined || (clientsWithoutSubject && isClientCredentials(claims)))) {
    return named(null, clientId);
  }
  throw new TokenError('token_subject', 'the token has no subject: sub is missing, expected a string');
}

/** Whether the token states that the client credentials grant, and no other, issued it. */
function isClientCredentials({ gty, grant_type }: TokenClaims): boolean {
  const grants = [gty, grant_type].flat().filter((grant) => grant !== undefined);
  return grants.length > 0 && grants.every((grant) => grant === 'client_credentials' || grant === 'client-credentials');
}

/** A claim; undefined if it is missing, null or empty. */
function text(claims: TokenClaims, name: string): string | undefined {
  const value = claims[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new TokenError('token_malformed', `the token's ${name} is ${shown(value)}, expected a string`);
}
