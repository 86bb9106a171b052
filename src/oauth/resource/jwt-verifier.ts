import { checkOptions } from '../../bounds/options.ts';
import { algorithmNames, findAlgorithm } from '../algorithms.ts';
import { authorizationServerMetadata } from '../authorization-server-metadata.ts';
import { OAuthError, shown, TokenError } from '../errors.ts';
import { defaultFetchLimits, fetchShape } from '../fetch-json.ts';
import type { FetchLimits, FetchOptions } from '../fetch-json.ts';
import type { Jwk } from '../jwk.ts';
import { readJwt, verifyJwt } from '../jwt.ts';
import type { Jwt } from '../jwt.ts';
import { defaultKeySetLimits, keySet } from './key-set.ts';
import type { KeySet, KeySetLimits } from './key-set.ts';
import { verifiedTokens } from './verified-tokens.ts';
import type { VerifyContext, VerifyToken } from './verify.ts';

/** Limits for the verification of JWTs. */
export interface JwtVerifierLimits extends KeySetLimits {
  /** The most tokens whose signature check is remembered; the oldest are dropped first. 0: check every time. 1000. */
  maxVerifiedTokens: number;
}

/** The default limits. */
export const defaultJwtVerifierLimits: JwtVerifierLimits = { ...defaultKeySetLimits, maxVerifiedTokens: 1000 };

/** The issuers whose tokens are accepted, and their keys. */
export interface JwtVerifierOptions extends FetchOptions {
  readonly limits?: Partial<JwtVerifierLimits & FetchLimits> | undefined;
  /** The accepted signature algorithms. Default: all that this module supports; all are asymmetric. */
  readonly algorithms?: readonly string[];
  /**
   * Accepted values of the header's `typ`, without `application/` and in lower case; '' if it may be missing. Default
   * `at+jwt` (RFC 9068) and, for older servers, `jwt` and ''.
   */
  readonly types?: readonly string[];
  /** The URL of an issuer's keys, or the keys. Default: `jwks_uri` in the issuer's metadata. */
  readonly jwks?: Readonly<Record<string, string | { readonly keys: readonly Jwk[] }>>;
}

/** The most keys to try for a token. */
const maxTried = 8;

/**
 * Verifies access tokens that are signed JWTs (RFC 9068). The token names its issuer, and a key of that issuer must have
 * signed it. Throws `TokenError` with the codes of `readJwt` and `verifyJwt`, `token_issuer`, `token_type`, `token_key`,
 * `token_signature`, `token_expiry_missing`, and an `OAuthError` if the keys are not available.
 */
export function jwtVerifier(options: JwtVerifierOptions = {}): VerifyToken {
  checkOptions('jwtVerifier: options', options, {
    ...fetchShape, algorithms: 'list', types: 'list', jwks: 'object', limits: { ...defaultFetchLimits, ...defaultJwtVerifierLimits },
  });
  const { algorithms = algorithmNames(), types = ['at+jwt', 'jwt', ''], jwks = {} } = options;
  for (const name of algorithms) {
    if (!findAlgorithm(name)) throw new TypeError(`jwtVerifier: ${shown(name)} is not one of ${algorithmNames().join(', ')}`);
  }
  const limits = { ...defaultJwtVerifierLimits, ...options.limits };
  const sets = new Map<string, KeySet>();

  function keysOf(issuer: string, { now }: VerifyContext): KeySet {
    let set = sets.get(issuer);
    if (set === undefined) {
      const given = Object.hasOwn(jwks, issuer) ? jwks[issuer] : undefined;
      set = typeof given === 'object' ? { keys: async () => given.keys, refetch: () => undefined }
        : keySet(async () => given ?? await jwksUri(issuer, options), `the key set of ${issuer}`, {
          ...limits, ...options, now,
        });
      sets.set(issuer, set);
    }
    return set;
  }

  const verified = verifiedTokens(limits.maxVerifiedTokens);

  return async (token, context) => {
    const known = await verified.find(token);
    if (known) return known;
    const jwt = readJwt(token, 'access token');
    const { header, claims } = jwt;
    const type = header['typ'] === undefined ? '' : header['typ'];
    if (typeof type !== 'string' || !types.includes(type.toLowerCase().replace(/^application\//, ''))) {
      throw new TokenError('token_type', `the token's typ is ${shown(type)}, expected ${types.map(shown).join(' or ')}`);
    }
    if (isIdToken(jwt)) throw new TokenError('token_type', 'the token is an ID token, expected an access token');
    const { iss } = claims;
    if (typeof iss !== 'string' || !context.issuers.includes(iss)) {
      throw new TokenError('token_issuer', `the token's iss is ${shown(iss)}, expected ${context.issuers.join(' or ')}`);
    }
    // RFC 9068 section 2.2: a token without an expiry would be valid forever.
    if (claims['exp'] === undefined) throw new TokenError('token_expiry_missing', 'the token has no exp');
    const set = keysOf(iss, context);
    const keys = await signingKeys(jwt, iss, set, algorithms);
    await verified.keep(token, { claims, keys, current: set.keys });
    return claims;
  };
}

/** The issuer's keys, after one of them has verified the token. Fetches them again if they lack the key. Throws `TokenError`. */
async function signingKeys(
  jwt: Jwt, issuer: string, set: KeySet, algorithms: readonly string[],
): Promise<readonly Jwk[]> {
  const { kid } = jwt.header;
  const signed = (keys: readonly Jwk[]): Promise<boolean> => verifyJwt(jwt, candidates(keys, kid), algorithms, 'access token');
  let keys = await set.keys();
  if (await signed(keys)) return keys;
  // The issuer may have added the key since the last fetch.
  if (kid === undefined || candidates(keys, kid).length === 0) {
    keys = await set.refetch() ?? keys;
    if (await signed(keys)) return keys;
  }
  if (candidates(keys, kid).length === 0) throw new TokenError('token_key', `the token's kid is ${shown(kid)}, which ${issuer} does not have`);
  throw new TokenError('token_signature', `no key of ${issuer} has signed the token`);
}

/** The keys with this id, since several may have it (RFC 7517 section 4.5), or all if there is no id; at most `maxTried`. */
function candidates(keys: readonly Jwk[], kid: unknown): readonly Jwk[] {
  const named = kid === undefined ? keys : keys.filter((key) => key['kid'] === kid);
  return named.slice(0, maxTried);
}

/**
 * Recognizes claims that only ID tokens have. An ID token must never pass, even if the client's id is an accepted
 * audience.
 */
function isIdToken({ claims }: Jwt): boolean {
  return 'at_hash' in claims || 'c_hash' in claims
    || (claims['token_use'] !== undefined && claims['token_use'] !== 'access')
    || claims['typ'] === 'ID';
}

async function jwksUri(issuer: string, options: FetchOptions): Promise<string> {
  const metadata = await authorizationServerMetadata(issuer, options);
  if (metadata?.jwks_uri !== undefined) return metadata.jwks_uri;
  const why = metadata ? 'has no jwks_uri' : 'was not found';
  throw new OAuthError('jwks_unavailable', `authorization server metadata of ${issuer} ${why}: set jwks`);
}
