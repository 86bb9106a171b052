// Checks decided by one comparison (`Certain`): for a schema of a property or of list items, the check is not called for values
// that certainly satisfy it. The verdict must equal that of the full check, which the schema by itself always runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/schema/index.ts';
import type { JsonSchema } from '../../src/schema/index.ts';

const bounds: readonly object[] = [
  {}, { minimum: 0 }, { minimum: 1.5 }, { minimum: -0 }, { maximum: 0 }, { maximum: 2 ** 53 }, { minimum: 1, maximum: 1 }, { minimum: 2, maximum: 1 },
  { exclusiveMinimum: 0 }, { exclusiveMaximum: 0 }, { minimum: 1, exclusiveMinimum: 0 }, { minimum: 0, exclusiveMinimum: 1 }, { minimum: 1, exclusiveMinimum: 1 },
  { maximum: 1, exclusiveMaximum: 2 }, { maximum: 2, exclusiveMaximum: 1 }, { exclusiveMinimum: -1, exclusiveMaximum: 1 },
  { minimum: -1e308, maximum: 1e308 }, { multipleOf: 2 }, { multipleOf: 0.5, minimum: 0 },
];
const lengths: readonly object[] = [
  {}, { minLength: 0 }, { minLength: 1 }, { minLength: 2 }, { minLength: 3 }, { maxLength: 0 }, { maxLength: 1 }, { maxLength: 2 }, { minLength: 2, maxLength: 2 },
  { minLength: 3, maxLength: 2 }, { minLength: 1, maxLength: 3 }, { pattern: '^a' }, { pattern: '^a', maxLength: 2 }, { minimum: 3 }, { default: 'a' },
];
const options: readonly (readonly unknown[])[] = [
  ['a'], ['a', 'b'], ['', 'aa'], ['a', 1], [1, 2], [true], [null], [['a']], [{ a: 1 }], ['__proto__'],
  ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'],
];

const schemas: readonly object[] = [
  ...['number', 'integer'].flatMap((type) => bounds.map((one) => ({ type, ...one }))), ...bounds, { type: ['number', 'string'], minimum: 1 }, { type: ['integer'], minimum: 1 },
  ...lengths.map((one) => ({ type: 'string', ...one })), ...lengths, { type: ['string', 'null'], minLength: 2 },
  { type: 'boolean' }, { type: 'boolean', default: true }, { type: 'boolean', const: true }, { type: 'boolean', enum: [true] }, { type: 'null' }, { type: 'array' }, { type: 'object' },
  ...options.flatMap((one) => [{ enum: one }, { type: 'string', enum: one }, { type: 'string', enum: one, minLength: 2 }, { type: 'string', enum: one, maxLength: 0 }]),
  { type: 'number', enum: [1, 2], minimum: 2 }, { type: 'string', const: 'a' }, { const: 1 }, { anyOf: [{ type: 'string' }] },
];

const values: readonly unknown[] = [
  0, -0, 1, -1, 2, 1.5, 0.5, 2 ** 53, 2 ** 53 + 2, 2 ** 31, -(2 ** 31), 5e-324, 1e308, -1e308, 1.7976931348623157e308,
  '', 'a', 'b', 'i', 'aa', 'ba', 'aaa', 'aaaa', '1', '😀', '😀😀', 'a😀', '😀😀😀', '\ud800', '\ud800a', '\udc00\ud800', '__proto__', 'e\u0301',
  true, false, null, [], ['a'], {}, { a: 1 },
];

test('certain: a value is judged as a property and as an item as its schema judges it', () => {
  for (const schema of schemas as readonly JsonSchema[]) {
    const itself = compile(schema);
    const property = compile({ type: 'object', properties: { a: schema, z: {} }, required: ['a'] });
    const item = compile({ type: 'array', items: schema });
    for (const value of values) {
      const { valid } = itself(value);
      const said = `${JSON.stringify(schema)} of ${JSON.stringify(value)}${Object.is(value, -0) ? ' (minus zero)' : ''}`;
      assert.equal(property({ a: value }).valid, valid, `property ${said}`);
      assert.equal(item(['x', value].slice(1)).valid, valid, `item ${said}`);
      // After a value of another kind, and before one.
      assert.equal(item([value, value]).valid, valid, `two items ${said}`);
    }
  }
});

test('certain: what is not certain is judged by the rule, and said with its place', () => {
  const judge = compile({ type: 'object', properties: {
    name: { type: 'string', minLength: 2, maxLength: 3 }, n: { type: 'integer', minimum: 1, exclusiveMaximum: 3 }, one: { enum: ['a', 'b'] }, on: { type: 'boolean' },
    list: { type: 'array', items: { type: 'number', exclusiveMinimum: 0 } },
  } });
  // `minLength` counts characters, and a text of two units may be one character; numbers at a bound are valid.
  for (const sound of [{ name: '😀😀' }, { name: 'ab' }, { name: 'abc' }, { n: 1 }, { n: 2 }, { one: 'b' }, { on: false }, { list: [0.1, 1e308] }, {}]) {
    assert.equal(judge(sound).valid, true, JSON.stringify(sound));
  }
  const places = (value: unknown): string[] => {
    const judged = judge(value);
    return judged.valid ? [] : judged.errors.map(({ path, keyword }) => `${path} ${keyword}`);
  };
  assert.deepEqual(places({ name: '😀', n: 3, one: 'c', on: 0, list: [1, 0, 'x'] }), [
    '/name minLength', '/n exclusiveMaximum', '/one enum', '/on type', '/list/1 exclusiveMinimum', '/list/2 type',
  ]);
  assert.deepEqual(places({ name: 'abcd', n: 1.5, one: 1, on: 'true' }), ['/name maxLength', '/n type', '/one enum', '/on type']);
  // JSON text cannot express these values, but a program can.
  for (const odd of [NaN, Infinity, -Infinity]) assert.deepEqual([places({ n: odd }), places({ list: [odd] })], [['/n type'], ['/list/0 type']], `${odd}`);
});
