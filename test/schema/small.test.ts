import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compile as compileFull } from '../../src/schema/full/index.ts';
import { SchemaError, compile } from '../../src/schema/index.ts';
import type { JsonSchema, ValidationResult } from '../../src/schema/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { random } from '../hostile/mutations.ts';
import { makeSchema, makeValue } from './made.ts';

function refusal(schema: unknown): SchemaError {
  try {
    compile(schema as JsonSchema);
  } catch (error) {
    assert.ok(error instanceof SchemaError);
    return error;
  }
  assert.fail('it was not refused');
}

test('a keyword that the small dialect lacks is refused by name, where it stands, and says what has it', () => {
  for (const [keyword, value] of [
    ['uniqueItems', true], ['contains', {}], ['not', {}], ['if', {}], ['dependentSchemas', {}], ['dependentRequired', {}],
    ['dependencies', {}], ['unevaluatedProperties', false], ['unevaluatedItems', false], ['$anchor', 'a'],
    ['$dynamicRef', '#a'], ['additionalItems', true], ['minContains', 1], ['nullable', true], ['__proto__', {}],
  ] as const) {
    const schema = JSON.parse(`{"type":"object","properties":{"a":{"items":{"${keyword}":${JSON.stringify(value)}}}}}`) as JsonSchema;
    const { code, path, message } = refusal(schema);
    assert.equal(code, 'keyword');
    assert.equal(path, '#/properties/a/items');
    assert.ok(message.includes(`"${keyword}"`) && message.includes('barewire/schema/full'), message);
    if (keyword !== '$dynamicRef') compileFull(schema);
  }
  // Without an `$id` the schema has no address, so this reference leads outside.
  assert.equal(refusal({ $ref: 'https://example.com/schema' }).code, 'reference');
  assert.equal(refusal({ $id: 'https://example.com/schema', $ref: 'https://example.com/schema#/$defs/a', $defs: { a: {} } }).code, 'keyword');
  assert.equal(refusal({ $ref: '#anchor' }).code, 'keyword');
  assert.equal(refusal({ $schema: 'https://json-schema.org/draft/2019-09/schema' }).code, 'keyword');
  assert.equal(refusal({ properties: { a: { $id: 'b' } } }).code, 'keyword');
  assert.equal(refusal({ $schema: 'http://json-schema.org/draft-07/schema#', prefixItems: [] }).code, 'keyword');
  assert.equal(refusal({ $ref: '#/$defs/none' }).code, 'reference');
  assert.equal(refusal({ pattern: '(' }).code, 'pattern');
  assert.equal(refusal({ $defs: { a: { type: 'sting' } } }).code, 'schema');
});

test('annotations say nothing', () => {
  const annotations = {
    $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'https://example.com/a', $comment: 'c', title: 't',
    description: 'd', examples: [1], deprecated: true, readOnly: true, writeOnly: true, contentEncoding: 'base64',
    contentMediaType: 'text/plain', default: 'x', format: 'email', 'x-mcp-header': 'A',
  };
  assert.ok(compile({ type: 'string', ...annotations })('anything').valid);
});

test('a server says at registration what a schema may not hold, and takes the whole dialect as an option', () => {
  const input = { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' }, uniqueItems: true } } } as const;
  const server = new McpServer({ name: 'small', version: '1' });
  assert.throws(() => server.tool('tag', { input }, () => ''), /"uniqueItems" is not in the small dialect.*barewire\/schema\/full.*"validator"/);
  new McpServer({ name: 'full', version: '1' }, { validator: compileFull }).tool('tag', { input }, () => '');
});

test('the small dialect says what the whole one says, or does not take the schema', () => {
  const by = random(10);
  // A reference to itself is rejected early.
  const limits = { work: 10_000 };
  let compared = 0;
  let valid = 0;
  for (let i = 0; i < 1_500; i++) {
    const old = makeSchema(by, by.chance(0.1) ? 'draft-07' : 'small');
    let small;
    try {
      small = compile(old, { limits });
    } catch (error) {
      assert.ok(error instanceof SchemaError, String(error));
      continue;
    }
    const full = compileFull(old, { limits });
    for (let k = 0; k < 4; k++) {
      const subject = makeValue(by, 3);
      const says: ValidationResult = small(subject);
      assert.deepEqual([says, old, subject], [full(subject), old, subject]);
      compared++;
      if (says.valid) valid++;
    }
  }
  assert.ok(compared > 4_000 && valid > compared / 10 && valid < compared * 0.9, `${valid} of ${compared}`);
});

test('nothing is made before a value needs it', () => {
  let made = 0;
  const validate = compile({ type: 'object', properties: { a: { pattern: 'x' } } }, {
    // Each pattern is parsed at registration, so that a bad one is refused there.
    patterns: () => () => (made++, true),
  });
  assert.equal(made, 0);
  assert.ok(validate({ a: 'y' }).valid);
  assert.equal(made, 1);
});

// 2026-07-28 basic/index#implementation-requirements: SHOULD document which dialects are supported.
test('docs/schemas.md says which dialects there are', () => {
  const page = readFileSync(new URL('../../../docs/schemas.md', import.meta.url), 'utf8');
  assert.match(page, /JSON Schema \(2020-12, and draft-07 by `\$schema`\)/);
});
