import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeArguments } from '../../src/cli/arguments.ts';

const object = (properties: object, required: string[] = Object.keys(properties), more: object = {}) =>
  ({ type: 'object', properties, required, ...more });

const makes: [string, Record<string, unknown>, unknown][] = [
  ['nothing for nothing', { type: 'object' }, {}],
  ['only what is required', object({ a: { type: 'string' }, b: { type: 'string' } }, ['a']), { a: 'example' }],
  ['defaults and examples', object({ a: { type: 'string', default: 'x' }, b: { type: 'integer', examples: [7] } }),
    { a: 'x', b: 7 }],
  ['a choice', object({ a: { enum: ['p', 'q'] }, b: { const: 3 } }), { a: 'p', b: 3 }],
  ['formats', object({ a: { type: 'string', format: 'date' } }), { a: '2026-05-01' }],
  ['lengths', object({ a: { type: 'string', minLength: 10 }, b: { type: 'string', maxLength: 2 } }),
    { a: 'example...', b: 'ex' }],
  ['numbers within bounds', object({
    a: { type: 'integer', minimum: 5 },
    b: { type: 'number', exclusiveMaximum: 0 },
    c: { type: 'integer', multipleOf: 4 },
  }), { a: 5, b: -0.5, c: 4 }],
  ['lists as short as they may be', object({
    a: { type: 'array', items: { type: 'string' } },
    b: { type: 'array', items: { type: 'boolean' }, minItems: 2 },
  }), { a: [], b: [false, false] }],
  ['alternatives', object({
    a: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    b: { allOf: [{ type: 'string' }, { minLength: 8 }] },
  }), { a: 1, b: 'example.' }],
  ['references',
    object({ a: { $ref: '#/$defs/point' } }, ['a'], { $defs: { point: object({ x: { type: 'number' } }) } }),
    { a: { x: 1 } }],
  ['a name that is dangerous', object(JSON.parse('{"__proto__":{"type":"string"}}') as object, ['__proto__']),
    JSON.parse('{"__proto__":"example"}')],
  ['a short wait', object({ duration: { type: 'number', default: 10 }, steps: { type: 'number', default: 5 } }, []),
    { duration: 1 }],
];
for (const [what, schema, expected] of makes) {
  test(`arguments: ${what}`, () => {
    assert.deepEqual(makeArguments(schema), { args: expected });
  });
}

test('arguments: a wait stays as it is where it is wanted', () => {
  assert.deepEqual(makeArguments(object({ duration: { type: 'number', default: 10 } }, []), false), { args: {} });
});

for (const [what, schema] of Object.entries<Record<string, unknown>>({
  'a pattern that cannot be guessed': object({ a: { type: 'string', pattern: '^[0-9]{4}$' } }),
  'a schema that is none': { type: 'nothing' },
  'a schema without end': object({ a: { $ref: '#' } }),
  'a list too long to make': object({ a: { type: 'array', minItems: 1e9 } }),
})) {
  test(`arguments: none for ${what}`, () => {
    assert.ok('problem' in makeArguments(schema));
  });
}
