import assert from 'node:assert/strict';
import { test } from 'node:test';
import { introspection, jwtVerifier } from '../../src/oauth/resource/index.ts';
import type { JwtVerifierOptions } from '../../src/oauth/resource/index.ts';
import { seconds, signed, signingKey } from './issuer.ts';
import type { SigningKey } from './issuer.ts';

const issuer = 'https://as.example';
const context = { issuers: [issuer], now: Date.now };

const token = (key: SigningKey, claims: object = {}, header: object = {}): string =>
  signed({ alg: 'ES256', typ: 'at+jwt', ...header }, { iss: issuer, sub: 'ann', exp: seconds() + 60, ...claims }, key.privateKey);

/** The verdict on a token if the issuer has these keys: `accepted`, or the code of the error. */
async function verdict(keys: readonly SigningKey[], text: string, options: JwtVerifierOptions = {}): Promise<unknown> {
  const verify = jwtVerifier({ jwks: { [issuer]: { keys: keys.map(({ jwk }) => jwk) } }, ...options });
  return Promise.resolve(verify(text, context)).then(() => 'accepted', (thrown: { code?: unknown }) => thrown.code);
}

test('jwtVerifier: without a key id the first eight keys are tried, with one all that have it, up to eight', async () => {
  const keys = Array.from({ length: 9 }, () => signingKey());
  const [, second, , , , , , eighth, ninth] = keys as [SigningKey, SigningKey, SigningKey, SigningKey, SigningKey, SigningKey, SigningKey, SigningKey, SigningKey];
  assert.equal(await verdict(keys, token(second)), 'accepted');
  assert.equal(await verdict(keys, token(eighth)), 'accepted');
  assert.equal(await verdict(keys, token(ninth)), 'token_signature');
  assert.equal(await verdict(keys, token(ninth, {}, { kid: ninth.kid })), 'accepted');
  const twins = [signingKey('same'), signingKey('same')];
  for (const twin of twins) assert.equal(await verdict(twins, token(twin, {}, { kid: 'same' })), 'accepted');
  assert.equal(await verdict(keys, token(second, {}, { kid: ninth.kid })), 'token_signature');
  assert.equal(await verdict(keys, token(second, {}, { kid: 'other' })), 'token_key');
  assert.equal(await verdict([], token(second)), 'token_key');
});

test('jwtVerifier: types, ID tokens, issuers, expiry, algorithms', async () => {
  const key = signingKey();
  const of = (claims: object, header: object = {}, options: JwtVerifierOptions = {}): Promise<unknown> => verdict([key], token(key, claims, header), options);
  for (const [typ, found] of [['at+jwt', 'accepted'], ['AT+JWT', 'accepted'], ['application/at+jwt', 'accepted'], ['JWT', 'accepted'], [undefined, 'accepted'], ['dpop+jwt', 'token_type'], [5, 'token_type'], ['x/at+jwt', 'token_type']] as const) {
    assert.equal(await of({}, { typ }), found, String(typ));
  }
  assert.equal(await of({}, { typ: 'jwt' }, { types: ['at+jwt'] }), 'token_type');
  assert.equal(await of({}, { typ: undefined }, { types: ['at+jwt'] }), 'token_type');
  for (const [claims, found] of [
    [{ at_hash: 'x' }, 'token_type'], [{ c_hash: 'x' }, 'token_type'], [{ token_use: 'id' }, 'token_type'], [{ token_use: 'access' }, 'accepted'], [{ typ: 'ID' }, 'token_type'], [{ typ: 'Bearer' }, 'accepted'],
    [{ iss: 'https://other.example' }, 'token_issuer'], [{ iss: 5 }, 'token_issuer'], [{ iss: undefined }, 'token_issuer'], [{ exp: undefined }, 'token_expiry_missing'],
  ] as const) assert.equal(await of(claims), found, JSON.stringify(claims));
  assert.equal(await of({}, {}, { algorithms: ['RS256'] }), 'jwt_algorithm');
  assert.throws(() => jwtVerifier({ algorithms: ['HS256'] }), /"HS256" is not one of/);
  assert.throws(() => jwtVerifier({ algorithm: ['ES256'] } as object), { code: 'unknown_option' });
});

const answering = (documents: Readonly<Record<string, unknown>>): typeof globalThis.fetch => async (url) => {
  const body = documents[new URL(String(url)).pathname];
  return new Response(JSON.stringify(body ?? {}), { status: body === undefined ? 404 : 200, headers: { 'content-type': 'application/json' } });
};

test('where keys and introspection are: by the issuer\'s metadata, or it is said why not', async () => {
  const key = signingKey();
  const metadata = '/.well-known/oauth-authorization-server';
  const keys = { keys: [key.jwk] };
  const jwt = (documents: Readonly<Record<string, unknown>>, options: JwtVerifierOptions = {}): Promise<unknown> => Promise.resolve(jwtVerifier({ fetch: answering(documents), ...options })(token(key), context));
  assert.ok(await jwt({ [metadata]: { issuer, jwks_uri: `${issuer}/k` }, '/k': keys }));
  assert.ok(await jwt({ '/elsewhere': keys }, { jwks: { [issuer]: `${issuer}/elsewhere` } }));
  await assert.rejects(jwt({ [metadata]: { issuer } }), { code: 'jwks_unavailable', message: /has no jwks_uri/ });
  await assert.rejects(jwt({ [metadata]: { issuer, jwks_uri: 'http://as.example/k' }, '/k': keys }), { code: 'insecure_url', message: /is not https/ });
  await assert.rejects(jwt({}), { code: 'jwks_unavailable', message: /was not found/ });
  const asked = (documents: Readonly<Record<string, unknown>>, more: object = {}): Promise<unknown> =>
    Promise.resolve(introspection({ clientId: 'rs', clientSecret: 's', fetch: answering(documents), ...more })('opaque', context)).then((claims) => claims ?? 'inactive');
  const found = { [metadata]: { issuer, introspection_endpoint: `${issuer}/i` } };
  assert.ok(await asked({ ...found, '/i': { active: true, sub: 'ann' } }));
  await assert.rejects(asked({ ...found, '/i': { active: 'yes' } }), { code: 'introspection_malformed' });
  await assert.rejects(asked({ ...found, '/i': [] }), { code: 'introspection_malformed' });
  await assert.rejects(asked(found), { code: 'introspection_failed' });
  await assert.rejects(asked({ [metadata]: { issuer, introspection_endpoint: 'http://as.example/i' }, '/i': { active: true, sub: 'ann' } }), { code: 'insecure_url' });
  await assert.rejects(asked({ ...found, '/i': { active: true, iss: 'https://other.example' } }), { code: 'token_issuer' });
  assert.ok(await asked({ ...found, '/i': { active: true, iss: null, sub: 'ann' } }));
  await assert.rejects(asked({ [metadata]: { issuer } }), { code: 'introspection_unavailable', message: /has no introspection_endpoint/ });
  await assert.rejects(asked({}), { code: 'introspection_unavailable', message: /was not found/ });
});

// 2026-07-28 basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery.
test('the metadata of an issuer, with a path and without one, is looked for at the addresses where clients look, in their order', async () => {
  for (const [name, paths] of [
    ['https://as.example', ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']],
    ['https://as.example/tenant', [
      '/.well-known/oauth-authorization-server/tenant', '/.well-known/openid-configuration/tenant', '/tenant/.well-known/openid-configuration',
    ]],
  ] as const) {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (url) => {
      asked.push(new URL(String(url)).pathname);
      return new Response('', { status: 404 });
    };
    const own = { ...context, issuers: [name] };
    await assert.rejects(Promise.resolve(jwtVerifier({ fetch })(token(signingKey(), { iss: name }), own)), { code: 'jwks_unavailable' });
    assert.deepEqual(asked, paths);
  }
});
