import type { TokenClaims } from './token-claims.ts';

/** The facts about the resource that a verifier receives. */
export interface VerifyContext {
  /** The issuers whose tokens are accepted. */
  readonly issuers: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Verifies a token and returns its claims: `jwtVerifier()`, `introspection()`, or the operator's own. Undefined, or a
 * `TokenError`, refuses the token with 401; any other error is a fault of this side and gets 500. Issuer, audience,
 * times, scopes and binding of the returned claims are checked afterwards, for every verifier alike: your own must
 * return `aud` and `sub` (and `iss` if there are several authorization servers).
 */
export type VerifyToken = (
  token: string, context: VerifyContext,
) => TokenClaims | undefined | Promise<TokenClaims | undefined>;
