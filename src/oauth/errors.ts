import type { OAuthErrorCode } from './error-codes.ts';

/**
 * Authorization failed. `code` is stable and for programs (`jwks_unavailable`, `token_expired`);
 * `message` is for people and names the document, the field, and what was expected. Neither holds a credential.
 */
export class OAuthError extends Error {
  /** Of barewire an `OAuthErrorCode`; a `verify` of the application may have others. */
  readonly code: OAuthErrorCode | (string & {});

  constructor(code: OAuthErrorCode | (string & {}), message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'OAuthError';
    this.code = code;
  }
}

/** A JWT, an access token or a DPoP proof that is not accepted. It is the sender's fault, and nothing is broken here. */
export class TokenError extends OAuthError {
  constructor(code: OAuthErrorCode | (string & {}), message: string, options?: { cause?: unknown }) {
    super(code, message, options);
    this.name = 'TokenError';
  }
}

/** What came, as an error may say it: JSON, cut where it is long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  // What nests is not serialized: it may be deep.
  const text = Array.isArray(value) ? 'a list' : typeof value === 'object' && value !== null ? 'an object'
    : JSON.stringify(typeof value === 'string' ? value.slice(0, 81) : value);
  return text.length > 84 ? `${text.slice(0, 80)}…` : text;
}

/** A URL as an error may say it: without a user, a query and a fragment, where credentials may stand, and cut where it is long. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return (url.split(/[?#]/, 1)[0]?.split('@').at(-1) ?? '').slice(0, 200);
  const parsed = new URL(url);
  parsed.username = parsed.password = parsed.search = parsed.hash = '';
  return parsed.href.slice(0, 200);
}
