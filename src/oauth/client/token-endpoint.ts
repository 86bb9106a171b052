import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { AuthorizationServerMetadata } from '../authorization-server-metadata.ts';
import { OAuthError, shown } from '../errors.ts';
import type { FetchOptions } from '../fetch-json.ts';
import { postJson } from '../post-json.ts';
import type { PostAnswer } from '../post-json.ts';
import { authenticate } from './client-authentication.ts';
import type { ClientInformation } from './client-authentication.ts';
import { dpopProof } from './dpop.ts';
import type { DpopKey, DpopNonces } from './dpop.ts';

/** A token response (RFC 6749 section 5.1), with the members that are used. */
export interface TokenResponse {
  readonly access_token: string;
  /** Lower-case. */
  readonly token_type: string;
  /** Seconds; undefined if the server does not state it. */
  readonly expires_in?: number | undefined;
  readonly refresh_token?: string | undefined;
  readonly scope?: string | undefined;
  readonly issued_token_type?: string | undefined;
}

/** A refusal by the token endpoint. `error` is the code of RFC 6749 section 5.2. */
export class TokenRefused extends OAuthError {
  /** For example `invalid_grant`; undefined if the response had no such code. */
  readonly error: string | undefined;

  constructor(message: string, error: string | undefined) {
    super('token_refused', message);
    this.name = 'TokenRefused';
    this.error = error;
  }
}

/** A token endpoint, and the client that sends requests to it. */
export interface TokenEndpoint {
  readonly server: AuthorizationServerMetadata;
  readonly client: ClientInformation;
  readonly options: FetchOptions;
  /** With a key, the token is bound to it (RFC 9449 section 5). */
  readonly dpop?: DpopKey | undefined;
  readonly nonces: DpopNonces;
}

/**
 * Sends a token request. If the server requires a nonce in the proof, sends it once more with that nonce. Rejects with
 * `TokenRefused`, or `OAuthError`: `token_malformed`, `unsupported`, the codes of `fetchJson`.
 */
export async function requestToken(
  { server, client, options, dpop, nonces }: TokenEndpoint, parameters: Readonly<Record<string, string | undefined>>,
): Promise<TokenResponse> {
  const { token_endpoint: url, issuer } = server;
  if (url === undefined) {
    throw new OAuthError('unsupported', `authorization server metadata of ${shown(issuer)}: token_endpoint is missing`);
  }
  const what = `the token endpoint of ${shown(issuer)}`;
  for (let tries = 1; ; tries++) {
    // Make a new assertion each time: it may be used only once.
    const authenticated = await authenticate(client, server, options.clock);
    const proof = dpop && { dpop: await dpopProof(dpop, { method: 'POST', url, nonce: nonces.get(url) }, options.clock) };
    const body = formOf({ ...parameters, ...authenticated.parameters });
    const answer = await postJson(url, what, {
      body,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...authenticated.headers, ...proof },
    }, options);
    const fresh = nonces.note(url, answer.header('dpop-nonce'));
    if (answer.status === 200) return readToken(answer, what, dpop !== undefined);
    const refused = refusal(answer, what);
    if (refused.error !== 'use_dpop_nonce' || !fresh || tries > 1) throw refused;
  }
}

function formOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) form.append(name, value);
  return form.toString();
}

function readToken({ value, clean, says }: PostAnswer, what: string, bound: boolean): TokenResponse {
  const malformed = (why: string): OAuthError => new OAuthError('token_malformed', `${what}: ${why}`);
  if (!isObject(value)) throw malformed('not a JSON object');
  const { access_token, token_type, expires_in, refresh_token, scope, issued_token_type } = value;
  // Errors never contain the token.
  if (typeof access_token !== 'string' || !/^[\x21-\x7e]+$/.test(access_token)) {
    throw malformed('access_token is missing, or not visible ASCII text');
  }
  const type = typeof token_type === 'string' ? token_type.toLowerCase() : '';
  if (type !== 'bearer' && type !== 'dpop' && type !== 'n_a') throw malformed(`token_type is ${says(token_type)}, expected Bearer or DPoP`);
  if (type === 'dpop' && !bound) throw malformed('token_type is DPoP, and no key was sent');
  const seconds = typeof expires_in === 'string' && /^\d+$/.test(expires_in) ? Number(expires_in) : expires_in;
  return {
    access_token,
    token_type: type,
    expires_in: typeof seconds === 'number' && seconds > 0 ? seconds : undefined,
    refresh_token: typeof refresh_token === 'string' && refresh_token !== '' ? refresh_token : undefined,
    scope: typeof scope === 'string' && scope !== '' ? scope : undefined,
    issued_token_type: typeof issued_token_type === 'string' ? clean(issued_token_type) : undefined,
  };
}

function refusal({ status, value, clean, says }: PostAnswer, what: string): TokenRefused {
  const { error, error_description: description } = isObject(value) ? value : {};
  const code = typeof error === 'string' ? clean(error).slice(0, 100) : undefined;
  const told = typeof description === 'string' ? `: ${says(description)}` : '';
  return new TokenRefused(`${what} answered HTTP ${status}${code === undefined ? '' : `, ${shown(code)}`}${told}`, code);
}
