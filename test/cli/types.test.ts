import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { serverType } from '../../src/cli/commands/types.ts';
import { schemaType } from '../../src/cli/schema-type.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { fixture } from './fixture.ts';
import { inProcess } from './in-process.ts';
import type { Ran } from './in-process.ts';

// The output of `barewire types`. test/types checks that it compiles, and which mistakes do not.
const serving = serveHttp(fixture(() => process.exit(3)));
test.after(async () => (await serving).close({ drainMs: 0 }));
const written = fileURLToPath(new URL('../../../test/types/fixture-server.ts', import.meta.url));

const run = async (...words: string[]): Promise<Ran> => {
  const { code, out, err } = await inProcess(['types', ...words, (await serving).url]);
  return { code, out, err };
};

test('types --check: 0 where the file is what the server offers, 1 and the lines where it moved', async (t) => {
  assert.deepEqual(await run('--check', written, '--name', 'Fixture'), { code: 0, out: '', err: '' });
  const folder = mkdtempSync(join(tmpdir(), 'barewire-types-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'server.d.ts');
  const { out } = await run();
  writeFileSync(file, out.replace('times?: number', 'times: string'));
  const { code, err } = await run('--check', file);
  assert.equal(code, 1);
  assert.match(err, /server\.d\.ts differs from the server's tools and prompts:\n- +times: string;\n\+ +times\?: number;\n/);
  // A file of Windows is the same; one whose lines only moved differs; of many lines 40 are shown.
  writeFileSync(file, out.replaceAll('\n', '\r\n'));
  assert.equal((await run('--check', file)).code, 0);
  writeFileSync(file, out.split('\n').reverse().join('\n'));
  assert.match((await run('--check', file)).err, /prompts:\nits lines are in another order\n$/);
  writeFileSync(file, `${out}${Array.from({ length: 41 }, (_, at) => `// ${at}\n`).join('')}`);
  const many = await run('--check', file);
  assert.deepEqual([many.code, many.err.split('\n').slice(1, -1).map((line) => line.slice(0, 4))], [1, [...Array.from({ length: 40 }, () => '- //'), '… 1 ']]);
  writeFileSync(file, `${out}${Array.from({ length: 40 }, (_, at) => `// ${at}\n`).join('')}`);
  assert.doesNotMatch((await run('--check', file)).err, /more/);
  assert.match((await run('--check', join(folder, 'nothing'), '--name', 'X')).err, /^barewire: ENOENT/);
  assert.match((await run('another')).err, /^barewire: types takes one server; unexpected: another$/m);
  assert.match((await run('--name', '1a')).err, /^barewire: --name takes the name of a type$/m);
  assert.match((await run('--name', '$_a1')).out, /^export interface \$_a1 \{$/m);
  assert.match(out, /^export interface Server \{$/m);
  assert.equal((await run('--check', join(folder, 'nothing'))).code, 2);
  assert.equal((await run('--name', 'a b')).code, 2);
});

test('a schema as a type', () => {
  for (const [schema, type] of [
    [{ type: 'string' }, 'string'], [{ type: 'integer' }, 'number'], [{ type: ['string', 'null'] }, 'string | null'], [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
    [{ const: 'x' }, '"x"'], [{ type: 'array', items: { type: 'string' } }, 'string[]'], [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
    [{ type: 'array', prefixItems: [{ type: 'number' }], items: false }, '[number?, ...never[]]'], [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [{ anyOf: [{ type: 'string' }, {}] }, 'unknown'], [true, 'unknown'], [false, 'never'], [{ type: 'object' }, '{ [name: string]: unknown }'], [{ type: 'object', properties: {} }, 'Record<string, never>'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [name: string]: number }'],
    [{ type: 'object', properties: { 'a-b': { type: 'string' } }, required: ['a-b'] }, '{\n  "a-b": string;\n}'],
    [{ type: 'object', properties: { a: {} }, anyOf: [{ type: 'string' }, { type: 'number' }] }, '{\n  a?: unknown;\n} & (string | number)'],
    [{ $defs: { x: { type: 'boolean' } }, type: 'array', items: { $ref: '#/$defs/x' } }, 'boolean[]'], [{ $ref: 'https://example.com/x' }, 'unknown'],
    [{ type: 'null' }, 'null'], [{ type: 'boolean' }, 'boolean'], [{ type: 'number' }, 'number'], [{ type: 'odd' }, 'unknown'], [{ properties: { a: true } }, '{\n  a?: unknown;\n}'], [{ type: [] }, 'unknown'], [{ enum: [] }, 'unknown'],
    [{ type: 'array' }, 'unknown[]'], [{ type: 'array', items: { allOf: [{ type: 'string' }, { type: 'number' }] } }, '(string & number)[]'], [{ type: 'array', prefixItems: [] }, '[...unknown[]]'],
    [{ oneOf: [{ type: 'string' }, { type: 'string' }] }, 'string'], [{ anyOf: [], oneOf: [{ type: 'string' }] }, 'unknown'], [{ allOf: [{ type: 'string' }, {}] }, 'string'], [{ type: 'string', allOf: [{ const: 'a' }] }, 'string & "a"'], [{ allOf: [{ enum: [1, 2] }, { enum: [2, 3] }] }, '(1 | 2) & (2 | 3)'],
    [{ const: null }, 'null'], [{ const: [1] }, 'unknown[]'], [{ const: { a: 1 } }, '{ [name: string]: unknown }'], [{ const: 0 }, '0'], [{ type: 'object', additionalProperties: false }, 'Record<string, never>'], [{ type: 'object', additionalProperties: true }, '{ [name: string]: unknown }'],
    [{ type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'string', description: 'One\ntwo' } } }, $b: true, '1c': true, d1: true }, required: 'a' }, '{\n  a?: {\n    /** One\n     * two */\n    b?: string;\n  };\n  $b?: unknown;\n  "1c"?: unknown;\n  d1?: unknown;\n}'],
    [{ $defs: { 'a/b': { type: 'boolean' }, 'c~d': { type: 'null' } }, anyOf: [{ $ref: '#/$defs/a~1b' }, { $ref: '#/$defs/c~0d' }] }, 'boolean | null'], [{ $ref: '#/a/b' }, 'unknown'], [{ $ref: '#/toString' }, 'unknown'], [{ a: null, $ref: '#/a/b' }, 'unknown'], [5, 'unknown'],
    [{ type: 'object', properties: { a: { description: ' ', type: 'string' } } }, '{\n  a?: string;\n}'],
  ] as const) assert.equal(schemaType(schema), type, JSON.stringify(schema));
  assert.equal(schemaType({ type: 'object', properties: { a: true } }, '    '), '{\n      a?: unknown;\n    }');
  const nested = (depth: number): object => (depth === 0 ? { type: 'string' } : { type: 'array', items: nested(depth - 1) });
  assert.equal(schemaType(nested(12)), `string${'[]'.repeat(12)}`);
  assert.equal(schemaType(nested(13)), `unknown${'[]'.repeat(13)}`);
  const referring = (depth: number): object => ({ ...Object.fromEntries(Array.from({ length: depth }, (_, at) => [`r${at + 1}`, at === 0 ? { type: 'string' } : { $ref: `#/r${at}` }])), $ref: `#/r${depth}` });
  assert.deepEqual([schemaType(referring(12)), schemaType(referring(13))], ['string', 'unknown']);
  const inside = (depth: number): object => (depth === 0 ? { type: 'string' } : { type: 'object', properties: { x: inside(depth - 1) } });
  assert.deepEqual([12, 13].map((depth) => /: string;/.test(schemaType(inside(depth)))), [true, false]);
  assert.match(schemaType({ type: 'object', properties: { next: { $ref: '#' } } }), /unknown/, 'a schema without an end is cut');
});

test('a schema whose references multiply at each level is cut', () => {
  const members = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`m${at}`, { $ref: '#/properties/a' }]));
  for (const a of [{ properties: members }, { anyOf: Object.values(members) }, { allOf: Object.values(members) }, { type: 'array', prefixItems: Object.values(members) }]) {
    const { length } = schemaType({ type: 'object', properties: { a } });
    assert.ok(length < 1_000_000, `${length}`);
  }
});

test('a server as a type: tools and prompts in the order of their names, with their comments', () => {
  const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' as const }, ...more });
  assert.deepEqual(serverType('Shop', [tool('b'), tool('a', { description: 'Sells', outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } })], [
    { name: 'greet', description: 'Greets', arguments: [{ name: 'who', required: true }, { name: 'in-what' }] }, { name: 'bye' },
  ]).split('\n').slice(1), [
    '', 'export interface Shop {', '  tools: {',
    '    /** Sells */', '    a: {', '      input: { [name: string]: unknown };', '      output: {', '        sum: number;', '      };', '    };',
    '    b: {', '      input: { [name: string]: unknown };', '      output: unknown;', '    };',
    '  };', '  prompts: {', '    bye: Record<string, never>;', '    /** Greets */', '    greet: { who: string; "in-what"?: string };', '  };', '}', '',
  ]);
});

test('no word of a server leaves its comment or its name', () => {
  const name = 'a"; } export const evil = 1; /*';
  const text = serverType('Server', [{ name, description: 'x */ evil(); /*\nsecond', inputSchema: { type: 'object' } }], []);
  assert.ok(text.includes(JSON.stringify(name)));
  assert.equal(text.replaceAll(JSON.stringify(name), '').split('*/').length, 2);
  // Invisible characters in a name or a value would let the code look like other code.
  const unseen = 'a\u202eb\u2066c\u200bd\u009b31me\u2028f';
  const written = serverType('Server', [{ name: unseen, description: unseen, inputSchema: { type: 'object', properties: { [unseen]: { enum: [unseen], description: unseen } } } }], [{ name: unseen, arguments: [{ name: unseen }] }]);
  assert.doesNotMatch(written, /[^\n\P{C}]|[\p{Zl}\p{Zp}]/u);
  const [, quoted = ''] = /^ {4}("a\\u202e.*"): \{$/m.exec(written) ?? [];
  assert.equal(JSON.parse(quoted), unseen);
});
