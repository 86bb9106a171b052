import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { jwtVerifier } from '../../src/oauth/resource/jwt-verifier.ts';
import type { BearerOptions } from '../../src/oauth/resource/options.ts';
import { codeOf, present, proofKey, request, resourceOf, seconds, signingKey, startIssuer } from './issuer.ts';
import type { Issuer } from './issuer.ts';

// Each limit at its edge: just inside passes, just outside does not.

/** A resource whose clock the test sets: milliseconds after its start. */
async function start(t: TestContext, options: (issuer: Issuer) => Partial<BearerOptions>) {
  const issuer = await startIssuer(t);
  const begun = Date.now();
  const clock = { ms: 0 };
  return { issuer, clock, auth: resourceOf(issuer, { ...options(issuer), now: () => begun + clock.ms }) };
}

test('limits: maxTokenLength', async (t) => {
  const issuer = await startIssuer(t);
  const token = issuer.token();
  const bounded = (maxTokenLength: number): Promise<unknown> => present(resourceOf(issuer, { limits: { maxTokenLength } }), token).then(codeOf);
  assert.equal(await bounded(token.length), 'accepted');
  assert.equal(await bounded(token.length - 1), 'token_too_long');
});

test('limits: maxProofLength', async (t) => {
  const issuer = await startIssuer(t);
  const key = proofKey();
  const token = issuer.token({ cnf: { jkt: key.jkt } });
  const bounded = async (over: number): Promise<unknown> => {
    const dpop = key.proof(token);
    return codeOf(await resourceOf(issuer, { limits: { maxProofLength: dpop.length - over } })
      .authenticate(request({ authorization: `DPoP ${token}`, dpop })));
  };
  assert.equal(await bounded(0), 'accepted');
  assert.equal(await bounded(1), 'dpop_malformed');
});

test('limits: leewayMs, of a token\'s end and of its beginning', async (t) => {
  const { auth, clock, issuer } = await start(t, () => ({ limits: { leewayMs: 5000 } }));
  const now = seconds();
  const token = issuer.token({ exp: now + 10, nbf: now - 10 });
  for (const [ms, code] of [[10_000, 'accepted'], [13_900, 'accepted'], [16_100, 'token_expired'], [-12_000, 'accepted'], [-16_100, 'token_not_yet']] as const) {
    clock.ms = ms;
    assert.equal(codeOf(await present(auth, token)), code, String(ms));
  }
});

test('limits: maxProofAgeMs', async (t) => {
  const { auth, clock, issuer } = await start(t, () => ({ limits: { maxProofAgeMs: 10_000, leewayMs: 0 } }));
  const key = proofKey();
  const token = issuer.token({ cnf: { jkt: key.jkt }, exp: seconds() + 3600 });
  const ask = async (iat: number): Promise<unknown> =>
    codeOf(await auth.authenticate(request({ authorization: `DPoP ${token}`, dpop: key.proof(token, { iat }) })));
  const now = seconds();
  clock.ms = 8000;
  assert.equal(await ask(now), 'accepted');
  clock.ms = 11_100;
  assert.equal(await ask(now), 'dpop_time');
});

test('limits: nonceLifetimeMs', async (t) => {
  const { auth, clock, issuer } = await start(t, () => ({ limits: { nonceLifetimeMs: 1000 }, dpop: { nonces: true } }));
  const key = proofKey();
  const token = issuer.token({ cnf: { jkt: key.jkt }, exp: seconds() + 3600 });
  const ask = (nonce?: string) => auth.authenticate(request({ authorization: `DPoP ${token}`, dpop: key.proof(token, { nonce }) }));
  const first = await ask();
  const nonce = 'headers' in first ? (first.headers as Record<string, string>)['dpop-nonce'] : undefined;
  clock.ms = 999;
  assert.equal(codeOf(await ask(nonce)), 'accepted');
  clock.ms = 1000;
  assert.equal(codeOf(await ask(nonce)), 'use_dpop_nonce');
});

test('limits: maxKeys', async (t) => {
  const issuer = await startIssuer(t);
  issuer.keys = [signingKey('a'), signingKey('b')];
  const bounded = (maxKeys: number): Promise<unknown> =>
    present(resourceOf(issuer, { verify: jwtVerifier({ limits: { maxKeys } }) }), issuer.token()).then(codeOf);
  assert.equal(await bounded(2), 'accepted');
  await assert.rejects(bounded(1), { code: 'jwks_invalid', message: /2 keys, the limit is 1/ });
});

test('limits: maxKeysAgeMs and maxKeysStaleMs', async (t) => {
  const { auth, clock, issuer } = await start(t, () => ({
    verify: jwtVerifier({ limits: { maxKeysAgeMs: 40_000, maxKeysStaleMs: 5000, keysCooldownMs: 0 } }),
  }));
  const token = issuer.token({ exp: seconds() + 3600 });
  assert.equal(codeOf(await present(auth, token)), 'accepted');
  issuer.jwks = () => ({ status: 500, body: '' });
  clock.ms = 44_999;
  assert.equal(codeOf(await present(auth, token)), 'accepted');
  clock.ms = 45_000;
  await assert.rejects(present(auth, token), { code: 'jwks_unavailable' });
});

test('limits: keysCooldownMs', async (t) => {
  const { auth, clock, issuer } = await start(t, () => ({ verify: jwtVerifier({ limits: { keysCooldownMs: 1000 } }) }));
  const invented = async (): Promise<number> => {
    for (let i = 0; i < 10; i++) await present(auth, issuer.token({}, { kid: `invented-${i}` }));
    return issuer.asked.filter((line) => line === 'GET /jwks').length;
  };
  assert.equal(await invented(), 4);
  clock.ms = 999;
  assert.equal(await invented(), 4);
  clock.ms = 1000;
  assert.equal(await invented(), 5);
});
