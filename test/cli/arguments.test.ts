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
  ['each format', object(Object.fromEntries(['date', 'date-time', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'url', 'uuid', 'else'].map((format) => [format, { type: 'string', format }]))), {
    'date': '2026-05-01', 'date-time': '2026-05-01T09:00:00Z', 'time': '09:00:00Z', 'duration': 'P1D', 'email': 'someone@example.com', 'hostname': 'example.com', 'ipv4': '192.0.2.1', 'ipv6': '2001:db8::1',
    'uri': 'https://example.com/', 'url': 'https://example.com/', 'uuid': '123e4567-e89b-42d3-a456-426614174000', 'else': 'example',
  }],
  ['values by precedence', object({ a: { const: 1, default: 2, examples: [3], enum: [4, 1] }, b: { default: null, examples: [3] }, c: { examples: [], enum: [4, 5] }, d: { examples: 'x', type: 'boolean' } }), { a: 1, b: null, c: 4, d: false }],
  ['each type', object({ a: { type: 'null' }, b: { type: ['integer', 'string'] }, c: {}, d: { properties: { x: { type: 'boolean' } }, required: ['x'] }, e: { type: 'number' }, f: { type: 'object' } }), { a: null, b: 1, c: 'example', d: { x: false }, e: 1, f: {} }],
  ['required names without a schema', object({ a: { type: 'string' } }, ['a', 'b']), { a: 'example', b: 'example' }],
  ['lists by position', object({ a: { type: 'array', prefixItems: [{ const: 1 }, { const: 2 }], items: { const: 3 }, minItems: 3 }, b: { type: 'array', minItems: 1, items: { type: 'null' } }, c: { type: 'array', prefixItems: [{ const: 1 }] } }), { a: [1, 2, 3], b: [null], c: [1] }],
  ['alternatives with what is common', object({ a: { type: 'string', minLength: 9, oneOf: [{ maxLength: 10 }, { minLength: 11 }] }, b: { oneOf: [{ const: 2 }, { const: 3 }] } }), { a: 'example..', b: 2 }],
  ['strings within two lengths', object({ a: { type: 'string', maxLength: 0 }, b: { type: 'string', minLength: 7, maxLength: 7 }, c: { type: 'string', format: 'date', minLength: 12 } }), { a: '', b: 'example', c: '2026-05-01..' }],
  ['numbers at their bounds', object({
    a: { type: 'integer', exclusiveMinimum: 1 }, b: { type: 'number', exclusiveMinimum: 1 }, c: { type: 'integer', maximum: 0 }, d: { type: 'integer', exclusiveMaximum: 1 }, e: { type: 'number', exclusiveMaximum: 1 }, f: { type: 'number', exclusiveMaximum: 2 },
    g: { type: 'number', multipleOf: 0.25, minimum: 1.1 }, h: { type: 'integer', minimum: 1.5 }, i: { type: 'number', minimum: 1.5 }, j: { type: 'number', minimum: -5 }, k: { type: 'integer', exclusiveMinimum: -5 }, l: { type: 'integer', maximum: 5 },
  }), { a: 2, b: 1.5, c: 0, d: 0, e: 0.5, f: 1, g: 1.25, h: 2, i: 1.5, j: 1, k: 1, l: 1 }],
  ['references by pointer', object({ a: { $ref: '#/$defs/a~1b' }, b: { $ref: '#/$defs/c~0d' } }, ['a', 'b'], { $defs: { 'a/b': { const: 1 }, 'c~d': { const: 2 } } }), { a: 1, b: 2 }],
  ['short waits, by name and bounds', object({
    delay: { type: 'integer' }, sleepFor: { type: 'number', minimum: 3 }, waiting: { type: 'number', minimum: 0.5 }, seconds: { type: 'number', default: 1 }, DURATION: { type: 'number', default: 1.5 },
    delayMs: { type: 'number' }, waitMillis: { type: 'number' }, wait: { type: 'string' }, delays: true, speed: { type: 'number', default: 9 },
  }, []), { delay: 1, sleepFor: 3, waiting: 1, DURATION: 1 }],
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

test('arguments: the reason why none could be made', () => {
  for (const [schema, problem] of [
    [object({ a: { type: 'string', pattern: '^[0-9]{4}$' } }), /^arguments\/a: .*pattern/], [{ type: 'array' }, 'the arguments are not an object'], [{ type: 'nothing' }, '#/type: must be a type'],
    [object({ a: { $ref: 'https://example.com/x' } }), /./], [object({ a: { $ref: '#/no/such' } }), /./],
  ] as const) {
    const made = makeArguments(schema);
    assert.ok('problem' in made, JSON.stringify(made));
    if (typeof problem === 'string') assert.equal(made.problem, problem);
    else assert.match(made.problem, problem);
  }
});

test('arguments: a schema cannot multiply its example at each level', () => {
  const lists = (depth: number): object => (depth === 0 ? { type: 'string' } : { type: 'array', minItems: 100, items: lists(depth - 1) });
  const members = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, { $ref: '#/properties/a' }]));
  for (const a of [lists(3), lists(7), object(members(60)), { type: 'array', minItems: 50, items: { $ref: '#/properties/a' } }, { type: 'array', prefixItems: Object.values(members(60)) }]) {
    assert.deepEqual(makeArguments(object({ a })), { problem: 'the example would have more than 10,000 values' });
  }
  assert.ok('args' in makeArguments(object({ a: lists(1), b: lists(1) })));
});

test('arguments: nesting is made to eight levels', () => {
  const nested = (depth: number): Record<string, unknown> => (depth === 0 ? { type: ['boolean', 'null'] } : object({ x: nested(depth - 1) }));
  const value = (depth: number, last: unknown): unknown => (depth === 0 ? last : { x: value(depth - 1, last) });
  assert.deepEqual(makeArguments(nested(8)), { args: value(8, false) });
  assert.deepEqual(makeArguments(nested(9)), { args: value(9, null) });
});
