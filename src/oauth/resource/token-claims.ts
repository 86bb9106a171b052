/**
 * Marks the claims of a token introspection answer, in which `username` may name the person. A symbol, so that no member
 * of a token or answer can have this name; copies by spreading keep it.
 */
export const introspected: unique symbol = Symbol.for('barewire.introspected');

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
