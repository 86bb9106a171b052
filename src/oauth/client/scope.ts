import { OAuthError, shown } from '../errors.ts';
import type { OAuthChallenge } from './challenge.ts';
import type { Grant } from './grant.ts';
import type { HeldTokens } from './held-tokens.ts';

/** The scopes of a `scope` value, a list separated by spaces (RFC 6749 section 3.3); each once, in order. */
export function scopesOf(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(' ').filter(Boolean))];
}

/** The union of the scopes of all values; undefined without scopes, since the parameter is then left out. */
export function unionOfScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  // `join` treats undefined as an empty text.
  return scopesOf(scopes.join(' ')).join(' ') || undefined;
}

/**
 * The scopes to request: those of the challenge, otherwise all in the metadata. 2026-07-28
 * basic/authorization#scope-selection-strategy.
 */
export const scopeToAsk = (challenged: string | undefined, listed: readonly string[] | undefined): string | undefined =>
  challenged ?? listed?.join(' ');

/** Whether every scope of `wanted` is in `held`. */
export function coversScope(held: string | undefined, wanted: string | undefined): boolean {
  const have = new Set(scopesOf(held));
  return scopesOf(wanted).every((scope) => have.has(scope));
}

/**
 * Renews the tokens with the scopes that a server asks for. Throws an `OAuthError` if the client cannot get them. 2026-07-28
 * basic/authorization#step-up-authorization-flow.
 */
export async function stepUp(held: HeldTokens, grant: Grant, used: string, url: string, challenge: OAuthChallenge): Promise<boolean> {
  const { scope } = challenge;
  const tokens = held.current;
  const lacking = (why: string): OAuthError =>
    new OAuthError('insufficient_scope', `${new URL(url).origin} asks for the scopes ${shown(scope)}: ${why}`);
  if (scope === undefined) throw lacking('it does not name them');
  if (!grant.stepUp) throw lacking('this grant does not ask again');
  // Another request has got the scopes meanwhile.
  if (tokens && tokens.access_token !== used && coversScope(tokens.scope, scope)) return true;
  if (coversScope(unionOfScopes(tokens?.scope, tokens?.requested_scope), scope)) {
    throw lacking(coversScope(tokens?.scope, scope) ? 'the token has them already' : 'they were asked for and not granted');
  }
  await held.renew({ challenge, used, scope });
  return true;
}
