import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile } from '../../src/schema/full/index.ts';
import { resolveUri } from '../../src/schema/full/dialects.ts';
import { SchemaError, formats } from '../../src/schema/index.ts';
import type { FullCompileOptions } from '../../src/schema/full/index.ts';
import type { JsonSchema } from '../../src/schema/index.ts';

/** The `schemaPath` of the first error. Empty if the value is valid. */
function broken(schema: JsonSchema, value: unknown, options?: FullCompileOptions): string {
  const result = compile(schema, options)(value);
  return result.valid ? '' : (result.errors[0]?.schemaPath ?? '');
}

const refused = (schema: JsonSchema, code: string, path: string, options?: FullCompileOptions): void =>
  assert.throws(() => compile(schema, options), (error) => error instanceof SchemaError && `${error.code} ${error.path}` === `${code} ${path}`);

describe('a reference against a base (RFC 3986 section 5.4)', () => {
  const base = 'http://a/b/c/d;p';
  for (const [from, reference, uri, fragment = ''] of [
    [base, '', base], [base, 'g', 'http://a/b/c/g'], [base, './g', 'http://a/b/c/g'], [base, 'g/', 'http://a/b/c/g/'], [base, '/g', 'http://a/g'], [base, '/g/h/', 'http://a/g/h/'],
    [base, '#s', base, 's'], [base, 'g#s', 'http://a/b/c/g', 's'], [base, 'g#s#t', 'http://a/b/c/g', 's#t'], [base, 'g:h', 'g:h'], [base, 'g:h#i', 'g:h', 'i'],
    [base, '../g', 'http://a/b/g'], [base, '../../g', 'http://a/g'], [base, '../../../g', 'http://a/g'], [base, '../../../../g', 'http://a/g'], [base, './../g', 'http://a/b/g'],
    [base, 'g;x=1/../y', 'http://a/b/c/y'], [base, 'g/./h', 'http://a/b/c/g/h'], [base, '..g', 'http://a/b/c/..g'], [base, 'g.', 'http://a/b/c/g.'], [base, './g:h', 'http://a/b/c/g:h'], [base, 'g/x:y', 'http://a/b/c/g/x:y'],
    ['http://host', 'g', 'http://host/g'], ['http://host', '/g', 'http://host/g'], ['https://host.example/', 'g', 'https://host.example/g'], ['', 'g', 'g'], ['', '/g', '/g'], ['a/b', 'c', 'a/c'], ['/a/b', 'c', '/a/c'], ['a', 'c', 'c'],
    ['urn:x:y', '#z', 'urn:x:y', 'z'], ['', '', ''], ['', '#/a', '', '/a'], [base, '#', base], [base, '#a\nb', base, 'a\nb'],
  ] as const) {
    test(`${reference} from ${from}`, () => assert.deepEqual(resolveUri(from, reference), [uri, fragment]));
  }
});

describe('what a reference leads to', () => {
  test('a place that no keyword has made, with its address', () => {
    assert.equal(broken({ $ref: '#/x-one/a~1b', 'x-one': { 'a/b': { type: 'string' } } }, 1), '#/x-one/a~1b/type');
    assert.equal(broken({ $ref: '#/x-one/1/y', 'x-one': [1, { y: { type: 'string' } }] }, 1), '#/x-one/1/y/type');
    assert.equal(broken({ $ref: '#/x%20one', 'x one': false }, 1), '#/x one');
  });

  test('not what is no part of the document', () => {
    for (const schema of [
      { $ref: '#/title/0', title: 'abc' }, { $ref: '#/a/b', a: null }, { $ref: '#/a/b/c', a: {} }, { $ref: '#/a/length', a: [1] }, { $ref: '#/toString' }, { $ref: '#/a/b', a: 7 },
    ] as JsonSchema[]) {
      if (Object.hasOwn(Object(schema) as object, 'a') && JSON.stringify(schema).includes('length')) refused(schema, 'schema', '#/a/length');
      else refused(schema, 'reference', '#');
    }
  });

  test('within a schema with an address of its own, from there', () => {
    const schema: JsonSchema = {
      $id: 'https://a.example/root', $ref: '#/x-more/inner/x-deep',
      'x-more': { inner: { $id: 'inner/', 'x-deep': { $ref: 'leaf' } } },
      $defs: { inner: { $id: 'inner/', 'x-deep': { $ref: 'leaf' } }, leaf: { $id: 'inner/leaf', type: 'string' } },
    };
    refused(schema, 'reference', '#/x-more/inner/x-deep');
    assert.equal(broken({ ...schema, $ref: '#/$defs/inner/x-deep' }, 1), '#/$defs/leaf/type');
    assert.equal(broken({ ...schema, $ref: 'inner/#/x-deep' }, 1), '#/$defs/leaf/type');
  });

  test('the place, and not the anchor, where the fragment is a pointer; the anchor where it is a name', () => {
    const $defs = { a: { $anchor: 'one', type: 'string' }, b: { $dynamicAnchor: 'two', type: 'string' }, c: { $id: 'https://c.example/', $anchor: 'one', type: 'number' } };
    assert.equal(broken({ $ref: '#one', $defs }, 1), '#/$defs/a/type');
    assert.equal(broken({ $ref: '#two', $defs }, 1), '#/$defs/b/type');
    assert.equal(broken({ $ref: 'https://c.example/#one', $defs }, ''), '#/$defs/c/type');
    refused({ $ref: 'https://c.example/#two', $defs }, 'reference', '#');
    refused({ $ref: '#/one', $defs }, 'reference', '#');
  });

  test('in draft-07 an $id that is a fragment names an anchor, and opens no new document', () => {
    const $schema = 'http://json-schema.org/draft-07/schema#';
    const definitions = { a: { $id: '#one', type: 'string' }, b: { $id: '#two', type: 'string' }, c: { $id: 'https://c.example/x#one', type: 'number' } };
    for (const [to, place] of [['#one', 'a'], ['#two', 'b']]) {
      assert.equal(broken({ $schema, definitions, properties: { x: { $ref: to } } }, { x: 1 }), `#/definitions/${place}/type`);
      assert.equal(broken({ $schema, $id: 'https://a.example/', definitions, properties: { x: { $ref: to } } }, { x: 1 }), `#/definitions/${place}/type`);
    }
    assert.equal(broken({ $schema, definitions, properties: { x: { $ref: 'https://c.example/x#one' } } }, { x: '' }), '#/definitions/c/type');
    // Siblings of a $ref do not count, not even $id.
    refused({ $schema, definitions: { a: { $id: '#one', $ref: '#/definitions/b' }, b: {} }, properties: { x: { $ref: '#one' } } }, 'reference', '#/properties/x');
  });
});

describe('a dynamic reference', () => {
  const tree = (anchor: '$anchor' | '$dynamicAnchor'): JsonSchema => ({
    $id: 'https://a.example/strict', $dynamicAnchor: 'node', $ref: 'tree', unevaluatedProperties: false,
    $defs: { tree: { $id: 'tree', [anchor]: 'node', properties: { data: true, children: { items: { $dynamicRef: '#node' } } } } },
  });
  const misspelt = { children: [{ daat: 1 }] };

  test('leads to the outermost that has the anchor', () => {
    assert.equal(broken(tree('$dynamicAnchor'), { children: [{ data: 1, children: [] }] }), '');
    assert.equal(broken(tree('$dynamicAnchor'), misspelt), '#/unevaluatedProperties');
  });

  test('is a plain one where it leads to a plain anchor, or to a pointer', () => {
    assert.equal(broken(tree('$anchor'), misspelt), '');
    const pointer: JsonSchema = {
      $id: 'https://a.example/', $dynamicAnchor: 'node', type: 'object', properties: { a: { $ref: 'inner' } },
      $defs: { inner: { $id: 'inner', $dynamicRef: '#/$defs/node', $defs: { node: { $dynamicAnchor: 'node', type: 'number' } } } },
    };
    assert.equal(broken(pointer, { a: 'x' }), '#/$defs/inner/$defs/node/type');
  });

  test('passes over what has the name as a plain anchor on the way', () => {
    const schema: JsonSchema = {
      $id: 'https://a.example/', $ref: 'middle', $defs: {
        outer: { $anchor: 'node', type: 'string' },
        middle: { $id: 'middle', $ref: 'inner', $defs: { own: { $dynamicAnchor: 'node', type: 'boolean' } } },
        inner: { $id: 'inner', $dynamicRef: '#node', $defs: { own: { $dynamicAnchor: 'node', type: 'number' } } },
      },
    };
    assert.equal(broken(schema, 1), '#/$defs/middle/$defs/own/type');
    assert.equal(broken(schema, true), '');
  });
});

describe('the dialect', () => {
  const meta = 'https://a.example/meta';
  const vocabulary = (...names: string[]): Record<string, boolean> => Object.fromEntries(names.map((name) => [`https://json-schema.org/draft/2020-12/vocab/${name}`, true]));
  const under = (metaschema: JsonSchema, schema: object, value: unknown, options: FullCompileOptions = {}): string =>
    broken({ $schema: meta, ...schema }, value, { schemas: { [meta]: metaschema }, ...options });

  test('is the vocabularies that a metaschema lists, and references always', () => {
    const rules = { type: 'string', properties: { a: { minimum: 5 } }, $ref: '#/$defs/a', $defs: { a: { properties: { b: false } } }, unevaluatedProperties: false };
    assert.equal(under({ $vocabulary: vocabulary('core') }, rules, { b: 1 }), '');
    assert.equal(under({ $vocabulary: vocabulary('core', 'applicator') }, rules, { a: 1 }), '');
    assert.equal(under({ $vocabulary: vocabulary('applicator') }, rules, { b: 1 }), '#/$defs/a/properties/b');
    assert.equal(under({ $vocabulary: vocabulary('validation') }, rules, {}), '#/type');
    assert.equal(under({ $vocabulary: vocabulary('unevaluated') }, rules, { c: 1 }), '#/unevaluatedProperties');
    assert.equal(under({ $vocabulary: vocabulary('applicator', 'validation') }, { ...rules, type: 'object' }, { a: 1 }), '#/properties/a/minimum');
  });

  test('asserts formats where the caller gives checks; a vocabulary that demands it is refused without them', () => {
    const date = { format: 'date' };
    assert.equal(under({ $vocabulary: vocabulary('format-assertion') }, date, 'x', { formats }), '#/format');
    assert.equal(under({ $vocabulary: vocabulary('format-annotation') }, date, 'x', { formats }), '#/format');
    assert.equal(under({ $vocabulary: vocabulary('format-annotation') }, date, 'x'), '');
    assert.equal(under({ $vocabulary: vocabulary('validation') }, date, 'x', { formats }), '');
    assert.throws(() => under({ $vocabulary: vocabulary('format-assertion') }, date, 'x'), /unknown vocabulary ".*format-assertion"/);
    assert.equal(under({ $vocabulary: { 'https://json-schema.org/draft/2020-12/vocab/format-assertion': false } }, date, 'x'), '');
  });

  test('leaves out a vocabulary that is unknown and not needed, and refuses one that is', () => {
    for (const name of ['https://a.example/vocab/core', 'https://a.example/', 'x']) {
      assert.equal(under({ $vocabulary: { [name]: false, ...vocabulary('validation') } }, { type: 'string' }, 1), '#/type');
      assert.throws(() => under({ $vocabulary: { [name]: true } }, {}, 1), (error) => error instanceof SchemaError && error.code === 'dialect' && error.message.includes(`unknown vocabulary "${name}"`));
    }
  });

  test('is that of the metaschema itself where that lists none', () => {
    const ofDraft7 = { $schema: 'http://json-schema.org/draft-07/schema#' };
    assert.equal(under(ofDraft7, { items: [{ type: 'string' }] }, [1]), '#/items/0/type');
    assert.throws(() => under({}, { items: [{ type: 'string' }] }, [1]), /must be a schema/);
    assert.equal(under({}, { prefixItems: [{ type: 'string' }] }, [1]), '#/prefixItems/0/type');
    assert.throws(() => under({ $schema: 'https://nobody.example/' }, {}, 1), /unknown dialect "https:\/\/nobody\.example\/"/);
    assert.throws(() => under(true, {}, 1), /unknown dialect "https:\/\/a\.example\/meta"/);
  });

  test('is refused where metaschemas go round in a circle', () => {
    const own = { $schema: meta };
    refused(own, 'dialect', '#', { schemas: { [meta]: own } });
    const other = 'https://a.example/other';
    const third = 'https://a.example/third';
    refused({ $schema: meta }, 'dialect', '#', { schemas: { [meta]: { $schema: other }, [other]: { $schema: meta } } });
    refused({ $schema: meta }, 'dialect', '#', { schemas: { [meta]: { $schema: other }, [other]: { $schema: third }, [third]: { $schema: other } } });
  });

  test('is each document its own', () => {
    const schemas = { 'https://old.example/': { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }], unevaluatedItems: false } };
    const schema = { properties: { a: { $ref: 'https://old.example/' } }, prefixItems: [{ type: 'number' }] };
    assert.equal(broken(schema, { a: ['', 1] }, { schemas }), '');
    assert.equal(broken(schema, { a: [1] }, { schemas }), 'https://old.example/#/items/0/type');
    assert.equal(broken(schema, [''], { schemas }), '#/prefixItems/0/type');
  });
});
