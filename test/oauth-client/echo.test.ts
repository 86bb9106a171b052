import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import test from 'node:test';
import { inspect } from 'node:util';
import {
  authorizationCode, clientCredentials, enterpriseManaged, jwtBearer, memoryStore, oauth, OAuthError, TokenRefused,
} from '../../src/oauth/index.ts';
import type { Grant, OAuthOptions } from '../../src/oauth/index.ts';
import { fetchJson } from '../../src/oauth/fetch-json.ts';
import { postJson } from '../../src/oauth/post-json.ts';
import { secretsOf, withoutSecrets } from '../../src/oauth/request-secrets.ts';
import { introspection } from '../../src/oauth/resource/introspection.ts';
import type { IntrospectionOptions } from '../../src/oauth/resource/introspection.ts';
import { everyNth } from '../every-nth.ts';
import { authorizationServer, pair } from './authorization-server.ts';
import type { Answer, AuthorizationServer } from './authorization-server.ts';
import { call, follow, redirectUri } from './login.ts';

const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'in a URL': encodeURIComponent,
  'in a form': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'in JSON': (text) => JSON.stringify(text),
  'its first half': (text) => text.slice(0, Math.ceil(text.length / 2)),
  'its last half': (text) => text.slice(Math.floor(text.length / 2)),
};

/** The credentials in a request, found without the code under test. */
function credentialsIn(authorization: string | undefined, dpop: unknown, body: string): string[] {
  const names = [
    'code', 'code_verifier', 'refresh_token', 'assertion', 'subject_token', 'client_secret', 'client_assertion', 'token', 'software_statement',
  ];
  const parameters: Iterable<[string, unknown]> = body.startsWith('{') ? Object.entries(JSON.parse(body) as object) : new URLSearchParams(body);
  const found = [...parameters].filter(([name]) => names.includes(name)).map(([, value]) => String(value));
  const [scheme, value = ''] = (authorization ?? '').split(' ');
  if (scheme === 'Basic') found.push(Buffer.from(value, 'base64').toString().split(':')[1] ?? '');
  if (value !== '') found.push(authorization ?? '', value);
  if (typeof dpop === 'string') found.push(dpop);
  return found.filter((one) => one.length > 1);
}

/** Answers with the credentials of the request, in every text that an answer can have. */
function echo(encode: (text: string) => string, seen: Set<string>, status = 400): Answer {
  return (request, response, body) => {
    const credentials = credentialsIn(request.headers.authorization, request.headers['dpop'], body);
    for (const one of credentials) seen.add(one);
    const text = credentials.map(encode).join(' and ');
    const first = encode(credentials[0] ?? '');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({
      error: first, error_description: `not good: ${text}`, error_uri: text, active: text, iss: first,
      access_token: 'x', token_type: text, issued_token_type: text,
    }));
  };
}

/** Checks that the error contains no credential of a request, nor a longer part of one, in any spelling. */
function assertClean(error: unknown, seen: ReadonlySet<string>, what: string): void {
  assert.ok(error instanceof OAuthError, `${what}: ${String(error)}`);
  const told = `${inspect(error, { depth: 10, showHidden: true })} ${JSON.stringify(error)} ${error.message} ${error.stack}`;
  assert.ok(seen.size > 0, `${what}: nothing was sent`);
  for (const credential of seen) {
    for (const [name, encode] of Object.entries(encodings)) {
      const spelled = encode(credential);
      if (spelled.length >= 6) assert.ok(!told.includes(spelled), `${what}: ${name} ${spelled} stands in ${told}`);
    }
  }
}

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const signingKey = { key, algorithm: 'ES256' as const };
const secret = 'Sécret+with/odd =chars&more%20';

const grants: Readonly<Record<string, () => Grant>> = {
  'client credentials, Basic': () => clientCredentials({ clientId: 'job', clientSecret: secret, authenticationMethod: 'client_secret_basic' }),
  'client credentials, POST': () => clientCredentials({ clientId: 'job', clientSecret: secret, authenticationMethod: 'client_secret_post' }),
  'client credentials, a signed assertion': () => clientCredentials({ clientId: 'job', signingKey }),
  'a workload': () => jwtBearer({ clientId: 'job', assertion: 'workload.token.of-the-platform' }),
  'a person': () => authorizationCode({ client: { registered: { clientId: 'app', clientSecret: secret } }, redirectUri, onAuthorize: follow }),
};

for (const [encoding, encode] of Object.entries(encodings).filter((_, at) => at % everyNth(4) === 0)) {
  test(`oauth: what a token endpoint writes back stands in no error: ${encoding}`, async (t) => {
    for (const [name, grant] of Object.entries(grants)) {
      for (const status of [400, 200]) {
        for (const dpop of [false, true]) {
          const { as, rs } = await pair(t);
          const seen = new Set<string>();
          as.answers.set('/token', echo(encode, seen, status));
          const error = await call(oauth({ grant: grant(), dpop }), rs.url).catch((thrown: unknown) => thrown);
          assertClean(error, seen, `${name}, HTTP ${status}`);
          if (error instanceof TokenRefused) assertClean(new OAuthError('error', error.error ?? ''), seen, `${name}: the code`);
        }
      }
    }
  });

  test(`oauth: what a refresh, a registration, an exchange and a response write back stands in no error: ${encoding}`, async (t) => {
    // A refresh ahead of time, which fails while a request runs.
    const { as, rs } = await pair(t);
    const seen = new Set<string>();
    const told: Error[] = [];
    const store = memoryStore();
    const options: OAuthOptions = {
      grant: authorizationCode({ client: { name: 'test' }, redirectUri, onAuthorize: follow }), store, onError: (error) => told.push(error),
    };
    await call(oauth(options), rs.url);
    const key = `tokens test ${rs.url} ${as.origin} ${rs.url}`;
    const text = await store.get(key) ?? '';
    await store.update(key, text, JSON.stringify({ ...JSON.parse(text) as object, expires_at: Date.now() - 1 }));
    as.answers.set('/token', echo(encode, seen));
    await call(oauth(options), rs.url);
    assertClean(told[0], seen, 'a refresh');

    const registering = await pair(t);
    const statements = new Set<string>();
    registering.as.answers.set('/register', echo(encode, statements));
    const registered = oauth({
      grant: authorizationCode({ client: { name: 'test', metadata: { software_statement: 'signed.statement.of-the-vendor' } }, redirectUri, onAuthorize: follow }),
    });
    assertClean(await call(registered, registering.rs.url).catch((thrown: unknown) => thrown), statements, 'a registration');

    const idp: AuthorizationServer = await authorizationServer(t);
    const exchanged = new Set<string>();
    for (const status of [400, 200]) {
      idp.answers.set('/token', echo(encode, exchanged, status));
      const managed = enterpriseManaged({
        clientId: 'app', clientSecret: secret, identityAssertion: 'id.token.of-alice',
        identityProvider: { issuer: idp.origin, clientId: 'app-at-idp', clientSecret: `${secret}2` },
      });
      assertClean(await call(oauth({ grant: managed }), rs.url).catch((thrown: unknown) => thrown), exchanged, 'an exchange');
    }

    const answered = await pair(t);
    const states = new Set<string>();
    answered.as.redirect = (to) => {
      states.add(to.searchParams.get('code') ?? '').add(to.searchParams.get('state') ?? '');
      to.searchParams.set('error', encode(to.searchParams.get('state') ?? ''));
      to.searchParams.set('error_description', encode(to.searchParams.get('code') ?? ''));
    };
    const person = oauth({ grant: authorizationCode({ client: { name: 'test' }, redirectUri, onAuthorize: follow }) });
    assertClean(await call(person, answered.rs.url).catch((thrown: unknown) => thrown), states, 'an authorization response');
  });

  test(`oauth: what an MCP server writes back of a token stands in no error and no URL: ${encoding}`, async (t) => {
    for (const challenge of [
      (token: string) => `Bearer error="${token}"`,
      (token: string) => `Bearer error="insufficient_scope", scope="${token}"`,
      (token: string) => `Bearer error="${token}", resource_metadata="https://127.0.0.1:1/${encodeURIComponent(token)}?${token}"`,
    ]) {
      const { rs } = await pair(t);
      const seen = new Set<string>();
      const asked: string[] = [];
      const auth = oauth({
        grant: authorizationCode({ client: { name: 'test' }, redirectUri, onAuthorize: follow }), store: memoryStore(),
        fetch: (url, init) => {
          asked.push(String(url));
          return fetch(url, init);
        },
      });
      await call(auth, rs.url);
      rs.answers.set('/mcp', ({ headers }, response) => {
        const token = (headers.authorization ?? '').split(' ')[1] ?? '';
        if (token !== '') seen.add(token);
        const status = challenge('').includes('insufficient_scope') ? 403 : 401;
        response.writeHead(status, { 'www-authenticate': challenge(encode(token).replaceAll('"', '')) }).end();
      });
      assertClean(await call(auth, rs.url).catch((thrown: unknown) => thrown), seen, challenge('TOKEN'));
      for (const token of seen) assert.ok(!asked.some((url) => url.includes(encode(token))), 'a token stands in a URL');
    }
  });

  test(`introspection: what the authorization server writes back stands in no error: ${encoding}`, async (t) => {
    const as = await authorizationServer(t);
    const token = 'opaque-token-of-alice-0123456789';
    const kinds: readonly IntrospectionOptions[] = [
      { clientId: 'rs', clientSecret: secret }, { clientId: 'rs', clientSecret: secret, authMethod: 'client_secret_post' },
      { headers: () => ({ authorization: 'Bearer own-token-of-the-server' }) }, { headers: () => ({ 'x-api-key': 'key-of-the-resource-server' }) },
    ];
    for (const options of kinds) {
      const seen = new Set(['key-of-the-resource-server']);
      for (const status of [200, 400]) {
        as.answers.set('/introspect', echo(encode, seen, status));
        const verify = introspection({ issuer: as.origin, endpoint: `${as.origin}/introspect?api_key=${token}`, ...options });
        const error = await Promise.resolve(verify(token, { issuers: [as.origin], now: Date.now })).catch((thrown: unknown) => thrown);
        assertClean(error, seen, JSON.stringify(options));
      }
    }
  });
}

test('oauth: a header field that fetch refuses, or a URL with credentials, stands in no error', async () => {
  const seen = new Set(['own-token\nof-the-server']);
  const bad = { headers: { authorization: 'Bearer own-token\nof-the-server' } };
  assertClean(await postJson('http://127.0.0.1:1/x', 'a document', bad).catch((thrown: unknown) => thrown), seen, 'a header field');
  for (const url of ['http://127.0.0.1:1/x?key=secret-key-one', 'http://user:secret-key-one@127.0.0.1:1/x', 'nonsense?secret-key-one', 'x:secret-key-one@y']) {
    assertClean(await fetchJson(url, 'a document').catch((thrown: unknown) => thrown), new Set(['secret-key-one']), url);
  }
});

test('oauth: what no request carried is told as it came', () => {
  const text = 'AADSTS50011: The redirect URI http://localhost:1/cb does not match client 1b730954-1685-4b74-9bfd-dac224a7b894';
  const carried = { headers: { authorization: 'Basic am9iOmh1bnRlcjI=' }, body: 'grant_type=refresh_token&refresh_token=abcdefgh-0123&client_id=job' };
  assert.equal(withoutSecrets(text, secretsOf(carried)), text);
  assert.equal(withoutSecrets('invalid_grant', secretsOf(carried)), 'invalid_grant');
  assert.equal(withoutSecrets('hunter2 is wrong, and abcdefgh… too', secretsOf(carried)), '[redacted] is wrong, and [redacted]… too');
});
