import type { TokenClaims } from './token-claims.ts';

/** What a verifier is told of the resource that it works for. */
export interface VerifyContext {
  /** The issuers whose tokens are accepted. */
  readonly issuers: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Finds out what a token says, and that it is genuine: `jwtVerifier()`, `introspection()`, or the operator's own.
 * Undefined, or a `TokenError`, refuses the token with 401; any other error is a fault of this side and gets 500.
 * Issuer, audience, times, scopes and binding of what it returns are judged afterwards, for every verifier alike:
 * one of your own must return `aud` and `sub` (and `iss` where there are several authorization servers).
 */
export type VerifyToken = (
  token: string, context: VerifyContext,
) => TokenClaims | undefined | Promise<TokenClaims | undefined>;
