import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile } from '../../src/schema/full/index.ts';
import type { JsonSchema } from '../../src/schema/index.ts';

// Evaluated parts, keyword by keyword: properties of an object, items of an array. 2020-12 core 11.2 and 11.3.

const a = { properties: { a: true } };
const first = { prefixItems: [true] };
const ones = { contains: { const: 1 } };
const $defs = { a, first, none: {} };

const table: readonly (readonly [rules: JsonSchema, value: object, left: readonly string[]])[] = [
  [{}, { a: 1, b: 1 }, ['a', 'b']], [a, { a: 1, b: 1 }, ['b']], [{ patternProperties: { '^a': true } }, { a: 1, ab: 1, b: 1 }, ['b']], [{ additionalProperties: true }, { a: 1, b: 1 }, []], [{ additionalProperties: {} }, { a: 1 }, []],
  [{ required: ['a'], propertyNames: true, minProperties: 1, dependentRequired: { a: ['a'] } }, { a: 1 }, ['a']],
  [{ $ref: '#/$defs/a' }, { a: 1, b: 1 }, ['b']], [{ $dynamicRef: '#/$defs/a' }, { a: 1, b: 1 }, ['b']], [{ $ref: '#/$defs/none' }, { a: 1 }, ['a']], [{ allOf: [a, { properties: { b: true } }] }, { a: 1, b: 1, c: 1 }, ['c']],
  [{ anyOf: [a, { properties: { b: true } }] }, { a: 1, b: 1 }, []], [{ anyOf: [{ ...a, required: ['c'] }, { properties: { b: true } }] }, { a: 1, b: 1 }, ['a']], [{ oneOf: [{ ...a, required: ['c'] }, { properties: { b: true } }] }, { a: 1, b: 1 }, ['a']],
  [{ not: { not: a } }, { a: 1 }, ['a']], [{ if: a }, { a: 1, b: 1 }, ['b']], [{ if: { ...a, required: ['b'] } }, { a: 1 }, ['a']], [{ if: a, then: { properties: { b: true } } }, { a: 1, b: 1, c: 1 }, ['c']], [{ if: a, else: { properties: { b: true } } }, { a: 1, b: 1 }, ['b']],
  [{ if: { ...a, required: ['x'] }, then: { properties: { c: true } }, else: { properties: { b: true } } }, { a: 1, b: 1, c: 1 }, ['a', 'c']],
  [{ dependentSchemas: { b: a } }, { a: 1, b: 1 }, ['b']], [{ dependentSchemas: { c: a } }, { a: 1, b: 1 }, ['a', 'b']], [{ dependentSchemas: { toString: a } }, { a: 1 }, ['a']],
  [{ allOf: [{ unevaluatedProperties: true }] }, { a: 1, b: 1 }, []], [{ allOf: [{ unevaluatedProperties: { type: 'number' } }] }, { a: 1, b: 1 }, []], [{ allOf: [{ unevaluatedItems: true }] }, { a: 1 }, ['a']], [{ allOf: [true, first] }, { a: 1, 0: 1 }, ['0', 'a']],
  [{ properties: { a: { properties: { b: true } } } }, { a: { b: 1 }, b: 1 }, ['b']], [{ allOf: [{ additionalProperties: { type: 'number' } }] }, { a: 1 }, []],
  [{}, [1, 2], ['0', '1']], [first, [1, 2], ['1']], [{ items: true }, [1, 2], []], [{ prefixItems: [true], items: true }, [1, 2], []], [ones, [1, 2, 1], ['1']], [{ ...ones, minContains: 0 }, [2, 3], ['0', '1']], [{ ...first, ...ones }, [2, 2, 1], ['1']],
  [{ uniqueItems: true, minItems: 1 }, [1], ['0']], [{ $ref: '#/$defs/first' }, [1, 2], ['1']], [{ allOf: [first, ones] }, [2, 1, 2], ['2']], [{ anyOf: [{ ...first, minItems: 5 }, ones] }, [2, 1], ['0']], [{ allOf: [{ unevaluatedItems: true }] }, [1, 2], []], [{ allOf: [{ unevaluatedProperties: true }] }, [1], ['0']],
  [{ if: { prefixItems: [{ const: 1 }] }, then: { prefixItems: [true, true] } }, [1, 2, 3], ['2']], [{ if: { prefixItems: [{ const: 2 }] }, then: { prefixItems: [true, true] } }, [1, 2], ['0', '1']], [{ allOf: [a] }, [1], ['0']], [{ not: ones }, [2], ['0']],
];

describe('what is left unevaluated', () => {
  for (const [rules, value, left] of table) {
    test(`${JSON.stringify(rules)} of ${JSON.stringify(value)}`, () => {
      const keyword = Array.isArray(value) ? 'unevaluatedItems' : 'unevaluatedProperties';
      const places = (schema: JsonSchema): string[] => {
        const result = compile(schema)(value);
        return result.valid ? [] : result.errors.map((error) => `${error.keyword} ${error.path}`).sort();
      };
      assert.deepEqual(places({ $defs, ...rules as object, [keyword]: false }), left.map((key) => `${keyword} /${key}`));
      assert.deepEqual(places({ $defs, ...rules as object, [keyword]: { type: 'string' } }), left.map((key) => `type /${key}`));
      assert.deepEqual(places({ $defs, ...rules as object, [keyword]: true }), []);
    });
  }
});
