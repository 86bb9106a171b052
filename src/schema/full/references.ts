/**
 * Resolves a reference against a base, as far as schema addresses need it (RFC 3986 section 5.2, without queries and
 * without `//authority` references): returns the address without its fragment, and the fragment.
 */
export function resolveUri(base: string, reference: string): [uri: string, fragment: string] {
  const [uri = '', fragment = ''] = reference.split(/#(.*)/s);
  if (!uri) return [base, fragment];
  if (/^[^:/?]+:/.test(uri)) return [uri, fragment];
  // Scheme, authority and the path's folders.
  const [, scheme = '', authority = '', folder = ''] = /^([^:/?]+:)?(\/\/[^/]*)?(.*\/)?/.exec(base) ?? [];
  const steps: string[] = [];
  for (const step of (uri.startsWith('/') ? uri : (folder || (authority && '/')) + uri).split('/')) {
    if (step === '..') steps.length > 1 && steps.pop();
    else if (step !== '.') steps.push(step);
  }
  return [scheme + authority + steps.join('/'), fragment];
}
