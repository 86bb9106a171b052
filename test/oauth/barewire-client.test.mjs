// barewire's client with oidc-provider and barewire's server: every flow that the server has.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createRemoteJWKSet, exportPKCS8, generateKeyPair, exportJWK, createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import { McpClient } from '../../dist/lib/client.js';
import { httpTransport } from '../../dist/lib/fetch.js';
import { authorizationCode, clientCredentials, enterpriseManaged, jwtBearer, memoryStore, oauth } from '../../dist/lib/oauth.js';
import { startAuthorizationServer } from './authorization-server.mjs';
import * as enterprise from './enterprise.mjs';
import { visit } from './person.mjs';
import { logIn } from './raw-client.mjs';
import { startResourceServer } from './resource-server.mjs';

const documentUrl = 'https://client.example/metadata.json';
let as;
let machineKey;
const workload = {};
before(async () => {
  machineKey = await generateKeyPair('ES256', { extractable: true });
  const machineJwk = { ...await exportJWK(machineKey.publicKey), kid: 'machine', alg: 'ES256', use: 'sig' };
  const pair = await generateKeyPair('ES256');
  Object.assign(workload, { issuer: 'https://workloads.example', key: pair.privateKey, keys: createLocalJWKSet({ keys: [{ ...await exportJWK(pair.publicKey), kid: 'w', alg: 'ES256' }] }) });
  as = await startAuthorizationServer({
    grants: [
      enterprise.tokenExchange(() => as),
      enterprise.jwtBearer(() => as, () => ({
        [workload.issuer]: { keys: workload.keys },
        [as.issuer]: { keys: createRemoteJWKSet(new URL(`${as.issuer}/jwks`)), typ: 'oauth-id-jag+jwt' },
      })),
    ],
    clients: [
      { client_id: 'machine', client_secret: 'secret', grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
      {
        client_id: 'signing-machine', token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_signing_alg: 'ES256',
        jwks: { keys: [machineJwk] }, grant_types: ['client_credentials'], redirect_uris: [], response_types: [],
      },
      {
        client_id: 'known', client_secret: 'secret', redirect_uris: ['http://127.0.0.1/callback'], application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
      },
      {
        client_id: 'enterprise-client', client_secret: 'secret', redirect_uris: [], response_types: [],
        grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      },
    ],
    // The document that client.example publishes: oidc-provider fetches it as from the web.
    fetch: async (url) => String(url) !== documentUrl ? new Response('', { status: 404 }) : Response.json({
      client_id: documentUrl, client_name: 'A client by its document', redirect_uris: ['http://127.0.0.1:33418/callback'],
      grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none',
      application_type: 'native',
    }),
  });
});
after(() => as.close());

async function start(t, options) {
  const resource = await startResourceServer(as.issuer, options);
  t.after(() => resource.close());
  return resource;
}

/** A grant with a person: opens the page, fills it in and agrees. Returns the final address. */
function person(options = {}) {
  const opened = [];
  const grant = authorizationCode({
    client: { name: 'barewire' }, redirectUri: 'http://127.0.0.1:33418/callback', ...options,
    async onAuthorize(url) {
      opened.push(url);
      return (await visit(url, { stopAt: 'http://127.0.0.1:33418/' })).url;
    },
  });
  return { grant, opened };
}

async function connect(t, url, options, clientOptions) {
  const auth = oauth(options);
  const client = new McpClient({ name: 'barewire', version: '1' }, clientOptions);
  await client.connect(httpTransport(url, { auth }));
  t.after(() => client.close());
  return { client, auth };
}

const textOf = ({ content }) => content[0].text;
const whoami = async (client) => JSON.parse(textOf(await client.callTool('whoami', {})));

for (const era of ['legacy', 'modern']) {
  test(`${era}: a person logs in by dynamic registration and PKCE; a call that needs more scopes asks for them`, async (t) => {
    const resource = await start(t);
    const { grant, opened } = person();
    const { client } = await connect(t, resource.url, { grant }, { era });
    const who = await whoami(client);
    assert.equal(who.subject, 'alice');
    assert.ok(!who.scopes.includes('trips:write'));
    assert.equal(opened.length, 1);
    assert.equal(opened[0].searchParams.get('resource'), resource.url);
    assert.equal(opened[0].searchParams.get('code_challenge_method'), 'S256');
    assert.equal(textOf(await client.callTool('book_trip', { destination: 'Rome' })), 'Booked Rome for alice');
    assert.equal(opened.length, 2);
    // The union of the scopes: none that was granted is lost.
    assert.match(opened[1].searchParams.get('scope'), /trips:read/);
    assert.match(opened[1].searchParams.get('scope'), /trips:write/);
    assert.deepEqual(resource.refused, ['insufficient_scope'].slice(0, resource.refused.length));
  });
}

test('a client by its metadata document, without registration', async (t) => {
  const resource = await start(t);
  const before = as.count('POST /reg');
  const { grant } = person({ client: { metadataDocument: documentUrl } });
  const { client } = await connect(t, resource.url, { grant });
  assert.equal((await whoami(client)).clientId, documentUrl);
  assert.equal(as.count('POST /reg'), before);
});

test('a client that is known beforehand', async (t) => {
  const resource = await start(t);
  const { grant } = person({ client: { registered: { clientId: 'known', clientSecret: 'secret' } } });
  const { client } = await connect(t, resource.url, { grant });
  assert.equal((await whoami(client)).clientId, 'known');
});

test('client credentials, with a secret and with a signing key', async (t) => {
  const resource = await start(t);
  const secret = await connect(t, resource.url, { grant: clientCredentials({ clientId: 'machine', clientSecret: 'secret' }) });
  assert.deepEqual([(await whoami(secret.client)).clientId], ['machine']);
  const signing = await connect(t, resource.url, {
    grant: clientCredentials({ clientId: 'signing-machine', signingKey: { key: await exportPKCS8(machineKey.privateKey), algorithm: 'ES256', kid: 'machine' } }),
  });
  assert.equal((await whoami(signing.client)).clientId, 'signing-machine');
  assert.equal(textOf(await signing.client.callTool('book_trip', { destination: 'Rome' })).startsWith('Booked Rome'), true);
});

test('a workload shows the token of its platform (jwt-bearer)', async (t) => {
  const resource = await start(t);
  const assertion = (issuer) => new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: 'w' })
    .setIssuer(workload.issuer).setSubject('workload-7').setAudience(issuer).setIssuedAt().setExpirationTime('1m').sign(workload.key);
  const { client } = await connect(t, resource.url, {
    grant: jwtBearer({ clientId: 'enterprise-client', clientSecret: 'secret', assertion }), scope: 'trips:read',
  });
  assert.equal((await whoami(client)).subject, 'workload-7');
});

test('enterprise-managed: an ID token becomes an ID-JAG, and that an access token', async (t) => {
  const grants = [];
  const idp = await startAuthorizationServer({
    grants: [enterprise.tokenExchange(() => idp, grants)],
    clients: [{
      client_id: 'app', client_secret: 'secret', redirect_uris: ['http://127.0.0.1/callback'], application_type: 'native',
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:token-exchange'], token_endpoint_auth_method: 'client_secret_post',
    }],
  });
  t.after(() => idp.close());
  const own = await startAuthorizationServer({
    grants: [enterprise.jwtBearer(() => own, () => ({
      [idp.issuer]: { keys: createRemoteJWKSet(new URL(`${idp.issuer}/jwks`)), typ: 'oauth-id-jag+jwt' },
    }))],
    clients: [{
      client_id: 'enterprise-client', client_secret: 'secret', redirect_uris: [], response_types: [],
      grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
    }],
  });
  t.after(() => own.close());
  const resource = await startResourceServer(own.issuer);
  t.after(() => resource.close());
  const [key] = idp.jwks.keys;
  const { importJWK } = await import('jose');
  const idToken = await new SignJWT({ email: 'carol@example.com' }).setProtectedHeader({ alg: key.alg, kid: key.kid })
    .setIssuer(idp.issuer).setSubject('carol').setAudience('app').setIssuedAt().setExpirationTime('5m').sign(await importJWK(key, key.alg));
  const { client } = await connect(t, resource.url, {
    grant: enterpriseManaged({
      clientId: 'enterprise-client', clientSecret: 'secret', issuer: own.issuer,
      identityProvider: { issuer: idp.issuer, clientId: 'app', clientSecret: 'secret' }, identityAssertion: idToken,
    }),
  });
  assert.equal((await whoami(client)).subject, 'carol');
  const { payload, protectedHeader } = await jwtVerify(grants[0], createRemoteJWKSet(new URL(`${idp.issuer}/jwks`)));
  assert.deepEqual([protectedHeader.typ, payload.aud, payload.resource], ['oauth-id-jag+jwt', own.issuer, resource.url]);
});

test('DPoP with the nonces of both servers', async (t) => {
  as.options.requireNonce = true;
  t.after(() => (as.options.requireNonce = false));
  const resource = await start(t, { dpop: { required: true, nonces: true } });
  const { grant, opened } = person();
  const { client } = await connect(t, resource.url, { grant });
  for (let i = 0; i < 3; i++) assert.equal((await whoami(client)).subject, 'alice');
  assert.equal(opened.length, 1);
  assert.deepEqual([...new Set(resource.refused)], ['use_dpop_nonce']);
  // Each request has a new proof.
  const proofs = resource.requests.map(({ dpop }) => dpop).filter(Boolean);
  assert.equal(new Set(proofs).size, proofs.length);
});

test('an expired token is refreshed, and the session goes on', async (t) => {
  const clock = { ms: 0 };
  const resource = await start(t, { now: () => Date.now() + clock.ms });
  const { grant, opened } = person();
  const { client } = await connect(t, resource.url, { grant }, { era: 'legacy' });
  const first = await whoami(client);
  as.options.tokenTtl = 3600;
  t.after(() => (as.options.tokenTtl = 300));
  clock.ms = 600_000;
  const all = await Promise.all(Array.from({ length: 10 }, () => whoami(client)));
  assert.ok(all.every(({ principal }) => principal === first.principal));
  assert.equal(opened.length, 1);
});

test('a refresh token that was revoked leads to a new login, once', async (t) => {
  const clock = { ms: 0 };
  const resource = await start(t, { now: () => Date.now() + clock.ms });
  const { grant, opened } = person();
  const store = memoryStore();
  const { client } = await connect(t, resource.url, { grant, store });
  await whoami(client);
  // The person withdraws the grant at the authorization server.
  await as.revokeAll();
  as.options.tokenTtl = 3600;
  t.after(() => (as.options.tokenTtl = 300));
  clock.ms = 600_000;
  assert.equal((await whoami(client)).subject, 'alice');
  assert.equal(opened.length, 2);
});

test('keys that are rotated in mid-session are noticed by neither', async (t) => {
  const resource = await start(t);
  const { grant, opened } = person();
  const { client } = await connect(t, resource.url, { grant });
  await whoami(client);
  await as.rotateKeys();
  assert.equal(textOf(await client.callTool('book_trip', { destination: 'Rome' })), 'Booked Rome for alice');
  assert.equal(opened.length, 2);
});

test('a person who does not agree is an error with a code, and nobody is asked again', async (t) => {
  const resource = await start(t);
  let asked = 0;
  const grant = authorizationCode({
    client: { name: 'barewire' }, redirectUri: 'http://127.0.0.1:33418/callback',
    async onAuthorize(url) {
      asked++;
      return (await visit(url, { stopAt: 'http://127.0.0.1:33418/', agree: false })).url;
    },
  });
  const client = new McpClient({ name: 'barewire', version: '1' });
  await assert.rejects(client.connect(httpTransport(resource.url, { auth: oauth({ grant }) })), { code: 'authorization_refused' });
  assert.equal(asked, 1);
});

test('without a person it fails at once, and says where to log in', async (t) => {
  const resource = await start(t);
  const { grant } = person({ interactive: false });
  const client = new McpClient({ name: 'barewire', version: '1' });
  await assert.rejects(client.connect(httpTransport(resource.url, { auth: oauth({ grant }) })), (error) => {
    assert.equal(error.code, 'authorization_required');
    assert.ok(error.url.startsWith(`${as.issuer}/auth?`));
    return true;
  });
});
