import type { RequestInfo } from '../../transport/internal-exports.ts';
import { OAuthError } from '../errors.ts';

/** An access token from the `Authorization` field. */
export interface Credentials {
  readonly scheme: 'Bearer' | 'DPoP';
  readonly token: string;
}

/** The request's credentials are malformed: HTTP 400, `invalid_request`. RFC 6750 section 3.1. */
export class MalformedRequest extends OAuthError {}

/**
 * Reads the access token of a request; undefined if it has none, or uses another scheme. Only the header is accepted: a
 * token in the query is already in logs. Throws `MalformedRequest`. RFC 6750 section 2.
 */
export function readCredentials(request: RequestInfo, maxTokenLength: number): Credentials | undefined {
  if (/(?:^|&)access_token=/.test(request.query)) {
    throw new MalformedRequest('token_in_query', 'the access token is in the query, expected it in the Authorization header');
  }
  const field = request.header('authorization');
  if (field === undefined) return undefined;
  // One character more than the limit shows that the token is too long.
  const text = field.trimStart().slice(0, 'Bearer '.length + maxTokenLength + 1).trimEnd();
  const scheme = /^[^ ]*/.exec(text)?.[0].toLowerCase() ?? '';
  if (scheme !== 'bearer' && scheme !== 'dpop') return undefined;
  const rest = text.slice(scheme.length).trimStart();
  if (rest.length > maxTokenLength) {
    throw new MalformedRequest('token_too_long', `the access token is longer than ${maxTokenLength} characters`);
  }
  // b64token. Two fields joined by a comma do not match.
  if (!/^[\w.~+/-]+=*$/.test(rest)) {
    throw new MalformedRequest('token_malformed', 'the Authorization header is not a single token68, expected "Bearer <token>"');
  }
  return { scheme: scheme === 'dpop' ? 'DPoP' : 'Bearer', token: rest };
}
