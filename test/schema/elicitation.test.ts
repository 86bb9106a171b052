import assert from 'node:assert/strict';
import test from 'node:test';
import { completeForm, formSchema } from '../../src/protocol/form.ts';
import type { FormContent } from '../../src/protocol/form.ts';
import type { Form, RequestedSchema } from '../../src/protocol/form-schema.ts';
import { formFormats } from '../../src/protocol/form-formats.ts';

// Types, checked by the compiler: `same` accepts only a pair of equal types.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => undefined;
const contentOf = <const S extends Form>(form: S): FormContent<S> => {
  const done = completeForm(form, { seat: 'aisle' });
  assert.ok(done.valid);
  return done.content;
};

test('the short form gives its types without `as const`', () => {
  const content = contentOf({
    seat: { type: 'string', enum: ['window', 'aisle'] },
    confirm: { type: 'boolean', default: true },
  });
  same<typeof content, { seat: 'window' | 'aisle'; confirm: boolean }>(true);
  assert.deepEqual(content, { seat: 'aisle', confirm: true });
});

test('the whole form makes what is neither required nor defaulted optional', () => {
  const content = contentOf({
    type: 'object',
    properties: {
      seat: {
        type: 'string',
        oneOf: [
          { const: 'aisle', title: 'Aisle' },
          { const: 'window', title: 'Window' },
        ],
      },
      meals: {
        type: 'array',
        items: {
          anyOf: [
            { const: 'fish', title: 'Fish' },
            { const: 'rice', title: 'Rice' },
          ],
        },
      },
      bags: { type: 'array', items: { type: 'string', enum: ['small', 'large'] }, default: ['small'] },
      age: { type: 'integer' },
      name: { type: 'string' },
    },
    required: ['seat'],
  });
  same<
    typeof content,
    {
      seat: 'aisle' | 'window';
      bags: ('small' | 'large')[];
      meals?: ('fish' | 'rice')[];
      age?: number;
      name?: string;
    }
  >(true);
  assert.deepEqual(content, { seat: 'aisle', bags: ['small'] });
});

test('a form that is known only as a schema promises nothing by name', () => {
  same<FormContent<RequestedSchema>, { [x: string]: string | number | boolean | string[] | undefined }>(true);
  const content: FormContent<RequestedSchema> = {};
  const value: string | number | boolean | string[] | undefined = content['any'];
  assert.equal(value, undefined);
  // @ts-expect-error an option must be a string
  assert.doesNotThrow(() => completeForm({ seat: { type: 'string', enum: [1] } }, {}));
  // @ts-expect-error forms do not nest
  assert.doesNotThrow(() => completeForm({ seat: { type: 'object', properties: {} } }, {}));
});

test('a property may be called type, properties or required', () => {
  const form = {
    type: { type: 'string' },
    properties: { type: 'boolean' },
    required: { type: 'number' },
  } as const;
  same<FormContent<typeof form>, { type: string; properties: boolean; required: number }>(true);
  assert.deepEqual(formSchema(form), {
    type: 'object',
    properties: form,
    required: ['type', 'properties', 'required'],
  });
});

const table: readonly (readonly [
  name: string,
  field: object,
  value: unknown,
  message: string | undefined,
])[] = [
  ['a boolean', { type: 'boolean' }, false, undefined],
  ['not a boolean', { type: 'boolean' }, 'true', 'must be true or false'],
  ['a number', { type: 'number', minimum: 0, maximum: 1 }, 0.5, undefined],
  ['at its bounds', { type: 'number', minimum: 1, maximum: 1 }, 1, undefined],
  ['too small', { type: 'number', minimum: 18 }, 17.9, 'must be at least 18'],
  ['too large', { type: 'integer', maximum: 3 }, 4, 'must be at most 3'],
  ['not whole', { type: 'integer' }, 1.5, 'must be a whole number'],
  ['whole, written with a fraction', { type: 'integer' }, JSON.parse('2.0'), undefined],
  ['overflow', { type: 'number' }, JSON.parse('1e999'), 'must be a number'],
  ['a number as text', { type: 'number' }, '5', 'must be a number'],
  ['text', { type: 'string' }, '', undefined],
  ['not text', { type: 'string' }, 5, 'must be text'],
  ['null', { type: 'string' }, null, 'must be text'],
  ['code points, not units', { type: 'string', minLength: 2, maxLength: 2 }, '\u{1f600}\u{1f600}', undefined],
  ['too short', { type: 'string', minLength: 2 }, '\u{1f600}', 'length must be at least 2'],
  ['too long', { type: 'string', maxLength: 2 }, 'abc', 'length must be at most 2'],
  ['an option', { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] }, 'b', undefined],
  ['no option', { type: 'string', enum: ['a', 'b'] }, 'A', 'must be one of a, b'],
  ['a titled option', { type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'a', undefined],
  ['a title is no option', { type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'A', 'must be one of a'],
  [
    'a choice',
    { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1 },
    ['b', 'a'],
    undefined,
  ],
  [
    'an empty choice',
    { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1 },
    [],
    'count must be at least 1',
  ],
  [
    'too many',
    { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 1 },
    ['a', 'b'],
    'count must be at most 1',
  ],
  [
    'twice the same',
    { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    ['a', 'a'],
    'must not repeat an option',
  ],
  [
    'a wrong choice',
    { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
    ['b'],
    'must be one of a',
  ],
  ['not a list', { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, 'a', 'must be a list'],
  ['a mixed list', { type: 'array', items: { type: 'string', enum: ['a'] } }, ['a', 1], 'must be a list'],
  ['a bad format', { type: 'string', format: 'email' }, 'joe', 'must be a valid email'],
  ['an unknown format', { type: 'string', format: 'constructor' }, 'joe', undefined],
  ['a pattern is not run', { type: 'string', pattern: '^(a+)+$' }, 'a'.repeat(100) + '!', undefined],
];
for (const [name, field, value, message] of table)
  test(`completing: ${name}`, () => {
    const form = { type: 'object', properties: { it: field } } as RequestedSchema;
    assert.deepEqual(
      completeForm(form, { it: value }),
      message
        ? { valid: false, errors: [{ property: 'it', message }] }
        : { valid: true, content: { it: value } },
    );
  });

test('errors come in the order of the form, one a property', () => {
  const done = completeForm(
    { a: { type: 'number' }, b: { type: 'string' }, c: { type: 'boolean' } },
    { c: 1, a: 'x' },
  );
  assert.deepEqual(done, {
    valid: false,
    errors: [
      { property: 'a', message: 'must be a number' },
      { property: 'b', message: 'is required' },
      { property: 'c', message: 'must be true or false' },
    ],
  });
});

test('defaults fill what is missing, are judged, and are not shared', () => {
  const form = {
    bags: { type: 'array', items: { type: 'string', enum: ['s', 'm'] }, default: ['s'] },
  } as const;
  const first = completeForm(form, {});
  assert.ok(first.valid);
  first.content.bags.push('m');
  assert.deepEqual(completeForm(form, undefined), { valid: true, content: { bags: ['s'] } });
  assert.deepEqual(completeForm(form, { bags: ['m'] }), { valid: true, content: { bags: ['m'] } });
  const empty = { text: '', whole: 0, number: 0, sure: false, list: [] };
  const fields = {
    text: { type: 'string', default: '' }, whole: { type: 'integer', default: 0 }, number: { type: 'number', default: 0 }, sure: { type: 'boolean', default: false },
    list: { type: 'array', items: { type: 'string', enum: ['s'] }, default: [] },
  } as const;
  assert.deepEqual(completeForm(fields, {}), { valid: true, content: empty });
  const entered = { text: 'x', whole: 1, number: 0.5, sure: true, list: ['s'] };
  assert.deepEqual(completeForm(fields, entered), { valid: true, content: entered });
  assert.deepEqual(completeForm({ n: { type: 'integer', default: 1.5 } }, {}), {
    valid: false,
    errors: [{ property: 'n', message: 'must be a whole number' }],
  });
});

test('what the form did not ask for is dropped', () => {
  assert.deepEqual(completeForm({ a: { type: 'number' } }, { a: 1, b: 2, toString: 3 }), {
    valid: true,
    content: { a: 1 },
  });
});

test('names of Object.prototype are names like any other', () => {
  const form = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
  );
  assert.deepEqual(completeForm(form, {}), { valid: true, content: {} });
  const done = completeForm(form as RequestedSchema, JSON.parse('{"__proto__":"p"}'));
  assert.ok(done.valid);
  assert.equal(Object.getPrototypeOf(done.content), Object.prototype);
  assert.deepEqual(Object.entries(done.content), [['__proto__', 'p']]);
});

test('no form and no content makes it throw, and no message grows', () => {
  const odd: unknown[] = [null, undefined, 0, '', 'text', [], [1], {}, true, { toString: 1, valueOf: 1 }];
  const keys = ['enum', 'oneOf', 'items', 'minLength', 'format', 'default', 'minimum'];
  for (const type of [...odd, 'string', 'number', 'array', 'boolean', 'object'])
    for (const it of odd)
      for (const key of keys)
        for (const value of [...odd, 'x', 1, ['x']]) {
          const form = {
            type: 'object',
            properties: { value: { type, [key]: it } },
            required: it,
          } as unknown as Form;
          completeForm(form, { value });
        }
  for (const form of odd) for (const content of odd) completeForm(form as Form, content);
  const listed = Array.from({ length: 50_000 }, (_, i) => `option ${i}`);
  const done = completeForm(
    { it: { type: 'array', items: { type: 'string', enum: listed } } },
    { it: ['none'] },
  );
  assert.ok(!done.valid && (done.errors[0]?.message.length ?? 999) <= 200);
  assert.ok(
    completeForm({ it: { type: 'array', items: { type: 'string', enum: listed } } }, { it: listed }).valid,
  );
});

const formats: Readonly<Record<keyof typeof formFormats, readonly [yes: string[], no: string[]]>> = {
  email: [
    ['a@b', 'joe.bloggs+tag@example.co.uk', "o'hara@x-y.z", `${'l'.repeat(64)}@${'d'.repeat(63)}.org`],
    [
      '',
      '@',
      'a@',
      '@b',
      'a b@c',
      '.a@b',
      'a.@b',
      'a..b@c',
      'a@-b',
      'a@b-',
      'a@b..c',
      'a@b.',
      'a@.b',
      'a@b@c',
      'ü@b',
      'a@ü',
      `${'l'.repeat(65)}@d`,
      `l@${'d'.repeat(64)}`,
      'a@b\n',
    ],
  ],
  uri: [
    [
      'https://example.com/a?b=c#d',
      'mailto:a@b',
      'urn:isbn:1',
      'a:',
      'file:///x',
      'http://[::1]:80/',
      'x:%20',
    ],
    [
      '',
      'example.com',
      '//example.com',
      '/a',
      '1a:b',
      'http://a b',
      'http://ü',
      'x:%2',
      'x:%zz',
      'x:<',
      'x:\\',
      'x:a\n',
    ],
  ],
  date: [
    ['2025-01-31', '2024-02-29', '2000-02-29', '0000-01-01', '9999-12-31'],
    [
      '',
      '2025-02-29',
      '1900-02-29',
      '2025-04-31',
      '2025-13-01',
      '2025-00-01',
      '2025-01-00',
      '25-01-01',
      '2025-1-1',
      '2025-01-01T00:00',
      ' 2025-01-01',
      '2025-01-01\n',
      '٢٠٢٥-01-01',
    ],
  ],
  'date-time': [
    [
      '2025-01-31T23:59:59Z',
      '2025-01-31t00:00:00z',
      '2025-01-31T00:00:00.123456789+14:00',
      '2016-12-31T23:59:60Z',
    ],
    [
      '',
      '2025-01-31',
      '2025-01-31T24:00:00Z',
      '2025-01-31T00:60:00Z',
      '2025-01-31T00:00:61Z',
      '2025-01-31T00:00:00',
      '2025-02-30T00:00:00Z',
      '2025-01-31 00:00:00Z',
      '2025-01-31T00:00:00+24:00',
      '2025-01-31T00:00:00.Z',
      '2025-01-31T00:00:00+0000',
    ],
  ],
};
for (const [name, check] of Object.entries(formFormats))
  test(`format ${name}`, () => {
    const [yes, no] = formats[name as keyof typeof formFormats];
    for (const text of yes) assert.ok(check(text), text);
    for (const text of no) assert.ok(!check(text), JSON.stringify(text));
  });

test('formats answer at once to long hostile text', () => {
  const long = 2_000_000;
  const texts = ['a', 'a.', '.', '@', 'a@', '-', 'a-', '1', '%41', 'a:', '2025-01-01T'].map((part) =>
    part.repeat(long / part.length),
  );
  texts.push(
    `2025-01-01T00:00:00.${'1'.repeat(long)}!`,
    `a:${'%41'.repeat(long / 3)}%`,
    `${'a'.repeat(64)}@${'a-'.repeat(100)}!`,
  );
  // Quadratic time would take hours here: the assertion is that it finishes.
  for (const text of texts)
    for (const check of Object.values(formFormats)) assert.equal(typeof check(text), 'boolean');
});
