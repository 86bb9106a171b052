import type { OAuthErrorCode } from './error-codes.ts';

/**
 * A failed authorization. `code` is stable and for programs (`jwks_unavailable`, `token_expired`); `message` is for
 * people and names the document, the field, and the expected value. Neither contains a credential.
 */
export class OAuthError extends Error {
  /** An `OAuthErrorCode` if barewire throws it; a `verify` function of the application may use others. */
  readonly code: OAuthErrorCode | (string & {});

  constructor(code: OAuthErrorCode | (string & {}), message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'OAuthError';
    this.code = code;
  }
}

/** A refused JWT, access token or DPoP proof: the sender's error, not this process's. */
export class TokenError extends OAuthError {
  constructor(code: OAuthErrorCode | (string & {}), message: string, options?: { cause?: unknown }) {
    super(code, message, options);
    this.name = 'TokenError';
  }
}

/** A value from the wire for an error: JSON, cut to 80 characters. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  // Arrays and objects may be deeply nested, so they are not serialized.
  const text = Array.isArray(value) ? 'a list' : typeof value === 'object' && value !== null ? 'an object'
    : JSON.stringify(typeof value === 'string' ? value.slice(0, 81) : value);
  return text.length > 84 ? `${text.slice(0, 80)}…` : text;
}

/** A URL for an error, without user, query and fragment, which may contain credentials; cut to 200 characters. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return (url.split(/[?#]/, 1)[0]?.split('@').at(-1) ?? '').slice(0, 200);
  const parsed = new URL(url);
  parsed.username = parsed.password = parsed.search = parsed.hash = '';
  return parsed.href.slice(0, 200);
}
