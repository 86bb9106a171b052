import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MalformedResult, McpClient } from '../../src/client/index.ts';
import { compile } from '../../src/schema/full/index.ts';
import type { Validate } from '../../src/schema/types.ts';
import { legacy, modern, Scripted } from './scripted.ts';

// Each typed result and each server request, broken at every member: the client passes on exactly the messages that the
// specification's schema accepts. Exceptions are in `open`.

type Bag = Record<string, unknown>;

const file = (revision: string): Bag =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../../../test/specification/${revision}.json`, import.meta.url)), 'utf8')) as Bag;

function schemaOf(revision: string, name: string): Validate {
  const schema = file(revision);
  // Formats are not tested here: a URI may be any text.
  const text = JSON.stringify(schema).replaceAll(/,?"format":"[a-z]+"/g, '').replaceAll('{,', '{');
  return compile({ ...JSON.parse(text) as Bag, $ref: `#/$defs/${name}` });
}

const annotations = { audience: ['user'], priority: 1 };
const media = { data: 'AAEC', mimeType: 'image/png', annotations };
const content = [
  { type: 'text', text: 'x', annotations, _meta: {} }, { type: 'image', ...media }, { type: 'audio', ...media },
  { type: 'resource_link', name: 'l', uri: 'a:b', title: 't', description: 'd', mimeType: 'text/plain' },
  { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'x' } }, { type: 'resource', resource: { uri: 'a:b', blob: 'AA==' } },
];
const named = { name: 'n', title: 't', description: 'd', icons: [{ src: 'a:b' }], _meta: {} };
const kept = { ttlMs: 0, cacheScope: 'private', resultType: 'complete' };

/** A complete result of each typed method, and the call for it. */
const results: Readonly<Record<string, { type: string; whole: Bag; call: (client: McpClient) => Promise<unknown> }>> = {
  'tools/list': {
    type: 'ListToolsResult', call: (client) => client.listTools(),
    whole: { tools: [{ ...named, inputSchema: { type: 'object' }, outputSchema: { type: 'object' }, annotations: { title: 't' } }, { name: 'o', inputSchema: { type: 'object' } }] },
  },
  'resources/list': {
    type: 'ListResourcesResult', call: (client) => client.listResources(),
    whole: { resources: [{ ...named, uri: 'a:b', mimeType: 'text/plain', size: 1, annotations }] },
  },
  'resources/templates/list': {
    type: 'ListResourceTemplatesResult', call: (client) => client.listResourceTemplates(),
    whole: { resourceTemplates: [{ ...named, uriTemplate: 'a:{b}', mimeType: 'text/plain', annotations }] },
  },
  'prompts/list': {
    type: 'ListPromptsResult', call: (client) => client.listPrompts(),
    whole: { prompts: [{ ...named, arguments: [{ name: 'a', title: 't', description: 'd', required: true }] }] },
  },
  'tools/call': { type: 'CallToolResult', call: (client) => client.callTool('t'), whole: { content, isError: false, _meta: {} } },
  'resources/read': {
    type: 'ReadResourceResult', call: (client) => client.readResource('a:b'),
    whole: { contents: [{ uri: 'a:b', mimeType: 'text/plain', text: 'x' }, { uri: 'a:b', blob: 'AA==', _meta: {} }] },
  },
  'prompts/get': {
    type: 'GetPromptResult', call: (client) => client.getPrompt('p'),
    whole: { description: 'd', messages: content.map((block, at) => ({ role: at % 2 ? 'assistant' : 'user', content: block })) },
  },
  'completion/complete': {
    type: 'CompleteResult', call: (client) => client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' }),
    whole: { completion: { values: ['a', 'b'], total: 2, hasMore: false } },
  },
};

/** Members that are not checked, or not below this level: for display, a schema, or of a later revision. */
const open = /\.(?:annotations|icons|_meta|inputSchema|outputSchema|nextCursor)\.|\.outputSchema$/;
/** Blocks and fields of unknown types belong to a later revision; in a model's message they are an error. */
const openTypes = /\.type$/;

const wrong: readonly unknown[] = [undefined, 5, 'x', true, [], {}];

interface Broken {
  readonly path: string;
  readonly value: Bag;
}

/** Yields the value with each member and list item left out, replaced, and set to null. */
function* broken(whole: Bag): Generator<Broken> {
  function* places(value: unknown, path: readonly (string | number)[]): Generator<readonly (string | number)[]> {
    if (path.length > 0) yield path;
    if (typeof value !== 'object' || value === null) return;
    const keys = Array.isArray(value) ? value.map((_, at) => at) : Object.keys(value);
    for (const key of keys) yield* places((value as Record<string | number, unknown>)[key], [...path, key]);
  }
  for (const path of [...places(whole, [])]) {
    for (const other of [...wrong, null]) {
      const value = structuredClone(whole);
      let at = value as Record<string | number, unknown>;
      for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
      const last = path.at(-1) as string | number;
      if (other === undefined && Array.isArray(at)) continue;
      if (other === undefined) delete at[last];
      else at[last] = other;
      yield { path: `.${path.join('.')}`, value };
    }
  }
}

/** Null counts as absent if the schema makes the member optional. */
function isGood(value: Bag, validate: Validate): boolean {
  const text = JSON.stringify(value);
  if (validate(JSON.parse(text)).valid) return true;
  return text.includes(':null') && validate(JSON.parse(text, (_key, member: unknown) => member === null ? undefined : member)).valid;
}

const count = { results: 0, questions: 0 };

for (const [method, { type, whole, call }] of Object.entries(results)) {
  for (const era of ['legacy', 'modern'] as const) {
    test(`a malformed result of ${method} is an error by name: ${era}`, async () => {
      const validate = schemaOf(era === 'modern' ? '2026-07-28' : '2025-11-25', type);
      const hints = era === 'modern' ? kept : {};
      assert.ok(validate({ ...structuredClone(whole), ...hints }).valid);
      let result: Bag = {};
      const script = (era === 'modern' ? modern : legacy)(() => ({ ...result, ...hints }));
      const client = new McpClient({ name: 'tester', version: '1' }, { cache: false, validator: false });
      await client.connect(new Scripted('pipe', script));
      for (const { path, value } of broken(whole)) {
        if (open.test(path)) continue;
        result = value;
        const good = isGood({ ...value, ...hints }, validate);
        const given = await call(client).then((found) => ({ found }), (error: unknown) => ({ error }));
        count.results++;
        const place = `${path} of ${JSON.stringify(value)}`;
        if ('found' in given) assert.ok(good || openTypes.test(path), `accepted: ${place}`);
        else {
          assert.ok(!good, `refused: ${place}: ${String(given.error)}`);
          assert.ok(given.error instanceof MalformedResult && given.error.code === 'malformed_result' && given.error.method === method, place);
        }
      }
      await client.close();
    });
  }
}

const text = { type: 'text', text: 'x' };
const use = { type: 'tool_use', id: 'a', name: 't', input: {} };
const got = { type: 'tool_result', toolUseId: 'a', content, isError: false };

/** Complete server requests, and the schema of their parameters. */
const questions: readonly { method: string; type: string; whole: Bag }[] = [
  {
    method: 'sampling/createMessage', type: 'CreateMessageRequestParams',
    whole: {
      messages: [
        { role: 'user', content: text }, { role: 'user', content: [text, { type: 'image', ...media }, { type: 'audio', ...media }] },
        { role: 'assistant', content: [text, use] }, { role: 'user', content: got },
      ],
      maxTokens: 5, systemPrompt: 's', temperature: 1, stopSequences: ['x'], includeContext: 'none', metadata: {},
      modelPreferences: { hints: [{ name: 'm' }], costPriority: 1, speedPriority: 0, intelligencePriority: 0.5 },
      tools: [{ name: 't', description: 'd', inputSchema: { type: 'object' } }], toolChoice: { mode: 'auto' },
    },
  },
  {
    method: 'elicitation/create', type: 'ElicitRequestFormParams',
    whole: { mode: 'form', message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'boolean' } }, required: ['a'] } },
  },
  { method: 'elicitation/create', type: 'ElicitRequestURLParams', whole: { mode: 'url', message: 'm', url: 'https://x.test/', elicitationId: 'e' } },
];

/** Enumerated words and numbers: the handler judges unknown values. */
const words = /\.(?:includeContext|mode|requestedSchema\.type|type|\w+Priority)$/;
/** JSON Schema does not say that each tool use has its result, that a message is not empty, and that a field is not null. */
const stricter = /^\.messages|\.properties\.\w+$/;

for (const { method, type, whole } of questions) {
  test(`a malformed ${type} reaches no handler`, async () => {
    const validate = schemaOf('2025-11-25', type);
    assert.ok(validate(structuredClone(whole)).valid, JSON.stringify(validate(structuredClone(whole))));
    let reached = 0;
    const client = new McpClient({ name: 'tester', version: '1' }, {
      capabilities: { sampling: { tools: {} } },
      onElicit: () => (reached++, { action: 'decline' }),
      onElicitUrl: () => (reached++, { action: 'decline' }),
      onSample: () => (reached++, { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' }),
    });
    const wire = new Scripted('pipe', legacy());
    await client.connect(wire);
    assert.equal((await wire.ask('whole', method, structuredClone(whole))).error, undefined);
    assert.equal(reached, 1);
    for (const [at, { path, value }] of [...broken(whole)].entries()) {
      if (open.test(path) || path.includes('.content.') && path.includes('.messages.3.')) continue;
      const good = isGood(value, validate);
      reached = 0;
      const { error } = await wire.ask(at, method, value);
      count.questions++;
      const place = `${path} of ${JSON.stringify(value)}`;
      if (error) assert.equal(error.code, -32602, place);
      assert.equal(reached, error ? 0 : 1, place);
      if (error) assert.ok(!good || stricter.test(path) || words.test(path), `refused: ${place}: ${error.message}`);
      else assert.ok(good || words.test(path), `accepted: ${place}`);
    }
    await client.close();
  });
}

test('sampling: what no model may be asked reaches no handler, in either era', async () => {
  const bad: readonly unknown[] = [
    { role: 'system', content: text }, { role: 'user' }, { role: 'user', content: [] }, { role: 'user', content: { type: 'film', reel: 1 } },
    { role: 'user', content: 'x' }, { role: 'user', content: { type: 'text' } }, { role: 'user', content: use }, { content: text }, null, 'x',
  ];
  for (const message of bad) {
    let reached = 0;
    const onSample = (): never => {
      reached++;
      throw new Error('reached');
    };
    const params = { messages: [message], maxTokens: 1 };
    const old = new Scripted('pipe', legacy());
    await new McpClient({ name: 'tester', version: '1' }, { onSample }).connect(old);
    assert.equal((await old.ask('q', 'sampling/createMessage', params)).error?.code, -32602);
    const client = new McpClient({ name: 'tester', version: '1' }, { onSample });
    await client.connect(new Scripted('pipe', modern(() => ({
      resultType: 'input_required', inputRequests: { q: { method: 'sampling/createMessage', params } },
    }))));
    await assert.rejects(client.callTool('t'), { code: -32602 });
    assert.equal(reached, 0, JSON.stringify(message));
  }
});

test('the generators of malformed messages have made enough of them', () => {
  assert.ok(count.results > 1000, String(count.results));
  assert.ok(count.questions > 300, String(count.questions));
});
