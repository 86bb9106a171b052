import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { memoryStore } from '../../src/oauth/index.ts';
import type { AuthorizationStore } from '../../src/oauth/index.ts';
import { readJwt, verifyJwt } from '../../src/oauth/jwt.ts';
import { thumbprint } from '../../src/oauth/jwk.ts';
import type { Jwk } from '../../src/oauth/jwk.ts';
import { authorizationServer, json, pair, party } from './authorization-server.ts';
import type { Answer, AuthorizationServer, Party } from './authorization-server.ts';
import { call, selfLogin } from './login.ts';

interface Proof { readonly jwk: Jwk; readonly claims: Readonly<Record<string, unknown>> }

async function judge(proof: unknown, method: string, url: string): Promise<Proof> {
  const jwt = readJwt(String(proof), 'DPoP proof');
  const jwk = jwt.header['jwk'] as Jwk;
  assert.equal(jwt.header['typ'], 'dpop+jwt');
  assert.deepEqual(Object.keys(jwk).sort(), ['crv', 'kty', 'x', 'y']);
  assert.ok(await verifyJwt(jwt, [jwk], ['ES256'], 'DPoP proof'));
  const { htm, htu, iat } = jwt.claims;
  assert.deepEqual({ htm, htu }, { htm: method, htu: url });
  assert.ok(Math.abs(Number(iat) - Date.now() / 1000) < 60);
  return { jwk, claims: jwt.claims };
}

/** An MCP server that requires DPoP with nonces, and an authorization server that binds tokens. */
async function bound(t: Parameters<typeof pair>[0]): Promise<{
  as: AuthorizationServer; rs: Party; url: string; seen: Proof[]; tokenProofs: Proof[];
}> {
  const as = await authorizationServer(t);
  const seen: Proof[] = [];
  const tokenProofs: Proof[] = [];
  as.metadata = { dpop_signing_alg_values_supported: ['ES256'] };
  as.token = { token_type: 'DPoP' };
  const rs: Party = await party(t, (self, path): Answer | undefined => {
    if (path === '/.well-known/oauth-protected-resource/mcp') {
      return json({ resource: `${self.origin}/mcp`, authorization_servers: [as.origin], dpop_bound_access_tokens_required: true });
    }
    if (path !== '/mcp') return undefined;
    return async (request, response) => {
      const [scheme, token = ''] = (request.headers.authorization ?? '').split(' ');
      if (!as.valid.has(token)) return response.writeHead(401, { 'www-authenticate': 'DPoP algs="ES256"' }).end();
      assert.equal(scheme, 'DPoP');
      const proof = await judge(request.headers['dpop'], 'POST', `${self.origin}/mcp`);
      assert.equal(proof.claims['ath'], createHash('sha256').update(token).digest('base64url'));
      seen.push(proof);
      if (proof.claims['nonce'] !== 'rs-nonce') {
        return response.writeHead(401, { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'rs-nonce' }).end();
      }
      return response.end('{}');
    };
  });
  const refuse: Answer = async (request, response, body) => {
    tokenProofs.push(await judge(request.headers['dpop'], 'POST', `${as.origin}/token`));
    as.answers.delete('/token');
    json({ error: 'use_dpop_nonce' }, 400, { 'dpop-nonce': 'as-nonce' })(request, response, body);
  };
  as.answers.set('/token', refuse);
  return { as, rs, url: `${rs.origin}/mcp`, seen, tokenProofs };
}

test('dpop: a proof for each request, with ath, and the nonces of both servers', async (t) => {
  const { as, url, seen, tokenProofs } = await bound(t);
  const auth = selfLogin();
  assert.equal(await call(auth, url), 200);
  assert.equal(await call(auth, `${url}?q=1#f`), 200);
  assert.deepEqual(seen.map(({ claims }) => claims['nonce']), [undefined, 'rs-nonce', 'rs-nonce']);
  assert.equal(tokenProofs.length, 1);
  const ids = [...seen, ...tokenProofs].map(({ claims }) => claims['jti']);
  assert.equal(new Set(ids).size, ids.length);
  const key = seen[0]?.jwk as Jwk;
  assert.ok([...seen, ...tokenProofs].every(({ jwk }) => jwk['x'] === key['x']));
  assert.equal(as.logins[0]?.get('dpop_jkt'), await thumbprint(key));
});

test('dpop: a server that goes on asking for nonces is not answered for ever', async (t) => {
  const { rs, url } = await bound(t);
  let nonces = 0;
  const auth = selfLogin();
  assert.equal(await call(auth, url), 200);
  rs.answers.set('/mcp', (_, response) => response.writeHead(401, {
    'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': `nonce-${nonces++}`,
  }).end());
  assert.equal(await call(auth, url), 401);
  assert.equal(nonces, 4);
  rs.answers.set('/mcp', (_, response) => response.writeHead(401, {
    'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'the-same',
  }).end());
  await assert.rejects(call(auth, url), { code: 'token_rejected' });
});

test('dpop: the key lives as long as its tokens, in a store of texts and in one of keys', async (t) => {
  for (const withKeys of [true, false]) {
    const { as, url, seen } = await bound(t);
    const { keys, ...texts } = memoryStore();
    assert.ok(keys);
    const store: AuthorizationStore = withKeys ? { ...texts, keys } : texts;
    assert.equal(await call(selfLogin({ store }), url), 200);
    assert.equal(await call(selfLogin({ store }), url), 200);
    assert.equal(as.logins.length, 1);
    assert.ok(seen.every(({ jwk }) => jwk['x'] === seen[0]?.jwk['x']));
    const record = JSON.parse(await store.get(`tokens test ${url} ${as.origin} ${url}`) ?? '') as { dpop: { id?: string; jwk?: Jwk } };
    if (record.dpop.id !== undefined) {
      const key = await keys.get(record.dpop.id);
      assert.equal(key?.privateKey.extractable, false);
      await keys.delete(record.dpop.id);
      // Without its key a token is useless: it is dropped, and the person logs in again.
      const told: string[] = [];
      assert.equal(await call(selfLogin({ store, onError: ({ message }) => told.push(message) }), url), 200);
      assert.match(told[0] ?? '', /the DPoP key of the tokens for .* is lost: they are dropped/);
      assert.equal(as.logins.length, 2);
    } else assert.equal(typeof record.dpop.jwk?.['d'], 'string');
  }
});

test('dpop: where it is only offered, a bearer token is as good', async (t) => {
  const { as, rs } = await pair(t);
  as.metadata = { dpop_signing_alg_values_supported: ['ES256'] };
  rs.metadata = { dpop_signing_alg_values_supported: ['ES256'] };
  const store = memoryStore();
  assert.equal(await call(selfLogin({ store }), rs.url), 200);
  assert.equal(await call(selfLogin({ store }), rs.url), 200);
  assert.equal(as.logins.length, 1);
  assert.equal(as.logins[0]?.get('dpop_jkt')?.length, 43);
});

test('dpop: not used where nobody asks for it, nor where the program says no', async (t) => {
  const { as, rs } = await pair(t);
  as.metadata = { dpop_signing_alg_values_supported: ['ES256'] };
  await call(selfLogin(), rs.url);
  rs.metadata = { dpop_signing_alg_values_supported: ['ES256'] };
  await call(selfLogin({ dpop: false }), rs.url);
  assert.deepEqual(as.logins.map((login) => login.get('dpop_jkt')), [null, null]);
});
