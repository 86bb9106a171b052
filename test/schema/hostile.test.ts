import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile } from '../../src/schema/full/index.ts';
import { SchemaError, formats } from '../../src/schema/index.ts';
import type { CompileOptions, JsonSchema } from '../../src/schema/index.ts';
import { everyNth } from '../every-nth.ts';

/** The outcome: valid, invalid, or the exceeded limit. The runner's time limit ends endless validation. */
function outcome(schema: JsonSchema, value: unknown, options?: CompileOptions): string {
  let answer: string;
  try {
    const result = compile(schema, options)(value);
    const keyword = result.valid ? '' : (result.errors[0]?.keyword ?? '');
    answer =
      result.valid ? 'valid'
      : /exceeds the limit/.test(result.errors[0]?.message ?? '') ? keyword
      : 'invalid';
  } catch (error) {
    assert.ok(error instanceof SchemaError, String(error));
    answer = `${error.code}: ${/limit "(\w+)"/.exec(error.message)?.[1] ?? error.message}`;
  }
  return answer;
}

function nest(depth: number, open: string, close: string, core: string): unknown {
  return JSON.parse(open.repeat(depth) + core + close.repeat(depth));
}

describe('names that objects inherit', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
  for (const name of names) {
    const schema = (text: string): JsonSchema => JSON.parse(text.replaceAll('NAME', name)) as JsonSchema;
    const value = JSON.parse(`{"${name}": 1}`) as unknown;
    test(name, () => {
      assert.equal(outcome({ required: [name] }, {}), 'invalid');
      assert.equal(outcome({ required: [name] }, value), 'valid');
      assert.equal(outcome(schema('{"properties": {"NAME": {"type": "string"}}}'), {}), 'valid');
      assert.equal(outcome(schema('{"properties": {"NAME": {"type": "string"}}}'), value), 'invalid');
      assert.equal(
        outcome(schema('{"properties": {"NAME": {}}, "additionalProperties": false}'), value),
        'valid',
      );
      assert.equal(outcome({ properties: { a: true }, additionalProperties: false }, value), 'invalid');
      assert.equal(outcome(schema('{"dependentRequired": {"NAME": ["a"]}}'), {}), 'valid');
      assert.equal(outcome(schema('{"dependentRequired": {"NAME": ["a"]}}'), value), 'invalid');
      assert.equal(outcome(schema('{"dependentSchemas": {"NAME": false}}'), {}), 'valid');
      assert.equal(outcome(schema('{"dependentSchemas": {"NAME": false}}'), value), 'invalid');
      assert.equal(outcome(schema('{"const": {"NAME": 1}}'), value), 'valid');
      assert.equal(outcome(schema('{"const": {"NAME": 1}}'), {}), 'invalid');
      assert.equal(outcome({ unevaluatedProperties: false }, value), 'invalid');
      assert.equal(outcome(schema('{"NAME": 1, "type": "object"}'), {}), 'valid');
      assert.equal(outcome({ uniqueItems: true }, [{}, value]), 'valid');
      assert.equal(outcome(schema('{"$defs": {"NAME": false}, "$ref": "#/$defs/NAME"}'), 1), 'invalid');
    });
  }
});

describe('schemas that are too much', () => {
  test('100,000 levels of subschemas', () => {
    assert.equal(outcome(nest(100_000, '{"items":', '}', 'true') as JsonSchema, []), 'limit: depth');
    assert.equal(outcome(nest(100_000, '{"allOf":[', ']}', 'true') as JsonSchema, 1), 'limit: depth');
    assert.equal(outcome(nest(100_000, '{"not":', '}', 'true') as JsonSchema, 1), 'limit: depth');
  });

  test('200,000 subschemas', () => {
    const anyOf = Array.from({ length: 200_000 / everyNth(8) }, () => ({}));
    assert.equal(outcome({ anyOf }, 1), 'limit: subschemas');
    const properties = Object.fromEntries(anyOf.map((_, i) => [`p${i}`, true]));
    assert.equal(outcome({ properties }, 1), 'limit: subschemas');
  });

  test('a cycle of JavaScript objects', () => {
    const cycle: { items?: unknown } = {};
    cycle.items = cycle;
    assert.equal(outcome(cycle as JsonSchema, []), 'limit: depth');
  });

  test('200,000 required names', () => {
    const required = Array.from({ length: 200_000 / everyNth(8) }, (_, i) => `p${i}`);
    assert.equal(outcome({ required }, {}, { maxErrors: 1 }), 'invalid');
  });

  test('each limit is an option', () => {
    assert.equal(outcome({ items: { items: true } }, [], { limits: { depth: 1 } }), 'limit: depth');
    assert.equal(outcome({ anyOf: [true, true] }, 1, { limits: { subschemas: 2 } }), 'limit: subschemas');
    assert.equal(outcome({ items: true }, [1, 2, 3], { limits: { work: 2 } }), 'work');
    assert.equal(outcome({ pattern: 'abc' }, '', { limits: { pattern: 2 } }), 'pattern: pattern');
    assert.equal(
      outcome(nest(50, '{"items":', '}', 'true') as JsonSchema, [], { limits: { depth: 50 } }),
      'valid',
    );
  });
});

describe('schemas and values that would run away', () => {
  test('an exponential web of references', () => {
    const $defs: Record<string, JsonSchema> = { d60: { type: 'string' } };
    for (let i = 0; i < 60; i++)
      $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] };
    assert.equal(outcome({ $ref: '#/$defs/d0', $defs }, 'x'), 'work');
    for (const keyword of ['anyOf', 'oneOf']) {
      const web = JSON.parse(JSON.stringify($defs).replaceAll('allOf', keyword)) as JsonSchema;
      assert.equal(outcome({ $ref: '#/$defs/d0', $defs: web }, 1), 'work');
    }
  });

  test('references that go round in circles', () => {
    assert.equal(outcome({ $ref: '#' }, 1), 'depth');
    assert.equal(outcome({ anyOf: [{ $ref: '#' }] }, 1), 'depth');
    assert.equal(
      outcome({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, 1),
      'depth',
    );
    assert.equal(outcome({ $dynamicAnchor: 'a', not: { $dynamicRef: '#a' } }, 1), 'depth');
  });

  test('a chain of 9,000 references', () => {
    const $defs: Record<string, JsonSchema> = { d9000: true };
    for (let i = 0; i < 9000; i++) $defs[`d${i}`] = { $ref: `#/$defs/d${i + 1}` };
    assert.equal(outcome({ $ref: '#/$defs/d0', $defs }, 1), 'depth');
  });

  test('a value 100,000 levels deep', () => {
    const value = nest(100_000, '[', ']', '');
    assert.equal(outcome({ items: { $ref: '#' } }, value), 'depth');
    assert.equal(outcome({ items: { $ref: '#' } }, value, { limits: { depth: 1_000_000 } }), 'depth');
    assert.equal(outcome({ items: { type: 'array' } }, value), 'valid');
    assert.equal(outcome({ uniqueItems: true }, [value, value]), 'depth');
    assert.equal(outcome({ const: nest(100_000, '[', ']', '') }, value), 'depth');
    assert.equal(
      outcome({ enum: [nest(100_000, '{"a":', '}', '1')] }, nest(100_000, '{"a":', '}', '2')),
      'depth',
    );
  });

  test('a value 200 levels deep is fine', () => {
    assert.equal(outcome({ type: 'array', items: { $ref: '#' } }, nest(200, '[', ']', '')), 'valid');
  });

  test('a million unique items', () => {
    const numbers = Array.from({ length: 1_000_000 / everyNth(4) }, (_, i) => i);
    assert.equal(outcome({ uniqueItems: true }, numbers), 'valid');
    assert.equal(
      outcome(
        { uniqueItems: true },
        numbers.map((i) => `s${i}`),
      ),
      'valid',
    );
    assert.equal(outcome({ uniqueItems: true }, [...numbers, 0]), 'invalid');
    assert.equal(
      outcome(
        { uniqueItems: true },
        numbers.map((i) => ({ i })),
      ),
      'work',
    );
    assert.equal(
      outcome({ uniqueItems: true }, [[1], ['1'], '[1]', 1, '1', true, 'true', null, 'null', { a: 1 }]),
      'valid',
    );
    assert.equal(
      outcome({ uniqueItems: true }, [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ]),
      'invalid',
    );
  });

  // A keyword that walks a value pays for each part of the value, even if the schema's side is short.
  const copies = (rule: JsonSchema): JsonSchema => ({ allOf: Array<JsonSchema>(500).fill(rule) });
  const object = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, i]));
  const array = Object.values(object);
  const overObjects: JsonSchema[] = [
    { minProperties: 1 }, { maxProperties: 1e6 }, { propertyNames: { maxLength: 9 } }, { additionalProperties: { type: 'integer' } },
    { patternProperties: { '^k': true } }, { enum: [{ k1: 1 }] }, { const: { k1: 1 } }, { const: { ...object } }, { not: { const: {} } },
  ];
  const overArrays: JsonSchema[] = [
    { items: { type: 'integer' } }, { uniqueItems: true }, { contains: { const: 1_999 } }, { enum: [[1]] }, { const: [1] },
    { const: [...array] }, { not: { enum: [[], {}] } },
  ];
  for (const [value, rules] of [[object, overObjects], [array, overArrays]] as const) {
    for (const rule of rules.filter((_, at) => at % everyNth(3) === 0)) {
      test(`the same rule hundreds of times, and a wide value: ${JSON.stringify(rule).slice(0, 50)}`, () => {
        assert.equal(outcome(copies(rule), value, { limits: { work: 500_000 } }), 'work');
      });
    }
  }

  test('alternatives times items', () => {
    const oneOf = Array.from({ length: 5_000 }, (_, i) => ({ const: `c${i}` }));
    const value = Array.from({ length: 100_000 }, () => 'c4999');
    assert.equal(outcome({ items: { oneOf } }, value), 'work');
    assert.equal(outcome({ items: { allOf: oneOf.map(() => ({ minLength: 0 })) } }, value), 'work');
    assert.equal(outcome({ contains: { anyOf: oneOf } }, value), 'work');
  });

  test('many properties times many objects', () => {
    const properties = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`p${i}`, true]));
    assert.equal(
      outcome(
        { items: { properties } },
        Array.from({ length: 100_000 }, () => ({})),
      ),
      'valid',
    );
    const dependentRequired = { a: Array.from({ length: 9_000 }, () => 'a') };
    const value = Array.from({ length: 100_000 }, () => ({ a: 1 }));
    assert.equal(outcome({ items: { dependentRequired } }, value), 'work');
  });

  test('many schemas times many keys, whatever the rule', () => {
    const value = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, i]));
    for (const rule of [
      { properties: { a: true } }, { required: ['k1'] }, { minProperties: 1 }, { propertyNames: { maxLength: 100 } },
      { additionalProperties: { type: 'number' } }, { patternProperties: { '^a': true } }, { unevaluatedProperties: { type: 'number' } },
      { dependentSchemas: { k1: { properties: { a: true } } } }, { not: { enum: [{ ...value, z: 1 }] } },
    ].filter((_, at) => at % everyNth(3) === 0) as JsonSchema[]) {
      const allOf = Array.from({ length: 1_000 }, () => rule);
      assert.equal(outcome({ allOf }, value), 'work', JSON.stringify(rule).slice(0, 80));
    }
    // A schema that accepts everything walks no keys.
    assert.equal(outcome({ allOf: Array.from({ length: 1_000 }, () => ({ unevaluatedProperties: true })) }, value), 'valid');
    const allOf = Array.from({ length: 1_000 }, () => ({ format: 'uri' }));
    assert.equal(outcome({ allOf }, `a:${'b'.repeat(1_000_000)}`, { formats }), 'work');
  });

  test('unevaluated properties of nested schemas', () => {
    const value = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`p${i}`, i]));
    let schema: JsonSchema = { additionalProperties: true };
    for (let i = 0; i < 100; i++) schema = { allOf: [schema], unevaluatedProperties: false };
    assert.equal(outcome(schema, value), 'work');
  });

  test('long strings measured many times', () => {
    const allOf = Array.from({ length: 5_000 }, () => ({ minLength: 900_000, maxLength: 999_999 }));
    assert.equal(outcome({ allOf }, 'é'.repeat(1_000_000)), 'work');
  });
});

describe('patterns', () => {
  const bombs: [pattern: string, text: string][] = [
    ['(a+)+$', 'a'.repeat(50) + '!'],
    ['^(a|a)*$', 'a'.repeat(50) + '!'],
    ['^(a|aa)+$', 'a'.repeat(80) + '!'],
    ['(.*a){20}', 'a'.repeat(19) + 'b'.repeat(60)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(80)],
    ['^(a?){40}a{40}$', 'a'.repeat(39)],
    ['^(?:(?:(?:a*)*)*)*$', 'a'.repeat(60) + '!'],
    ['(x+x+)+y', 'x'.repeat(60)],
    ['^(?=(a+)+$)', 'a'.repeat(60) + '!'],
    ['a?'.repeat(50) + 'a'.repeat(50), 'a'.repeat(49)],
    ['x*'.repeat(12) + 'y', 'x'.repeat(5_000)],
    ['.*.*=.*', 'x'.repeat(100_000)],
  ];
  for (const [pattern, text] of bombs) {
    test(`${pattern.slice(0, 30)} is answered, or refused by the work that it takes`, () => {
      assert.match(outcome({ pattern }, text), /^(invalid|work)$/);
      assert.match(outcome({ patternProperties: { [pattern]: false } }, { [text]: 1 }), /^(valid|work)$/);
    });
  }

  test('a list of strings pays for each', () => {
    assert.equal(outcome({ items: { pattern: '^a*a*b$' } }, Array(100).fill('a'.repeat(10_000))), 'work');
  });

  test('a repetition of nothing, a thousand million times', () => {
    for (const pattern of [
      '(?:){999999999}(a+)+$',
      '((?:){0,99999999}){99999}(a+)+$',
      '(a+)+(?:){99999999}',
    ]) {
      assert.match(outcome({ pattern }, 'aaa!'), /valid|work/);
    }
  });

  test('what needs the engine is left to it, while the string is short enough', () => {
    assert.equal(outcome({ pattern: '^(\\w+) \\1$' }, 'ab ab'), 'valid');
    assert.equal(outcome({ pattern: '^(?<word>\\w+) \\k<word>$' }, 'ab ab'), 'valid');
    assert.equal(outcome({ pattern: '(?<=\\$)\\d+$' }, 'costs $5'), 'valid');
    assert.equal(outcome({ pattern: '^(\\w+) \\1$' }, `${'a'.repeat(5_000)}!`), 'pattern');
    assert.equal(outcome({ pattern: '^(\\w+)\\1{4000}$' }, 'a'.repeat(500)), 'pattern');
    assert.equal(outcome({ pattern: '(?<=a*a*a{4000})b' }, 'a'.repeat(5_000)), 'pattern');
    assert.equal(outcome({ pattern: '^(\\w+\\s?)+\\1$' }, 'a'.repeat(60)), 'pattern');
  });

  test('patterns that are slow to compile', () => {
    assert.equal(outcome({ pattern: '\\p{L}'.repeat(300) }, ''), 'pattern: patterns');
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`p${i}`, { pattern: `${i}${'a'.repeat(4_000)}` }]),
    );
    assert.equal(outcome({ properties }, {}), 'pattern: patterns');
    assert.equal(outcome({ properties }, {}, { limits: { patterns: 200_000 } }), 'valid');
    assert.equal(outcome({ pattern: `^[${'\\p{L}'.repeat(150)}]$` }, 'a'), 'work');
    assert.equal(outcome({ pattern: '^(\\p{Extended_Pictographic}|\\p{Emoji_Component})+$' }, '😀'), 'valid');
  });

  test('common patterns', () => {
    for (const [pattern, text] of [
      ['^\\d{4}-\\d{2}-\\d{2}$', '2026-01-31'],
      ['^[a-z][a-z0-9-]*$', 'hello-world'],
      ['^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$', 'someone@example.com'],
      ['^(\\d{1,3}\\.){3}\\d{1,3}$', '127.0.0.1'],
      ['^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', '01234567-89ab-cdef-0123-456789abcdef'],
      ['^(https?)://[^\\s/]+(/\\S*)?$', 'https://example.com/x'],
      ['^(foo|bar)$', 'bar'],
      ['^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$', 'aGVsbG8='],
      ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'a-slug-of-words'],
      [
        "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
        'someone@mail.example.com',
      ],
      ['\\S', ' x '],
      ['^#[0-9a-fA-F]{6}$', '#00ff00'],
    ] as const) {
      assert.equal(outcome({ pattern }, text), 'valid', pattern);
      assert.equal(outcome({ pattern }, '\n'), 'invalid', pattern);
    }
  });
});
