import type { AuthorizationServerMetadata } from '../authorization-server-metadata.ts';
import { OAuthError, shown } from '../errors.ts';
import { withoutSecrets } from '../request-secrets.ts';

/** The authorization server, or the person, refused (RFC 6749 section 4.1.2.1). */
export class AuthorizationRefused extends OAuthError {
  /** For example `access_denied`. */
  readonly error: string;

  constructor(message: string, error: string) {
    super('authorization_refused', message);
    this.name = 'AuthorizationRefused';
    this.error = error;
  }
}

/** The values that an authorization response must match, recorded before the login page was opened. */
export interface ExpectedResponse {
  readonly state: string;
  readonly redirectUri: string;
  readonly issuer: string;
}

/** The `state` of an authorization response; undefined if it has none or several. */
export function stateOf(response: URL): string | undefined {
  const states = response.searchParams.getAll('state');
  return states.length === 1 ? states[0] : undefined;
}

/**
 * Returns the code of an authorization response. Throws before it uses any part of a response to another request:
 * `redirect_mismatch` if it came to another address than the redirect URI; `state_mismatch`; `issuer_mismatch`
 * (2026-07-28 basic/authorization#authorization-response-validation, RFC 9207 section 2.4), for error responses too. Also
 * throws `AuthorizationRefused` for a genuine error, `response_malformed` for a response with neither code nor error.
 */
export function readAuthorizationResponse(
  response: URL, expected: ExpectedResponse, server: AuthorizationServerMetadata,
): string {
  const redirect = new URL(expected.redirectUri);
  if (response.origin !== redirect.origin || response.pathname !== redirect.pathname) {
    throw new OAuthError('redirect_mismatch', `the authorization response came to ${shown(response.origin + response.pathname)}, expected ${expected.redirectUri}`);
  }
  const state = stateOf(response);
  if (state !== expected.state) {
    throw new OAuthError('state_mismatch', `the authorization response: state is ${state === undefined ? 'missing' : 'of another login'}, expected the one that was sent`);
  }
  checkIssuer(single(response, 'iss'), expected.issuer, server);
  const error = single(response, 'error');
  if (error !== undefined) {
    const clean = (text: string): string => withoutSecrets(text, [expected.state, ...response.searchParams.getAll('code')]);
    const description = single(response, 'error_description');
    const told = description === undefined ? '' : `, ${shown(clean(description))}`;
    throw new AuthorizationRefused(`${shown(expected.issuer)} refused the authorization: ${shown(clean(error))}${told}`, clean(error).slice(0, 100));
  }
  const code = single(response, 'code');
  if (code === undefined || code === '') throw new OAuthError('response_malformed', 'the authorization response: code is missing, expected a text');
  return code;
}

/** Compares issuers as strings, without any normalization. */
function checkIssuer(issuer: string | undefined, expected: string, server: AuthorizationServerMetadata): void {
  if (issuer === expected) return;
  if (issuer !== undefined || server.authorization_response_iss_parameter_supported === true) {
    throw new OAuthError('issuer_mismatch', `the authorization response: iss is ${shown(issuer)}, expected ${shown(expected)}`);
  }
}

/** A parameter that may occur only once (RFC 6749 section 3.1). */
function single(response: URL, name: string): string | undefined {
  const values = response.searchParams.getAll(name);
  if (values.length > 1) throw new OAuthError('response_malformed', `the authorization response: ${name} occurs ${values.length} times, expected once`);
  return values[0];
}
