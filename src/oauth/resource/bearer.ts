import type { AuthRefusal, RequestInfo } from '../../transport/door.ts';
import { algorithmNames } from '../algorithms.ts';
import { OAuthError, TokenError } from '../errors.ts';
import { judgeClaims } from './access-token.ts';
import type { AccessToken, Judged } from './access-token.ts';
import { challenge } from './challenge.ts';
import { MalformedRequest, readCredentials } from './credentials.ts';
import type { Credentials } from './credentials.ts';
import { nonces } from './dpop-nonce.ts';
import { checkProof, ProofError, useDpopNonce } from './dpop-proof.ts';
import type { ProofRules } from './dpop-proof.ts';
import { jwtVerifier } from './jwt-verifier.ts';
import { checkBearerOptions, defaultBearerLimits } from './options.ts';
import type { BearerOptions } from './options.ts';
import { proofReplays } from './proof-replays.ts';
import { metadataUrl } from './protected-resource-metadata.ts';
import type { ProtectedResourceMetadata } from './protected-resource-metadata.ts';
import { createReach } from './reach.ts';

/** The result of `bearer`: the value of `auth` of an HTTP server. */
export interface BearerAuth {
  /** Returns the principal of a request, or refuses it. Rejects if tokens cannot be checked at all (HTTP 500). */
  authenticate(request: RequestInfo): Promise<AccessToken | AuthRefusal>;
  /** The metadata document at its well-known path. */
  readonly documents: Readonly<Record<string, () => object>>;
  /** The content of the metadata document. */
  readonly metadata: ProtectedResourceMetadata;
  /** The URL of the metadata document, which every challenge names. */
  readonly metadataUrl: string;
}

/**
 * Makes an HTTP server a protected resource: `serveHttp(server, { auth: bearer({ … }) })`. Every request needs an
 * access token that one of the authorization servers issued for this resource. Refusals are 400 (malformed), 401
 * (missing or not valid) and 403 (the scopes do not suffice), each with a challenge for the client and a stable
 * `code`.
 *
 * Throws `OAuthError` for options that contradict the specifications, and a TypeError for an unknown or malformed
 * one. OAuth 2.1 section 5; RFC 6750, RFC 9449, RFC 9728; 2026-07-28 basic/authorization.
 */
export function bearer(options: BearerOptions): BearerAuth {
  checkBearerOptions(options);
  const {
    resource, authorizationServers, scopes = [], requiredScopes = [], verify = jwtVerifier(),
    audiences = [], dpop = {}, onRefused, now = Date.now, implies = () => false, clientsWithoutSubject = false,
  } = options;
  const limits = { ...defaultBearerLimits, ...options.limits };
  const initialScopes = options.initialScopes ?? (requiredScopes.length > 0 ? requiredScopes : scopes);
  const algorithms = dpop.algorithms ?? algorithmNames();
  const rules: ProofRules = {
    ...limits, algorithms, now,
    replays: dpop.replays ?? proofReplays({ maxProofs: limits.maxProofs }, now),
    nonces: dpop.nonces
      ? nonces(dpop.nonces === true ? undefined : dpop.nonces, limits.nonceLifetimeMs, now) : undefined,
  };
  const noteReach = createReach();
  const at = metadataUrl(resource);
  const names = [...namesOf(resource), ...audiences];
  const metadata: ProtectedResourceMetadata = {
    resource,
    authorization_servers: authorizationServers,
    ...scopes.length > 0 && { scopes_supported: scopes },
    bearer_methods_supported: ['header'],
    ...options.dpop && {
      dpop_signing_alg_values_supported: algorithms, dpop_bound_access_tokens_required: dpop.required ?? false,
    },
    ...options.metadata,
  };

  /** A refusal with its challenge: RFC 6750 section 3, RFC 9449 section 7.1, RFC 9728 section 5.1. */
  function refusal(
    status: AuthRefusal['status'], scheme: Credentials['scheme'], error?: OAuthError, name?: string, needed: readonly string[] = initialScopes,
  ): AuthRefusal {
    const algs = algorithms.join(' ');
    const parameters = {
      resource_metadata: at.href,
      scope: needed.join(' ') || undefined,
      error: name,
      error_description: error?.message.slice(0, 300),
    };
    return {
      status,
      message: error?.message ?? 'an access token is missing, expected one in the Authorization header',
      // A client that knows only one scheme reads the first challenge.
      challenge: scheme === 'DPoP' ? challenge('DPoP', { ...parameters, algs })
        : challenge('Bearer', parameters) + (options.dpop ? `, ${challenge('DPoP', { algs })}` : ''),
      ...error && { code: error.code },
    };
  }

  const schemeOf = (used?: Credentials['scheme']): Credentials['scheme'] => (dpop.required ? 'DPoP' : used ?? 'Bearer');

  const reaches = (held: readonly string[], needed: string): boolean =>
    held.includes(needed) || held.some((scope) => implies(scope, needed));

  /**
   * The refusal if scopes do not suffice for an operation: it names all scopes that the operation needs, also those
   * that are held.
   */
  function lack(held: readonly string[], needed: readonly string[], scheme: Credentials['scheme']): AuthRefusal | undefined {
    if (needed.every((scope) => reaches(held, scope))) return undefined;
    const all = [...new Set([...requiredScopes, ...needed])];
    const error = new TokenError('insufficient_scope', `the token's scopes do not suffice, expected ${all.join(' ')}`);
    return refusal(403, scheme, error, 'insufficient_scope', all);
  }

  /** The URL that a proof must be for. */
  function urlOf(request: RequestInfo): string {
    if (dpop.url) return dpop.url(request);
    const url = new URL(resource);
    if (!url.pathname.endsWith(request.path)) url.pathname = request.path;
    return url.href;
  }

  async function checkBinding({ scheme, token }: Credentials, { jkt, details: { principal } }: Judged, request: RequestInfo): Promise<void> {
    if (jkt === undefined) {
      if (scheme === 'Bearer' && !dpop.required) return;
      throw new TokenError('token_binding', 'the token is not bound to a key, expected one with cnf.jkt');
    }
    // RFC 9449 section 7.2: otherwise a thief of the token could leave the proof out.
    if (scheme === 'Bearer') throw new TokenError('token_binding', 'the token is bound to a key, expected the scheme DPoP and a proof');
    await checkProof(request.header('dpop'), { method: request.method, url: urlOf(request), token, jkt, principal }, rules);
  }

  async function admit(request: RequestInfo, { scheme, token }: Credentials): Promise<AccessToken | AuthRefusal> {
    const claims = await verify(token, { issuers: authorizationServers, now });
    if (claims === undefined) throw new TokenError('token_invalid', 'the token is not valid');
    const judged = judgeClaims(claims, {
      issuers: authorizationServers, audiences: names, leewayMs: limits.leewayMs, now: now(), clientsWithoutSubject,
    });
    await checkBinding({ scheme, token }, judged, request);
    const { details } = judged;
    const lacks = noteReach((needed) => lack(details.scopes, needed, schemeOf(scheme)), details.scopes);
    const lacking = lacks(requiredScopes);
    if (lacking) onRefused?.(new TokenError('insufficient_scope', lacking.message), request);
    return lacking ?? { ...details, lacks };
  }

  return {
    metadata,
    metadataUrl: at.href,
    documents: { [at.pathname]: () => metadata },
    async authenticate(request) {
      let credentials: Credentials | undefined;
      try {
        credentials = readCredentials(request, limits.maxTokenLength);
        // RFC 6750 section 3.1: a request without credentials gets a challenge without an error.
        return credentials ? await admit(request, credentials) : refusal(401, schemeOf());
      } catch (thrown) {
        if (!(thrown instanceof MalformedRequest || thrown instanceof TokenError)) throw thrown;
        onRefused?.(thrown, request);
        const scheme = schemeOf(credentials?.scheme);
        if (thrown instanceof MalformedRequest) return refusal(400, scheme, thrown, 'invalid_request');
        if (!(thrown instanceof ProofError)) return refusal(401, scheme, thrown, 'invalid_token');
        // RFC 9449 sections 7.1 and 9. `dpop_replayed` may also mean that the memory refuses proofs as old as this
        // nonce: with a new nonce the client can try again.
        const wantsNonce = thrown.code === useDpopNonce || (rules.nonces && thrown.code === 'dpop_replayed');
        const refused = refusal(401, scheme, thrown, wantsNonce ? useDpopNonce : 'invalid_dpop_proof');
        return rules.nonces ? { ...refused, headers: { 'dpop-nonce': await rules.nonces.issue() } } : refused;
      }
    },
  };
}

/** RFC 3986 section 6.2.3: an empty path equals `/`. Authorization servers write either. */
function namesOf(resource: string): string[] {
  const { origin, pathname, search } = new URL(resource);
  return pathname === '/' && search === '' ? [resource, origin, `${origin}/`] : [resource];
}
