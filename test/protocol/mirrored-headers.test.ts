import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  argumentAt,
  decodeHeaderValue, encodeHeaderValue, mirroredParameters, mirroredValue,
} from '../../src/protocol/mirrored-headers.ts';

const object = (properties: object, rest: object = {}): object => ({ type: 'object', properties, ...rest });
const marked = (type: string, name: unknown = 'Region'): object => ({ type, 'x-mcp-header': name });

test('finds annotated properties along chains of properties', () => {
  const found = mirroredParameters(object({
    region: marked('string'),
    query: { type: 'string' },
    deep: object({ count: marked('integer', 'Count'), flag: marked('boolean', "!#$%&'*+-.^_`|~9z") }),
    'x-mcp-header': { type: 'string' },
    fixed: { const: { 'x-mcp-header': '' }, enum: [{ 'x-mcp-header': '' }], default: { 'x-mcp-header': 1 } },
  }));
  assert.ok('headers' in found);
  assert.deepEqual([...found.headers], [
    ['mcp-param-region', ['region']],
    ['mcp-param-count', ['deep', 'count']],
    ["mcp-param-!#$%&'*+-.^_`|~9z", ['deep', 'flag']],
  ]);
});

for (const [what, schema, pattern] of [
  ['an empty name', object({ a: marked('string', '') }), /#\/properties\/a: .*name of a header/],
  ['a name with a space', object({ a: marked('string', 'a b') }), /name of a header/],
  ['a name with a line feed', object({ a: marked('string', 'a\n') }), /name of a header/],
  ['a colon', object({ a: marked('string', 'a:b') }), /name of a header/],
  ['a name that is no string', object({ a: marked('string', 5) }), /name of a header/],
  ['a name beyond ASCII', object({ a: marked('string', 'Région') }), /name of a header/],
  ['a number', object({ a: marked('number') }), /needs the type/],
  ['an object', object({ a: marked('object') }), /needs the type/],
  ['an array', object({ a: marked('array') }), /needs the type/],
  ['null', object({ a: marked('null') }), /needs the type/],
  ['several types', object({ a: { type: ['string', 'null'], 'x-mcp-header': 'A' } }), /needs the type/],
  ['no type', object({ a: { 'x-mcp-header': 'A' } }), /needs the type/],
  ['the same name in another case', object({ a: marked('string'), b: marked('string', 'REGION') }), /used twice/],
  ['the root', object({}, { 'x-mcp-header': 'A' }), /^#: .*is reached only through "properties"/],
  ['items', object({ a: { type: 'array', items: marked('string') } }), /properties\/a\/items: .*reached only/],
  ['anyOf', object({ a: { anyOf: [marked('string')] } }), /reached only/],
  ['properties below oneOf', object({}, { oneOf: [object({ a: marked('string') })] }), /reached only/],
  ...['not', 'if', 'then', 'else', 'contains', 'additionalItems', 'unevaluatedProperties', 'propertyNames'].map((keyword) =>
    [keyword, object({}, { [keyword]: object({ a: marked('string') }) }), /reached only/] as const),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword) => [`a property below ${keyword}`, object({ a: { [keyword]: [object({ b: marked('string') })] } }), /reached only/] as const),
  ['a name twice, one of them deeper', object({ a: marked('string'), b: object({ c: marked('integer') }) }), /used twice/],
  ['$defs', object({}, { $defs: { a: marked('string') } }), /reached only/],
  ['patternProperties', object({}, { patternProperties: { '^a': marked('string') } }), /reached only/],
  ['additionalProperties', object({}, { additionalProperties: marked('string') }), /reached only/],
  ...['dependentSchemas', 'definitions'].map((keyword) => [keyword, object({}, { [keyword]: { a: marked('string') } }), /reached only/] as const),
  ['an unknown keyword', object({}, { vendor: { thing: marked('string') } }), /reached only/],
] as const) {
  test(`refuses an annotation: ${what}`, () => {
    const found = mirroredParameters(schema);
    assert.match('fault' in found ? found.fault : 'no fault', pattern);
  });
}

test('bounds the depth of a schema, and takes anything for one', () => {
  let schema: object = marked('string');
  for (let i = 0; i < 20_000; i++) schema = { properties: { a: schema } };
  const found = mirroredParameters(schema);
  assert.match('fault' in found ? found.fault.slice(-40) : '', /deeper than 256/);
  for (const odd of [undefined, null, true, 5, 'x', []]) assert.ok('headers' in mirroredParameters(odd));
});

test('reads own values along a path', () => {
  assert.equal(mirroredValue({ a: { b: 'x' } }, ['a', 'b']), 'x');
  assert.equal(mirroredValue({ a: 42 }, ['a']), '42');
  assert.equal(mirroredValue({ a: false }, ['a']), 'false');
  assert.equal(mirroredValue({ a: '' }, ['a']), '');
  assert.equal(mirroredValue({ a: Number.MAX_SAFE_INTEGER }, ['a']), '9007199254740991');
  assert.equal(mirroredValue({ a: Number.MIN_SAFE_INTEGER }, ['a']), '-9007199254740991');
  for (const value of [null, undefined, 1.5, 2 ** 53, -(2 ** 53), {}, []]) {
    assert.equal(mirroredValue({ a: value }, ['a']), undefined);
  }
  assert.equal(mirroredValue({}, ['constructor', 'name']), undefined);
  assert.equal(mirroredValue(undefined, ['a']), undefined);
});

// The examples of 2026-07-28 basic/transports/streamable-http#value-encoding.
const pairs: [string, string][] = [
  ['us-west1', 'us-west1'],
  ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
  [' padded ', '=?base64?IHBhZGRlZCA=?='],
  ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
  ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ['=?base64?a b?=', '=?base64?PT9iYXNlNjQ/YSBiPz0=?='],
  ['=?base64??=', '=?base64?PT9iYXNlNjQ/Pz0=?='],
  ['a b\tc', 'a b\tc'],
  ['', ''],
  ['=?base64?', '=?base64?'],
  ['=?BASE64?eA==?=', '=?BASE64?eA==?='],
  ['\tx', '=?base64?CXg=?='],
  ['\x7f', '=?base64?fw==?='],
];

test('encodes values and decodes them back', () => {
  for (const [value, encoded] of pairs) {
    assert.equal(encodeHeaderValue(value), encoded);
    assert.equal(decodeHeaderValue(encoded), value);
  }
  for (let code = 0; code < 0x300; code++) {
    const value = `a${String.fromCharCode(code)}b`;
    assert.equal(decodeHeaderValue(encodeHeaderValue(value)), value);
    // Only characters that are allowed in a field value: RFC 9110 section 5.5.
    assert.match(encodeHeaderValue(value), /^[\t\x20-\x7e]+$/);
    assert.equal(encodeHeaderValue(value) === value, code === 9 || code >= 0x20 && code < 0x7f, `${code}`);
  }
});

test('refuses values that no header may hold', () => {
  for (const text of [
    'caf\u00e9', 'a\u0000', '=?base64?a?=', '=?base64?ab=c?=', '=?base64?====?=', '=?base64?a b=?=', '=?base64?/w==?=',
  ]) {
    assert.equal(decodeHeaderValue(text), undefined, text);
  }
});

test('an argument that is missing is not found on a prototype', () => {
  assert.equal(argumentAt({}, ['constructor']), undefined);
  assert.equal(argumentAt({ a: {} }, ['a', '__proto__']), undefined);
  assert.equal(argumentAt({ a: { constructor: 1 } }, ['a', 'constructor']), 1);
});
