import assert from 'node:assert/strict';
import { constants, createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { algorithmNames, algorithms } from '../../src/oauth/algorithms.ts';
import { TokenError } from '../../src/oauth/errors.ts';
import { importPublicKey, thumbprint } from '../../src/oauth/jwk.ts';
import { readJwt, signJwt, verifyJwt } from '../../src/oauth/jwt.ts';

// Signed by node:crypto, an implementation independent of the WebCrypto under test.
const base64url = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** One key pair of each kind: making an RSA pair takes a second on a busy machine, and six algorithms use it. */
const pairs = new Map<string, KeyPair>();

function make(alg: string): KeyPair {
  const { kty, crv = '' } = algorithms[alg] as { kty: string; crv?: string };
  const pair = pairs.get(kty + crv) ?? generate(kty, crv);
  pairs.set(kty + crv, pair);
  return pair;
}

function generate(kty: string, crv: string): KeyPair {
  if (kty === 'RSA') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  if (kty === 'OKP') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('ec', { namedCurve: crv });
}

function nodeSign(alg: string, key: KeyObject, text: string): string {
  const data = Buffer.from(text);
  if (alg === 'EdDSA' || alg === 'Ed25519') return sign(null, data, key).toString('base64url');
  const pss = alg.startsWith('PS')
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  return sign(`sha${alg.slice(2)}`, data, { key, dsaEncoding: 'ieee-p1363', ...pss }).toString('base64url');
}

for (const alg of algorithmNames()) {
  test(`jwt: ${alg}, signed by node:crypto and by this, and nothing else`, async () => {
    const { publicKey, privateKey } = make(alg);
    const jwk = publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
    const signed = `${base64url({ alg })}.${base64url({ sub: 'alice' })}`;
    const jwt = readJwt(`${signed}.${nodeSign(alg, privateKey, signed)}`, 'token');
    assert.equal(jwt.claims['sub'], 'alice');
    assert.equal(await verifyJwt(jwt, [jwk], [alg], 'token'), true);
    const forged = { ...jwt, signed: `${base64url({ alg })}.${base64url({ sub: 'mallory' })}` };
    assert.equal(await verifyJwt(forged, [jwk], [alg], 'token'), false);
    const cut = { ...jwt, signature: jwt.signature.subarray(1) };
    assert.equal(await verifyJwt(cut, [jwk], [alg], 'token'), false);

    const own = await crypto.subtle.importKey(
      'jwk', privateKey.export({ format: 'jwk' }), algorithms[alg] as { name: string }, false, ['sign'],
    );
    const ours = readJwt(await signJwt({ alg }, { sub: 'bob' }, own), 'token');
    assert.equal(await verifyJwt(ours, [jwk], [alg], 'token'), true);
  });
}

test('jwt: an RSA signature without its leading zero is none', async () => {
  const { publicKey, privateKey } = make('PS256');
  const jwk = publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
  // One signature in 256 begins with a zero.
  for (let found = false, i = 0; !found; i++) {
    const signed = `${base64url({ alg: 'PS256' })}.${base64url({ i })}`;
    const signature = Buffer.from(nodeSign('PS256', privateKey, signed), 'base64url');
    if (signature[0] !== 0) continue;
    found = true;
    const verify = (bytes: Buffer): Promise<boolean> =>
      verifyJwt(readJwt(`${signed}.${bytes.toString('base64url')}`, 't'), [jwk], ['PS256'], 't');
    assert.equal(await verify(signature), true);
    assert.equal(await verify(signature.subarray(1)), false);
    assert.equal(await verify(Buffer.concat([Buffer.alloc(1), signature])), false);
  }
});

test('jwt: the algorithm must be allowed, and be one at all', async () => {
  const { publicKey, privateKey } = make('ES256');
  const jwk = publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
  const token = (header: unknown): string => {
    const signed = `${base64url(header)}.${base64url({})}`;
    return `${signed}.${nodeSign('ES256', privateKey, signed)}`;
  };
  const refused = { name: 'TokenError', code: 'jwt_algorithm' };
  await assert.rejects(verifyJwt(readJwt(token({ alg: 'ES256' }), 't'), [jwk], ['RS256'], 't'), refused);
  for (const alg of ['none', 'NONE', 'HS256', '__proto__', 'constructor', '', 7, null, undefined, ['ES256']]) {
    // A list that allows it does not help: the algorithm does not exist here.
    await assert.rejects(verifyJwt(readJwt(token({ alg }), 't'), [jwk], [String(alg), 'ES256'], 't'), refused, String(alg));
  }
});

test('jwt: an HMAC made with the public key, and a symmetric key from the wire', async () => {
  const { publicKey } = make('RS256');
  const jwk = publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
  const signed = `${base64url({ alg: 'HS256' })}.${base64url({ sub: 'mallory' })}`;
  const pem = publicKey.export({ format: 'pem', type: 'spki' });
  const token = `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`;
  const oct = { kty: 'oct', k: Buffer.from(pem).toString('base64url'), alg: 'HS256' };
  await assert.rejects(verifyJwt(readJwt(token, 't'), [jwk, oct], ['RS256', 'HS256'], 't'), { code: 'jwt_algorithm' });
});

test('jwt: what is no JWT is refused with a code, and says what was expected', () => {
  const part = base64url({ alg: 'ES256' });
  const cases: Record<string, string> = {
    'nothing': '', 'one part': part, 'two parts': `${part}.${part}`, 'four parts': `${part}.${part}.AA.AA`,
    'five parts of a JWE': `${part}.${part}.AA.AA.AA`, 'padding': `${part}=.${part}.AA`,
    'the other alphabet': `${part}.${part}.+/+/`, 'white space': `${part}.${part} .AA`,
    'bits left over': `${part}.${part}.AB`, 'a line break': `${part}.\n${part}.AA`,
    'an array': `${base64url([1])}.${part}.AA`, 'a string': `${part}.${base64url('"x"')}.AA`,
    'no JSON': `${base64url('{alg')}.${part}.AA`, 'null': `${part}.${base64url('null')}.AA`,
    'not UTF-8': `${part}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.AA`,
  };
  for (const [name, text] of Object.entries(cases)) {
    assert.throws(() => readJwt(text, 'access token'), (error: Error) =>
      error instanceof TokenError && error.code === 'jwt_malformed' && error.message.includes('access token'), name);
  }
  assert.throws(() => readJwt(`${base64url({ alg: 'ES256', crit: ['exp'], exp: 1 })}.${part}.AA`, 't'), { code: 'jwt_crit' });
  assert.throws(() => readJwt(`${base64url({ alg: 'ES256', crit: ['b64'], b64: false })}.${part}.AA`, 't'), { code: 'jwt_crit' });
});

test('jwt: nesting without end and duplicate keys do no harm', () => {
  const part = base64url({ alg: 'ES256' });
  const deep = base64url(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
  assert.ok(readJwt(`${part}.${deep}.AA`, 't').claims['a']);
  const wide = base64url(`{"a":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`);
  assert.ok(readJwt(`${part}.${wide}.AA`, 't').claims['a']);
  // RFC 7519 section 4: of two members with the same name, the last counts.
  assert.equal(readJwt(`${part}.${base64url('{"sub":"a","sub":"b"}')}.AA`, 't').claims['sub'], 'b');
  const proto = readJwt(`${part}.${base64url('{"__proto__":{"sub":"x"}}')}.AA`, 't');
  assert.equal(proto.claims['sub'], undefined);
});

test('jwk: the thumbprint of RFC 7638 section 3.1', async () => {
  const n = '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs'
    + 'tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n'
    + '91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
  assert.equal(
    await thumbprint({ kty: 'RSA', n, e: 'AQAB', alg: 'RS256', kid: '2011-04-29' }),
    'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
  );
});

test('jwk: keys that are too short, too long, private, of another kind or off their curve are none', async () => {
  const rs256 = algorithms['RS256'] as { kty: 'RSA'; name: string };
  const es256 = algorithms['ES256'] as { kty: 'EC'; name: string };
  const refused = { name: 'TokenError', code: 'jwk_invalid' };
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
  await assert.rejects(importPublicKey(short.publicKey.export({ format: 'jwk' }) as Record<string, unknown>, rs256), /1024 bits/);
  const long = Buffer.alloc(8192, 0xff).toString('base64url');
  await assert.rejects(importPublicKey({ kty: 'RSA', n: long, e: 'AQAB' }, rs256), /65536 bits/);
  const { n } = make('RS256').publicKey.export({ format: 'jwk' });
  await assert.rejects(importPublicKey({ kty: 'RSA', n, e: long }, rs256), /exponent/);
  const { privateKey, publicKey } = make('ES256');
  await assert.rejects(importPublicKey(privateKey.export({ format: 'jwk' }) as Record<string, unknown>, es256), refused);
  assert.ok(createPrivateKey({ key: privateKey.export({ format: 'jwk' }), format: 'jwk' }));
  const jwk = publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
  for (const wrong of [{}, { kty: 'oct', k: 'AAAA' }, { ...jwk, x: 'AAAA' }, { ...jwk, y: jwk['x'] }, { ...jwk, crv: 'P-384' }, { ...jwk, x: 7 }]) {
    await assert.rejects(importPublicKey(wrong, es256), refused, JSON.stringify(wrong));
  }
  await assert.rejects(thumbprint({ kty: '__proto__' }), refused);
});
