// A second, different authorization server: an issuer with a path, EdDSA keys, pages of the application's own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { McpClient } from '../../dist/lib/client.js';
import { httpTransport } from '../../dist/lib/fetch.js';
import { authorizationCode, oauth } from '../../dist/lib/oauth.js';
import { startBetterAuth } from './better-auth-server.mjs';
import { visit } from './person.mjs';
import { call, dpopKey, logIn, mcp, requestTokens } from './raw-client.mjs';
import { startResourceServer } from './resource-server.mjs';

/** Each must know the other's address: the resource starts first, with an issuer that is set later. */
async function start(t, options) {
  const issuers = [];
  const resource = await startResourceServer(() => issuers[0], options);
  t.after(() => resource.close());
  const as = await startBetterAuth(resource.url);
  t.after(() => as.close());
  issuers.push(as.issuer);
  return { as, resource };
}

test('better-auth: a login, a refresh, and what its tokens say', async (t) => {
  const { as, resource: { url } } = await start(t);
  const first = await logIn(as.issuer, { resource: url, scope: 'trips:read offline_access' });
  const { payload, protectedHeader } = await jwtVerify(first.access_token, createRemoteJWKSet(new URL(`${as.issuer}/jwks`)), { issuer: as.issuer, audience: url });
  assert.equal(protectedHeader.alg, 'EdDSA');
  const { session, status } = await mcp(url, first.access_token);
  assert.equal(status, 200);
  const second = await requestTokens(as.issuer, { grant_type: 'refresh_token', refresh_token: first.refresh_token, client_id: first.client_id, resource: url });
  const { body } = await mcp(url, second.access_token, { session, body: call('whoami') });
  const who = JSON.parse(body.result.content[0].text);
  assert.deepEqual([who.subject, who.clientId, who.scopes.includes('trips:read')], [payload.sub, first.client_id, true]);
  assert.equal((await mcp(url, second.access_token, { session, body: call('book_trip', { destination: 'Rome' }) })).status, 403);
  const bob = await logIn(as.issuer, { resource: url, scope: 'trips:read', login: 'bob' });
  assert.equal((await mcp(url, bob.access_token, { session, body: call('whoami') })).status, 404);
});

test('better-auth: tokens bound to a key (DPoP)', async (t) => {
  const { as, resource: { url, refused } } = await start(t);
  const dpop = await dpopKey();
  const { access_token: token, token_type: type } = await logIn(as.issuer, { resource: url, dpop });
  assert.equal(type, 'DPoP');
  assert.equal((await mcp(url, token, { dpop })).status, 200);
  assert.equal((await mcp(url, token, { scheme: 'Bearer' })).status, 401);
  assert.deepEqual(refused, ['token_binding']);
});

for (const dpop of [undefined, { required: true }]) {
  test(`better-auth: barewire's client logs in and steps up${dpop ? ', bound to a key (DPoP)' : ''}`, async (t) => {
    const { as, resource } = await start(t, dpop && { dpop: { ...dpop, nonces: true } });
    const opened = [];
    const grant = authorizationCode({
      client: { name: 'barewire' }, redirectUri: 'http://127.0.0.1:33418/callback',
      async onAuthorize(page) {
        opened.push(page);
        return (await visit(page, { stopAt: 'http://127.0.0.1:33418/' })).url;
      },
    });
    const client = new McpClient({ name: 'barewire', version: '1' });
    await client.connect(httpTransport(resource.url, { auth: oauth({ grant }) }));
    t.after(() => client.close());
    const { content: [{ text }] } = await client.callTool('whoami', {});
    assert.equal(JSON.parse(text).principal, JSON.stringify([as.issuer, JSON.parse(text).subject]));
    const booked = await client.callTool('book_trip', { destination: 'Rome' });
    assert.match(booked.content[0].text, /^Booked Rome/);
    assert.equal(opened.length, 2);
    assert.match(opened[1].searchParams.get('scope'), /trips:write/);
  });
}
