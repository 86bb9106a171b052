import assert from 'node:assert/strict';
import { createHash, createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { fleet, memoryEngine } from '../../src/fleet/index.ts';
import { nonces } from '../../src/oauth/resource/dpop-nonce.ts';
import type { BearerAuth } from '../../src/oauth/resource/bearer.ts';
import {
  base64url, codeOf, isRefusal, proofKey, request, resource, resourceOf, seconds, signed, signingKey, startIssuer,
} from './issuer.ts';

const dpop = (auth: BearerAuth, token: string, proof?: string, rest = {}): ReturnType<BearerAuth['authenticate']> =>
  auth.authenticate(request({ authorization: `DPoP ${token}`, dpop: proof }, rest));

test('dpop: a token with a proof of its key is accepted, once a proof', async (t) => {
  const issuer = await startIssuer(t);
  const auth = resourceOf(issuer);
  const key = proofKey();
  const token = issuer.token({ cnf: { jkt: key.jkt } });
  const proof = key.proof(token);
  assert.equal(codeOf(await dpop(auth, token, proof)), 'accepted');
  const again = await dpop(auth, token, proof);
  assert.equal(codeOf(again), 'dpop_replayed');
  assert.ok(isRefusal(again) && again.status === 401);
  assert.match(again.challenge, /^DPoP resource_metadata="[^"]+", scope="[^"]+", error="invalid_dpop_proof", error_description="[^"]+", algs="ES256 /);
  assert.equal(codeOf(await dpop(auth, token, key.proof(token))), 'accepted');
});

test('dpop: RFC 9449 section 4.3, each of its checks', async (t) => {
  const issuer = await startIssuer(t);
  const auth = resourceOf(issuer);
  const key = proofKey();
  const stranger = proofKey();
  const token = issuer.token({ cnf: { jkt: key.jkt } });
  const now = seconds();
  const [header = '', claims = '', signature = ''] = key.proof(token).split('.');
  const hmac = `${base64url({ typ: 'dpop+jwt', alg: 'HS256', jwk: { kty: 'oct', k: 'c2VjcmV0' } })}.${claims}`;
  const pem = createPublicKey({ key: key.jwk, format: 'jwk' }).export({ format: 'pem', type: 'spki' });
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const cases: Record<string, [string | undefined, string]> = {
    'no proof': [undefined, 'dpop_missing'],
    'an empty one': ['', 'dpop_missing'],
    '1. two of them': [`${key.proof(token)}, ${key.proof(token)}`, 'dpop_malformed'],
    '2. no JWT': ['proof', 'dpop_malformed'],
    '2. a JWT of another alphabet': [`${header}.${claims}=.${signature}`, 'dpop_malformed'],
    '2. one without end': [`${header}.${'A'.repeat(10_000)}.${signature}`, 'dpop_malformed'],
    '3. no jti': [key.proof(token, { jti: undefined }), 'dpop_malformed'],
    '3. a jti that is no string': [key.proof(token, { jti: 7 }), 'dpop_malformed'],
    '3. a jti without end': [key.proof(token, { jti: 'x'.repeat(257) }), 'dpop_malformed'],
    '3. no htm': [key.proof(token, { htm: undefined }), 'dpop_malformed'],
    '3. no htu': [key.proof(token, { htu: undefined }), 'dpop_malformed'],
    '3. no iat': [key.proof(token, { iat: undefined }), 'dpop_malformed'],
    '3. iat as a text': [key.proof(token, { iat: String(now) }), 'dpop_malformed'],
    '4. another typ': [key.proof(token, {}, { typ: 'JWT' }), 'dpop_type'],
    '4. no typ': [key.proof(token, {}, { typ: undefined }), 'dpop_type'],
    '5. alg none': [`${base64url({ typ: 'dpop+jwt', alg: 'none', jwk: key.jwk })}.${claims}.`, 'dpop_algorithm'],
    '5. an HMAC': [`${hmac}.${createHmac('sha256', 'secret').update(hmac).digest('base64url')}`, 'dpop_key'],
    '5. an HMAC made with the public key': [
      ((text) => `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`)(`${base64url({ typ: 'dpop+jwt', alg: 'HS256', jwk: key.jwk })}.${claims}`),
      'dpop_algorithm',
    ],
    '6. a changed payload': [`${header}.${base64url({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), jti: 'other' })}.${signature}`, 'dpop_signature'],
    '6. the jwk of another key': [key.proof(token, {}, { jwk: stranger.jwk }), 'dpop_signature'],
    '6. an RSA key that is too short': [key.proof(token, {}, { alg: 'RS256', jwk: short.publicKey.export({ format: 'jwk' }) }), 'dpop_signature'],
    '6. a jwk off its curve': [key.proof(token, {}, { jwk: { ...key.jwk, x: key.jwk['y'] } }), 'dpop_signature'],
    '7. a private key': [key.proof(token, {}, { jwk: key.privateKey.export({ format: 'jwk' }) }), 'dpop_key'],
    '7. a symmetric key': [key.proof(token, {}, { jwk: { kty: 'oct', k: 'c2VjcmV0' } }), 'dpop_key'],
    '7. no key': [key.proof(token, {}, { jwk: undefined }), 'dpop_key'],
    '7. a key id instead of a key': [key.proof(token, {}, { jwk: 'kid' }), 'dpop_key'],
    '8. another method': [key.proof(token, { htm: 'GET' }), 'dpop_method'],
    '8. the method in lower case': [key.proof(token, { htm: 'post' }), 'dpop_method'],
    '9. another path': [key.proof(token, { htu: 'https://trips.example/other' }), 'dpop_url'],
    '9. another host': [key.proof(token, { htu: 'https://evil.example/mcp' }), 'dpop_url'],
    '9. another scheme': [key.proof(token, { htu: 'http://trips.example/mcp' }), 'dpop_url'],
    '9. another port': [key.proof(token, { htu: 'https://trips.example:8443/mcp' }), 'dpop_url'],
    '9. the path in another case': [key.proof(token, { htu: 'https://trips.example/MCP' }), 'dpop_url'],
    '9. no URL': [key.proof(token, { htu: '/mcp' }), 'dpop_url'],
    '11. too old': [key.proof(token, { iat: now - 121 }), 'dpop_time'],
    '11. of the future': [key.proof(token, { iat: now + 60 }), 'dpop_time'],
    '12. no ath': [key.proof(token, { ath: undefined }), 'dpop_token'],
    '12. the ath of another token': [key.proof(issuer.token()), 'dpop_token'],
    '12. the ath in another encoding': [key.proof(token, { ath: createHash('sha256').update(token).digest('hex') }), 'dpop_token'],
    '12. another key than the token\'s': [stranger.proof(token), 'dpop_binding'],
    'a crit header': [key.proof(token, {}, { crit: ['x'], x: 1 }), 'dpop_crit'],
    'an access token as proof': [issuer.token(), 'dpop_malformed'],
  };
  for (const [name, [proof, code]] of Object.entries(cases)) {
    const found = await dpop(auth, token, proof);
    assert.equal(codeOf(found), code, name);
    assert.ok(isRefusal(found) && found.status === 401 && found.challenge.includes('error="invalid_dpop_proof"'), name);
  }
  // URLs that are equivalent by RFC 9449 section 4.3 and RFC 3986 section 6.
  const same = [
    `${resource}?session=1`, `${resource}#top`, 'HTTPS://TRIPS.example:443/mcp', 'https://trips.example/%6dcp', 'https://trips.example/x/../mcp',
  ];
  for (const htu of same) assert.equal(codeOf(await dpop(auth, token, key.proof(token, { htu }))), 'accepted', htu);
  assert.equal(codeOf(await dpop(auth, token, key.proof(token, { iat: now - 100 }))), 'accepted');
});

test('dpop: a bound token without its scheme, a scheme without a bound token', async (t) => {
  const issuer = await startIssuer(t);
  const key = proofKey();
  const bound = issuer.token({ cnf: { jkt: key.jkt } });
  const plain = issuer.token();
  const auth = resourceOf(issuer);
  const bearer = (token: string): ReturnType<BearerAuth['authenticate']> =>
    auth.authenticate(request({ authorization: `Bearer ${token}`, dpop: key.proof(token) }));
  assert.equal(codeOf(await bearer(bound)), 'token_binding');
  assert.equal(codeOf(await bearer(plain)), 'accepted');
  assert.equal(codeOf(await dpop(auth, plain, key.proof(plain))), 'token_binding');
  const required = resourceOf(issuer, { dpop: { required: true } });
  assert.equal(required.metadata.dpop_bound_access_tokens_required, true);
  const refused = await required.authenticate(request({ authorization: `Bearer ${plain}` }));
  assert.equal(codeOf(refused), 'token_binding');
  assert.match(isRefusal(refused) ? refused.challenge : '', /^DPoP .*error="invalid_token"/);
  assert.equal(codeOf(await dpop(required, bound, key.proof(bound))), 'accepted');
});

test('dpop: algorithms are an allow-list of their own', async (t) => {
  const issuer = await startIssuer(t);
  const key = proofKey();
  const token = issuer.token({ cnf: { jkt: key.jkt } });
  const auth = resourceOf(issuer, { dpop: { algorithms: ['EdDSA'] } });
  assert.deepEqual(auth.metadata.dpop_signing_alg_values_supported, ['EdDSA']);
  assert.equal(codeOf(await dpop(auth, token, key.proof(token))), 'dpop_algorithm');
});

test('dpop: each method and each path of the endpoint has its own proof', async (t) => {
  const issuer = await startIssuer(t);
  const key = proofKey();
  const token = issuer.token({ cnf: { jkt: key.jkt } });
  const auth = resourceOf(issuer);
  const get = key.proof(token, { htm: 'GET' });
  assert.equal(codeOf(await dpop(auth, token, get, { method: 'GET' })), 'accepted');
  const sse = key.proof(token, { htm: 'GET', htu: 'https://trips.example/sse' });
  assert.equal(codeOf(await dpop(auth, token, sse, { method: 'GET', path: '/sse' })), 'accepted');
  // A proxy has removed the front of the path: the path is the end of the resource's path.
  const behind = resourceOf(issuer, { resource: 'https://trips.example/api/mcp', audiences: [resource] });
  const proof = key.proof(token, { htu: 'https://trips.example/api/mcp' });
  assert.equal(codeOf(await dpop(behind, token, proof)), 'accepted');
  const other = resourceOf(issuer, { dpop: { url: ({ path }) => `https://inside.example${path}` } });
  assert.equal(codeOf(await dpop(other, token, key.proof(token, { htu: 'https://inside.example/mcp' }))), 'accepted');
});

test('dpop: a nonce is asked for, given, and stands for the client\'s clock', async (t) => {
  const issuer = await startIssuer(t);
  const key = proofKey();
  const token = issuer.token({ cnf: { jkt: key.jkt }, exp: seconds() + 86_400 });
  const clock = { ms: 0 };
  const start = Date.now();
  const auth = resourceOf(issuer, { dpop: { nonces: true }, now: () => start + clock.ms });
  const first = await dpop(auth, token, key.proof(token));
  assert.ok(isRefusal(first));
  assert.equal(codeOf(first), 'use_dpop_nonce');
  assert.match(first.challenge, /error="use_dpop_nonce"/);
  const nonce = first.headers?.['dpop-nonce'];
  assert.ok(nonce);
  const proof = key.proof(token, { nonce });
  assert.equal(codeOf(await dpop(auth, token, proof)), 'accepted');
  const again = await dpop(auth, token, proof);
  assert.equal(codeOf(again), 'dpop_replayed');
  // The client gets a newer nonce, because the proof may have been refused only because the memory of its time is lost.
  assert.match(isRefusal(again) ? again.challenge : '', /error="use_dpop_nonce"/);
  assert.ok(isRefusal(again) && again.headers?.['dpop-nonce']);
  // A client whose clock is wrong by a day.
  assert.equal(codeOf(await dpop(auth, token, key.proof(token, { nonce, iat: seconds() - 86_400 }))), 'accepted');
  const made = ['', 'x', nonce.slice(1), `A${nonce.slice(1)}`, Buffer.alloc(40).toString('base64url'), 'x'.repeat(5000), 7, null];
  for (const wrong of made) assert.equal(codeOf(await dpop(auth, token, key.proof(token, { nonce: wrong }))), 'use_dpop_nonce', String(wrong));
  clock.ms = 300_000;
  const late = await dpop(auth, token, key.proof(token, { nonce }));
  assert.equal(codeOf(late), 'use_dpop_nonce');
  assert.notEqual(isRefusal(late) && late.headers?.['dpop-nonce'], nonce);
});

test('dpop: nonces are good in every process with the same secret, and in no other', async () => {
  const clock = { ms: 1000 };
  const now = (): number => clock.ms;
  const secret = new Uint8Array(32).fill(7);
  const nonce = await nonces(secret, 500, now).issue();
  assert.equal(await nonces(secret, 500, now).issuedAt(nonce), 1000);
  assert.equal(await nonces(undefined, 500, now).issuedAt(nonce), undefined);
  clock.ms = 1500;
  assert.equal(await nonces(secret, 500, now).issuedAt(nonce), undefined);
  // A nonce from the future is refused too: a clock was set back.
  clock.ms = 999;
  assert.equal(await nonces(secret, 500, now).issuedAt(nonce), undefined);
});

test('dpop: a proof that is refused for another reason is not remembered', async (t) => {
  const issuer = await startIssuer(t);
  const key = proofKey();
  const added: string[] = [];
  const auth = resourceOf(issuer, { dpop: { replays: { add: ({ principal, jti }) => added.push(`${principal} ${jti}`) > 0 } } });
  const token = issuer.token({ cnf: { jkt: key.jkt } });
  await dpop(auth, token, key.proof(token, { jti: 'wrong', htm: 'GET' }));
  await dpop(auth, token, proofKey().proof(token, { jti: 'stranger' }));
  await dpop(auth, signed({ alg: 'ES256', typ: 'at+jwt', kid: 'one' }, {}, signingKey().privateKey), key.proof(token, { jti: 'no token' }));
  await dpop(auth, token, key.proof(token, { jti: 'right' }));
  assert.deepEqual(added, [`${JSON.stringify([issuer.issuer, 'alice'])} right`]);
});

test('dpop: the processes of a fleet that share an engine take a proof once', async (t) => {
  const issuer = await startIssuer(t);
  const engine = memoryEngine();
  const places = await Promise.all([1, 2].map(() => fleet({ engine, keys: [new Uint8Array(32).fill(1)] })));
  t.after(() => Promise.all(places.map((place) => place.close())));
  const [one, two] = places.map(({ proofReplays: replays }) => {
    assert.ok(replays);
    return resourceOf(issuer, { dpop: { replays } });
  }) as [BearerAuth, BearerAuth];
  const key = proofKey();
  const token = issuer.token({ cnf: { jkt: key.jkt } });
  const proof = key.proof(token, { jti: 'same' });
  assert.deepEqual([codeOf(await dpop(one, token, proof)), codeOf(await dpop(two, token, proof))], ['accepted', 'dpop_replayed']);
  // Another key may use the same jti.
  const other = proofKey();
  const others = issuer.token({ cnf: { jkt: other.jkt } });
  assert.equal(codeOf(await dpop(two, others, other.proof(others, { jti: 'same' }))), 'accepted');
});
