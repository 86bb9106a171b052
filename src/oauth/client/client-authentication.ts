import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import type { AuthorizationServerMetadata } from '../authorization-server-metadata.ts';
import { toBase64 } from '../../jsonrpc/internal-exports.ts';
import { findAlgorithm } from '../algorithms.ts';
import { OAuthError, shown } from '../errors.ts';
import type { Jwk, Key } from '../jwk.ts';
import { signJwt } from '../jwt.ts';
import { randomText } from './pkce.ts';

/** A private key of the client for signatures: PKCS #8 as PEM, a JWK, or a WebCrypto key. */
export interface SigningKey {
  readonly key: string | Jwk | Key;
  readonly algorithm: 'ES256' | 'RS256';
  /** The key's `kid`, if the authorization server knows several keys of the client. */
  readonly kid?: string | undefined;
}

/** The client's ID and credentials, under the names of RFC 7591. */
export interface ClientInformation {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  /** Default: the best method that the server offers. */
  readonly token_endpoint_auth_method?: string | undefined;
  readonly signingKey?: SigningKey | undefined;
}

/** The client's part of a token request. */
export interface ClientAuthentication {
  readonly headers: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Authenticates a token request (RFC 6749 section 2.3, RFC 7523 section 2.2). Rejects with `OAuthError`
 * (`unsupported`) if the server accepts none of the client's methods.
 */
export async function authenticate(client: ClientInformation, server: AuthorizationServerMetadata, clock: Clock = systemClock): Promise<ClientAuthentication> {
  const { client_id, client_secret = '' } = client;
  switch (methodOf(client, server)) {
    case 'private_key_jwt': return { headers: {}, parameters: await assertion(client, server.issuer, clock) };
    case 'client_secret_basic': {
      const credentials = new TextEncoder().encode(`${formEncode(client_id)}:${formEncode(client_secret)}`);
      return { headers: { authorization: `Basic ${toBase64(credentials)}` }, parameters: {} };
    }
    case 'client_secret_post': return { headers: {}, parameters: { client_id, client_secret } };
    default: return { headers: {}, parameters: { client_id } };
  }
}

function methodOf(client: ClientInformation, server: AuthorizationServerMetadata): string {
  const { token_endpoint_auth_method: said, client_secret, signingKey } = client;
  // RFC 8414 section 2: if the server does not say, it is client_secret_basic.
  const { token_endpoint_auth_methods_supported: offered = ['client_secret_basic'] } = server;
  const has: readonly string[] = [
    ...signingKey ? ['private_key_jwt'] : [],
    ...client_secret !== undefined ? ['client_secret_basic', 'client_secret_post'] : [],
    ...!signingKey && client_secret === undefined ? ['none'] : [],
  ];
  if (said !== undefined) {
    if (said === 'none' || has.includes(said)) return said;
    throw new OAuthError('unsupported', `client ${shown(client.client_id)}: token_endpoint_auth_method is ${shown(said)}, but its secret or key is missing`);
  }
  const method = has.find((one) => offered.includes(one)) ?? (has[0] === 'none' ? 'none' : undefined);
  if (method !== undefined) return method;
  const list = offered.slice(0, 10).map(shown).join(', ');
  throw new OAuthError('unsupported', `authorization server metadata of ${shown(server.issuer)}: token_endpoint_auth_methods_supported is ${list}, expected one of ${has.join(', ')}`);
}

/** Form-encodes a value: RFC 6749 section 2.3.1 requires that inside Basic. */
const formEncode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

async function assertion({ client_id, signingKey }: ClientInformation, audience: string, clock: Clock): Promise<Record<string, string>> {
  const { algorithm, kid, key } = signingKey as SigningKey;
  const now = Math.floor(clock.now() / 1000);
  const header = { alg: algorithm, typ: 'JWT', ...kid !== undefined && { kid } };
  // The audience is only the issuer. If it were a token endpoint, one server could use the assertion at another.
  const claims = { iss: client_id, sub: client_id, aud: audience, jti: randomText(), iat: now, exp: now + 60 };
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await signJwt(header, claims, await imported(key, algorithm)),
  };
}

async function imported(key: SigningKey['key'], name: SigningKey['algorithm']): Promise<Key> {
  const algorithm = findAlgorithm(name);
  if (algorithm === undefined) throw new OAuthError('unsupported', `the signing key's algorithm is ${shown(name)}, expected ES256 or RS256`);
  try {
    if (typeof key === 'string') {
      const der = atob(key.replace(/-----[^-]+-----|\s/g, ''));
      const bytes = Uint8Array.from(der, (char) => char.charCodeAt(0));
      return await crypto.subtle.importKey('pkcs8', bytes, algorithm, false, ['sign']);
    }
    return isKey(key) ? key : await crypto.subtle.importKey('jwk', { ...key }, algorithm, false, ['sign']);
  } catch (cause) {
    throw new OAuthError('signing_key', `the signing key is not a private key for ${name}, expected PKCS #8 in PEM, or a JWK`, { cause });
  }
}

const isKey = (key: Jwk | Key): key is Key => 'usages' in key;
