import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adaptSchema, compile } from '../../src/schema/index.ts';
import type { InferInput, InferOutput, StandardSchema } from '../../src/schema/index.ts';

/** Like a library's schema: takes a string of digits, returns a number. */
function digits(later: boolean, converts: boolean): StandardSchema<string, number> {
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate(value) {
        const result =
          /^\d+$/.test(String(value)) ?
            { value: Number(value) }
          : { issues: [{ message: 'no digits', path: ['a/b', { key: 0 }] }, { message: 'none at all' }] };
        return later ? Promise.resolve(result) : result;
      },
      ...(converts && {
        jsonSchema: {
          input: ({ target }: { target: string }) => ({ type: 'string', target }),
          output: () => ({ type: 'number' }),
        },
      }),
    },
  };
}

test('a JSON Schema is judged by the validator that was given', async () => {
  const schema = { type: 'string' } as const;
  const adapted = adaptSchema(schema, 'input', compile);
  assert.equal(adapted.jsonSchema, schema);
  assert.equal((await adapted.validate(1)).valid, false);
  assert.deepEqual(await adaptSchema(schema, 'input').validate(1), { valid: true, value: 1 });
});

test('a Standard Schema validates and converts itself', () => {
  const adapted = adaptSchema(digits(false, true), 'input');
  assert.deepEqual(adapted.jsonSchema, { type: 'string', target: 'draft-2020-12' });
  assert.deepEqual(adaptSchema(digits(false, true), 'output').jsonSchema, { type: 'number' });
  assert.deepEqual(adapted.validate('12'), { valid: true, value: 12 });
  assert.deepEqual(adapted.validate('x'), {
    valid: false,
    errors: [
      { path: '/a~1b/0', schemaPath: '', keyword: 'test', message: 'no digits' },
      { path: '', schemaPath: '', keyword: 'test', message: 'none at all' },
    ],
  });
});

test('a schema may be a function, and may take its time', async () => {
  const schema = Object.assign(() => undefined, digits(true, true));
  assert.deepEqual(await adaptSchema(schema, 'input').validate('12'), { valid: true, value: 12 });
});

test('without a JSON Schema of its own, the author gives one', () => {
  const standard = digits(false, false);
  assert.throws(() => adaptSchema(standard, 'input'), /test schema has no JSON Schema/);
  const adapted = adaptSchema({ standard, jsonSchema: { type: 'string' } }, 'input');
  assert.deepEqual(adapted.jsonSchema, { type: 'string' });
  assert.deepEqual(adapted.validate('12'), { valid: true, value: 12 });
});

test('a JSON Schema that describes a property named standard is one', () => {
  const schema = { type: 'object', properties: { standard: {} }, standard: 1 } as const;
  assert.equal(adaptSchema(schema, 'input').jsonSchema, schema);
});

test('types of both sides', () => {
  const input: InferInput<StandardSchema<string, number>> = '1';
  const output: InferOutput<StandardSchema<string, number>> = 1;
  const paired: InferOutput<{ standard: StandardSchema<string, number>; jsonSchema: true }> = 1;
  const plain: InferInput<{ type: 'string' }> = 'x';
  assert.deepEqual([input, output, paired, plain], ['1', 1, 1, 'x']);
});
