import { checkOptions } from '../../bounds/options.ts';
import { OAuthError } from '../errors.ts';
import { requireSecure, parseUrl } from '../fetch-json.ts';
import type { RequestInfo } from '../../transport/internal-exports.ts';
import { defaultProofReplayLimits } from './proof-replays.ts';
import type { ProofReplayLimits, ProofReplays } from './proof-replays.ts';
import type { VerifyToken } from './verify.ts';

/** Limits of a resource server. Verifiers have `KeySetLimits`, `IntrospectionLimits`, `FetchLimits`. */
export interface BearerLimits extends ProofReplayLimits {
  /** Characters of an access token. 16 Ki. */
  maxTokenLength: number;
  /** Characters of a DPoP proof. 8 Ki. */
  maxProofLength: number;
  /** The allowed difference between clocks, in milliseconds. 30 seconds. */
  leewayMs: number;
  /** Milliseconds after which a DPoP proof without a nonce is too old. 2 minutes. */
  maxProofAgeMs: number;
  /** The lifetime of a DPoP nonce, in milliseconds. 5 minutes. */
  nonceLifetimeMs: number;
}

/** The default limits. */
export const defaultBearerLimits: BearerLimits = {
  ...defaultProofReplayLimits,
  maxTokenLength: 16 * 1024,
  maxProofLength: 8 * 1024,
  leewayMs: 30_000,
  maxProofAgeMs: 120_000,
  nonceLifetimeMs: 300_000,
};

/** The requirements for proofs of possession (RFC 9449). */
export interface DpopOptions {
  /** Whether every token must be bound to a key. Default false: only bound tokens need a proof. */
  readonly required?: boolean;
  /**
   * Whether proofs must contain a nonce of this server, so that the client's clock does not matter. For several
   * processes: 32 bytes that they share. Default false.
   */
  readonly nonces?: boolean | Uint8Array;
  /** The signature algorithms of proofs. Default: all that this module supports. */
  readonly algorithms?: readonly string[];
  /** The memory of used proofs. Default: one for this process. */
  readonly replays?: ProofReplays;
  /**
   * The URL of a request as its client wrote it, for `htu`. Default: `resource` if its path ends with the request's path
   * (a proxy may have removed the beginning), otherwise the request's path at the origin of `resource`.
   */
  readonly url?: (request: RequestInfo) => string;
}

/** The options of `bearer`: the issuers, the checks, and the required scopes. */
export interface BearerOptions {
  /**
   * The URI of this MCP server as clients know it, such as `https://trips.example/mcp`. Tokens must have been issued for
   * it. RFC 8707; 2026-07-28 basic/authorization#resource-parameter-implementation.
   */
  readonly resource: string;
  /** The issuers whose tokens are accepted: `issuer` in their metadata, compared character by character. */
  readonly authorizationServers: readonly string[];
  /** All scopes of this server, for the metadata. Default none. */
  readonly scopes?: readonly string[];
  /** Scopes that every request needs. Default none. */
  readonly requiredScopes?: readonly string[];
  /** The scopes that a 401 asks clients to request first. Default: `requiredScopes`, or `scopes` without those. */
  readonly initialScopes?: readonly string[];
  /** Whether one scope includes another: `(held, needed) => held === 'admin'`. Default: no scope includes another. */
  readonly implies?: (held: string, needed: string) => boolean;
  /** Verifies a token and returns its claims. Default `jwtVerifier()`. */
  readonly verify?: VerifyToken;
  /**
   * Whether a token without `sub` belongs to its client if its `gty` or `grant_type` is the client credentials grant.
   * Default false: a token without `sub` is refused. A token whose `sub` equals its `client_id` does not need this
   * option.
   */
  readonly clientsWithoutSubject?: boolean;
  /** Other names of this resource in `aud`, for authorization servers that write the client's id there. Default none. */
  readonly audiences?: readonly string[];
  /**
   * Offers DPoP to clients (RFC 9449) in addition to bearer tokens: `{}` suffices. Without this option it is not offered,
   * but a token that is bound to a key still needs its proofs.
   */
  readonly dpop?: DpopOptions;
  /** Further members of the metadata document: `resource_name`, `resource_documentation`. RFC 9728 section 2. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly limits?: Partial<BearerLimits>;
  /** Called for each request whose credentials are refused, with the error but never with the token. */
  readonly onRefused?: (error: OAuthError, request: RequestInfo) => void;
  /** Milliseconds since the epoch. Default: the runtime's clock. */
  readonly now?: () => number;
}

/**
 * Throws if the options contradict the specifications, and a TypeError for an unknown or malformed option: with a
 * misspelt `requiredScope`, no scope would be required. Called at the start, not at the first request.
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
      throw new OAuthError('invalid_scope', `bearer: ${JSON.stringify(scope)} is not a scope, expected visible ASCII without spaces and quotes`);
    }
    // 2026-07-28 basic/authorization#refresh-tokens: a resource never needs this scope.
    if (scope === 'offline_access') throw new OAuthError('invalid_scope', 'bearer: offline_access is not a scope of a resource');
  }
}

function requireUrl(issuer: string): URL {
  const url = parseUrl(issuer, 'bearer: authorizationServers');
  requireSecure(url, 'bearer: authorizationServers');
  return url;
}
