import assert from 'node:assert/strict';
import test from 'node:test';
import { formFor, judgeForm } from '../../src/protocol/form-rules.ts';

const old = { richForms: false };
const rich = { richForms: true };
const option = { const: 'a', title: 'A' };

// A property, and the rule that it breaks in 2025-06-18 and since 2025-11-25. One entry: the same rule in both.
const newer = 'needs revision 2025-11-25';
const table: readonly (readonly [field: unknown, old: string, rich?: string])[] = [
  [{ type: 'string', title: 't', description: 'd', minLength: 0, maxLength: 1, format: 'uri' }, ''],
  [{ type: 'integer', minimum: -1, maximum: 1.5 }, ''],
  [{ type: 'boolean', default: false }, ''],
  [{ type: 'string', enum: ['a'], enumNames: ['A'] }, ''],
  [{ type: 'string', default: 'x' }, `default ${newer}`, ''],
  [{ type: 'number', default: 1 }, `default ${newer}`, ''],
  [{ type: 'string', enum: ['a'], default: 'a' }, `default ${newer}`, ''],
  [{ type: 'string', oneOf: [option] }, `oneOf ${newer}`, ''],
  [{ type: 'array', items: { anyOf: [option] }, minItems: 1, default: ['a'] }, `array ${newer}`, ''],
  [{ type: 'array', items: { type: 'string', enum: ['a'] }, maxItems: 1 }, `array ${newer}`, ''],
  [null, 'must be an object'],
  [{}, 'type must be text'],
  [{ type: 'object', properties: {} }, 'type must be one of string, number, integer, boolean, array'],
  [{ type: 'null' }, 'type must be one of string, number, integer, boolean, array'],
  [{ type: 'constructor' }, 'type must be one of string, number, integer, boolean, array'],
  [{ type: 'enum', enum: ['a'] }, 'type must be one of string, number, integer, boolean, array'],
  [{ type: ['string', 'null'] }, 'type must be text'],
  [{ type: { toString: 1 } }, 'type must be text'],
  [{ type: 'string', pattern: 'a' }, 'pattern is not a keyword of string'],
  [{ type: 'string', minimum: 1 }, 'minimum is not a keyword of string'],
  [{ type: 'number', multipleOf: 1 }, 'multipleOf is not a keyword of number'],
  [{ type: 'string', constructor: 1 }, 'constructor is not a keyword of string'],
  [{ type: 'string', enum: ['a'], minLength: 1 }, 'minLength is not a keyword of string enum enumNames'],
  [{ type: 'string', enum: ['a'], oneOf: [option] }, 'oneOf is not a keyword of string enum enumNames'],
  [{ type: 'number', enum: [1] }, 'enum is not a keyword of number'],
  [{ type: 'string', title: 1 }, 'title must be text'],
  [{ type: 'string', minLength: -1 }, 'minLength must be at least 0'],
  [{ type: 'string', minLength: 1.5 }, 'minLength must be a whole number'],
  [{ type: 'string', minLength: 2, maxLength: 1 }, 'minLength is above maxLength'],
  [{ type: 'number', minimum: 2, maximum: 1 }, 'minimum is above maximum'],
  [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 2, maxItems: 1 }, `array ${newer}`, 'minItems is above maxItems'],
  [{ type: 'number', minimum: '1' }, 'minimum must be a number'],
  [{ type: 'string', format: 'ipv4' }, 'format must be one of email, uri, date, date-time'],
  [{ type: 'string', enum: [] }, 'enum count must be at least 1'],
  [{ type: 'string', enum: ['a', 'a'] }, 'enum must not repeat an option'],
  [{ type: 'string', enum: [1] }, 'enum must be a list'],
  [{ type: 'string', enum: 'a' }, 'enum must be a list'],
  [{ type: 'string', enum: ['a'], enumNames: [] }, 'enumNames must name each value of enum'],
  [{ type: 'string', enum: ['a'], enumNames: [1] }, 'enumNames must name each value of enum'],
  [{ type: 'string', oneOf: [{ const: 'a' }] }, `oneOf ${newer}`, 'choice must be a list'],
  [{ type: 'string', oneOf: [option, option] }, `oneOf ${newer}`, 'choice must not repeat an option'],
  [{ type: 'array' }, `array ${newer}`, 'items must be { type: "string", enum } or { anyOf }'],
  [
    { type: 'array', items: { enum: ['a'] } },
    `array ${newer}`,
    'items must be { type: "string", enum } or { anyOf }',
  ],
  [
    { type: 'array', items: { type: 'string' } },
    `array ${newer}`,
    'items must be { type: "string", enum } or { anyOf }',
  ],
  [{ type: 'array', items: { anyOf: [] } }, `array ${newer}`, 'choice count must be at least 1'],
  [{ type: 'boolean', default: 'yes' }, 'default must be true or false'],
  [{ type: 'string', enum: ['a'], default: 'b' }, 'default must be one of a'],
  [{ type: 'string', format: 'date', default: 'today' }, 'default must be a valid date'],
];
for (const [field, inOld, inRich = inOld] of table)
  test(`judging ${JSON.stringify(field)}`, () => {
    const form = { type: 'object', properties: { it: field } };
    const faults = (rule: string): object[] => (rule ? [{ property: 'it', rule }] : []);
    assert.deepEqual(judgeForm(form, old), faults(inOld));
    assert.deepEqual(judgeForm(form, rich), faults(inRich));
    assert.deepEqual(judgeForm({ it: field }, rich), faults(inRich), 'the short form');
  });

test('judging the form itself', () => {
  const rule = (form: unknown, rules = rich): string[] =>
    judgeForm(form, rules).map((f) => `${f.property}: ${f.rule}`);
  const whole = ': must be { type: "object", properties }';
  for (const form of [
    null,
    1,
    'x',
    [],
    { type: 'object' },
    { type: 'array', properties: {} },
    { type: 'object', properties: [] },
  ])
    assert.deepEqual(rule(form), [whole]);
  const empty = { type: 'object', properties: {} };
  assert.deepEqual(rule(empty), []);
  assert.deepEqual(rule({ ...empty, $schema: 'x' }), []);
  assert.deepEqual(rule({ ...empty, $schema: 'x' }, old), [': $schema needs revision 2025-11-25']);
  assert.deepEqual(rule({ ...empty, additionalProperties: false }), [
    ': additionalProperties is not a keyword of a form',
  ]);
  assert.deepEqual(rule({ ...empty, required: 'a' }), [': required must be a list of strings']);
  assert.deepEqual(rule({ ...empty, required: ['toString'] }), ['toString: is required but not a property']);
  const named = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
  assert.deepEqual(rule(named), ['__proto__: must have another name']);
});

test('faults are bounded in number and length', () => {
  const many = (n: number): object =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [`p${i}`, null]));
  assert.equal(judgeForm({ type: 'object', properties: many(100) }, rich).length, 20);
  assert.deepEqual(judgeForm(many(101), rich), [{ property: '', rule: 'must have at most 100 properties' }]);
  const long = 'x'.repeat(1000);
  for (const form of [
    { [long]: { type: long } },
    { it: { type: 'string', [long]: 1 } },
    { type: 'object', properties: {}, [long]: 1 },
  ])
    for (const { property, rule } of judgeForm(form, rich))
      assert.ok(property.length <= 200 && rule.length <= 250);
});

test('an older revision gets what it can express', () => {
  const form = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      seat: {
        type: 'string',
        title: 'Seat',
        oneOf: [
          { const: 'a', title: 'A' },
          { const: 'w', title: 'A' },
        ],
        default: 'a',
      },
      age: { type: 'integer', description: 'In years.', minimum: 0, default: 30 },
      sure: { type: 'boolean', default: true },
      plain: { type: 'string', enum: ['x'], enumNames: ['X'] },
    },
    required: ['seat'],
  };
  assert.deepEqual(formFor(form, rich), { schema: form });
  const older = formFor(form, old);
  assert.deepEqual(older, {
    schema: {
      type: 'object',
      properties: {
        seat: {
          type: 'string',
          title: 'Seat',
          enum: ['a', 'w'],
          enumNames: ['A', 'A'],
          description: '(default: a)',
        },
        age: { type: 'integer', description: 'In years. (default: 30)', minimum: 0 },
        sure: { type: 'boolean', default: true },
        plain: { type: 'string', enum: ['x'], enumNames: ['X'] },
      },
      required: ['seat'],
    },
  });
  assert.deepEqual('schema' in older && judgeForm(older.schema, old), []);
});

test('the short form becomes a whole one; a multiple choice has no older form', () => {
  const confirm = { type: 'boolean', default: true };
  const form = { it: { type: 'array', items: { type: 'string', enum: ['a'] } }, confirm };
  assert.deepEqual(formFor(form, rich), { schema: { type: 'object', properties: form, required: ['it'] } });
  assert.deepEqual(formFor(form, old), {
    faults: [{ property: 'it', rule: newer.replace('needs', 'array needs') }],
  });
  assert.deepEqual(formFor({ confirm }, old), {
    schema: { type: 'object', properties: { confirm }, required: [] },
  });
  for (const rules of [old, rich])
    for (const bad of [null, 1, { it: { type: 'string', pattern: 'a' } }])
      assert.ok('faults' in formFor(bad, rules));
});
