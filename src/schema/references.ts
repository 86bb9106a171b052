import { SchemaError } from './errors.ts';

// RFC 3986 appendix B; no part can match what another one does, so it is linear.
const PARTS = /^([^:/?#]+:)?(\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?(?:#([^]*))?$/;

/** Resolves a reference against a base (RFC 3986 section 5.2): the address without fragment, and the fragment. */
export function resolveUri(base: string, reference: string): [uri: string, fragment: string] {
  const [, scheme, authority, path = '', query = '', fragment = ''] = PARTS.exec(reference) ?? [];
  const [, baseScheme = '', baseAuthority = '', basePath = '', baseQuery = ''] = PARTS.exec(base) ?? [];
  if (scheme) return [reference.slice(0, reference.length - (reference.includes('#') ? fragment.length + 1 : 0)), fragment];
  if (authority !== undefined) return [baseScheme + authority + dotless(path) + query, fragment];
  const merged =
    path === '' ? basePath
    : path.startsWith('/') ? dotless(path)
    : dotless((baseAuthority && !basePath ? '/' : basePath.slice(0, basePath.lastIndexOf('/') + 1)) + path);
  return [baseScheme + baseAuthority + merged + (path === '' ? query || baseQuery : query), fragment];
}

function dotless(path: string): string {
  if (!path.includes('.')) return path;
  const out: string[] = [];
  const segments = path.split('/');
  segments.forEach((segment, i) => {
    const dots = segment === '.' || segment === '..';
    if (segment === '..' && out.length > 1) out.pop();
    if (!dots) out.push(segment);
    else if (i === segments.length - 1) out.push('');
  });
  return out.join('/');
}

/** The steps of a JSON Pointer in a URI fragment, decoded. */
export function pointerTokens(fragment: string, path: string): string[] {
  try {
    return decodeURIComponent(fragment)
      .split('/')
      .slice(1)
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    throw new SchemaError('reference', path, `"#${fragment}" is not a JSON Pointer`);
  }
}
