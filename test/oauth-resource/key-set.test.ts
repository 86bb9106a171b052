import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultKeySetLimits } from '../../src/oauth/resource/key-set.ts';
import { jwtVerifier } from '../../src/oauth/resource/jwt-verifier.ts';
import type { JwtVerifierOptions } from '../../src/oauth/resource/jwt-verifier.ts';
import { codeOf, present, resourceOf, seconds, signingKey, startIssuer } from './issuer.ts';
import type { Issuer } from './issuer.ts';

/** How often the key set was fetched. */
const fetched = ({ asked }: Issuer): number => asked.filter((line) => line === 'GET /jwks').length;

/** A resource whose clock the test sets: milliseconds after its start. */
function clocked(issuer: Issuer, options: JwtVerifierOptions = {}): { auth: ReturnType<typeof resourceOf>; clock: { ms: number } } {
  const clock = { ms: 0 };
  const start = Date.now();
  return { auth: resourceOf(issuer, { verify: jwtVerifier(options), now: () => start + clock.ms }), clock };
}

test('key set: one fetch for all who wait, and for all who come later', async (t) => {
  const issuer = await startIssuer(t);
  const { auth } = clocked(issuer);
  const found = await Promise.all(Array.from({ length: 20 }, () => present(auth, issuer.token())));
  assert.ok(found.every((one) => codeOf(one) === 'accepted'));
  await present(auth, issuer.token());
  assert.equal(fetched(issuer), 1);
});

test('key set: a key that is new is fetched, one that is gone is refused', async (t) => {
  const issuer = await startIssuer(t);
  const { auth, clock } = clocked(issuer);
  const old = issuer.token({ exp: seconds() + 86_400 });
  assert.equal(codeOf(await present(auth, old)), 'accepted');
  issuer.keys = [signingKey('two'), ...issuer.keys];
  assert.equal(codeOf(await present(auth, issuer.token({ exp: seconds() + 86_400 }))), 'accepted');
  assert.equal(fetched(issuer), 2);
  // Both are valid while both are published.
  assert.equal(codeOf(await present(auth, old)), 'accepted');
  issuer.keys.pop();
  clock.ms = defaultKeySetLimits.maxKeysAgeMs;
  assert.equal(codeOf(await present(auth, issuer.token({ exp: seconds() + 86_400 }))), 'accepted');
  assert.equal(codeOf(await present(auth, old)), 'token_key');
});

test('key set: key ids that somebody invents make three fetches, and one more each ten seconds', async (t) => {
  const issuer = await startIssuer(t);
  const { auth, clock } = clocked(issuer);
  await present(auth, issuer.token());
  const attack = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) assert.equal(codeOf(await present(auth, issuer.token({}, { kid: `invented-${i}` }))), 'token_key');
  };
  await attack();
  assert.equal(fetched(issuer), 1 + 3);
  clock.ms = 10_000;
  await attack();
  assert.equal(fetched(issuer), 1 + 3 + 1);
  clock.ms = 60_000;
  await attack();
  assert.equal(fetched(issuer), 1 + 3 + 1 + 3);
  // If a token has no key id, all keys are tried, and fetched again by the same rule.
  await present(auth, issuer.token({}, { kid: undefined }, signingKey()));
  assert.equal(fetched(issuer), 8);
});

test('key set: several keys of one id, keys without an id, keys that are none', async (t) => {
  const issuer = await startIssuer(t);
  const [key] = issuer.keys;
  assert.ok(key);
  const { kid, ...nameless } = key.jwk;
  const others = [{ kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'HS256' }, { kty: 'EC', kid: 'one' }, { kty: 'EC', crv: 'P-256', x: 1, y: [] }, 7, null, 'x', []];
  const sets: [string, unknown[], string][] = [
    ['the same id twice', [signingKey('one').jwk, key.jwk], 'accepted'],
    ['no id in the set', [nameless], 'token_key'],
    ['what is no key beside one', [...others, key.jwk], 'accepted'],
    ['nothing but what is no key', others, 'token_signature'],
    ['for encryption', [{ ...key.jwk, use: 'enc' }], 'token_signature'],
    ['for another algorithm', [{ ...key.jwk, alg: 'ES384' }], 'token_signature'],
    ['for signing alone', [{ ...key.jwk, key_ops: ['sign'] }], 'token_signature'],
    ['with its private part', [{ ...key.privateKey.export({ format: 'jwk' }), kid: 'one' }], 'token_signature'],
    ['empty', [], 'token_key'],
    ['a hundred strangers of one id', [...Array.from({ length: 99 }, () => ({ ...nameless, kid: 'one', x: nameless['y'] })), key.jwk], 'token_signature'],
  ];
  for (const [name, keys, code] of sets) {
    issuer.jwks = () => ({ body: JSON.stringify({ keys }) });
    const { auth } = clocked(issuer);
    assert.equal(codeOf(await present(auth, issuer.token())), code, name);
  }
  issuer.jwks = () => ({ body: JSON.stringify({ keys: [nameless] }) });
  assert.equal(codeOf(await present(clocked(issuer).auth, issuer.token({}, { kid: undefined }))), 'accepted');
  assert.equal(kid, 'one');
});

test('key set: documents that are none, or too large, are named', async (t) => {
  const issuer = await startIssuer(t);
  const bad: [ReturnType<Issuer['jwks']>, string][] = [
    [{ status: 500, body: '' }, 'jwks_unavailable'], [{ status: 404, body: '{"keys":[]}' }, 'jwks_unavailable'],
    [{ body: '<html>' }, 'jwks_invalid'], [{ body: '[]' }, 'jwks_invalid'], [{ body: '{"keys":{}}' }, 'jwks_invalid'],
    [{ body: '' }, 'jwks_invalid'], [{ body: `{"keys":${'['.repeat(100_000)}` }, 'jwks_invalid'],
    [{ body: JSON.stringify({ keys: Array.from({ length: 101 }, () => ({})) }) }, 'jwks_invalid'],
    [{ body: JSON.stringify({ keys: [{ x: 'x'.repeat(300_000) }] }) }, 'fetch_too_large'],
    [{ status: 302, headers: { location: '/jwks' }, body: '' }, 'fetch_redirect'],
    [{ status: 302, headers: { location: 'http://10.0.0.1/jwks' }, body: '' }, 'insecure_url'],
  ];
  for (const [answer, code] of bad) {
    issuer.jwks = () => answer;
    await assert.rejects(present(clocked(issuer).auth, issuer.token()), (error: { code?: string } & Error) =>
      error.code === code && error.message.includes(`the key set of ${issuer.issuer}`), code);
  }
});

test('key set: one that cannot be fetched again is used for an hour, then no more, and comes back', async (t) => {
  const issuer = await startIssuer(t);
  const { auth, clock } = clocked(issuer);
  const long = issuer.token({ exp: seconds() + 86_400 });
  assert.equal(codeOf(await present(auth, long)), 'accepted');
  const { jwks } = issuer;
  issuer.jwks = () => ({ status: 503, body: '' });
  clock.ms = 600_000;
  assert.equal(codeOf(await present(auth, long)), 'accepted');
  const tries = fetched(issuer);
  // The next fetch has its time: not each request makes one.
  assert.equal(codeOf(await present(auth, long)), 'accepted');
  assert.equal(fetched(issuer), tries);
  clock.ms = 600_000 + 3_600_000;
  await assert.rejects(present(auth, long), { code: 'jwks_unavailable' });
  await assert.rejects(present(auth, long), { code: 'jwks_unavailable' });
  assert.equal(fetched(issuer), tries + 1);
  issuer.jwks = jwks;
  clock.ms += 10_000;
  assert.equal(codeOf(await present(auth, long)), 'accepted');
});

test('key set: after the clock was set back, keys are fetched, kept and waited for no longer than before', async (t) => {
  const issuer = await startIssuer(t);
  const { auth, clock } = clocked(issuer);
  const day = 86_400_000;
  const long = issuer.token({ exp: seconds() + 3 * day });
  // A failed fetch at a time one day ahead.
  const { jwks } = issuer;
  issuer.jwks = () => ({ status: 503, body: '' });
  clock.ms = day;
  await assert.rejects(present(auth, long), { code: 'jwks_unavailable' });
  issuer.jwks = jwks;
  clock.ms = 0;
  await assert.rejects(present(auth, long), { code: 'jwks_unavailable' });
  clock.ms = defaultKeySetLimits.keysCooldownMs;
  assert.equal(codeOf(await present(auth, long)), 'accepted');
  // A fetch at a time one day ahead: a key that was withdrawn meanwhile is refused as soon as usual.
  clock.ms = day;
  assert.equal(codeOf(await present(auth, long)), 'accepted');
  clock.ms = 0;
  issuer.keys = [signingKey('two')];
  assert.equal(codeOf(await present(auth, long)), 'accepted');
  clock.ms = defaultKeySetLimits.maxKeysAgeMs;
  assert.equal(codeOf(await present(auth, long)), 'token_key');
  // A new key is fetched at once.
  clock.ms = day;
  assert.equal(codeOf(await present(auth, issuer.token({}, { kid: 'invented' }))), 'token_key');
  clock.ms = defaultKeySetLimits.maxKeysAgeMs;
  issuer.keys = [signingKey('three')];
  assert.equal(codeOf(await present(auth, issuer.token({ exp: seconds() + day }))), 'accepted');
});

test('key set: Cache-Control makes it shorter, never longer, and not a fetch a request', async (t) => {
  const cases: [string, number, number][] = [
    ['max-age=60', 59_000, 60_000], ['public, MAX-AGE=60', 59_000, 60_000], ['max-age=0', 29_000, 30_000],
    ['max-age=99999999', 599_000, 600_000], ['no-store', 599_000, 600_000], ['s-max-age=1', 599_000, 600_000],
  ];
  for (const [header, before, after] of cases) {
    const issuer = await startIssuer(t);
    const { jwks } = issuer;
    issuer.jwks = () => ({ ...jwks(), headers: { 'cache-control': header } });
    const { auth, clock } = clocked(issuer);
    const long = issuer.token({ exp: seconds() + 86_400 });
    await present(auth, long);
    clock.ms = before;
    await present(auth, long);
    assert.equal(fetched(issuer), 1, header);
    clock.ms = after;
    await present(auth, long);
    assert.equal(fetched(issuer), 2, header);
  }
});

test('key set: keys that are given need no server, and an address saves the discovery', async (t) => {
  const issuer = await startIssuer(t);
  const given = resourceOf(issuer, {
    verify: jwtVerifier({ jwks: { [issuer.issuer]: { keys: issuer.keys.map(({ jwk }) => jwk) } } }),
  });
  assert.equal(codeOf(await present(given, issuer.token())), 'accepted');
  assert.deepEqual(issuer.asked, []);
  const located = resourceOf(issuer, { verify: jwtVerifier({ jwks: { [issuer.issuer]: `${issuer.issuer}/jwks` } }) });
  assert.equal(codeOf(await present(located, issuer.token())), 'accepted');
  assert.deepEqual(issuer.asked, ['GET /jwks']);
});

test('key set: metadata of another issuer is not believed', async (t) => {
  const issuer = await startIssuer(t);
  // The same server by another name: its metadata has the real issuer.
  const alias = issuer.issuer.replace('127.0.0.1', 'localhost');
  const auth = resourceOf({ issuer: alias } as Issuer);
  await assert.rejects(present(auth, issuer.token({ iss: alias })), { code: 'issuer_mismatch' });
});

test('key set: two issuers, each with its keys', async (t) => {
  const [one, two] = [await startIssuer(t), await startIssuer(t)];
  const auth = resourceOf(one, { authorizationServers: [one.issuer, two.issuer] });
  const first = await present(auth, one.token());
  const second = await present(auth, two.token());
  assert.deepEqual([codeOf(first), codeOf(second)], ['accepted', 'accepted']);
  // The same name at two issuers means two people.
  assert.notEqual('principal' in first && first.principal, 'principal' in second && second.principal);
  assert.equal(codeOf(await present(auth, two.token({ iss: one.issuer }))), 'token_signature');
});

test('verified tokens: a token is checked once, until its issuer publishes other keys, and of few only', async (t) => {
  const issuer = await startIssuer(t);
  const { auth, clock } = clocked(issuer, { limits: { maxVerifiedTokens: 2 } });
  const long = issuer.token({ exp: seconds() + 86_400 });
  const short = issuer.token({ exp: seconds() + 60 });
  const { verify } = crypto.subtle;
  let checks = 0;
  t.mock.method(crypto.subtle, 'verify', (...args: Parameters<typeof verify>) => {
    checks++;
    return verify.apply(crypto.subtle, args);
  });
  for (let i = 0; i < 5; i++) assert.equal(codeOf(await present(auth, long)), 'accepted');
  assert.equal(checks, 1);
  // The claims are checked each time.
  assert.equal(codeOf(await present(auth, short)), 'accepted');
  clock.ms = 120_000;
  assert.equal(codeOf(await present(auth, short)), 'token_expired');
  assert.equal(checks, 2);
  // A token with one changed letter is another token.
  assert.equal(codeOf(await present(auth, `${long.slice(0, -2)}${long.endsWith('AA') ? 'BB' : 'AA'}`)), 'token_signature');
  assert.equal(checks, 3);
  await present(auth, issuer.token());
  await present(auth, long);
  assert.equal(checks, 5);
  // The key was withdrawn.
  issuer.keys = [signingKey('two')];
  clock.ms = 600_000;
  assert.equal(codeOf(await present(auth, long)), 'token_key');
});
