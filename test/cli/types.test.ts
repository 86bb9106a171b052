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
  ] as const) assert.equal(schemaType(schema), type);
  assert.match(schemaType({ type: 'object', properties: { next: { $ref: '#' } } }), /unknown/, 'a schema without an end is cut');
});

test('no word of a server leaves its comment or its name', () => {
  const name = 'a"; } export const evil = 1; /*';
  const text = serverType('Server', [{ name, description: 'x */ evil(); /*\nsecond', inputSchema: { type: 'object' } }], []);
  assert.ok(text.includes(JSON.stringify(name)));
  assert.equal(text.replaceAll(JSON.stringify(name), '').split('*/').length, 2);
});
