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
