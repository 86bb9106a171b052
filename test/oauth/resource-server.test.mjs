// barewire's resource server with a real authorization server; `jose` signs and checks tokens and proofs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { introspection, jwtVerifier } from '../../dist/lib/oauth.js';
import { startAuthorizationServer } from './authorization-server.mjs';
import { call, dpopKey, initialize, logIn, mcp, requestTokens } from './raw-client.mjs';
import { startResourceServer } from './resource-server.mjs';

let as;
before(async () => {
  as = await startAuthorizationServer({
    clients: [
      { client_id: 'resource-server', client_secret: 'secret', grant_types: [], redirect_uris: [], response_types: [] },
      {
        client_id: 'machine', client_secret: 'secret', grant_types: ['client_credentials'], redirect_uris: [], response_types: [],
        scope: 'trips:read trips:write',
      },
    ],
  });
});
after(() => as.close());

async function start(t, options) {
  const resource = await startResourceServer(as.issuer, options);
  t.after(() => resource.close());
  return resource;
}

test('a JWT access token: what it says is what jose reads of it', async (t) => {
  const { url } = await start(t);
  const { access_token: token, client_id: client } = await logIn(as.issuer, { resource: url });
  const { payload, protectedHeader } = await jwtVerify(token, createRemoteJWKSet(new URL(`${as.issuer}/jwks`)), { issuer: as.issuer, audience: url });
  assert.deepEqual([protectedHeader.typ, protectedHeader.alg], ['at+jwt', 'ES256']);
  const { session, status } = await mcp(url, token);
  assert.equal(status, 200);
  const { body } = await mcp(url, token, { session, body: call('whoami') });
  assert.deepEqual(JSON.parse(body.result.content[0].text), {
    subject: payload.sub, scopes: payload.scope.split(' '), clientId: client, principal: JSON.stringify([as.issuer, 'alice']),
  });
});

test('resource indicators: a token for another server is none here', async (t) => {
  const [here, there] = [await start(t), await start(t)];
  const { access_token: token } = await logIn(as.issuer, { resource: there.url });
  assert.equal((await mcp(there.url, token)).status, 200);
  const refused = await mcp(here.url, token);
  assert.equal(refused.status, 401);
  assert.match(refused.challenge, /error="invalid_token"/);
  assert.deepEqual(refused.body.error.data, { code: 'token_audience' });
  assert.deepEqual(here.refused, ['token_audience']);
});

test('a token without a resource is opaque, and refused: it was issued for nobody', async (t) => {
  const { url, refused } = await start(t);
  const { access_token: token } = await requestTokens(as.issuer, { grant_type: 'client_credentials', client_id: 'machine', scope: 'trips:read' }, { secret: 'secret' });
  assert.equal((await mcp(url, token)).status, 401);
  assert.deepEqual(refused, ['jwt_malformed']);
});

test('client credentials: a machine that acts for itself', async (t) => {
  const { url } = await start(t);
  const { access_token: token } = await requestTokens(as.issuer, {
    grant_type: 'client_credentials', client_id: 'machine', scope: 'trips:read trips:write', resource: url,
  }, { secret: 'secret' });
  const { session } = await mcp(url, token);
  const { body } = await mcp(url, token, { session, body: call('book_trip', { destination: 'Rome' }) });
  assert.match(body.result.content[0].text, /^Booked Rome/);
});

test('scopes: 403 names them, and a token that has them passes', async (t) => {
  const { url } = await start(t);
  const read = await logIn(as.issuer, { resource: url });
  const { session } = await mcp(url, read.access_token);
  const refused = await mcp(url, read.access_token, { session, body: call('book_trip', { destination: 'Rome' }) });
  assert.equal(refused.status, 403);
  assert.match(refused.challenge, /scope="trips:write", error="insufficient_scope"/);
  // The same person keeps the session with another token.
  const write = await logIn(as.issuer, { resource: url, scope: 'trips:admin' });
  const accepted = await mcp(url, write.access_token, { session, body: call('book_trip', { destination: 'Rome' }) });
  assert.equal(accepted.body.result.content[0].text, 'Booked Rome for alice');
  // Another person cannot use it.
  const bob = await logIn(as.issuer, { resource: url, login: 'bob' });
  assert.equal((await mcp(url, bob.access_token, { session, body: call('whoami') })).status, 404);
});

test('keys are rotated in mid-session: old and new tokens pass; keys that are withdrawn are good no longer', async (t) => {
  const clock = { ms: 0 };
  const { url, refused } = await start(t, { now: () => Date.now() + clock.ms });
  as.options.tokenTtl = 86_400;
  t.after(() => (as.options.tokenTtl = 300));
  const first = await logIn(as.issuer, { resource: url });
  const { session } = await mcp(url, first.access_token);
  await as.rotateKeys();
  const second = await requestTokens(as.issuer, { grant_type: 'refresh_token', refresh_token: first.refresh_token, client_id: first.client_id });
  const kid = (token) => JSON.parse(Buffer.from(token.split('.')[0], 'base64url')).kid;
  assert.notEqual(kid(second.access_token), kid(first.access_token));
  for (const { access_token: token } of [second, first]) {
    assert.equal((await mcp(url, token, { session, body: call('whoami') })).status, 200);
  }
  await as.rotateKeys({ keep: false });
  clock.ms = 600_000;
  assert.equal((await mcp(url, second.access_token, { session, body: call('whoami') })).status, 401);
  assert.deepEqual(refused, ['token_key']);
});

test('introspection: opaque tokens, and a revoked one is refused at once', async (t) => {
  as.options.format = 'opaque';
  t.after(() => (as.options.format = 'jwt'));
  const { url, refused } = await start(t, { verify: introspection({ clientId: 'resource-server', clientSecret: 'secret' }) });
  const { access_token: token, client_id: client } = await logIn(as.issuer, { resource: url });
  assert.doesNotMatch(token, /\./);
  const { session } = await mcp(url, token);
  const { body } = await mcp(url, token, { session, body: call('whoami') });
  assert.equal(JSON.parse(body.result.content[0].text).subject, 'alice');
  await fetch(`${as.issuer}/token/revocation`, { method: 'POST', body: new URLSearchParams({ token, client_id: client }) });
  assert.equal((await mcp(url, token, { session, body: call('whoami') })).status, 401);
  assert.deepEqual(refused, ['token_inactive']);
});

test('a token that has expired is refused by either verifier', async (t) => {
  as.options.tokenTtl = 1;
  t.after(() => (as.options.tokenTtl = 300));
  const clock = { ms: 0 };
  const { url, refused } = await start(t, { now: () => Date.now() + clock.ms });
  const { access_token: token } = await logIn(as.issuer, { resource: url });
  clock.ms = 40_000;
  const { status, challenge } = await mcp(url, token);
  assert.equal(status, 401);
  assert.match(challenge, /error_description="the token expired/);
  assert.deepEqual(refused, ['token_expired']);
});

for (const alg of ['ES256', 'Ed25519', 'EdDSA']) {
  test(`DPoP, ${alg}: a bound token with its proofs, with nonces of both servers, and not without`, async (t) => {
    as.options.requireNonce = true;
    t.after(() => (as.options.requireNonce = false));
    const { url, refused } = await start(t, { dpop: { required: true, nonces: true } });
    const dpop = await dpopKey(alg);
    const { access_token: token, token_type: type } = await logIn(as.issuer, { resource: url, dpop });
    assert.equal(type, 'DPoP');
    const first = await mcp(url, token, { dpop });
    assert.equal(first.status, 401);
    assert.match(first.challenge, /^DPoP .*error="use_dpop_nonce"/);
    const { session, status } = await mcp(url, token, { dpop, nonce: first.nonce });
    assert.equal(status, 200);
    assert.equal((await mcp(url, token, { dpop, nonce: first.nonce, session, body: call('whoami') })).status, 200);
    assert.equal((await mcp(url, token, { scheme: 'Bearer', session })).status, 401);
    assert.equal((await mcp(url, token, { dpop: await dpopKey(alg), nonce: first.nonce, session })).status, 401);
    assert.deepEqual(refused, ['use_dpop_nonce', 'token_binding', 'dpop_binding']);
  });
}

test('two authorization servers at one resource, each with its keys and its people', async (t) => {
  const other = await startAuthorizationServer();
  t.after(() => other.close());
  const { url } = await start(t, { authorizationServers: [as.issuer, other.issuer], verify: jwtVerifier() });
  const one = await logIn(as.issuer, { resource: url });
  const two = await logIn(other.issuer, { resource: url });
  const { session } = await mcp(url, one.access_token, { body: initialize });
  assert.equal((await mcp(url, one.access_token, { session, body: call('whoami') })).status, 200);
  // alice at the other server is another person.
  assert.equal((await mcp(url, two.access_token, { session, body: call('whoami') })).status, 404);
  assert.equal((await mcp(url, two.access_token)).status, 200);
});
