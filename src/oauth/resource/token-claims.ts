/**
 * Marks claims that are an answer of token introspection, where `username` may name the person. A symbol, since nothing in
 * a token or an answer can be called so; a copy by spreading keeps it.
 */
export const introspected: unique symbol = Symbol.for('barewire.introspected');

/** What a token says, by the names of RFC 7519, RFC 7662 and RFC 9068. Times are seconds since the epoch. */
export interface TokenClaims {
  /** The authorization server. Missing: the only one that the resource has. */
  readonly iss?: unknown;
  /** The person; the client's id for a client that acts for itself. */
  readonly sub?: unknown;
  /** The resources that the token is for: it must name this one. */
  readonly aud?: unknown;
  readonly exp?: unknown;
  readonly nbf?: unknown;
  readonly client_id?: unknown;
  /** The grant by which the token was issued, as some servers say it: a string or a list. `gty` is read likewise. */
  readonly grant_type?: unknown;
  readonly gty?: unknown;
  /** Scopes, separated by spaces. `scp`, a list or a string, is read where this is missing. */
  readonly scope?: unknown;
  /** The key that the token is bound to: `{ jkt }`. RFC 9449 section 6. */
  readonly cnf?: unknown;
  readonly [introspected]?: boolean;
  readonly [name: string]: unknown;
}
