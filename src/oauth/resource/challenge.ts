import type { AuthRefusal } from '../../transport/internal-exports.ts';
import { TokenError } from '../errors.ts';
import type { OAuthError } from '../errors.ts';
import { MalformedRequest } from './credentials.ts';
import type { Credentials } from './credentials.ts';
import { ProofError, useDpopNonce } from './dpop-proof.ts';
import type { ProofRules } from './dpop-proof.ts';
import type { BearerOptions } from './options.ts';

/** The parameters of a challenge, in their order; undefined ones are left out. */
export type ChallengeParameters = Readonly<Record<string, string | undefined>>;

/**
 * Formats a challenge of `WWW-Authenticate` (RFC 9110 section 11.6.1; RFC 6750 section 3; RFC 9449 section 7.1).
 * Characters that a quoted string may not contain become an apostrophe or a space, so that no part of a token can end the
 * string.
 */
export function challenge(scheme: 'Bearer' | 'DPoP', parameters: ChallengeParameters): string {
  const parts = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value = '']) => `${name}="${quotable(value)}"`);
  return parts.length === 0 ? scheme : `${scheme} ${parts.join(', ')}`;
}

// RFC 6750 section 3: %x20-21 / %x23-5B / %x5D-7E.
const quotable = (text: string): string =>
  text.replaceAll(/["\\]/g, '\'').replaceAll(/[^\x20-\x7e]/g, ' ');

type Scheme = Credentials['scheme'];

/** Makes the refusals of one protected resource, each with its challenge. */
export class Refusals {
  readonly #options: BearerOptions;
  readonly #metadataUrl: string;
  /** The signature algorithms of proofs, for the challenge. */
  readonly #algs: string;

  constructor(options: BearerOptions, metadataUrl: string, algorithms: readonly string[]) {
    this.#options = options;
    this.#metadataUrl = metadataUrl;
    this.#algs = algorithms.join(' ');
  }

  /**
   * Makes a refusal with its challenge: RFC 6750 section 3, RFC 9449 section 7.1, RFC 9728 section 5.1. `used`: the
   * scheme of the request's credentials.
   */
  make(status: AuthRefusal['status'], used: Scheme | undefined, error?: OAuthError, name?: string, needed?: readonly string[]): AuthRefusal {
    const { dpop, scopes, requiredScopes, initialScopes = requiredScopes?.length ? requiredScopes : scopes } = this.#options;
    const parameters = {
      resource_metadata: this.#metadataUrl,
      scope: (needed ?? initialScopes)?.join(' ') || undefined,
      error: name,
      error_description: error?.message.slice(0, 300),
    };
    return {
      status,
      message: error?.message ?? 'an access token is missing, expected one in the Authorization header',
      // A client that knows only one scheme reads the first challenge.
      challenge: dpop?.required || used === 'DPoP' ? challenge('DPoP', { ...parameters, algs: this.#algs })
        : challenge('Bearer', parameters) + (dpop ? `, ${challenge('DPoP', { algs: this.#algs })}` : ''),
      ...error && { code: error.code },
    };
  }

  /** The refusal for an error in the credentials. */
  async of(error: MalformedRequest | TokenError, used: Scheme | undefined, nonces: ProofRules['nonces']): Promise<AuthRefusal> {
    if (error instanceof MalformedRequest) return this.make(400, used, error, 'invalid_request');
    if (!(error instanceof ProofError)) return this.make(401, used, error, 'invalid_token');
    // RFC 9449 sections 7.1 and 9. `dpop_replayed` may also mean that proofs as old as this nonce have been forgotten
    // and are refused: with a new nonce the client can try again.
    const wantsNonce = error.code === useDpopNonce || (nonces && error.code === 'dpop_replayed');
    const refused = this.make(401, used, error, wantsNonce ? useDpopNonce : 'invalid_dpop_proof');
    return nonces ? { ...refused, headers: { 'dpop-nonce': await nonces.issue() } } : refused;
  }

  /**
   * The refusal if the scopes are insufficient for an operation; undefined if they suffice. It lists all scopes that the
   * operation needs, including those that the token has.
   */
  lack(held: readonly string[], needed: readonly string[], used: Scheme): AuthRefusal | undefined {
    const { implies, requiredScopes = [] } = this.#options;
    if (needed.every((scope) => held.some((one) => one === scope || implies?.(one, scope)))) return undefined;
    const all = [...new Set([...requiredScopes, ...needed])];
    const error = new TokenError('insufficient_scope', `the token's scopes are insufficient, expected ${all.join(' ')}`);
    return this.make(403, used, error, 'insufficient_scope', all);
  }
}
