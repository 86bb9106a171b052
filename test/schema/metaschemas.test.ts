import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { compile, metaschemas } from '../../src/schema/full/index.ts';
import { formats } from '../../src/schema/index.ts';
import type { Validate } from '../../src/schema/index.ts';

/** JSON with sorted names and without spaces. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || !value) return JSON.stringify(value);
  return `{${Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join()}}`;
}

// The first 64 bits of SHA-256 of the published documents without `title` and `$comment`. `npm run libraries` in
// test/schema-suite compares them with ajv's copies.
const published: Readonly<Record<string, string>> = {
  'https://json-schema.org/draft/2020-12/schema': 'f56fa676c7372d72',
  'https://json-schema.org/draft/2020-12/meta/core': '5e3c8ff3da71ebba',
  'https://json-schema.org/draft/2020-12/meta/applicator': 'f1de7fef10311cd6',
  'https://json-schema.org/draft/2020-12/meta/unevaluated': '2b4aa563e4032f6d',
  'https://json-schema.org/draft/2020-12/meta/validation': '22b2cc6d28b43235',
  'https://json-schema.org/draft/2020-12/meta/meta-data': '6ccfb26c9fd45fea',
  'https://json-schema.org/draft/2020-12/meta/format-annotation': '6d89508f24d9d0d9',
  'https://json-schema.org/draft/2020-12/meta/content': '6460fb7a83c625bd',
  'https://json-schema.org/draft/2020-12/meta/format-assertion': '773562e083f1860b',
  'http://json-schema.org/draft-07/schema': '5e63a003102f9fcc',
};

test('the metaschemas are those that are published, to the letter', () => {
  const ours = Object.entries(metaschemas).map(([uri, schema]) => [uri, createHash('sha256').update(canonical(schema)).digest('hex').slice(0, 16)]);
  assert.deepEqual(Object.fromEntries(ours), published);
});

// An invalid value for each keyword, in both drafts or in one.
const both: Readonly<Record<string, unknown>> = {
  $id: 1, $schema: 'not a URI', $ref: '\\', $comment: 1, title: 1, description: 1, readOnly: 1, examples: {}, multipleOf: 0,
  maximum: '1', exclusiveMaximum: '1', minimum: '1', exclusiveMinimum: '1', maxLength: -1, minLength: 1.5, pattern: '(',
  items: 1, maxItems: -1, minItems: -1, uniqueItems: 1, contains: 1, maxProperties: -1, minProperties: -1, required: ['a', 'a'],
  additionalProperties: 1, definitions: { a: 1 }, properties: { a: 1 }, patternProperties: { '(': {} }, dependencies: { a: 1 },
  propertyNames: 1, enum: 1, type: 'sting', format: 1, contentMediaType: 1, contentEncoding: 1, if: 1, then: 1, else: 1,
  allOf: [], anyOf: {}, oneOf: [1], not: 1,
};
const only2020: Readonly<Record<string, unknown>> = {
  $anchor: '1', $dynamicRef: '\\', $dynamicAnchor: 'a b', $vocabulary: { 'https://a.example': 1 }, $defs: { a: 1 }, prefixItems: [],
  dependentSchemas: { a: 1 }, dependentRequired: { a: [1] }, unevaluatedItems: 1, unevaluatedProperties: 1, minContains: -1,
  maxContains: 1.5, deprecated: 1, writeOnly: 1, contentSchema: 1, $recursiveAnchor: 1, $recursiveRef: 1,
};
const only7: Readonly<Record<string, unknown>> = { additionalItems: 1 };

for (const [$ref, own, others] of [
  ['https://json-schema.org/draft/2020-12/schema', only2020, only7], ['http://json-schema.org/draft-07/schema', only7, only2020],
] as const) {
  describe(`${$ref} refuses`, () => {
    let made: Validate | undefined;
    const isSchema: Validate = (schema) => (made ??= compile({ $ref }, { schemas: metaschemas, formats }))(schema);
    for (const [keyword, value] of Object.entries({ ...both, ...own })) {
      test(`${keyword}: ${JSON.stringify(value)}`, () => {
        assert.equal(isSchema({ [keyword]: value }).valid, false);
        assert.equal(isSchema({ properties: { a: { items: { [keyword]: value } } } }).valid, false, 'within others');
      });
    }
    test('nothing of what it does not know', () => assert.ok(isSchema(others).valid));
  });
}
