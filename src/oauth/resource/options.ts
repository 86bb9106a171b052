import { checkOptions } from '../../bounds/options.ts';
import { OAuthError } from '../errors.ts';
import { requireSecure, parseUrl } from '../fetch-json.ts';
import type { RequestInfo } from '../../transport/http/server/http-request.ts';
import type { ProofReplayLimits, ProofReplays } from './proof-replays.ts';
import { defaultProofReplayLimits } from './proof-replays.ts';
import type { VerifyToken } from './verify.ts';

/** What bounds a resource server. Those of verification are `KeySetLimits`, `IntrospectionLimits`, `FetchLimits`. */
export interface BearerLimits extends ProofReplayLimits {
  /** Characters of an access token. 16 Ki. */
  maxTokenLength: number;
  /** Characters of a DPoP proof. 8 Ki. */
  maxProofLength: number;
  /** Milliseconds that clocks may differ. 30 seconds. */
  leewayMs: number;
  /** Milliseconds after which a DPoP proof without a nonce is too old. 2 minutes. */
  maxProofAgeMs: number;
  /** Milliseconds for which a DPoP nonce is good. 5 minutes. */
  nonceLifetimeMs: number;
}

/** The limits that hold where none is given. */
export const defaultBearerLimits: BearerLimits = {
  ...defaultProofReplayLimits,
  maxTokenLength: 16 * 1024,
  maxProofLength: 8 * 1024,
  leewayMs: 30_000,
  maxProofAgeMs: 120_000,
  nonceLifetimeMs: 300_000,
};

/** How proofs of possession are demanded (RFC 9449). */
export interface DpopOptions {
  /** Whether every token must be bound to a key. Default false: one that is bound needs a proof, others pass. */
  readonly required?: boolean;
  /**
   * Whether proofs must carry a nonce of this server, which frees them from the client's clock. With several
   * processes, 32 bytes that they share. Default false.
   */
  readonly nonces?: boolean | Uint8Array;
  /** Signature algorithms of proofs. Default: every one known here. */
  readonly algorithms?: readonly string[];
  /** The memory of proofs. Default: that of this process. */
  readonly replays?: ProofReplays;
  /**
   * The URL of a request as its client wrote it, for `htu`. Default: `resource` where the request's path is the end of
   * its path (a proxy may have cut what is before), otherwise that path at the origin of `resource`.
   */
  readonly url?: (request: RequestInfo) => string;
}

/** What `bearer` is given: who issues tokens, how they are checked, and what is demanded of them. */
export interface BearerOptions {
  /**
   * The URI of this MCP server as clients know it, such as `https://trips.example/mcp`: tokens must have been issued
   * for it. RFC 8707; 2026-07-28 basic/authorization#resource-parameter-implementation.
   */
  readonly resource: string;
  /** The issuers whose tokens are accepted: `issuer` of their metadata, to the character. */
  readonly authorizationServers: readonly string[];
  /** The scopes that there are, for the metadata. Default none. */
  readonly scopes?: readonly string[];
  /** Scopes that every request needs. Default none. */
  readonly requiredScopes?: readonly string[];
  /** Scopes that a 401 tells a client to begin with. Default: `requiredScopes`, or where there are none `scopes`. */
  readonly initialScopes?: readonly string[];
  /** Whether one scope includes another: `(held, needed) => held === 'admin'`. Default: no scope includes another. */
  readonly implies?: (held: string, needed: string) => boolean;
  /** Finds out what a token says. Default `jwtVerifier()`. */
  readonly verify?: VerifyToken;
  /**
   * Whether a token without `sub` belongs to its client where its `gty` or `grant_type` says that it was issued by the client
   * credentials grant. Default false: a token without `sub` is refused. One whose `sub` is its `client_id` needs no option.
   */
  readonly clientsWithoutSubject?: boolean;
  /** Other names of this resource in `aud`: some authorization servers put the client's id there. Default none. */
  readonly audiences?: readonly string[];
  /**
   * Offers DPoP to clients (RFC 9449), `{}` beside bearer tokens. Without this option it is not offered; a token that is
   * bound to a key needs its proofs all the same.
   */
  readonly dpop?: DpopOptions;
  /** Further members of the metadata document: `resource_name`, `resource_documentation`. RFC 9728 section 2. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly limits?: Partial<BearerLimits>;
  /** Told of each token that was refused, with its `code`; never of the token. */
  readonly onRefused?: (error: OAuthError, request: RequestInfo) => void;
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Throws where the options contradict the specifications, and a TypeError for an unknown or malformed option:
 * `requiredScope` would ask for no scope at all. At the start, and not at the first request.
 */
export function checkBearerOptions(options: BearerOptions): void {
  checkOptions('bearer: options', options, {
    resource: 'string', authorizationServers: 'list', scopes: 'list', requiredScopes: 'list', initialScopes: 'list',
    implies: 'function', verify: 'function', clientsWithoutSubject: 'boolean', audiences: 'list',
    dpop: { required: 'boolean', nonces: 'boolean or object', algorithms: 'list', replays: 'object', url: 'function' },
    metadata: 'object', limits: defaultBearerLimits, onRefused: 'function', now: 'function',
  });
  const { resource, authorizationServers = [], scopes = [], requiredScopes = [], initialScopes = [] } = options;
  const url = parseUrl(resource, 'bearer: resource');
  requireSecure(url, 'bearer: resource');
  // RFC 9728 section 1.2.
  if (url.hash !== '' || resource.includes('#')) throw new OAuthError('invalid_url', `bearer: resource ${resource} has a fragment`);
  if (authorizationServers.length === 0) {
    // 2026-07-28 basic/authorization/authorization-server-discovery: at least one.
    throw new OAuthError('no_authorization_server', 'bearer: authorizationServers is empty, expected an issuer');
  }
  for (const issuer of authorizationServers) {
    const { search, hash } = requireUrl(issuer);
    // RFC 8414 section 2.
    if (search !== '' || hash !== '') throw new OAuthError('invalid_url', `bearer: issuer ${issuer} has a query or a fragment`);
  }
  for (const scope of [...scopes, ...requiredScopes, ...initialScopes]) {
    // RFC 6749 section 3.3.
    if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) {
      throw new OAuthError('invalid_scope', `bearer: ${JSON.stringify(scope)} is no scope, expected visible ASCII without spaces and quotes`);
    }
    // 2026-07-28 basic/authorization#refresh-tokens: it is no need of the resource's.
    if (scope === 'offline_access') throw new OAuthError('invalid_scope', 'bearer: offline_access is not a scope of a resource');
  }
}

function requireUrl(issuer: string): URL {
  const url = parseUrl(issuer, 'bearer: authorizationServers');
  requireSecure(url, 'bearer: authorizationServers');
  return url;
}
