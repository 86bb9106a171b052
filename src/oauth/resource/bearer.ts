import { systemClock } from '../../bounds/clock.ts';
import type { AuthRefusal, RequestInfo } from '../../transport/internal-exports.ts';
import { algorithmNames } from '../algorithms.ts';
import { TokenError } from '../errors.ts';
import { canonicalName, judgeClaims } from './access-token.ts';
import type { AccessToken, Judged } from './access-token.ts';
import { Refusals } from './challenge.ts';
import { MalformedRequest, readCredentials } from './credentials.ts';
import type { Credentials } from './credentials.ts';
import { nonces } from './dpop-nonce.ts';
import { checkProof } from './dpop-proof.ts';
import type { ProofRules } from './dpop-proof.ts';
import { jwtVerifier } from './jwt-verifier.ts';
import { checkBearerOptions, defaultBearerLimits } from './options.ts';
import type { BearerLimits, BearerOptions } from './options.ts';
import { proofReplays } from './proof-replays.ts';
import { metadataOf, metadataUrl } from './protected-resource-metadata.ts';
import type { ProtectedResourceMetadata } from './protected-resource-metadata.ts';
import { createReach } from './reach.ts';

/** The result of `bearer`, for the option `auth` of an HTTP server. */
export interface BearerAuth {
  /** Returns the principal of a request, or a refusal. Rejects if tokens cannot be checked at all (HTTP 500). */
  authenticate(request: RequestInfo): Promise<AccessToken | AuthRefusal>;
  /** The metadata document at its well-known path. */
  readonly documents: Readonly<Record<string, () => object>>;
  /** The content of the metadata document. */
  readonly metadata: ProtectedResourceMetadata;
  /** The URL of the metadata document, which every challenge names. */
  readonly metadataUrl: string;
}

/**
 * Makes an HTTP server a protected resource: `serveHttp(server, { auth: bearer({ … }) })`. Every request needs an access
 * token that one of the authorization servers issued for this resource. Refusals are 400 (malformed), 401 (missing or
 * invalid) and 403 (insufficient scopes), each with a challenge for the client and a stable `code`.
 *
 * Throws `OAuthError` for options that contradict the specifications, and a TypeError for an unknown or malformed option.
 * OAuth 2.1 section 5; RFC 6750, RFC 9449, RFC 9728; 2026-07-28 basic/authorization.
 */
export function bearer(options: BearerOptions): BearerAuth {
  checkBearerOptions(options);
  const { resource, authorizationServers, requiredScopes = [], verify = jwtVerifier(), audiences = [], onRefused, now = systemClock.now } = options;
  const limits = { ...defaultBearerLimits, ...options.limits };
  const rules = proofRules(options, limits, now);
  const noteReach = createReach();
  const at = metadataUrl(resource);
  const names = [...namesOf(resource), ...audiences].map(canonicalName);
  const metadata = metadataOf(options, rules.algorithms);
  const refusals = new Refusals(options, at.href, rules.algorithms);

  async function admit(request: RequestInfo, { scheme, token }: Credentials): Promise<AccessToken | AuthRefusal> {
    const claims = await verify(token, { issuers: authorizationServers, now });
    if (claims === undefined) throw new TokenError('token_invalid', 'the token is not valid');
    const judged = judgeClaims(claims, {
      issuers: authorizationServers, audiences: names, leewayMs: limits.leewayMs, now: now(),
      clientsWithoutSubject: options.clientsWithoutSubject ?? false,
    });
    await checkBinding({ scheme, token }, judged, request, options, rules);
    const { details } = judged;
    const lacks = noteReach((needed) => refusals.lack(details.scopes, needed, scheme), details.scopes);
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
        return credentials ? await admit(request, credentials) : refusals.make(401, undefined);
      } catch (thrown) {
        if (!(thrown instanceof MalformedRequest || thrown instanceof TokenError)) throw thrown;
        onRefused?.(thrown, request);
        return refusals.of(thrown, credentials?.scheme, rules.nonces);
      }
    },
  };
}

function proofRules({ dpop = {} }: BearerOptions, limits: BearerLimits, now: () => number): ProofRules {
  return {
    ...limits, now,
    algorithms: dpop.algorithms ?? algorithmNames(),
    replays: dpop.replays ?? proofReplays({ maxProofs: limits.maxProofs }, now),
    nonces: dpop.nonces
      ? nonces(dpop.nonces === true ? undefined : dpop.nonces, limits.nonceLifetimeMs, now) : undefined,
  };
}

/** The URL that a proof must be for. */
function urlOf({ resource, dpop }: BearerOptions, request: RequestInfo): string {
  if (dpop?.url) return dpop.url(request);
  const url = new URL(resource);
  if (!url.pathname.endsWith(request.path)) url.pathname = request.path;
  return url.href;
}

/** Throws unless the request proves that its sender has the key of the token. */
async function checkBinding(
  { scheme, token }: Credentials, { jkt, details: { principal } }: Judged, request: RequestInfo, options: BearerOptions, rules: ProofRules,
): Promise<void> {
  if (jkt === undefined) {
    if (scheme === 'Bearer' && !options.dpop?.required) return;
    throw new TokenError('token_binding', 'the token is not bound to a key, expected one with cnf.jkt');
  }
  // RFC 9449 section 7.2: otherwise a thief of the token could simply omit the proof.
  if (scheme === 'Bearer') throw new TokenError('token_binding', 'the token is bound to a key, expected the scheme DPoP and a proof');
  await checkProof(request.header('dpop'), { method: request.method, url: urlOf(options, request), token, jkt, principal }, rules);
}

/** RFC 3986 section 6.2.3: an empty path equals `/`. Authorization servers write either. */
function namesOf(resource: string): string[] {
  const { origin, pathname, search } = new URL(resource);
  return pathname === '/' && search === '' ? [resource, origin, `${origin}/`] : [resource];
}
