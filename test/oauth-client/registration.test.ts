import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { authenticate } from '../../src/oauth/client/client-authentication.ts';
import type { ClientInformation } from '../../src/oauth/client/client-authentication.ts';
import { indexedDbStore } from '../../src/oauth/client/indexed-db-store.ts';
import { clientFor, registeredClient, registeredRedirectUri, registrationKey } from '../../src/oauth/client/registration.ts';
import type { Registration } from '../../src/oauth/client/registration.ts';
import { coversScope, scopesOf, unionOfScopes } from '../../src/oauth/client/scope.ts';
import { memoryStore, parseStored, swap } from '../../src/oauth/client/store.ts';
import { storedLogins } from '../../src/oauth/node/logins.ts';
import type { AuthorizationServerMetadata } from '../../src/oauth/authorization-server-metadata.ts';

const issuer = 'https://as.example';
const server = (more: object = {}): AuthorizationServerMetadata => ({ issuer, authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/t`, registration_endpoint: `${issuer}/r`, ...more });

interface Asked {
  readonly url: string;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;
}

/** A registration whose endpoint returns these answers, one for each request. */
function registration(answers: readonly [status: number, body: unknown][], more: Partial<Registration> = {}): Registration & { readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const left = [...answers];
  const fetch: typeof globalThis.fetch = async (url, init = {}) => {
    asked.push({ url: String(url), body: JSON.parse(String(init.body)) as Record<string, unknown>, headers: { ...init.headers as Record<string, string> } });
    const [status, body] = left.shift() ?? assert.fail('asked once too often');
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  };
  return { client: {}, server: server(), redirectUri: 'http://127.0.0.1:5/cb', dpop: false, store: memoryStore(), key: 'k', options: { fetch }, asked, ...more };
}

test('registration: which way is taken, first what was registered, then a document, then dynamically', async () => {
  const both = { client_id_metadata_document_supported: true };
  const document = 'https://app.example/client.json';
  assert.deepEqual(await clientFor(registration([], { client: { registered: { clientId: 'c', issuer }, metadataDocument: document }, server: server(both) })),
    { client_id: 'c', client_secret: undefined, signingKey: undefined, token_endpoint_auth_method: undefined });
  assert.deepEqual(await clientFor(registration([], { client: { metadataDocument: document }, server: server(both) })), { client_id: document, token_endpoint_auth_method: 'none' });
  assert.deepEqual(await clientFor(registration([[201, { client_id: 'd' }]], { client: { metadataDocument: document } })), { client_id: 'd', token_endpoint_auth_method: 'none' }, 'the server takes no documents');
  for (const [url, fits] of [['https://app.example/', false], ['https://app.example', false], ['http://app.example/c', false], ['https://app.example/c#x', false], ['no url', false], ['https://app.example/c', true]] as const) {
    const found = clientFor(registration([], { client: { metadataDocument: url }, server: server(both) }));
    if (fits) await found;
    else await assert.rejects(found, { code: 'no_registration', message: /expected an https URL with a path/ }, url);
  }
  const none = (more: object): Promise<unknown> => {
    const { registration_endpoint: _, ...rest } = server(more);
    return clientFor(registration([], { server: rest }));
  };
  await assert.rejects(none({}), { code: 'no_registration', message: /register there by hand/ });
  await assert.rejects(none(both), { code: 'no_registration', message: /host one, and give its URL/ });
  assert.throws(() => registeredClient({ clientId: 'c', issuer: 'https://other.example' }, issuer), { code: 'issuer_changed' });
});

test('registration: what is asked for, by the redirect and by what the server offers', async () => {
  const body = async (more: Partial<Registration>): Promise<Record<string, unknown>> => {
    const made = registration([[201, { client_id: 'd' }]], more);
    await clientFor(made);
    assert.deepEqual([made.asked[0]?.url, made.asked[0]?.headers['content-type']], [`${issuer}/r`, 'application/json']);
    return made.asked[0]?.body ?? {};
  };
  assert.deepEqual(await body({}), {
    client_name: 'MCP client', redirect_uris: ['http://127.0.0.1:5/cb'], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'client_secret_basic', application_type: 'native',
  });
  for (const [redirectUri, type] of [['https://app.example/cb', 'web'], ['http://app.example/cb', 'web'], ['http://localhost:1/cb', 'native'], ['http://[::1]/cb', 'native'], ['my.app:/cb', 'native']] as const) {
    const sent = await body({ redirectUri });
    assert.deepEqual([sent['application_type'], sent['redirect_uris']], [type, [redirectUri]], redirectUri);
  }
  assert.deepEqual((await body({ server: server({ grant_types_supported: ['authorization_code'] }) }))['grant_types'], ['authorization_code']);
  assert.deepEqual((await body({ server: server({ grant_types_supported: ['refresh_token'] }) }))['grant_types'], ['authorization_code', 'refresh_token']);
  for (const [offered, method] of [[['client_secret_post', 'none'], 'none'], [['client_secret_post'], 'client_secret_post'], [['client_secret_post', 'client_secret_basic'], 'client_secret_basic'], [['tls_client_auth'], 'none'], [[], 'none']] as const) {
    assert.equal((await body({ server: server({ token_endpoint_auth_methods_supported: offered }) }))['token_endpoint_auth_method'], method, offered.join());
  }
  const own = await body({ dpop: true, client: { name: 'Trips', metadata: { client_uri: 'https://trips.example', application_type: 'web' } } });
  assert.deepEqual([own['client_name'], own['dpop_bound_access_tokens'], own['client_uri'], own['application_type']], ['Trips', true, 'https://trips.example', 'web']);
});

test('registration: what came back, what is kept, and until when', async () => {
  const clock = manualClock();
  clock.tick(1_000_000_000_000);
  const seconds = Math.floor(clock.now() / 1000);
  const made = async (body: unknown, status = 201): Promise<ClientInformation> => clientFor({ ...registration([[status, body]]), ...{ options: { ...registration([[status, body]]).options, clock } } });
  assert.deepEqual(await made({ client_id: 'd', client_secret: 's', client_secret_expires_at: 0 }), { client_id: 'd', client_secret: 's', client_secret_expires_at: 0, token_endpoint_auth_method: 'client_secret_basic' });
  assert.deepEqual(await made({ client_id: 'd', client_secret: 's', token_endpoint_auth_method: 'client_secret_post' }, 200), { client_id: 'd', client_secret: 's', token_endpoint_auth_method: 'client_secret_post' });
  assert.deepEqual(await made({ client_id: 'd', client_secret_expires_at: seconds + 100 }), { client_id: 'd', client_secret_expires_at: seconds + 100, token_endpoint_auth_method: 'none' });
  for (const body of [{}, { client_id: 5 }, { client_id: '' }, [], 'text', { client_id: 'd', client_secret: 's', client_secret_expires_at: seconds - 1 }]) await assert.rejects(made(body), { code: 'registration_malformed' }, JSON.stringify(body));
  await assert.rejects(made({ error: 'invalid_redirect_uri', error_description: 'not that one' }, 400), { code: 'registration_refused', message: /answered HTTP 400, .*invalid_redirect_uri.*not that one.*asked for application_type native, redirect_uris .*127\.0\.0\.1/ });
  await assert.rejects(made('gone', 404), { code: 'registration_refused' });
  const kept = registration([[201, { client_id: 'first' }], [201, { client_id: 'second' }]]);
  assert.equal((await clientFor(kept)).client_id, 'first');
  assert.equal((await clientFor(kept)).client_id, 'first', 'it is made once');
  assert.equal(await registeredRedirectUri(kept.store, 'k'), 'http://127.0.0.1:5/cb');
  assert.equal((await clientFor({ ...kept, redirectUri: 'http://127.0.0.1:6/cb' })).client_id, 'second', 'for another redirect it is made anew');
  assert.equal(await registeredRedirectUri(kept.store, 'none'), undefined);
  const passing = registration([[201, { client_id: 'short', client_secret: 's', client_secret_expires_at: seconds + 10 }], [201, { client_id: 'next' }]]);
  const timed = { ...passing, options: { ...passing.options, clock } };
  assert.equal((await clientFor(timed)).client_id, 'short');
  clock.tick(clock.now() + 9_000);
  assert.equal((await clientFor(timed)).client_id, 'short');
  clock.tick(clock.now() + 1_000);
  assert.equal((await clientFor(timed)).client_id, 'next', 'a secret whose time is over, by the clock that was handed in');
  assert.equal(registrationKey('c', issuer), `client c ${issuer}`);
});

test('the client\'s part of a token request, by each method', async () => {
  const of = async (client: Partial<ClientInformation>, offered?: string[]): Promise<unknown> => {
    const { headers, parameters } = await authenticate({ client_id: 'c :d', ...client }, server(offered && { token_endpoint_auth_methods_supported: offered }));
    return { ...headers, ...parameters };
  };
  const basic = { authorization: `Basic ${Buffer.from('c+%3Ad:s%2B').toString('base64')}` };
  assert.deepEqual(await of({}), { client_id: 'c :d' });
  assert.deepEqual(await of({}, []), { client_id: 'c :d' });
  assert.deepEqual(await of({ client_secret: 's+' }), basic);
  assert.deepEqual(await of({ client_secret: 's+' }, ['client_secret_post']), { client_id: 'c :d', client_secret: 's+' });
  assert.deepEqual(await of({ client_secret: 's+' }, ['client_secret_post', 'client_secret_basic']), basic);
  assert.deepEqual(await of({ client_secret: 's+', token_endpoint_auth_method: 'client_secret_post' }), { client_id: 'c :d', client_secret: 's+' });
  assert.deepEqual(await of({ client_secret: 's', token_endpoint_auth_method: 'none' }), { client_id: 'c :d' });
  await assert.rejects(of({ token_endpoint_auth_method: 'client_secret_basic' }), { code: 'unsupported', message: /its secret or key is missing/ });
  await assert.rejects(of({ client_secret: 's' }, ['private_key_jwt']), { code: 'unsupported', message: /is "?private_key_jwt"?, expected one of client_secret_basic, client_secret_post/ });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const clock = manualClock();
  for (const key of [privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), { ...privateKey.export({ format: 'jwk' }) }]) {
    const { parameters, headers } = await authenticate({ client_id: 'c', signingKey: { key: key as string, algorithm: 'ES256', kid: 'k1' } }, server({ token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'] }), clock);
    const [head, claims] = (parameters['client_assertion'] ?? '').split('.').map((part) => { try { return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>; } catch { return {}; } });
    const now = Math.floor(clock.now() / 1000);
    assert.deepEqual([headers, head, { ...claims, jti: typeof claims?.['jti'] }, parameters['client_assertion_type']],
      [{}, { alg: 'ES256', typ: 'JWT', kid: 'k1' }, { iss: 'c', sub: 'c', aud: issuer, jti: 'string', iat: now, exp: now + 60 }, 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer']);
  }
  const wrong = (key: string): Promise<unknown> => authenticate({ client_id: 'c', signingKey: { key, algorithm: 'ES256' }, token_endpoint_auth_method: 'private_key_jwt' }, server());
  await assert.rejects(wrong('no key'), { code: 'signing_key' });
  await assert.rejects(authenticate({ client_id: 'c', token_endpoint_auth_method: 'private_key_jwt', signingKey: { key: 'x', algorithm: 'HS256' as 'ES256' } }, server()), { code: 'unsupported' });
});

test('scopes, stores, stored texts', async () => {
  assert.deepEqual(scopesOf(' a  b a '), ['a', 'b']);
  assert.deepEqual(scopesOf(undefined), []);
  assert.equal(unionOfScopes('a b', undefined, 'b c'), 'a b c');
  assert.equal(unionOfScopes(undefined, ''), undefined);
  assert.deepEqual([coversScope('a b', 'b'), coversScope('a', 'a b'), coversScope(undefined, ''), coversScope('ab', 'a')], [true, false, true, false]);
  const store = memoryStore();
  assert.equal(await store.update('k', 'x', 'y'), false);
  assert.equal(await store.update('k', undefined, 'y'), true);
  assert.equal(await store.update('k', 'y', undefined), true);
  assert.equal(await store.get('k'), undefined);
  let tries = 0;
  await swap({ get: async () => String(tries), update: async () => ++tries === 3 }, 'k', (text) => `${text}!`);
  assert.equal(tries, 3, 'another process was faster, twice');
  await swap({ get: async () => 'same', update: async () => assert.fail('nothing changes') }, 'k', (text) => text);
  for (const [text, value] of [['{"a":1}', { a: 1 }], ['{', undefined], ['null', undefined], ['5', undefined], [undefined, undefined]] as const) assert.deepEqual(parseStored(text), value, text);
});

test('stored logins: what a file of tokens says without its credentials', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-logins-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'tokens.json');
  assert.deepEqual(await storedLogins(path), []);
  const at = 'https://mcp.example/mcp';
  const tokens = (name: string): string => `tokens ${name} ${at} ${issuer} ${at}`;
  const record = JSON.stringify({ issuer, resource: at });
  writeFileSync(path, JSON.stringify({
    [`server my app ${at}`]: record, [tokens('my app')]: JSON.stringify({ access_token: 'secret', refresh_token: 'secret', scope: 'a b', expires_at: 5 }),
    [`server bare ${at}`]: record, [tokens('bare')]: JSON.stringify({ access_token: 'secret', scope: 5, expires_at: 'x' }),
    [`server none ${at}`]: record, [`server odd ${at}`]: '{', [`server other ${at}`]: JSON.stringify({ issuer }), 'server x': record, unrelated: 5,
    [`server void ${at}`]: record, [tokens('void')]: JSON.stringify({ refresh_token: 'secret' }),
  }));
  const login = { server: at, issuer };
  assert.deepEqual(await storedLogins(path), [{ ...login, client: 'my app', scope: 'a b', expiresAt: 5, renewable: true }, { ...login, client: 'bare', scope: undefined, expiresAt: undefined, renewable: false }]);
  for (const text of ['[]', '5', '{']) {
    writeFileSync(path, text);
    assert.deepEqual(await storedLogins(path), [], text);
  }
});

/**
 * The part of IndexedDB that the store uses: requests and transactions settle in later turns. `broken` selects the operation that fails.
 */
function fakeDatabase(broken: { open?: boolean; abort?: boolean } = {}): { indexedDB: object; opened: () => number } {
  const stores = new Map<string, Map<string, unknown>>();
  let opened = 0;
  interface Request { result?: unknown; error?: unknown; onsuccess?: () => void; onerror?: () => void; onupgradeneeded?: () => void }
  const later = (run: () => void): void => void setImmediate(run);
  const database = {
    createObjectStore: (name: string) => void stores.set(name, new Map()),
    transaction(name: string, mode: string) {
      const objects = stores.get(name) ?? assert.fail(`no store ${name}`);
      const written = new Map(objects);
      const transaction: { error: unknown; oncomplete?: () => void; onabort?: () => void; objectStore: (of: string) => unknown } = {
        error: undefined,
        objectStore: (of) => {
          assert.equal(of, name);
          const write = (change: () => void): void => {
            assert.equal(mode, 'readwrite');
            change();
          };
          return {
            get(key: string): Request {
              const request: Request = { result: written.get(key) };
              later(() => request.onsuccess?.());
              return request;
            },
            put: (value: unknown, key: string) => write(() => void written.set(key, value)),
            delete: (key: string) => write(() => void written.delete(key)),
          };
        },
      };
      later(() => later(() => {
        if (broken.abort) {
          transaction.error = new Error('quota');
          return transaction.onabort?.();
        }
        for (const key of objects.keys()) if (!written.has(key)) objects.delete(key);
        for (const [key, value] of written) objects.set(key, value);
        return transaction.oncomplete?.();
      }));
      return transaction;
    },
  };
  const open = (name: string, version: number): Request => {
    opened++;
    assert.deepEqual([name, version], ['tokens of a test', 1]);
    const request: Request = { result: database, error: new Error('private window') };
    later(() => {
      if (broken.open) return request.onerror?.();
      if (stores.size === 0) request.onupgradeneeded?.();
      return request.onsuccess?.();
    });
    return request;
  };
  return { indexedDB: { open }, opened: () => opened };
}

test('indexedDbStore: texts by compare-and-swap, keys as they are, one database for all', async (t) => {
  t.after(() => Reflect.deleteProperty(globalThis, 'indexedDB'));
  const given = (fake: object): void => void Object.defineProperty(globalThis, 'indexedDB', { value: fake, configurable: true });
  await assert.rejects(indexedDbStore('tokens of a test').get('k'), /indexedDB/);
  const { indexedDB, opened } = fakeDatabase();
  given(indexedDB);
  const store = indexedDbStore('tokens of a test');
  assert.equal(await store.get('k'), undefined);
  assert.equal(await store.update('k', 'other', 'one'), false);
  assert.equal(await store.update('k', undefined, 'one'), true);
  assert.equal(await store.update('k', undefined, 'two'), false);
  assert.equal(await store.get('k'), 'one');
  assert.equal(await indexedDbStore('tokens of a test').get('k'), 'one', 'another tab sees it');
  assert.equal(await store.update('k', 'one', undefined), true);
  assert.equal(await store.get('k'), undefined);
  const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
  await store.keys?.put('id', { privateKey, jwk: { kty: 'EC' } });
  assert.deepEqual(await store.keys?.get('id'), { privateKey, jwk: { kty: 'EC' } });
  await store.keys?.delete('id');
  assert.equal(await store.keys?.get('id'), undefined);
  assert.equal(opened(), 2);
  for (const broken of [{ open: true }, { abort: true }]) {
    given(fakeDatabase(broken).indexedDB);
    await assert.rejects(indexedDbStore('tokens of a test').update('k', undefined, 'x'), { code: 'store_unreadable', message: /tokens of a test cannot be read or written/ });
  }
});
