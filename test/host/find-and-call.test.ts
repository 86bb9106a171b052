import assert from 'node:assert/strict';
import test from 'node:test';
import { findAndCall, Host } from '../../src/host/index.ts';
import type { FindAndCallOptions } from '../../src/host/index.ts';
import type { CallToolResult } from '../../src/protocol/tools.ts';
import { compile } from '../../src/schema/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;

function hostWithFiles(): Host {
  const files = new McpServer({ name: 'files', version: '1.0.0' });
  files.tool('read_file', { description: 'Reads a file', input: path }, ({ path }) => `text of ${path}`);
  files.tool('delete_file', { description: 'Deletes a file', input: path }, () => 'deleted');
  files.tool('silent', { input: path }, () => '');
  files.tool('big', { description: 'Reads a big file', input: { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(1_000) } } } }, () => '');
  return new Host({
    info: { name: 'test', version: '1.0.0' }, servers: { files: { command: 'none' } }, transport: () => memoryTransport(files),
    rules: [{ tool: 'read_file', then: 'allow' }, { tool: 'delete_file', args: { path: '*' }, then: 'deny' }],
  });
}

const textOf = ({ content: [block] }: CallToolResult): string => (block?.type === 'text' ? block.text : '');

/** Runs `use` with the two tools; `find` parses the result of find_tools as JSON. */
async function withTwo(
  options: FindAndCallOptions | undefined,
  use: (two: ReturnType<typeof findAndCall>, find: (request: string) => Promise<{ name: string; description: string; inputSchema: unknown }[]>) => Promise<void>,
): Promise<void> {
  const host = hostWithFiles();
  try {
    const two = findAndCall(host, options);
    await use(two, async (request) => textOf(await two.call('find_tools', { request })).split('\n').map((line) => JSON.parse(line) as never));
  } finally {
    await host.close();
  }
}

test('find and call: what is found can be called, and rules hold', async () => {
  await withTwo(undefined, async (two, find) => {
    assert.deepEqual(two.tools.map(({ name, tool }) => [name, tool.name]), [['find_tools', 'find_tools'], ['call_tool', 'call_tool']]);
    const [first] = await find('show me what the file contains');
    assert.deepEqual(first, { name: 'files__read_file', description: 'Reads a file', inputSchema: path });
    assert.deepEqual(await find('files/silent'), [{ name: 'files__silent', description: '', inputSchema: path }]);
    assert.equal(textOf(await two.call('call_tool', { name: first?.name, arguments: { path: 'a.txt' } })), 'text of a.txt');
    await assert.rejects(two.call('call_tool', { name: 'files__delete_file', arguments: { path: 'a.txt' } }), { code: 'refused' });
  });
});

test('find and call: the two schemas accept the arguments that the two tools take, and no others', async () => {
  await withTwo(undefined, async ({ tools }) => {
    const [find, call] = tools.map(({ tool }) => compile(tool.inputSchema));
    const fits = (schema: typeof find, args: unknown): boolean | undefined => schema?.(args).valid;
    for (const [args, valid] of [[{ request: 'read' }, true], [{}, false], [{ request: 5 }, false], ['read', false]] as const) assert.equal(fits(find, args), valid, JSON.stringify(args));
    for (const [args, valid] of [[{ name: 'a' }, true], [{ name: 'a', arguments: { b: 1 } }, true], [{ name: 'a', arguments: 'b' }, false], [{ name: 'a', arguments: [] }, false], [{ name: 5 }, false], [{ arguments: {} }, false], [[], false]] as const) {
      assert.equal(fits(call, args), valid, JSON.stringify(args));
    }
    // 2025-11-25 schema, Tool: the type of an inputSchema is "object".
    assert.deepEqual(tools.map(({ tool }) => tool.inputSchema.type), ['object', 'object']);
    assert.deepEqual(tools.map(({ tool }) => tool.annotations?.readOnlyHint), [true, undefined]);
  });
});

test('find and call: answers are bounded, and a tool by its name has its schema', async () => {
  await withTwo({ maxSchemaChars: 50, maxDescriptionChars: 7, limit: 2 }, async (_two, find) => {
    const found = await find('read file');
    assert.equal(found.length, 2);
    assert.deepEqual(found.map(({ inputSchema }) => typeof inputSchema), ['object', 'string']);
    assert.ok(found.every(({ description }) => description.length <= 7));
    for (const name of ['files__big', 'files/big']) {
      const [only, ...others] = await find(name);
      assert.deepEqual([only?.name, typeof only?.inputSchema, others.length], ['files__big', 'object', 0]);
    }
  });
});

test('find and call: wrong arguments are told to the model', async () => {
  await withTwo(undefined, async (two) => {
    for (const [name, args, why] of [
      ['find_tools', {}, /request must be a text/], ['call_tool', {}, /name must be a text/], ['call_tool', { name: 'files__read_file', arguments: [] }, /arguments must be an object/],
      ['delete_tools', {}, /no tool "delete_tools"/],
    ] as const) {
      const result = await two.call(name, args);
      assert.equal(result.isError, true);
      assert.match(textOf(result), why);
    }
    assert.match(textOf(await two.call('find_tools', { request: 'zzz' })), /No tool fits "zzz"/);
  });
});
