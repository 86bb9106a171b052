import assert from 'node:assert/strict';
import test from 'node:test';
import { asSchema } from 'ai';
import type { CallToolResult, ContentBlock, Tool } from 'barewire/protocol';
import * as aiSdk from 'barewire-model/ai-sdk';
import * as anthropic from 'barewire-model/anthropic';
import * as openai from 'barewire-model/openai';
import type { OfferedTool } from 'barewire-model/anthropic';

const tool = (name: string, inputSchema: object = {}, more: Partial<Tool> = {}): Tool => ({ name, inputSchema: { type: 'object', ...inputSchema }, ...more });
const never = async (): Promise<CallToolResult> => assert.fail('nothing is called');

/** The tools in every format, as `[name, description, schema]`; all formats must agree. */
async function offered(tools: OfferedTool[]): Promise<{ tools: [string, string | undefined, Record<string, any>][]; lost: readonly anthropic.Lost[] }> {
  const a = anthropic.toolsFor(tools);
  const o = openai.toolsFor(tools);
  const v = aiSdk.toolsFor(tools, never);
  const one = a.tools.map(({ name, description, input_schema: schema }): [string, string | undefined, Record<string, any>] => [name, description, schema]);
  assert.deepEqual(o.tools.map(({ name, description, parameters }) => [name, description, parameters]), one);
  assert.deepEqual(await Promise.all(Object.entries(v.tools).map(async ([name, { description, inputSchema }]) => [name, description, await asSchema(inputSchema).jsonSchema])), one);
  assert.deepEqual(o.lost, a.lost);
  assert.deepEqual(v.lost, a.lost);
  // Strict only on request: OpenAI's API treats a missing member as true.
  assert.ok(a.tools.every((tool) => !('strict' in tool)));
  assert.ok(o.tools.every(({ strict }) => strict === false));
  return { tools: one, lost: a.lost };
}

test('a tool keeps its name, its description and its schema', async () => {
  const schema = { properties: { a: { type: 'number', minimum: 1 }, b: { $ref: '#/$defs/b' } }, required: ['a'], $defs: { b: { enum: ['x', null] } }, additionalProperties: false };
  const { tools, lost } = await offered([tool('add', schema, { description: 'Adds' }), tool('titled', {}, { title: 'A title' }), tool('bare')]);
  assert.deepEqual(tools, [['add', 'Adds', { type: 'object', ...schema }], ['titled', 'A title', { type: 'object', properties: {} }], ['bare', undefined, { type: 'object', properties: {} }]]);
  assert.deepEqual(lost, []);
});

test('what a schema loses is told by tool, place and reason', async () => {
  const { tools, lost } = await offered([
    tool('either', { properties: { a: {} }, anyOf: [{ required: ['a'] }], not: {} }),
    tool('remote', { properties: { a: { type: 'array', items: { $ref: 'https://internal.example/schema' } } } }),
    tool('odd', { properties: { 'ä b': {}, fine: {} } }),
    tool('needed', { properties: { 'ä b': {} }, required: ['ä b'] }),
    tool('deep', { properties: { a: Array.from({ length: 200 }).reduce<object>((inner) => ({ items: inner }), {}) } }),
  ]);
  assert.deepEqual(tools.map(([name, , schema]) => [name, Object.keys(schema)]), [
    ['either', ['type', 'properties']], ['remote', ['type', 'properties']], ['odd', ['type', 'properties']], ['deep', ['type', 'properties']],
  ]);
  assert.deepEqual(tools[1]?.[2]['properties'], { a: { type: 'array', items: {} } });
  assert.deepEqual(lost.map(({ tool, path }) => [tool, path.slice(0, 40)]), [
    ['either', '#/anyOf'], ['either', '#/not'], ['remote', '#/properties/a/items/$ref'], ['odd', '#/properties/ä b'], ['needed', '#'],
    ['deep', '#/properties/a/items/items/items/items/i'],
  ]);
  for (const { why } of lost) assert.ok(why.length > 10);
});

test('draft-07 is written as 2020-12', async () => {
  const { tools } = await offered([tool('old', {
    $schema: 'http://json-schema.org/draft-07/schema#',
    properties: { pair: { type: 'array', items: [{ type: 'number' }, true], additionalItems: { type: 'string' } }, none: { type: 'array', additionalItems: false } },
  })]);
  assert.deepEqual(tools[0]?.[2], {
    type: 'object',
    properties: { pair: { type: 'array', prefixItems: [{ type: 'number' }, {}], items: { type: 'string' } }, none: { type: 'array', items: { not: {} } } },
  });
});

test('a name that does not fit is another one, always the same, and leads back', () => {
  const names = ['a.b', 'a b', 'x'.repeat(100), `${'x'.repeat(100)}y`, '', '__proto__', 'Ä'];
  const { tools, offeredName, lost } = anthropic.toolsFor(names.map((name) => tool(name)));
  assert.equal(new Set(tools.map(({ name }) => name)).size, names.length);
  for (const { name } of tools) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  assert.deepEqual(tools.map(({ name }) => offeredName(name)), names);
  assert.deepEqual(anthropic.toolsFor([tool('a.b')]).tools[0]?.name, tools[0]?.name);
  assert.equal(offeredName('toString'), undefined);
  assert.deepEqual(lost, []);
  assert.deepEqual(Object.keys(aiSdk.toolsFor(names.map((name) => tool(name)), never).tools).length, names.length);
  // Names from a host, and two tools with one name.
  const host = openai.toolsFor([{ name: 'files__read', tool: tool('read') }, { name: 'files__read', tool: tool('read') }]);
  assert.equal(host.tools.length, 1);
  assert.deepEqual(host.lost.map(({ tool, path }) => [tool, path]), [['files__read', '#']]);
});

const blocks: ContentBlock[] = [
  { type: 'text', text: 'Hello' },
  { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  { type: 'image', data: 'AAAA', mimeType: 'image/tiff' },
  { type: 'audio', data: 'AAAAAA==', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'https://internal.example/', name: 'a "name"]', size: 12 },
  { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside' } },
  { type: 'resource', resource: { uri: 'file:///a.png', blob: 'AAAA', mimeType: 'image/webp' } },
  { type: 'resource', resource: { uri: 'file:///b/report.pdf?x', blob: 'AAAA', mimeType: 'application/pdf' } },
  { type: 'resource', resource: { uri: 'file:///a.zip', blob: 'AAAA', mimeType: 'application/zip' } },
];
const texts = [
  'Hello', '[an image of type "image/tiff", 3 bytes: it cannot be shown here]', '[audio of type "audio/wav", 4 bytes: it cannot be played here]',
  '[a link to "a \\"name\\"]" at "https://internal.example/", 12 bytes: it was not read]', '[the resource "file:///a.txt"]\ninside',
  '[the resource "file:///a.zip" of type "application/zip", 3 bytes: it cannot be shown here]',
];

test('each kind of content, for Anthropic', () => {
  const result = anthropic.resultFor('t1', { content: [...blocks, { type: 'text', text: '' }] });
  assert.equal(result.tool_use_id, 't1');
  assert.equal(result.is_error, undefined);
  const content = Array.isArray(result.content) ? result.content : assert.fail();
  assert.deepEqual(content.flatMap((block) => (block.type === 'text' ? [block.text] : [])), texts);
  assert.deepEqual(content.flatMap((block) => (block.type === 'image' || block.type === 'document' ? [block.source] : [])), [
    { type: 'base64', media_type: 'image/png', data: 'AAAA' }, { type: 'base64', media_type: 'image/webp', data: 'AAAA' },
    { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
  ]);
  assert.deepEqual(anthropic.resultFor('t2', { content: [{ type: 'text', text: 'No seats' }], isError: true }),
    { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: 'No seats' }], is_error: true });
  assert.deepEqual(anthropic.resultFor('t3', new Error('refused')), { type: 'tool_result', tool_use_id: 't3', content: [{ type: 'text', text: 'refused' }], is_error: true });
});

test('each kind of content, for OpenAI', () => {
  const { type, call_id, output } = openai.resultFor('c1', { content: blocks });
  assert.deepEqual([type, call_id], ['function_call_output', 'c1']);
  const items = Array.isArray(output) ? output : assert.fail();
  assert.deepEqual(items.flatMap((item) => (item.type === 'input_text' ? [item.text] : [])), texts);
  assert.deepEqual(items.filter(({ type }) => type !== 'input_text'), [
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA' }, { type: 'input_image', image_url: 'data:image/webp;base64,AAAA' },
    { type: 'input_file', filename: 'report.pdf', file_data: 'data:application/pdf;base64,AAAA' },
  ]);
  assert.deepEqual(openai.resultFor('c2', new Error('refused')).output, [{ type: 'input_text', text: 'The call failed:' }, { type: 'input_text', text: 'refused' }]);
});

test('each kind of content, for the AI SDK', () => {
  const output = aiSdk.resultFor({ content: blocks });
  const value = output.type === 'content' ? output.value : assert.fail();
  assert.deepEqual(value.flatMap((part) => (part.type === 'text' ? [part.text] : [])), texts);
  assert.deepEqual(value.filter(({ type }) => type !== 'text'), [
    { type: 'image-data', data: 'AAAA', mediaType: 'image/png' }, { type: 'image-data', data: 'AAAA', mediaType: 'image/webp' },
    { type: 'file-data', data: 'AAAA', mediaType: 'application/pdf', filename: 'report.pdf' },
  ]);
  assert.deepEqual(aiSdk.resultFor({ content: [{ type: 'text', text: 'No seats' }], isError: true }), { type: 'error-text', value: 'No seats' });
});

test('structured content is told where the tool gave no text, and nothing is told as nothing', () => {
  const said = (result: CallToolResult): unknown => anthropic.resultFor('t', result).content;
  assert.deepEqual(said({ content: [], structuredContent: { a: 1 } }), [{ type: 'text', text: '{"a":1}' }]);
  assert.deepEqual(said({ content: [{ type: 'text', text: 'a is 1' }], structuredContent: { a: 1 } }), [{ type: 'text', text: 'a is 1' }]);
  assert.deepEqual(said({ content: [] }), [{ type: 'text', text: '(no content)' }]);
});
