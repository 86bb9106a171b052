import type { TokenClaims } from './access-token.ts';

/** The facts about the resource for a verifier. */
export interface VerifyContext {
  /** The issuers whose tokens are accepted. */
  readonly issuers: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Verifies a token and returns its claims: `jwtVerifier()`, `introspection()`, or your own. To refuse the token with 401,
 * return undefined or throw a `TokenError`; any other error is a fault of this server and gets 500. `bearer` then checks
 * issuer, audience, times, scopes and binding for every verifier: your own must return `aud` and `sub` (and `iss` if
 * there are several authorization servers).
 */
export type VerifyToken = (
  token: string, context: VerifyContext,
) => TokenClaims | undefined | Promise<TokenClaims | undefined>;
