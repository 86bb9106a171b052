// Schemas of common libraries in barewire. Run after `npx tsc` at the root.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { Type as OldType } from '@sinclair/typebox';
import { type } from 'arktype';
import Type from 'typebox';
import * as v from 'valibot';
import { z } from 'zod';
import { metaschemas } from '../../dist/src/schema/full/index.js';
import { adaptSchema, compile } from '../../dist/src/schema/index.js';

const plain = v.object({ city: v.string(), days: v.optional(v.number()) });
const SCHEMAS = {
  zod: z.object({ city: z.string(), days: z.number().optional() }),
  arktype: type({ city: 'string', 'days?': 'number' }),
  valibot: toStandardJsonSchema(plain),
  'valibot, with a JSON Schema': {
    standard: plain,
    jsonSchema: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'number' } },
      required: ['city'],
    },
  },
  typebox: Type.Object({ city: Type.String(), days: Type.Optional(Type.Number()) }),
  'typebox 0.34': OldType.Object({ city: OldType.String(), days: OldType.Optional(OldType.Number()) }),
};

for (const [name, schema] of Object.entries(SCHEMAS)) {
  test(name, async () => {
    const { jsonSchema, validate } = adaptSchema(schema, 'input', compile);
    assert.equal(jsonSchema.type, 'object');
    assert.deepEqual(Object.keys(jsonSchema.properties), ['city', 'days']);
    assert.deepEqual(jsonSchema.required, ['city']);
    // The serialized schema compiles here too.
    assert.ok(compile(JSON.parse(JSON.stringify(jsonSchema)))({ city: 'Lisbon', days: 1 }).valid);
    const result = await validate({ city: 'Lisbon' });
    assert.deepEqual(result, { valid: true, value: { city: 'Lisbon' } });
    const wrong = await validate({ city: 1, days: 1 });
    assert.equal(wrong.valid, false);
    assert.equal(wrong.errors[0].path, '/city');
    assert.match(wrong.errors[0].message, /string/i);
  });
}

test('a schema that converts: what is taken, and what is made of it', async () => {
  const schema = z.object({
    limit: z.number().default(10),
    when: z.string().transform((text) => text.length),
  });
  const { jsonSchema, validate } = adaptSchema(schema, 'input', compile);
  assert.deepEqual(jsonSchema.required, ['when']);
  assert.deepEqual(await validate({ when: 'now' }), { valid: true, value: { limit: 10, when: 3 } });
});

// test/schema/metaschemas.test.ts has their digests. Ajv has all but format-assertion, which no other metaschema refers to.
test('the metaschemas are those that ajv has, without titles and comments', () => {
  const require = createRequire(import.meta.url);
  const bare = (value) =>
    Array.isArray(value) ? value.map(bare)
    : typeof value !== 'object' || !value ? value
    : Object.fromEntries(Object.entries(value).filter(([key, part]) => !(/^(title|\$comment)$/.test(key) && typeof part === 'string')).map(([key, part]) => [key, bare(part)]));
  const others = Object.entries(metaschemas).filter(([uri]) => !uri.endsWith('/format-assertion'));
  assert.equal(others.length, 9);
  for (const [uri, schema] of others) {
    const [, file] = /2020-12\/(.*)$/.exec(uri) ?? [];
    assert.deepEqual(schema, bare(require(`ajv/dist/refs/json-schema-${file ? `2020-12/${file}` : 'draft-07'}.json`)), uri);
  }
});
