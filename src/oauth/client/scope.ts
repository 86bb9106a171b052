/** The scopes of a `scope` value: a list separated by spaces (RFC 6749 section 3.3). Each once, in order. */
export function scopesOf(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(' ').filter(Boolean))];
}

/** All scopes of the given values, each once; undefined if there are none: then the parameter is left out. */
export function unionOfScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  // `join` takes undefined as an empty text.
  return scopesOf(scopes.join(' ')).join(' ') || undefined;
}

/**
 * The scopes that a login asks for: those of the challenge, else all that the metadata lists. 2026-07-28
 * basic/authorization#scope-selection-strategy.
 */
export const scopeToAsk = (challenged: string | undefined, listed: readonly string[] | undefined): string | undefined =>
  challenged ?? listed?.join(' ');

/** Whether every scope of `wanted` is in `held`. */
export function coversScope(held: string | undefined, wanted: string | undefined): boolean {
  const have = new Set(scopesOf(held));
  return scopesOf(wanted).every((scope) => have.has(scope));
}
