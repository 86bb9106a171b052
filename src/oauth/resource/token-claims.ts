/**
 * Marks claims that are an answer of token introspection, in which `username` may name the person. A symbol, so that
 * no member of a token or an answer can have this name; a copy by spreading keeps it.
 */
export const introspected: unique symbol = Symbol.for('barewire.introspected');

/** The claims of a token, by the names of RFC 7519, RFC 7662 and RFC 9068. Times are seconds since the epoch. */
export interface TokenClaims {
  /** The authorization server. Missing: the only one of the resource. */
  readonly iss?: unknown;
  /** The person; the client's id for a client that acts for itself. */
  readonly sub?: unknown;
  /** The resources that the token is for: one of them must be this one. */
  readonly aud?: unknown;
  readonly exp?: unknown;
  readonly nbf?: unknown;
  readonly client_id?: unknown;
  /**
   * The grant by which the token was issued, which some servers state: a string or a list. `gty` is read in the same
   * way.
   */
  readonly grant_type?: unknown;
  readonly gty?: unknown;
  /** Scopes, separated by spaces. `scp`, a list or a string, is read if this is missing. */
  readonly scope?: unknown;
  /** The key that the token is bound to: `{ jkt }`. RFC 9449 section 6. */
  readonly cnf?: unknown;
  readonly [introspected]?: boolean;
  readonly [name: string]: unknown;
}
