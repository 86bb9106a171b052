import type { OAuthErrorCode } from './error-codes.ts';

/**
 * Authorization failed. `code` is stable and for programs (`jwks_unavailable`, `token_expired`); `message` is for
 * people and names the document, the field, and what was expected. Neither contains a credential.
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

/** A JWT, an access token or a DPoP proof that is not accepted: a fault of the sender, not of this process. */
export class TokenError extends OAuthError {
  constructor(code: OAuthErrorCode | (string & {}), message: string, options?: { cause?: unknown }) {
    super(code, message, options);
    this.name = 'TokenError';
  }
}

/** A value from the wire for an error: JSON, cut to 80 characters. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  // Arrays and objects are not serialized: they may be deep.
  const text = Array.isArray(value) ? 'a list' : typeof value === 'object' && value !== null ? 'an object'
    : JSON.stringify(typeof value === 'string' ? value.slice(0, 81) : value);
  return text.length > 84 ? `${text.slice(0, 80)}…` : text;
}

/** A URL for an error: without user, query and fragment, which may hold credentials, and cut where it is long. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return (url.split(/[?#]/, 1)[0]?.split('@').at(-1) ?? '').slice(0, 200);
  const parsed = new URL(url);
  parsed.username = parsed.password = parsed.search = parsed.hash = '';
  return parsed.href.slice(0, 200);
}
