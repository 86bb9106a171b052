import assert from 'node:assert/strict';
import test from 'node:test';
import { canonicalJson, digestOf } from '../../src/skills/digest.ts';

test('canonical JSON: the example of RFC 8785 section 3.2.3', () => {
  const value = {
    numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"\u002f',
    literals: [null, true, false],
  };
  assert.equal(
    canonicalJson(value),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
      + '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('canonical JSON: members are sorted by UTF-16 code units', () => {
  const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
  assert.deepEqual(
    Object.values(JSON.parse(`{"v":[${[...canonicalJson(value).matchAll(/:(\d)/g)].map(([, n]) => n).join()}]}`).v as number[]),
    [2, 4, 6, 7, 1, 5, 3],
  );
});

test('canonical JSON: the order of members does not count, that of items does', async () => {
  assert.equal(await digestOf({ a: 1, b: [1, 2] }), await digestOf({ b: [1, 2], a: 1, c: undefined }));
  assert.notEqual(await digestOf([1, 2]), await digestOf([2, 1]));
});

test('canonical JSON: what JSON cannot say is refused, and so is a value without an end', () => {
  assert.throws(() => canonicalJson(NaN), /not a JSON number/);
  const circle: { self?: unknown } = {};
  circle.self = circle;
  assert.throws(() => canonicalJson(circle), /too deep/);
});

test('canonical JSON: half of a surrogate pair is its escape, so that texts that differ stay different', async () => {
  assert.equal(canonicalJson('a\ud83d'), '"a\\ud83d"');
  assert.deepEqual(JSON.parse(canonicalJson({ '\ude00': '\ud83d' })), { '\ude00': '\ud83d' });
  const texts = ['\ud83d', '\ud83e', '\ufffd', '\\ud83d', '😀', '\ude00\ud83d'];
  assert.equal(new Set(await Promise.all(texts.map((text) => digestOf(text)))).size, texts.length);
});
