import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import test from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import {
  AuthorizationRequired, authorizationCode, clientCredentials, enterpriseManaged, jwtBearer, memoryStore, oauth, OAuthError,
} from '../../src/oauth/index.ts';
import type { Grant, RegisteredClient } from '../../src/oauth/index.ts';
import { authorizationServer, json, pair, protectedResource } from './authorization-server.ts';
import { call, follow, redirectUri, selfLogin } from './login.ts';

const code = (expected: string) => (error: unknown): boolean => error instanceof OAuthError && error.code === expected;
const partOf = (jwt: string, part: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split('.')[part] ?? '', 'base64url').toString()) as Record<string, unknown>;
const formOf = (body: URLSearchParams | undefined): Record<string, string> => Object.fromEntries(body ?? []);

test('oauth: a client discovers, registers, logs in, and sends its token with every request', async (t) => {
  const { as, rs } = await pair(t);
  rs.needs = 'trips:read';
  const auth = selfLogin();
  assert.deepEqual([await call(auth, rs.url), await call(auth, rs.url)], [200, 200]);
  assert.deepEqual(as.requests, [
    'GET /.well-known/oauth-authorization-server', 'POST /register', 'GET /authorize', 'POST /token',
  ]);
  assert.equal(as.registrations[0]?.['application_type'], 'native');
  assert.deepEqual(as.registrations[0]?.['grant_types'], ['authorization_code', 'refresh_token']);
  const login = formOf(as.logins[0]);
  assert.equal(login['resource'], rs.url);
  assert.equal(login['scope'], 'trips:read');
  assert.equal(login['code_challenge_method'], 'S256');
  assert.equal(formOf(as.forms[0])['resource'], rs.url);
  assert.equal(new Set(rs.accepted).size, 1);
  assert.deepEqual(as.registrations[0]?.['redirect_uris'], [redirectUri]);
  // Refused once; from then on each request has its token.
  assert.equal(rs.requests.filter((request) => request === 'POST /mcp').length, 3);
});

test('oauth: the scopes of the challenge are asked for, else those that the metadata lists', async (t) => {
  const { as, rs } = await pair(t);
  await call(selfLogin(), rs.url);
  rs.metadata = { scopes_supported: ['read', 'write', 'admin'] };
  await call(selfLogin(), rs.url);
  // Also a scope that the metadata does not list.
  for (const needs of ['read', 'audit']) {
    rs.needs = needs;
    await call(selfLogin(), rs.url);
  }
  // The scopes in the authorization server's metadata are not requested, except offline_access, and that not if the program turns it off.
  as.metadata = { scopes_supported: ['read', 'everything', 'offline_access'] };
  await call(selfLogin(), rs.url);
  await call(selfLogin({}, { offlineAccess: false }), rs.url);
  assert.deepEqual(as.logins.map((login) => login.get('scope')), [null, 'read write admin', 'read', 'audit', 'audit offline_access', 'audit']);
  // Each login has a new state and a new challenge.
  for (const name of ['state', 'code_challenge']) assert.equal(new Set(as.logins.map((login) => login.get(name))).size, as.logins.length, name);
});

test('oauth: a client ID that is given is used, and nothing is registered', async (t) => {
  const { as, rs } = await pair(t);
  let authorization: string | undefined;
  as.answers.set('/token', (request, response, body) => {
    authorization = request.headers.authorization;
    json({ error: 'invalid_client' }, 401)(request, response, body);
  });
  await assert.rejects(call(selfLogin({}, { client: { registered: { clientId: 'given', clientSecret: 'its secret' } } }), rs.url), code('token_refused'));
  assert.equal(as.logins[0]?.get('client_id'), 'given');
  assert.equal(authorization, `Basic ${Buffer.from('given:its+secret').toString('base64')}`);
  assert.deepEqual(as.registrations, []);
});

test('oauth: the resource parameter is the bytes of the metadata, what the program says, or nothing', async (t) => {
  const { as, rs } = await pair(t);
  // URL would add a slash, and some servers would treat that as another resource. A slash that the owner wrote stays.
  for (const resource of [rs.origin, `${rs.origin}/`]) {
    rs.metadata = { resource };
    await call(selfLogin(), rs.url);
  }
  await call(selfLogin({ resource: 'api://trips' }), rs.url);
  await call(selfLogin({ resource: false }), rs.url);
  const named = [rs.origin, `${rs.origin}/`, 'api://trips', null];
  assert.deepEqual(as.logins.map((login) => login.get('resource')), named);
  assert.deepEqual(as.forms.map((form) => form.get('resource')), named);
});

test('oauth: metadata is looked for at the path, then at the root, then as 2025-03-26 had it', async (t) => {
  const { rs } = await pair(t);
  rs.answers.set('/.well-known/oauth-protected-resource/mcp', (_, response) => response.writeHead(404).end());
  rs.answers.set('/mcp', ({ headers }, response) => response.writeHead(headers.authorization === undefined ? 401 : 200).end());
  const versions: unknown[] = [];
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    rs.answers.set(`/.well-known/${name}`, ({ headers }, response) => {
      versions.push(headers['mcp-protocol-version']);
      response.writeHead(404).end();
    });
  }
  rs.answers.set('/register', json({ client_id: 'legacy' }, 201));
  rs.answers.set('/authorize', (request, response) => {
    const query = new URL(request.url ?? '', rs.origin).searchParams;
    response.writeHead(302, { location: `${query.get('redirect_uri')}?code=c&state=${query.get('state')}` }).end();
  });
  rs.answers.set('/token', json({ access_token: 'legacy-token', token_type: 'bearer' }));
  assert.equal(await call(selfLogin(), rs.url), 200);
  assert.deepEqual(rs.requests, [
    'POST /mcp', 'GET /.well-known/oauth-protected-resource/mcp', 'GET /.well-known/oauth-protected-resource',
    'GET /.well-known/oauth-authorization-server', 'GET /.well-known/openid-configuration',
    'POST /register', 'GET /authorize', 'POST /token', 'POST /mcp',
  ]);
  // In a page, no header is sent that would need a CORS preflight. The server metadata of later revisions is requested without a version.
  Object.defineProperty(globalThis, 'location', { value: {}, configurable: true });
  t.after(() => Reflect.deleteProperty(globalThis, 'location'));
  assert.equal(await call(selfLogin(), rs.url), 200);
  assert.deepEqual(versions, ['2025-03-26', '2025-03-26', undefined, undefined]);
});

test('oauth: OpenID discovery with the path inserted, then appended', async (t) => {
  const { as, rs } = await pair(t);
  const issuer = `${as.origin}/tenant`;
  rs.metadata = { authorization_servers: [issuer] };
  as.answers.set('/tenant/.well-known/openid-configuration', (...args) => json({
    issuer, authorization_endpoint: `${as.origin}/authorize`, token_endpoint: `${as.origin}/token`,
    registration_endpoint: `${as.origin}/register`, code_challenge_methods_supported: ['S256'],
  })(...args));
  as.redirect = (to) => to.searchParams.set('iss', issuer);
  assert.equal(await call(selfLogin(), rs.url), 200);
  assert.deepEqual(as.requests.slice(0, 3), [
    'GET /.well-known/oauth-authorization-server/tenant', 'GET /.well-known/openid-configuration/tenant',
    'GET /tenant/.well-known/openid-configuration',
  ]);
});

test('oauth: a client ID metadata document where the server takes one; registration once an issuer', async (t) => {
  const { as, rs } = await pair(t);
  const client = { name: 'test', metadataDocument: 'https://app.example/client.json' };
  const store = memoryStore();
  await call(selfLogin({ store }, { client }), rs.url);
  as.valid.clear();
  as.refreshTokens.clear();
  await call(selfLogin({ store }, { client }), rs.url);
  assert.equal(as.registrations.length, 1);
  as.metadata = { client_id_metadata_document_supported: true };
  await call(selfLogin({}, { client }), rs.url);
  assert.deepEqual(as.logins.map((login) => login.get('client_id')), ['client-1', 'client-1', 'https://app.example/client.json']);
  assert.equal(as.forms.at(-1)?.get('client_id'), 'https://app.example/client.json');
});

test('oauth: a server without registration says what to do; one that refuses is quoted', async (t) => {
  const { as, rs } = await pair(t);
  as.metadata = { registration_endpoint: undefined };
  await assert.rejects(call(selfLogin(), rs.url), /register there by hand, and give the client ID as client\.registered/);
  as.metadata = { registration_endpoint: undefined, client_id_metadata_document_supported: true };
  await assert.rejects(call(selfLogin(), rs.url), /give its URL as client\.metadataDocument/);
  as.metadata = {};
  as.answers.set('/register', json({ error: 'invalid_redirect_uri', error_description: 'no loopback' }, 400));
  await assert.rejects(call(selfLogin(), rs.url), /HTTP 400, "invalid_redirect_uri": "no loopback" \(asked for application_type native/);
});

test('oauth: client credentials with a secret, and with private_key_jwt by ES256 and RS256', async (t) => {
  const { as, rs } = await pair(t);
  const secret = clientCredentials({ clientId: 'id:with colon', clientSecret: 's p' });
  as.answers.set('/token', (request, response, body) => {
    const [id, password] = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString().split(':');
    assert.deepEqual([id, password], ['id%3Awith+colon', 's+p']);
    as.answers.delete('/token');
    as.valid.set('by-secret', { scope: '', client: '', resource: null });
    json({ access_token: 'by-secret', token_type: 'Bearer' })(request, response, body);
  });
  assert.equal(await call(oauth({ grant: secret }), rs.url), 200);

  for (const algorithm of ['ES256', 'RS256'] as const) {
    const { privateKey, publicKey } = algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
    for (const key of [privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, privateKey.export({ format: 'jwk' })]) {
      const signingKey = { key: key as string | Record<string, unknown>, algorithm, kid: 'k1' };
      // A key is preferred to a secret.
      const grant = clientCredentials({ clientId: 'job', signingKey, ...algorithm === 'RS256' && { clientSecret: 'unused' } });
      assert.equal(await call(oauth({ grant, scope: 'a b' }), rs.url), 200);
      const form = formOf(as.forms.at(-1));
      assert.equal(form['grant_type'], 'client_credentials');
      assert.deepEqual([form['scope'], form['resource']], ['a b', rs.url]);
      assert.deepEqual([form['client_id'], form['client_secret']], [undefined, undefined]);
      assert.equal(form['client_assertion_type'], 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      const jwt = form['client_assertion'] ?? '';
      const [head, claims, signature] = jwt.split('.');
      const format = algorithm === 'ES256' ? { dsaEncoding: 'ieee-p1363' as const } : {};
      assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`), {
        key: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })), ...format,
      }, Buffer.from(signature ?? '', 'base64url')));
      assert.deepEqual(partOf(jwt, 0), { alg: algorithm, typ: 'JWT', kid: 'k1' });
      const { iss, sub, aud } = partOf(jwt, 1);
      assert.deepEqual({ iss, sub, aud }, { iss: 'job', sub: 'job', aud: as.origin });
    }
  }
  // If scopes are missing, the client requests more.
  const job = oauth({ grant: clientCredentials({ clientId: 'job', clientSecret: 'secret' }), scope: 'a' });
  assert.equal(await call(job, rs.url), 200);
  rs.needs = 'b';
  assert.equal(await call(job, rs.url), 200);
  assert.equal(as.forms.at(-1)?.get('scope'), 'a b');
});

test('oauth: a secret goes by Basic, or in the request content where the server takes only that', async (t) => {
  const { as, rs } = await pair(t);
  for (const [methods, inContent] of [[undefined, false], [['client_secret_post'], true], [['client_secret_post', 'client_secret_basic'], false]] as const) {
    as.metadata = { token_endpoint_auth_methods_supported: methods };
    assert.equal(await call(oauth({ grant: clientCredentials({ clientId: 'job', clientSecret: 'secret' }) }), rs.url), 200);
    const form = formOf(as.forms.at(-1));
    assert.deepEqual([form['client_id'], form['client_secret']], inContent ? ['job', 'secret'] : [undefined, undefined]);
  }
  // Or the method that the program sets.
  const registered = { clientId: 'job', clientSecret: 'secret', authenticationMethod: 'client_secret_post' };
  assert.equal(await call(oauth({ grant: clientCredentials(registered) }), rs.url), 200);
  assert.equal(as.forms.at(-1)?.get('client_secret'), 'secret');
});

test('oauth: a workload token is tried once, and another one when there is another', async (t) => {
  const { as, rs } = await pair(t);
  as.answers.set('/token', json({ error: 'invalid_grant' }, 400));
  let assertion = 'first.workload.token';
  const auth = oauth({ grant: jwtBearer({ clientId: 'job', assertion: () => assertion }) });
  for (let i = 0; i < 3; i++) await assert.rejects(call(auth, rs.url), code('token_refused'));
  assert.equal(as.requests.filter((request) => request === 'POST /token').length, 1);
  as.answers.delete('/token');
  assertion = 'second.workload.token';
  assert.equal(await call(auth, rs.url), 200);
  assert.equal(as.forms[0]?.get('assertion'), 'second.workload.token');
  assert.equal(as.forms[0]?.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  assert.equal(as.forms[0]?.get('resource'), rs.url);
  // The grant is not for a person: if scopes are missing, the program gets the error.
  rs.needs = 'more';
  await assert.rejects(call(auth, rs.url), { code: 'insufficient_scope', message: /this grant does not ask again/ });
  assert.equal(as.forms.length, 1);
});

test('oauth: an identity assertion is exchanged for an ID-JAG, and that for a token', async (t) => {
  const { as, rs } = await pair(t);
  const idp = await authorizationServer(t);
  const type = 'urn:ietf:params:oauth:token-type:id-jag';
  idp.token = { access_token: 'the.id.jag', token_type: 'N_A', issued_token_type: type };
  const grant = enterpriseManaged({
    clientId: 'app', clientSecret: 'app-secret',
    identityProvider: { issuer: idp.origin, clientId: 'app-at-idp', clientSecret: 'idp-secret' },
    identityAssertion: async () => 'id.token',
  });
  const auth = oauth({ grant, scope: 'chat' });
  assert.equal(await call(auth, rs.url), 200);
  const exchange = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', requested_token_type: type, audience: as.origin,
    resource: rs.url, scope: 'chat', subject_token: 'id.token', subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  };
  assert.deepEqual(formOf(idp.forms[0]), exchange);
  assert.deepEqual(formOf(as.forms[0]), {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'the.id.jag', scope: 'chat', resource: rs.url,
  });
  // The grant is for a person: if scopes are missing, the client requests more.
  rs.needs = 'files';
  assert.equal(await call(auth, rs.url), 200);
  assert.deepEqual([idp.forms[1]?.get('scope'), as.forms[1]?.get('scope')], ['chat files', 'chat files']);
  rs.needs = '';
  const saml = 'urn:ietf:params:oauth:token-type:saml2';
  const bySaml = enterpriseManaged({
    clientId: 'app', identityAssertion: 'PHNhbWw-', identityAssertionType: saml,
    identityProvider: { issuer: 'https://idp.example', tokenEndpoint: `${idp.origin}/token`, clientId: 'app-at-idp' },
  });
  assert.equal(await call(oauth({ grant: bySaml, scope: 'chat' }), rs.url), 200);
  assert.deepEqual(formOf(idp.forms[2]), { ...exchange, client_id: 'app-at-idp', subject_token: 'PHNhbWw-', subject_token_type: saml });
  // A token that is not an ID-JAG, or not declared as one, is never sent to the other server.
  const whole = idp.token;
  const before = as.forms.length;
  for (const wrong of [{ token_type: 'Bearer' }, { issued_token_type: undefined }, { issued_token_type: 'urn:ietf:params:oauth:token-type:jwt' }, { access_token: undefined }]) {
    idp.token = { ...whole, ...wrong };
    await assert.rejects(call(oauth({ grant }), rs.url), code('token_malformed'), JSON.stringify(wrong));
  }
  assert.equal(as.forms.length, before);
  // Nor is the identity assertion sent to an identity provider over plain HTTP.
  for (const at of [{ issuer: 'http://idp.example' }, { issuer: 'https://idp.example', tokenEndpoint: 'http://idp.example/token' }]) {
    const plain = enterpriseManaged({ clientId: 'app', identityAssertion: 'id.token', identityProvider: { ...at, clientId: 'app-at-idp' } });
    await assert.rejects(call(oauth({ grant: plain }), rs.url), code('insecure_url'));
  }
});

test('oauth: step-up asks for the union, once, and a request is not sent for ever', async (t) => {
  const { as, rs } = await pair(t);
  // Scopes in the metadata are neither added nor required.
  rs.metadata = { scopes_supported: ['listed'] };
  rs.needs = 'read';
  const auth = selfLogin();
  // The server grants more than requested: later requests keep the extra scope.
  as.token = { scope: 'read extra' };
  await call(auth, rs.url);
  as.token = {};
  rs.needs = 'write';
  assert.equal(await call(auth, rs.url), 200);
  assert.deepEqual(as.logins.map((login) => login.get('scope')), ['read', 'read extra write']);
  // The server grants less than requested: another request would change nothing.
  as.token = { scope: 'read' };
  rs.needs = 'admin';
  await assert.rejects(call(auth, rs.url), code('insufficient_scope'));
  assert.equal(as.logins.length, 3);
  await assert.rejects(call(auth, rs.url), code('insufficient_scope'));
  assert.equal(as.logins.length, 3);
  // Scopes that were requested but not granted are requested again, together with the new one.
  as.token = {};
  rs.needs = 'bill';
  assert.equal(await call(auth, rs.url), 200);
  assert.equal(as.logins[3]?.get('scope'), 'read extra write admin bill');
});

test('oauth: another authorization server: a new registration, and nothing of the old one', async (t) => {
  const first = await authorizationServer(t);
  const second = await authorizationServer(t);
  let current = first;
  const rs = await protectedResource(t, () => current);
  const store = memoryStore();
  const auth = selfLogin({ store });
  await call(auth, rs.url);
  current = second;
  assert.equal(await call(auth, rs.url), 200);
  assert.equal(second.registrations.length, 1);
  assert.equal(second.forms[0]?.get('grant_type'), 'authorization_code');
  assert.equal(await store.get(`tokens test ${rs.url} ${first.origin} ${rs.url}`), undefined);
  assert.equal(await store.get(`client test ${first.origin}`), undefined);
  assert.ok(await store.get(`tokens test ${rs.url} ${second.origin} ${rs.url}`));
});

test('oauth: one store, two authorization servers: a registration with each', async (t) => {
  const store = memoryStore();
  const registered: string[] = [];
  for (const as of [await authorizationServer(t), await authorizationServer(t)]) {
    const rs = await protectedResource(t, () => as);
    assert.equal(await call(selfLogin({ store }), rs.url), 200);
    assert.equal(as.registrations.length, 1);
    registered.push(`client test ${as.origin}`);
  }
  for (const key of registered) assert.ok(await store.get(key), key);
});

test('oauth: credentials of one authorization server are not sent to another', async (t) => {
  const first = await authorizationServer(t);
  const second = await authorizationServer(t);
  let current = first;
  const rs = await protectedResource(t, () => current);
  const idp = await authorizationServer(t);
  idp.token = { access_token: 'the.id.jag', token_type: 'N_A', issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag' };
  const identityProvider = { issuer: idp.origin, clientId: 'app-at-idp' };
  const grants: readonly ((registered: RegisteredClient) => Grant)[] = [
    clientCredentials,
    (registered) => jwtBearer({ ...registered, assertion: 'workload.token' }),
    (registered) => enterpriseManaged({ ...registered, identityProvider, identityAssertion: 'id.token' }),
    (registered) => authorizationCode({ client: { registered }, redirectUri, onAuthorize: follow }),
  ];
  for (const grant of grants) {
    // With the issuer set by the program, or recognized from the earlier use.
    for (const issuer of [first.origin, undefined]) {
      const made = grant({ clientId: 'job', clientSecret: 'secret', issuer });
      current = first;
      const auth = oauth({ grant: made });
      assert.equal(await call(auth, rs.url), 200);
      current = second;
      await assert.rejects(call(auth, rs.url), code('issuer_changed'));
      if (issuer !== undefined) await assert.rejects(call(oauth({ grant: made }), rs.url), code('issuer_changed'), 'from the beginning');
    }
  }
  assert.deepEqual([second.forms, second.logins], [[], []]);
});

test('oauth: without a person it fails at once, with the URL; whoever has the response finishes it', async (t) => {
  const { as, rs } = await pair(t);
  const store = memoryStore();
  const waiting = selfLogin({ store }, { interactive: false });
  const error = await call(waiting, rs.url).then(() => assert.fail(), (thrown: unknown) => thrown);
  assert.ok(error instanceof AuthorizationRequired && error.code === 'authorization_required');
  assert.ok(error.url.startsWith(`${as.origin}/authorize?`));
  const response = await follow(new URL(error.url));
  // Another process with the same store.
  const other = selfLogin({ store, server: rs.url }, { interactive: false });
  await other.finish(response);
  assert.equal(await call(other, rs.url), 200);
  assert.equal(await call(waiting, rs.url), 200);
  await assert.rejects(other.finish(response), code('state_mismatch'));
  assert.equal(as.logins.length, 1);
});

test('oauth: finish hands the response to the login that waits in the same process', async (t) => {
  const { rs } = await pair(t);
  const auth = selfLogin({}, { async onAuthorize(url) { auth.finish(await follow(url)).catch(assert.fail); } });
  assert.equal(await call(auth, rs.url), 200);
});

test('oauth: many requests at once, one login; they share its failure', async (t) => {
  const { as, rs } = await pair(t);
  const auth = selfLogin();
  const statuses = await Promise.all(Array.from({ length: 50 }, () => call(auth, rs.url)));
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal(as.logins.length, 1);
  as.valid.clear();
  as.refreshTokens.clear();
  as.redirect = (to) => {
    to.searchParams.delete('code');
    to.searchParams.set('error', 'access_denied');
  };
  const failures = await Promise.allSettled(Array.from({ length: 50 }, () => call(auth, rs.url)));
  assert.ok(failures.every((one) => one.status === 'rejected' && code('authorization_refused')(one.reason)));
  assert.equal(as.logins.length, 2);
});

test('oauth: two programs with one store share one login, and its failure', async (t) => {
  const { as, rs } = await pair(t);
  const store = memoryStore();
  const both = [selfLogin({ store }), selfLogin({ store })];
  assert.deepEqual(await Promise.all(both.map((auth) => call(auth, rs.url))), [200, 200]);
  assert.equal(as.logins.length, 1);
});

test('oauth: a login ahead of the first request, where the server wants one', async (t) => {
  const { as, rs } = await pair(t);
  rs.needs = 'read';
  const auth = selfLogin({ server: rs.url });
  await auth.authorize();
  await auth.authorize();
  assert.deepEqual(as.logins.map((login) => login.get('scope')), ['read']);
  assert.equal(await call(auth, rs.url), 200);
  // One request without a token, one with it.
  assert.equal(rs.requests.filter((request) => request === 'POST /mcp').length, 2);
  rs.answers.set('/mcp', (_, response) => response.end('{}'));
  await selfLogin({ server: rs.url }).authorize();
  assert.equal(as.logins.length, 1);
});

test('oauth: two programs without a person get a URL each', async (t) => {
  const { rs } = await pair(t);
  const store = memoryStore();
  const both = [selfLogin({ store }, { interactive: false }), selfLogin({ store }, { interactive: false })];
  const errors = await Promise.all(both.map((auth) => call(auth, rs.url).catch((error: unknown) => error)));
  assert.ok(errors.every((error) => error instanceof AuthorizationRequired && error.url.includes('/authorize?')));
});

test('oauth: over the HTTP transport a refusal reaches the call unchanged, in both eras', async (t) => {
  const { rs } = await pair(t);
  for (const revisions of [undefined, ['2025-11-25']] as const) {
    const grant = authorizationCode({ client: { name: 'test' }, redirectUri, onAuthorize: follow, interactive: false });
    const client = new McpClient({ name: 'test', version: '1' }, revisions ? { revisions } : {});
    await assert.rejects(client.connect(httpTransport(rs.url, { auth: oauth({ grant }) })), code('authorization_required'));
  }
});

test('oauth: a client whose redirect URI is on the web registers as web', async (t) => {
  const { as, rs } = await pair(t);
  const auth = oauth({
    grant: authorizationCode({
      client: { name: 'page' }, redirectUri: 'https://app.example/callback', onAuthorize: () => { throw new Error('seen'); },
    }),
  });
  await assert.rejects(call(auth, rs.url));
  assert.equal(as.registrations[0]?.['application_type'], 'web');
});

test('oauth: a redirect URI that a program gives is https, or on this machine', async (t) => {
  const given = (redirectUri: string): unknown => authorizationCode({ client: {}, redirectUri, onAuthorize: follow });
  for (const good of ['https://app.example/callback', 'http://127.0.0.1:9/callback', 'http://localhost/callback', 'http://[::1]:9/']) given(good);
  for (const bad of ['http://app.example/callback', 'http://127.0.0.1.app.example/', 'app.example:/callback', 'javascript:alert(1)']) {
    assert.throws(() => given(bad), { code: 'insecure_url', message: /^redirectUri: / }, bad);
  }
  // Also if the program's own receiver provides the redirect URI.
  const { as, rs } = await pair(t);
  const redirect = { listen: async () => ({ redirectUri: 'http://app.example/callback', next: () => new Promise<never>(() => {}), close: () => {} }) };
  await assert.rejects(call(oauth({ grant: authorizationCode({ client: {}, redirect, onAuthorize: follow }) }), rs.url), { code: 'insecure_url', message: /^redirectUri: / });
  assert.deepEqual([as.registrations, as.logins], [[], []]);
  // Nor is another redirect URI registered, in its place or in addition.
  for (const redirect_uris of [['http://app.example/callback'], [redirectUri, 'http://app.example/callback']]) {
    assert.throws(() => selfLogin({}, { client: { metadata: { redirect_uris } } }), { name: 'TypeError', message: /client\.metadata\.redirect_uris/ });
  }
});

test('oauth: the URL of a client\'s own document is https, with a path and no fragment', async (t) => {
  for (const bad of ['http://app.example/client.json', 'https://app.example', 'https://app.example/', 'https://app.example/client.json#me', 'client.json']) {
    const { as, rs } = await pair(t);
    as.metadata['client_id_metadata_document_supported'] = true;
    await assert.rejects(call(selfLogin({}, { client: { metadataDocument: bad } }), rs.url), {
      code: 'no_registration', message: `client.metadataDocument is "${bad}", expected an https URL with a path`,
    });
    assert.equal(as.logins.length, 0);
  }
});
