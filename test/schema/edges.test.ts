import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile as compileFull } from '../../src/schema/full/index.ts';
import { SchemaError, adaptSchema, compile, fillDefaults } from '../../src/schema/index.ts';
import type { CompileOptions, JsonSchema, StandardSchema } from '../../src/schema/index.ts';

const isValid = (schema: JsonSchema, value: unknown): boolean => {
  const { valid } = compileFull(schema)(value);
  let small: boolean | undefined;
  try {
    small = compile(schema)(value).valid;
  } catch (error) {
    assert.ok(error instanceof SchemaError && error.code === 'keyword');
  }
  assert.ok(small === undefined || small === valid, 'the dialects agree');
  return valid;
};

// Each bound: a value at the bound, and one just beyond it; with only this keyword, and with its type too.
const bounds: readonly (readonly [type: string, rules: object, keeps: readonly unknown[], breaks: readonly unknown[]])[] = [
  ['number', { minimum: 5 }, [5, 5.1], [4.9]], ['number', { maximum: 5 }, [5, 4.9], [5.1]],
  ['number', { exclusiveMinimum: 5 }, [5.1], [5, 4.9]], ['number', { exclusiveMaximum: 5 }, [4.9], [5, 5.1]],
  ['number', { minimum: 0, exclusiveMinimum: 5 }, [5.1], [3, 5]], ['number', { minimum: 5, exclusiveMinimum: 0 }, [5], [3]],
  ['number', { maximum: 9, exclusiveMaximum: 5 }, [4.9], [7, 5]], ['number', { maximum: 5, exclusiveMaximum: 9 }, [5], [7]],
  ['number', { minimum: 1, maximum: 2 }, [1, 1.5, 2], [0.9, 2.1]], ['number', { exclusiveMinimum: 1, exclusiveMaximum: 2 }, [1.5], [1, 2]],
  ['number', { multipleOf: 2 }, [4, 0, -2], [3]], ['number', { multipleOf: 0.1, minimum: 0.3 }, [0.3, 1.1], [0.2, 0.35]],
  ['integer', { minimum: 5 }, [5, 6], [4]], ['integer', { maximum: 5 }, [5, 4], [6]], ['integer', { exclusiveMinimum: 5, exclusiveMaximum: 7 }, [6], [5, 7]], ['integer', { multipleOf: 3 }, [6], [7]],
  ['string', { minLength: 2 }, ['ab', 'abc', '😀😀', 'abcd'], ['a', '', '😀']], ['string', { maxLength: 2 }, ['ab', '', '😀😀'], ['abc', '😀😀😀', 'abcd', 'abcde']],
  ['string', { minLength: 4 }, ['😀😀😀😀', 'abcd'], ['😀😀😀', 'abc', 'a😀😀']], ['string', { minLength: 2, maxLength: 3 }, ['ab', 'abc', '😀😀😀', '😀b'], ['a', 'abcd', '😀', '😀😀😀😀', '😀😀😀a']],
  ['string', { pattern: '^a', maxLength: 3 }, ['abc'], ['b', 'abcd']], ['string', { pattern: 'b', minLength: 1 }, ['b', 'ab'], ['a', 'aaaa']],
  ['array', { minItems: 2 }, [[1, 2]], [[1]]], ['array', { maxItems: 2 }, [[1, 2]], [[1, 2, 3]]], ['array', { prefixItems: [{ const: 1 }], items: { const: 2 } }, [[], [1], [1, 2]], [[2], [1, 1]]],
  ['array', { uniqueItems: true }, [[], [1], [1, '1', [1], ['1'], { a: 1 }, { a: '1' }, { b: 1 }, '[1]', '{"a":1}', true, 'true', null, 'null', [], {}, [[]], [1, 2], [2, 1], '"1']], [[1, 1], [[], []], [{}, {}], [{ a: 1, b: [2] }, { b: [2], a: 1 }], [null, 0, null]]],
  ['array', { contains: { const: 1 } }, [[1], [0, 1]], [[], [0]]], ['array', { contains: { const: 1 }, minContains: 2 }, [[1, 1], [1, 0, 1]], [[1], []]], ['array', { contains: { const: 1 }, maxContains: 1 }, [[1], [0, 1]], [[1, 1], []]],
  ['array', { contains: { const: 1 }, minContains: 0 }, [[], [0]], []], ['array', { contains: { const: 1 }, minContains: 1, maxContains: 2 }, [[1], [1, 1]], [[], [1, 1, 1]]],
  ['object', { minProperties: 2 }, [{ a: 1, b: 1 }], [{ a: 1 }]], ['object', { maxProperties: 1 }, [{ a: 1 }], [{ a: 1, b: 1 }]], ['object', { required: ['a', 'b'] }, [{ a: 1, b: 1 }], [{ a: 1 }, { b: 1 }]],
];

describe('each bound holds at its edge', () => {
  for (const [type, rules, keeps, breaks] of bounds) {
    test(`${type}: ${JSON.stringify(rules)}`, () => {
      for (const schema of [rules, { type, ...rules }, { type: [type, 'null'], ...rules }] as JsonSchema[]) {
        for (const value of keeps) assert.ok(isValid(schema, value), `${JSON.stringify(value)} keeps ${JSON.stringify(schema)}`);
        for (const value of breaks) assert.ok(!isValid(schema, value), `${JSON.stringify(value)} breaks ${JSON.stringify(schema)}`);
      }
      for (const value of [true, 'x', 1, [], {}].filter((value) => (Array.isArray(value) ? 'array' : typeof value) !== type.replace('integer', 'number'))) {
        assert.ok(isValid(rules as JsonSchema, value), `${JSON.stringify(value)} is not concerned`);
        assert.ok(!isValid({ type, ...rules } as JsonSchema, value), `${JSON.stringify(value)} is not of type ${type}`);
      }
    });
  }
});

const values: Readonly<Record<string, readonly unknown[]>> = {
  null: [null], boolean: [true, false], object: [{}], array: [[]], number: [1.5, -0.5], integer: [0, -3, 1e20], string: ['', 'null'],
};

test('each type, alone and of several, takes its own values and no others', () => {
  const types = Object.keys(values);
  const wanted = (type: string, of: string): boolean => type === of || (type === 'number' && of === 'integer');
  for (const type of types) for (const also of types) for (const of of types) {
    for (const value of values[of] ?? []) {
      assert.equal(isValid({ type }, value), wanted(type, of), `${JSON.stringify(value)} as ${type}`);
      assert.equal(isValid({ type: [type, also] }, value), wanted(type, of) || wanted(also, of), `${JSON.stringify(value)} as ${type} or ${also}`);
    }
  }
});

const sentences: readonly (readonly [schema: JsonSchema, value: unknown, keyword: string, message: string])[] = [
  [{ type: 'number' }, 'x', 'type', '"x" is not of type number'], [{ type: ['number', 'null'] }, {}, 'type', 'the object is not of type number,null'], [{ type: 'string' }, [], 'type', 'the array is not of type string'],
  [{ type: 'string' }, null, 'type', 'null is not of type string'], [{ enum: ['a', 1, null, { a: 1 }, [2]] }, true, 'enum', 'true is not one of "a", 1, null, the object, the array'], [{ const: ['a', 2] }, 1, 'const', '1 is not "a", 2'],
  [{ required: ['a'] }, {}, 'required', 'property "a" is missing'], [{ additionalProperties: false }, { a: 1 }, 'additionalProperties', 'property "a" is not allowed'], [{ properties: { b: true, c: true }, additionalProperties: false }, { a: 1 }, 'additionalProperties', 'property "a" is not allowed (expected "b", "c")'],
  [{ minimum: 1 }, 0, 'minimum', '0 is less than 1'], [{ maximum: 1 }, 2, 'maximum', '2 is greater than 1'], [{ exclusiveMinimum: 1 }, 1, 'exclusiveMinimum', '1 is not greater than 1'], [{ exclusiveMaximum: 1 }, 1, 'exclusiveMaximum', '1 is not less than 1'], [{ multipleOf: 2 }, 3, 'multipleOf', '3 is not a multiple of 2'],
  [{ minLength: 2 }, 'a', 'minLength', '"a" is shorter than 2'], [{ maxLength: 1 }, 'ab', 'maxLength', '"ab" is longer than 1'], [{ minItems: 1 }, [], 'minItems', 'has less than 1 items'], [{ maxItems: 0 }, [1], 'maxItems', 'has more than 0 items'],
  [{ minProperties: 1 }, {}, 'minProperties', 'has less than 1 properties'], [{ maxProperties: 0 }, { a: 1 }, 'maxProperties', 'has more than 0 properties'], [{ pattern: '^b$' }, 'a', 'pattern', '"a" does not match the pattern ^b$'],
  [{ anyOf: [false] }, 1, 'anyOf', '1 fits none of the alternatives'], [{ oneOf: [true, {}, true] }, 1, 'oneOf', '1 fits 2 alternatives, not exactly one'], [{ oneOf: [false] }, 1, 'oneOf', '1 fits 0 alternatives, not exactly one'], [false, 1, 'false', '1 is not allowed here'],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'dependentRequired', 'property "a" needs property "b"'], [{ dependencies: { a: ['b'] } }, { a: 1 }, 'dependencies', 'property "a" needs property "b"'], [{ not: {} }, 1, 'not', '1 is excluded by "not"'],
  [{ unevaluatedProperties: false }, { a: 1 }, 'unevaluatedProperties', 'property "a" is not allowed'], [{ properties: { b: true }, unevaluatedProperties: false }, { a: 1 }, 'unevaluatedProperties', 'property "a" is not allowed (expected "b")'], [{ unevaluatedItems: false }, [1], 'unevaluatedItems', 'item "0" is not allowed'],
  [{ contains: false }, [1], 'contains', 'no item fits "contains"'], [{ contains: true, minContains: 2 }, [1], 'minContains', 'less than 2 items fit "contains"'], [{ contains: true, maxContains: 1 }, [1, 1], 'maxContains', 'more than 1 items fit "contains"'], [{ uniqueItems: true }, [1, 2, 1], 'uniqueItems', 'items 0, 2 are equal'],
  [{ const: 1 }, 'x'.repeat(80), 'const', `"${'x'.repeat(80)}" is not 1`], [{ const: 1 }, 'x'.repeat(81), 'const', `"${'x'.repeat(80)}…" is not 1`],
  [{ enum: Array.from({ length: 20 }, (_, i) => i) }, -1, 'enum', `-1 is not one of ${Array.from({ length: 20 }, (_, i) => i).join(', ')}`], [{ enum: Array.from({ length: 21 }, (_, i) => i) }, -1, 'enum', `-1 is not one of ${Array.from({ length: 20 }, (_, i) => i).join(', ')}, …`],
];

describe('each rule has its sentence, whichever dialect says it', () => {
  for (const [schema, value, keyword, message] of sentences) {
    test(message.slice(0, 60), () => {
      const [error] = (([result]) => (result?.valid === false ? result.errors : []))([compileFull(schema)(value)]);
      assert.deepEqual([error?.keyword, error?.message], [keyword, message]);
      // The second time the stored parts are used.
      const again = compileFull({ items: schema })([value, value]);
      assert.deepEqual(again.valid ? [] : again.errors.filter((one) => one.keyword === keyword).map((one) => one.message), [message, message]);
    });
  }
});

const refusal = (schema: unknown, options?: CompileOptions, make: typeof compile = compile): string => {
  try {
    make(schema as JsonSchema, options);
    return 'taken';
  } catch (error) {
    assert.ok(error instanceof SchemaError);
    return `${error.code} ${error.path}`;
  }
};

test('a schema is refused from its limits on, and not before', () => {
  for (const make of [compile, compileFull]) {
    const at = (schema: JsonSchema, limits: CompileOptions['limits']): string => refusal(schema, { limits: limits ?? {} }, make);
    assert.equal(at({ anyOf: [true, {}] }, { subschemas: 3 }), 'taken');
    assert.equal(at({ anyOf: [true, {}] }, { subschemas: 2 }), 'limit #/anyOf/1');
    assert.equal(at({ items: { items: true } }, { depth: 2 }), 'taken');
    assert.equal(at({ items: { items: true } }, { depth: 1 }), 'limit #/items/items');
    assert.equal(at({ pattern: 'abc' }, { pattern: 3 }), 'taken');
    assert.equal(at({ pattern: 'abc' }, { pattern: 2 }), 'pattern #/pattern');
    const two = { pattern: 'abc', items: { patternProperties: { ab: true, c: {} } } };
    assert.equal(at(two, { patterns: 6 }), 'taken');
    assert.equal(at(two, { patterns: 5 }), 'pattern #/items');
    assert.equal(at({ pattern: '\\p{L}' }, { patterns: 505 }), 'taken');
    assert.equal(at({ pattern: '\\p{L}' }, { patterns: 504 }), 'pattern #/pattern');
  }
});

test('what is nearly a keyword, a type or a list is none', () => {
  for (const keyword of ['subtitle', 'titles', '$ids', 'x', 'xx-a', 'contenttype', 'acontentType', 'descriptionx', 'example', 'readonly']) assert.equal(refusal({ items: { [keyword]: 'a' } }), 'keyword #/items', keyword);
  for (const keyword of ['title', '$id', 'x-', 'x-a\nb', 'contentType', 'contentEncoding', 'description']) assert.equal(refusal({ [keyword]: 'a' }), 'taken', keyword);
  for (const type of ['strings', 'substring', '', 'null ', ['null', 'nil'], [['null']], {}]) assert.equal(refusal({ type }), 'schema #/type', JSON.stringify(type));
  for (const required of [['a', 1], [null], 'a', { 0: 'a' }]) assert.equal(refusal({ required }), 'schema #/required', JSON.stringify(required));
  for (const rules of [{ properties: { a: ['b'] } }, { properties: { a: null } }, { properties: { a: 'x' } }]) assert.equal(refusal(rules, {}, compileFull), 'schema #/properties/a');
  assert.equal(refusal({ enum: [] }), 'taken');
  assert.equal(refusal({ minimum: Infinity }), 'schema #/minimum');
  assert.equal(refusal({ multipleOf: Infinity }), 'schema #/multipleOf');
  assert.equal(refusal({ minLength: 0, maxLength: 0, minItems: 0 }), 'taken');
});

test('the small dialect knows its metaschemas by their whole name, and looks at that of the whole schema alone', () => {
  for (const $schema of ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft/2020-12/schema#', 'http://json-schema.org/draft-07/schema', 'https://json-schema.org/draft-07/schema#']) assert.equal(refusal({ $schema }), 'taken', $schema);
  for (const $schema of ['xhttps://json-schema.org/draft/2020-12/schema', 'https://json-schema.org/draft/2020-12/schema#x', 'https://json-schema.org/draft/2020-12/schemas', 'https://json-schema.org/draft-06/schema', 1, null]) assert.equal(refusal({ $schema }), 'keyword #', String($schema));
  assert.equal(refusal({ items: { $schema: 'https://a.example/' } }), 'taken');
  const long = 'k'.repeat(10_000);
  assert.throws(() => compile({ [long]: 1 }), (error) => error instanceof SchemaError && error.message.includes('k'.repeat(100)) && error.message.length < 300);
});

test('in draft-07 the small dialect has no newer keywords, and a $ref stands alone', () => {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  assert.equal(refusal({ $schema, items: { prefixItems: [true] } }), 'keyword #/items');
  assert.equal(refusal({ $schema, $defs: {} }), 'keyword #');
  const schema = { $schema, definitions: { a: { type: 'string' } }, properties: { x: { $ref: '#/definitions/a', minLength: 3, nonsense: 1 } } };
  assert.ok(isValid(schema, { x: 'a' }) && !isValid(schema, { x: 1 }));
  assert.ok(!isValid({ ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema', properties: { x: { $ref: '#/definitions/a', minLength: 3 } } }, { x: 'a' }));
});

test('a reference of the small dialect leads to a place in the document, with its address', () => {
  const place = (schema: JsonSchema): string => {
    const result = compile(schema)(1);
    return result.valid ? 'valid' : (result.errors[0]?.schemaPath ?? '');
  };
  assert.equal(place({ $ref: '#/x-one/a~1b', 'x-one': { 'a/b': { type: 'string' } } }), '#/x-one/a~1b/type');
  assert.equal(place({ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }), '#/$defs/a/type');
  for (const schema of [{ $ref: '#/title/0', title: 'abc' }, { $ref: '#/default/b', default: null }, { $ref: '#/toString' }, { $ref: '#/$defs/a/b', $defs: { a: {} } }]) assert.equal(refusal(schema), 'reference #', JSON.stringify(schema));
});

test('defaults: what has none is not added, and the copy may be changed', () => {
  const result = compile<Record<string, unknown>>({ properties: { a: { default: 1 }, b: {}, c: true, d: { default: null } }, allOf: [{}] }, { defaults: fillDefaults })({ S: 1 });
  assert.ok(result.valid);
  assert.deepEqual(Object.entries(result.value).sort(), [['S', 1], ['a', 1], ['d', null]]);
  result.value['a'] = 2;
  delete result.value['d'];
  assert.deepEqual(Object.entries(result.value).sort(), [['S', 1], ['a', 2]]);
  const inLists = compile({ prefixItems: [{ properties: { a: { default: 1 } } }], items: { properties: { b: { default: 2 } } } }, { defaults: fillDefaults })([{}, {}, 3]);
  assert.deepEqual(inLists.valid && inLists.value, [{ a: 1 }, { b: 2 }, 3]);
});

test('what a format of the caller throws is thrown on', () => {
  const mine = new Error('mine');
  assert.throws(() => compile({ format: 'own' }, { formats: { own: { test() { throw mine; } } } })('x'), mine);
});

test('a Standard Schema lists a hundred issues; true and false are JSON Schemas', async () => {
  const standard: StandardSchema = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: Array.from({ length: 101 }, (_, i) => ({ message: String(i) })) }) } };
  const result = await adaptSchema({ standard, jsonSchema: true }, 'input').validate(1);
  assert.equal(result.valid ? 0 : result.errors.length, 100);
  assert.equal((await adaptSchema(false, 'input', compile).validate(1)).valid, false);
  assert.equal((await adaptSchema(true, 'input', compile).validate(1)).valid, true);
});
