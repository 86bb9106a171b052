import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile } from '../../src/schema/full/index.ts';
import { fillDefaults, formats } from '../../src/schema/index.ts';
import type { FullCompileOptions } from '../../src/schema/full/index.ts';
import type { JsonSchema } from '../../src/schema/index.ts';

// The exact cost of a validation, which the limit `work` bounds.

/** The smallest `work` that allows a verdict. */
function costOf(schema: JsonSchema, value: unknown, options: FullCompileOptions = {}): number {
  const pays = (work: number): boolean => {
    const result = compile(schema, { ...options, limits: { work, depth: 1_000 } })(value);
    return result.valid || result.errors[0]?.keyword !== 'work';
  };
  let [low, high] = [-1, 1 << 20];
  assert.ok(pays(high));
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (pays(middle)) high = middle;
    else low = middle;
  }
  return high;
}

const keys = (count: number, value: unknown = 1): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));
const list = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const table: readonly (readonly [what: string, schema: JsonSchema, value: unknown, steps: number, options?: FullCompileOptions])[] = [
  ['what is judged by itself', { type: 'number', minimum: 0, const: 3, not: { maximum: 2 } }, 3, 0],
  ['an item', { items: true }, list(5), 5],
  ['an item that has a schema of its own', { prefixItems: [true, true] }, list(5), 2],
  ['no more of them than there are', { prefixItems: [true, true, true] }, list(1), 1],
  ['nothing, where no rule is for items', { minItems: 1 }, list(5), 0],
  ['a schema of allOf', { allOf: [true, {}, { type: 'number' }] }, 1, 3],
  ['an alternative, whichever fits', { anyOf: [true, {}, false] }, 1, 3],
  ['an alternative of oneOf', { oneOf: [false, true] }, 1, 2],
  ['a reference', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: {} } }, 1, 2],
  ['a dynamic reference', { $dynamicRef: '#/$defs/a', $defs: { a: {} } }, 1, 1],
  ['eight for a key that is compared', { const: { a: 1, b: 2 } }, { a: 1, b: 2 }, 16],
  ['and for those of each option, or of the value where it has more', { enum: [{ a: 1 }, [1, 2]] }, [1, 2], 16 + 16],
  ['nothing for scalars that are compared', { enum: [1, 2, 'x'] }, 'x', 0],
  ['two for an item that must be unique', { uniqueItems: true }, list(3), 6],
  ['nothing for one alone', { uniqueItems: true }, [[1]], 0],
  ['ten more for each of its parts', { uniqueItems: true }, [[1, 2], { a: 3 }], 4 + 50],
  ['a property', { properties: { k0: {} } }, keys(4), 4],
  ['eight for each of a thousand', { properties: { k0: {} } }, keys(1_000), 8_000],
  ['one for each of one less', { properties: { k0: {} } }, keys(999), 999],
  ['a name that is required, if one is missing', { required: ['a', 'b', 'c'] }, { a: 1, b: 1 }, 2 + 3],
  ['no more if none is', { required: ['a', 'b'] }, { a: 1, b: 1 }, 2],
  ['the listing and the walk', { additionalProperties: { type: 'number' } }, keys(3), 6],
  ['both, beside the named', { properties: { k0: true }, additionalProperties: { type: 'number' } }, keys(3), 9],
  ['not where all are named', { properties: { k0: true, k1: true }, additionalProperties: false }, keys(2), 2],
  ['nothing where anything may be', { additionalProperties: true }, keys(3), 0],
  ['names that are counted', { minProperties: 1, maxProperties: 9 }, keys(3), 3],
  ['names that are judged', { propertyNames: { minLength: 0 } }, keys(3), 6],
  ['a character that is counted', { maxLength: 5 }, 'abcdefgh', 8],
  ['none where the units tell', { minLength: 3, maxLength: 20 }, 'abcdefgh', 0],
  ['a sixteenth of a format', { format: 'uri' }, `a:${'b'.repeat(98)}`, 6, { formats }],
  ['nothing for a format that is not asserted', { format: 'uri' }, `a:${'b'.repeat(98)}`, 0],
  ['an item that contains looks at', { contains: { const: 0 } }, list(4), 4],
  ['a condition', { if: true, then: true }, 1, 1],
  ['nothing for a condition without a consequence', { if: { items: true } }, list(5), 0],
  ['a name that another needs', { dependentRequired: { a: ['b', 'c'] } }, {}, 2],
  ['a schema that a name needs', { dependentSchemas: { a: true, b: true } }, {}, 2],
  ['what is left: eight for a key, the listing, the walk', { unevaluatedProperties: { type: 'number' } }, keys(3), 24 + 3 + 3],
  ['items that are left', { unevaluatedItems: { type: 'number' } }, list(3), 24 + 3 + 3],
  ['what another schema has evaluated, looked up once more', { allOf: [{ additionalProperties: true }], unevaluatedProperties: false }, keys(3), 1 + 24 + 1 + 24 + 3 + 3],
  ['nothing for what is no object', { unevaluatedProperties: false }, 1, 0],
  ['nothing where what is left may be anything', { unevaluatedProperties: true }, keys(3), 0],
  ['a pattern: to compile it, and little each time', { pattern: '^abc$' }, 'abc', 200 * 5 + 5],
  ['characters, only where their units do not tell: at the limit', { maxLength: 5 }, 'abcde', 0],
  ['up to twice it', { maxLength: 5 }, 'abcdefghij', 10],
  ['not above', { maxLength: 5 }, 'abcdefghijk', 0],
  ['below twice the least', { minLength: 3 }, 'abcde', 5],
  ['not from there on', { minLength: 3 }, 'abcdef', 0],
  ['nothing more, once the last error that is wanted is noted: rules', { allOf: [false, { items: true }, { items: true }] }, list(5), 3, { maxErrors: 1 }],
  ['which are all paid for otherwise', { allOf: [false, { items: true }, { items: true }] }, list(5), 13, { maxErrors: 2 }],
  ['two rules', { allOf: [false, { items: true }] }, list(5), 2, { maxErrors: 1 }],
  ['items', { items: { allOf: [false] } }, list(5), 5 + 1, { maxErrors: 1 }],
  ['names', { propertyNames: { allOf: [false] } }, keys(5), 5 + 5 + 1, { maxErrors: 1 }],
  ['properties', { properties: { k0: { allOf: [false] }, k1: { allOf: [false] } } }, keys(2), 1, { maxErrors: 1 }],
  ['not even the walk', { properties: { k0: false } }, keys(5), 0, { maxErrors: 1 }],
  ['nothing for a default of what is true', { properties: { a: true } }, { a: 1 }, 1 + 1, { defaults: fillDefaults }],
  ['defaults: a schema', { properties: { a: { default: 1 }, b: {} }, allOf: [{}] }, {}, 1 + 1 + 1 + 1 + 1, { defaults: fillDefaults }],
];

describe('what a validation costs', () => {
  for (const [what, schema, value, steps, options] of table) {
    test(`${what}: ${steps}`, () => assert.equal(costOf(schema, value, options), steps));
  }
});

test('references are as deep as the limit allows, and no deeper; one after another they are not deep', () => {
  const chain = (length: number): JsonSchema => {
    const $defs: Record<string, JsonSchema> = { [`d${length}`]: true };
    for (let i = 1; i < length; i++) $defs[`d${i}`] = { $ref: `#/$defs/d${i + 1}` };
    return { $ref: '#/$defs/d1', $defs };
  };
  const deep = (schema: JsonSchema, depth: number, value: unknown = 1, options: FullCompileOptions = {}): string => {
    const result = compile(schema, { ...options, limits: { depth } })(value);
    return result.valid ? 'valid' : result.errors.map(({ keyword, message, path, schemaPath }) => `${keyword}: ${path}${schemaPath} ${message}`).join();
  };
  assert.equal(deep(chain(5), 5), 'valid');
  assert.equal(deep(chain(6), 5), 'depth: # validation exceeds the limit "depth" (5)');
  const dynamic = JSON.parse(JSON.stringify(chain(5)).replaceAll('"$ref"', '"$dynamicRef"')) as JsonSchema;
  assert.equal(deep(dynamic, 5), 'valid');
  assert.equal(deep(dynamic, 4), 'depth: # validation exceeds the limit "depth" (4)');
  const $defs = { a: {}, b: { properties: { x: { default: 1 } } } };
  const many = { allOf: Array.from({ length: 20 }, () => ({ $ref: '#/$defs/a' })), $defs };
  assert.equal(deep(many, 2), 'valid');
  assert.equal(deep({ ...many, unevaluatedProperties: { type: 'string' } }, 3, { a: 'x' }), 'valid');
  assert.equal(deep({ ...many, unevaluatedProperties: { type: 'string' } }, 3, { a: 1 }).split(':')[0], 'type');
  assert.equal(deep({ allOf: Array.from({ length: 20 }, () => ({ $ref: '#/$defs/b' })), $defs }, 5, {}, { defaults: fillDefaults }), 'valid');
});
