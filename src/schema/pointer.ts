/** A name as a step of a JSON Pointer (RFC 6901), without the slash. */
export function escapeToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The steps of a JSON Pointer in a URI's fragment (RFC 6901 section 6). */
export function tokensOf(fragment: string): string[] {
  return fragment
    .split('/')
    .slice(1)
    .map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
