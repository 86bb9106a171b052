import assert from 'node:assert/strict';
import test from 'node:test';
import { parseChallenges } from '../../src/oauth/index.ts';
import { oauthChallenge } from '../../src/oauth/client/challenge.ts';

const read = (field: string): [string, Record<string, string>][] =>
  parseChallenges(field).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

test('challenge: schemes, parameters, quoted strings, token68, several in a field', () => {
  assert.deepEqual(read('Bearer'), [['bearer', {}]]);
  assert.deepEqual(read('Bearer realm="a, b", Scope = "x y" ,error=invalid_token'), [
    ['bearer', { realm: 'a, b', scope: 'x y', error: 'invalid_token' }],
  ]);
  assert.deepEqual(read('Basic realm="r", Negotiate dG9rZW4=, DPoP algs="ES256"'), [
    ['basic', { realm: 'r' }], ['negotiate', {}], ['dpop', { algs: 'ES256' }],
  ]);
  assert.deepEqual(read('Bearer a="\\"q\\\\"'), [['bearer', { a: '"q\\' }]]);
  assert.deepEqual(read(', ,Bearer a=1,, b=2,'), [['bearer', { a: '1', b: '2' }]]);
  assert.deepEqual(read('Bearer scope="first", scope="second"'), [['bearer', { scope: 'first' }]]);
  assert.deepEqual(read('a=1'), []);
  assert.deepEqual(read('Bearer __proto__="x", a="unfinished'), [['bearer', Object.fromEntries([['__proto__', 'x']])]]);
});

test('challenge: cut anywhere it is read as far as it goes, and a long one takes no longer', () => {
  const field = 'Basic realm="r", Bearer error="invalid_token", scope="a b", resource_metadata="https://mcp.example/x"';
  for (let length = 0; length <= field.length; length++) parseChallenges(field.slice(0, length));
  for (const part of ['Bearer a="\\', 'Bearer ', 'a=', '"', '\\"', ', ', 'x '.repeat(9)]) {
    assert.ok(parseChallenges(part.repeat(1_000_000 / part.length)).length <= 8192);
  }
});

test('challenge: what Bearer and DPoP say together; other schemes are not believed', () => {
  assert.deepEqual(oauthChallenge('Basic scope="no", DPoP error="use_dpop_nonce", Bearer scope="yes", error="other"'), {
    dpop: true, resourceMetadata: undefined, scope: 'yes', error: 'use_dpop_nonce',
  });
  assert.deepEqual(oauthChallenge(undefined), { dpop: false, resourceMetadata: undefined, scope: undefined, error: undefined });
});
