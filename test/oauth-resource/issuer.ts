import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { AccessToken } from '../../src/oauth/resource/access-token.ts';
import { bearer } from '../../src/oauth/resource/bearer.ts';
import type { BearerAuth } from '../../src/oauth/resource/bearer.ts';
import type { BearerOptions } from '../../src/oauth/resource/options.ts';
import type { AuthRefusal } from '../../src/transport/auth.ts';
import type { RequestInfo } from '../../src/transport/http/server/http-request.ts';

export const resource = 'https://trips.example/mcp';

/** A signing key. Everything is signed by node:crypto, an implementation independent of the WebCrypto under test. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: Record<string, unknown>;
}

export function signingKey(kid: string = randomUUID()): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' } };
}

export const base64url = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export function signed(header: object, claims: unknown, key: KeyObject): string {
  const text = `${base64url(header)}.${base64url(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

export const seconds = (): number => Math.floor(Date.now() / 1000);

/** A server on this machine that answers by path, and records its requests. */
export async function serve(
  t: TestContext, answer: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<{ readonly origin: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    answer(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** The parts of an authorization server that a resource uses: metadata, keys, and tokens. */
export interface Issuer {
  readonly issuer: string;
  /** The keys in the answer of `jwks_uri`. */
  keys: SigningKey[];
  jwks: () => { status?: number; headers?: Record<string, string>; body: string };
  /** Requests so far, such as `GET /jwks`. */
  readonly asked: string[];
  /** A valid token with these claims changed; an undefined claim is left out. */
  token(claims?: Record<string, unknown>, header?: Record<string, unknown>, key?: SigningKey): string;
}

export async function startIssuer(t: TestContext, audience: string = resource): Promise<Issuer> {
  const found = await serve(t, (req, res) => {
    if (req.url === '/.well-known/oauth-authorization-server') {
      res.end(JSON.stringify({ issuer: found.origin, jwks_uri: `${found.origin}/jwks` }));
    } else if (req.url === '/jwks') {
      const { status = 200, headers = {}, body } = issuer.jwks();
      res.writeHead(status, headers).end(body);
    } else {
      res.writeHead(404).end();
    }
  });
  const issuer: Issuer = {
    issuer: found.origin,
    asked: found.asked,
    keys: [signingKey('one')],
    jwks: () => ({ body: JSON.stringify({ keys: issuer.keys.map(({ jwk }) => jwk) }) }),
    token: (claims = {}, header = {}, key = issuer.keys[0] as SigningKey) => signed(
      { alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header },
      {
        iss: found.origin, sub: 'alice', aud: audience, exp: seconds() + 300, iat: seconds(), client_id: 'app', jti: randomUUID(),
        scope: 'trips:read', ...claims,
      },
      key.privateKey,
    ),
  };
  return issuer;
}

/** A request as HTTP passes it to `auth`. */
export function request(headers: Record<string, string | undefined>, rest: Partial<RequestInfo> = {}): RequestInfo {
  return { method: 'POST', path: '/mcp', query: '', header: (name) => headers[name], ...rest };
}

/** A resource server that trusts this issuer. */
export const resourceOf = ({ issuer }: Issuer, options: Partial<BearerOptions> = {}): BearerAuth =>
  bearer({ resource, authorizationServers: [issuer], scopes: ['trips:read', 'trips:write'], ...options });

/** The result of a request with this token: the access token, or the refusal. */
export async function present(
  auth: BearerAuth, token: string, headers: Record<string, string> = {}, rest: Partial<RequestInfo> = {},
): Promise<AccessToken | AuthRefusal> {
  return auth.authenticate(request({ authorization: `Bearer ${token}`, ...headers }, rest));
}

export const isRefusal = (found: AccessToken | AuthRefusal): found is AuthRefusal => 'challenge' in found;

/** The code of a refusal, or `accepted`. */
export const codeOf = (found: (AccessToken | AuthRefusal) & { code?: unknown }): unknown =>
  isRefusal(found) ? found.code : 'accepted';

/** A client's DPoP key, and its proofs. */
export interface ProofKey {
  readonly jkt: string;
  readonly jwk: Record<string, unknown>;
  readonly privateKey: KeyObject;
  /** A valid proof for a POST with this token, with claims and header changed. */
  proof(token: string, claims?: Record<string, unknown>, header?: Record<string, unknown>): string;
}

export function proofKey(): ProofKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' });
  const jwk = { crv, kty, x, y };
  return {
    jwk, privateKey,
    jkt: createHash('sha256').update(JSON.stringify(jwk)).digest('base64url'),
    proof: (token, claims = {}, header = {}) => signed(
      { typ: 'dpop+jwt', alg: 'ES256', jwk, ...header },
      {
        jti: randomUUID(), htm: 'POST', htu: resource, iat: seconds(),
        ath: createHash('sha256').update(token).digest('base64url'), ...claims,
      },
      privateKey,
    ),
  };
}
