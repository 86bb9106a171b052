import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile, metaschemas } from '../../src/schema/full/index.ts';
import { SchemaError, compile as compileSmall, describeErrors, fillDefaults, formats } from '../../src/schema/index.ts';
import type { FullCompileOptions as CompileOptions } from '../../src/schema/full/index.ts';
import type { JsonSchema, ValidationError } from '../../src/schema/index.ts';

function errorsOf(schema: JsonSchema, value: unknown, options?: CompileOptions): ValidationError[] {
  const result = compile(schema, options)(value);
  return result.valid ? [] : result.errors;
}

function refused(schema: unknown, code: string, message: RegExp, options?: CompileOptions): void {
  assert.throws(
    () => compile(schema as JsonSchema, options),
    (error) => error instanceof SchemaError && error.code === code && message.test(error.message),
  );
}

const trip: JsonSchema = {
  type: 'object',
  properties: {
    date: { type: 'string', format: 'date' },
    'a/b~c': { type: 'array', items: { type: 'integer', minimum: 1 } },
    seat: { enum: ['window', 'aisle'] },
  },
  required: ['date'],
  additionalProperties: false,
};

describe('what a validation says', () => {
  test('a valid value is given back as it is', () => {
    const value = { date: '2026-01-31', seat: 'aisle' };
    const result = compile(trip)(value);
    assert.ok(result.valid && result.value === value);
  });

  test('every error, with its place in the value and in the schema', () => {
    assert.deepEqual(errorsOf(trip, { 'a/b~c': [1, 0, 'x'], seat: 'floor', colour: 'red' }), [
      {
        path: '/a~1b~0c/1',
        schemaPath: '#/properties/a~1b~0c/items/minimum',
        keyword: 'minimum',
        message: '0 is less than 1',
      },
      {
        path: '/a~1b~0c/2',
        schemaPath: '#/properties/a~1b~0c/items/type',
        keyword: 'type',
        message: '"x" is not of type integer',
      },
      {
        path: '/seat',
        schemaPath: '#/properties/seat/enum',
        keyword: 'enum',
        message: '"floor" is not one of "window", "aisle"',
      },
      { path: '', schemaPath: '#/required', keyword: 'required', message: 'property "date" is missing' },
      {
        path: '/colour',
        schemaPath: '#/additionalProperties',
        keyword: 'additionalProperties',
        message: 'property "colour" is not allowed (expected "date", "a/b~c", "seat")',
      },
    ]);
  });

  test('errors as text, each with its place', () => {
    const errors = errorsOf(trip, { date: 'tomorrow' }, { formats });
    assert.equal(
      describeErrors(errors, 'arguments'),
      'arguments/date: "tomorrow" is not a valid date (expected "YYYY-MM-DD")',
    );
  });

  test('the list ends where it is told to, and at 100', () => {
    const schema: JsonSchema = { items: { type: 'string' } };
    const numbers = Array.from({ length: 1000 }, (_, i) => i);
    assert.equal(errorsOf(schema, numbers).length, 100);
    assert.equal(errorsOf(schema, numbers, { maxErrors: 3 }).length, 3);
    assert.deepEqual(
      errorsOf(schema, numbers, { maxErrors: 1 }).map(({ path }) => path),
      ['/0'],
    );
    assert.deepEqual(
      errorsOf(schema, numbers, { maxErrors: Infinity }).map(({ path }) => path),
      numbers.map((i) => `/${i}`),
    );
  });

  test('an alternative that fits leaves no error of the others, and the summary comes first', () => {
    const schema: JsonSchema = { anyOf: [{ type: 'string' }, { type: 'object', required: ['a'] }] };
    assert.deepEqual(errorsOf(schema, 'x'), []);
    assert.deepEqual(
      errorsOf(schema, {}).map(({ keyword }) => keyword),
      ['anyOf', 'type', 'required'],
    );
    assert.deepEqual(
      errorsOf(schema, {}, { maxErrors: 1 }).map(({ keyword }) => keyword),
      ['anyOf'],
    );
    assert.deepEqual(
      errorsOf({ oneOf: [{}, true] }, 1).map(({ keyword }) => keyword),
      ['oneOf'],
    );
    assert.deepEqual(
      errorsOf({ not: { required: ['a'] } }, { a: 1 }).map(({ keyword }) => keyword),
      ['not'],
    );
  });

  test('a failed schema does not add complaints of unevaluated properties', () => {
    const schema: JsonSchema = {
      allOf: [{ properties: { a: { type: 'string' } } }],
      unevaluatedProperties: false,
    };
    assert.deepEqual(
      errorsOf(schema, { a: 1 }).map(({ keyword }) => keyword),
      ['type'],
    );
    assert.deepEqual(
      errorsOf(schema, { a: '', b: 1 }).map(({ path }) => path),
      ['/b'],
    );
  });

  test('alternatives in a list with little room', () => {
    const schema: JsonSchema = {
      items: { anyOf: [{ type: 'string' }, { oneOf: [{ type: 'null' }, { type: 'array' }] }] },
    };
    const keywords = (value: unknown, maxErrors: number): string[] =>
      errorsOf(schema, value, { maxErrors }).map(({ path, keyword }) => path + keyword);
    assert.deepEqual(keywords([1, 'a', null, 2], 100), [
      ...['/0anyOf', '/0type', '/0oneOf', '/0type', '/0type'],
      ...['/3anyOf', '/3type', '/3oneOf', '/3type', '/3type'],
    ]);
    assert.deepEqual(keywords([1, 'a', null, 2], 3), ['/0anyOf', '/0type', '/0oneOf']);
    assert.deepEqual(keywords(['a', null, 2], 1), ['/2anyOf']);
    assert.deepEqual(keywords(['a', null, []], 1), []);
  });

  test('what stands in the schema or the value stands in the message as it is', () => {
    const message = (schema: JsonSchema, value: unknown): string | undefined =>
      errorsOf(schema, value)[0]?.message;
    assert.equal(message({ const: '@ $ # % &' }, '$&'), '"$&" is not "@ $ # % &"');
    assert.equal(message({ pattern: '^[@$#%&]$' }, 'x'), '"x" does not match the pattern ^[@$#%&]$');
    for (const value of ['', ' ~', '"', '\\', '\n', '\u007f', 'é', '\ud800', '😀'])
      assert.equal(message({ const: 1 }, value), `${JSON.stringify(value)} is not 1`);
  });

  test('long values are cut in messages', () => {
    const [error] = errorsOf({ type: 'number' }, 'x'.repeat(100_000));
    assert.ok((error?.message.length ?? 0) < 150);
  });
});

describe('values', () => {
  test('lengths are in characters, not in UTF-16 units', () => {
    assert.deepEqual(errorsOf({ minLength: 2, maxLength: 2 }, '😀😀'), []);
    assert.equal(errorsOf({ minLength: 2 }, '😀').length, 1);
    assert.equal(errorsOf({ maxLength: 1 }, '😀😀').length, 1);
  });

  test('decimal multiples are judged as they are written', () => {
    for (const [value, step] of [
      [0.3, 0.1],
      [19.99, 0.01],
      [1e308, 0.5],
      [12391239123, 1e-8],
      [-4.02, 0.01],
    ] as const) {
      assert.deepEqual(errorsOf({ multipleOf: step }, value), [], `${value} / ${step}`);
    }
    for (const [value, step] of [
      [0.35, 0.1],
      [19.995, 0.01],
      [7, 2],
      [1e15 + 0.5, 1],
      [1e308, 0.123456789],
    ] as const) {
      assert.equal(errorsOf({ multipleOf: step }, value).length, 1, `${value} / ${step}`);
    }
  });

  test('what JSON cannot say has no type', () => {
    for (const value of [NaN, Infinity, undefined, 1n, Symbol.iterator, () => 1]) {
      const type = ['null', 'boolean', 'object', 'array', 'number', 'string'];
      assert.equal(errorsOf({ type }, value).length, 1, String(value));
      assert.equal(errorsOf({ type: 'number' }, value).length, 1, String(value));
    }
  });

  test('a property that is undefined is absent, as it will be in JSON', () => {
    assert.equal(errorsOf({ required: ['a'] }, { a: undefined }).length, 1);
    assert.deepEqual(errorsOf({ properties: {}, additionalProperties: false }, { a: undefined }), []);
    assert.deepEqual(errorsOf({ maxProperties: 0 }, { a: undefined }), []);
  });
});

describe('references', () => {
  test('an unresolved reference is refused with its address', () => {
    refused(
      { $ref: 'https://example.com/person.json#/a' },
      'reference',
      /"https:\/\/example\.com\/person\.json#\/a"/,
    );
    refused({ properties: { a: { $ref: '#/$defs/b' } } }, 'reference', /#\/properties\/a: .*"#\/\$defs\/b"/);
    refused({ $ref: '#nowhere' }, 'reference', /#nowhere/);
    refused({ $ref: '#/a%' }, 'reference', /#\/a%/);
    for (const name of ['__proto__', 'constructor', 'toString'])
      refused({ $ref: `#/${name}` }, 'reference', /unresolved/);
  });

  test('an address on the network is not fetched', (t) => {
    const fetched = t.mock.method(globalThis, 'fetch', () => Promise.reject(new Error('fetched')));
    for (const options of [{}, { schemas: { 'https://example.com/b': {} } }])
      refused({ $ref: 'https://example.com/a' }, 'reference', /example\.com\/a/, options);
    refused({ $dynamicRef: 'https://example.com/a' }, 'reference', /example\.com\/a/);
    refused({ $schema: 'https://example.com/a' }, 'dialect', /example\.com\/a/);
    for (const schema of [{ $ref: 'https://example.com/a' }, { $schema: 'https://example.com/a' }]) {
      assert.throws(() => compileSmall(schema), { name: 'SchemaError' });
    }
    assert.equal(fetched.mock.callCount(), 0);
  });

  test('schemas are found by the address they were registered under, and by their $id', () => {
    const schemas = {
      'https://example.com/a': { type: 'string', $defs: { b: { $id: 'b', type: 'string' } } },
    };
    for (const $ref of [
      'https://example.com/a',
      'https://example.com/a#',
      'https://example.com/a#/$defs/b',
    ]) {
      assert.equal(errorsOf({ $ref }, 1, { schemas }).length, 1);
    }
    assert.equal(errorsOf({ $id: 'https://example.com/x/y', $ref: '../a' }, 1, { schemas }).length, 1);
    const [error] = errorsOf({ $ref: 'https://example.com/a' }, 1, { schemas });
    assert.equal(error?.schemaPath, 'https://example.com/a#/type');
  });

  test('a schema may refer to its metaschema, and be judged by it', () => {
    for (const $ref of Object.keys(metaschemas).filter((address) => address.endsWith('/schema'))) {
      const isSchema = compile({ $ref }, { schemas: metaschemas });
      for (const schema of Object.values(metaschemas)) {
        if ($ref.includes('2020') === JSON.stringify(schema).includes('2020'))
          assert.ok(isSchema(schema).valid);
      }
      assert.equal(isSchema({ properties: { a: { type: 'sting' } } }).valid, false);
    }
  });
});

describe('malformed schemas are refused, with the place', () => {
  const cases: [schema: unknown, place: string, expected: RegExp][] = [
    [1, '#', /must be a schema/],
    [null, '#', /must be a schema/],
    [[], '#', /must be a schema/],
    [{ properties: { a: { items: [] } } }, '#/properties/a/items', /must be a schema/],
    [{ properties: [] }, '#/properties', /must be an object/],
    [{ allOf: {} }, '#/allOf', /must be a list of schemas/],
    [{ type: 'sting' }, '#/type', /must be a type/],
    [{ type: ['string', 1] }, '#/type', /must be a type/],
    [{ required: 'a' }, '#/required', /must be a list of strings/],
    [{ enum: 1 }, '#/enum', /must be a list/],
    [{ minimum: '1' }, '#/minimum', /must be a number/],
    [{ multipleOf: 0 }, '#/multipleOf', /must be a number above 0/],
    [{ minLength: -1 }, '#/minLength', /must be a whole number from 0/],
    [{ maxItems: 1.5 }, '#/maxItems', /must be a whole number from 0/],
    [{ uniqueItems: 1 }, '#/uniqueItems', /must be a boolean/],
    [{ $ref: 1 }, '#/$ref', /must be a string/],
    [{ dependentRequired: { a: [1] } }, '#/dependentRequired/a', /must be a schema/],
  ];
  for (const [schema, place, expected] of cases) {
    test(JSON.stringify(schema), () => {
      assert.throws(
        () => compile(schema as JsonSchema),
        (error) =>
          error instanceof SchemaError &&
          error.code === 'schema' &&
          error.path === place &&
          expected.test(error.message),
      );
    });
  }

  test('a pattern that is none', () => {
    refused({ pattern: '(' }, 'pattern', /#\/pattern: /);
    refused({ patternProperties: { '[': {} } }, 'pattern', /#/);
  });

  test('a dialect or vocabulary that is not known', () => {
    refused({ $schema: 'http://json-schema.org/draft-04/schema#' }, 'dialect', /draft-04/);
    const meta = { $vocabulary: { 'https://example.com/vocab': true } };
    refused({ $schema: 'https://example.com/meta' }, 'dialect', /"https:\/\/example.com\/vocab"/, {
      schemas: { 'https://example.com/meta': meta },
    });
  });
});

describe('draft-07', () => {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  test('has its own items, dependencies and definitions', () => {
    const schema: JsonSchema = {
      $schema,
      items: [{ type: 'string' }, { $ref: '#/definitions/n' }],
      additionalItems: false,
      dependencies: { a: ['b'], c: { required: ['d'] } },
      definitions: { n: { type: 'number' } },
    };
    assert.deepEqual(errorsOf(schema, ['', 1]), []);
    assert.equal(errorsOf(schema, ['', '']).length, 1);
    assert.equal(errorsOf(schema, ['', 1, 1]).length, 1);
    assert.equal(errorsOf(schema, { a: 1 }).length, 1);
    assert.equal(errorsOf(schema, { c: 1 }).length, 1);
  });

  test('holds within a schema of 2020-12 where that one has an $id, and the other way round', () => {
    const pair = [{ type: 'string' }, { type: 'number' }];
    const draft07 = { $id: 'https://example.com/inner', $schema, items: pair };
    assert.equal(errorsOf({ properties: { a: draft07 } }, { a: ['x', 'y'] }).length, 1);
    const newer = { $id: 'https://example.com/inner', $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: pair };
    assert.equal(errorsOf({ $schema, properties: { a: newer } }, { a: ['x', 'y'] }).length, 1);
  });
  test('ignores what stands beside a $ref, and does not know newer keywords', () => {
    assert.deepEqual(
      errorsOf({ $schema, $ref: '#/definitions/a', minLength: 3, definitions: { a: {} } }, ''),
      [],
    );
    assert.deepEqual(
      errorsOf({ $schema, unevaluatedProperties: false, dependentRequired: { a: ['b'] } }, { a: 1 }),
      [],
    );
  });
});

describe('defaults', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      limit: { type: 'integer', default: 10 },
      sort: { type: 'object', default: {}, properties: { by: { default: 'name' } } },
      list: { type: 'array', items: { properties: { done: { default: false } } } },
      shared: { $ref: '#/$defs/shared' },
      __proto__: { default: { polluted: true } },
    },
    required: ['limit'],
    allOf: [{ properties: { also: { default: 'this' } } }],
    anyOf: [{ properties: { never: { default: 1 } } }],
    $defs: { shared: { properties: { deep: { default: 1 } } } },
  };
  const complete = compile(
    JSON.parse(
      JSON.stringify(schema).replace('{"limit"', '{"__proto__":{"default":1},"limit"'),
    ) as JsonSchema,
    {
      defaults: fillDefaults,
    },
  );

  test('are filled into a copy, before it is judged', () => {
    const value = { list: [{}, { done: true }], shared: {} };
    const before = structuredClone(value);
    const result = complete(value);
    assert.ok(result.valid);
    assert.deepEqual(
      { ...(result.value as object) },
      JSON.parse(
        '{"limit":10,"sort":{"by":"name"},"list":[{"done":false},{"done":true}],"shared":{"deep":1},"also":"this","__proto__":1}',
      ),
    );
    assert.deepEqual(value, before);
  });

  test('never reach a prototype', () => {
    const result = complete({});
    assert.ok(result.valid);
    assert.equal(Object.getPrototypeOf(result.value), Object.prototype);
    assert.equal((Object.prototype as { polluted?: unknown }).polluted, undefined);
  });

  test('a default that needs itself is refused, not followed for ever', () => {
    const endless: JsonSchema = { properties: { a: { $ref: '#', default: {} } } };
    const result = compile(endless, { defaults: fillDefaults })({});
    assert.ok(!result.valid && result.errors[0]?.keyword === 'depth');
  });
});

describe('formats', () => {
  test('are annotations, unless checks are given', () => {
    assert.deepEqual(errorsOf({ format: 'date' }, 'x'), []);
    assert.equal(errorsOf({ format: 'date' }, 'x', { formats }).length, 1);
    assert.deepEqual(errorsOf({ format: 'constructor' }, 'x', { formats }), []);
    assert.equal(
      errorsOf({ format: 'even' }, 'x', { formats: { even: { test: (text) => text.length % 2 === 0 } } }).length,
      1,
    );
  });

  test('long hostile strings cost linear time', () => {
    const hostile = ['a.', '1:', '-', '%', 'a@', '{', '~', '"', 'x-', 'é.', '::', '\\', '00'].flatMap(
      (piece) =>
        ['', 'P', 'http://', 'urn:', 'xn--', '"', '{', '/'].map((start) => start + piece.repeat(20_000)),
    );
    // A backtracking expression would not finish these within the runner's time limit.
    for (const check of Object.values(formats)) {
      for (const text of hostile) assert.equal(typeof check.test(text), 'boolean');
    }
  });
});

test('what an alternative that failed would have evaluated stays unevaluated', () => {
  const schema = { anyOf: [{ prefixItems: [{ exclusiveMaximum: 0 }] }, {}], unevaluatedItems: false };
  const [error, ...more] = errorsOf(schema, [3]);
  assert.deepEqual([error?.path, error?.keyword, more], ['/0', 'unevaluatedItems', []]);
  assert.deepEqual(errorsOf(schema, [-1]), []);
});
