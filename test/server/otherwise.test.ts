import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { ask, McpServer } from '../../src/server/index.ts';
import { TaskClient } from '../../src/tasks/index.ts';
import { made } from '../tasks/harness.ts';

// `otherwise`: the answer that is used if the client cannot be asked, in every revision.

const form = { seat: { type: 'string', enum: ['window', 'aisle'] }, bags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } } as const;
const info = { name: 'test', version: '1' };

function server(): McpServer {
  const one = new McpServer(info);
  one.tool('value', {}, async (_args, ctx) => JSON.stringify(await ctx.elicit('Which?', form, { otherwise: { seat: 'aisle', bags: ['b'] } })));
  one.tool('skip', {}, async (_args, ctx) => JSON.stringify(await ctx.elicit('Which?', form, { otherwise: 'skip' })));
  one.tool('generator', {}, function* () {
    return JSON.stringify(yield* ask.form('Which?', form, { otherwise: { seat: 'aisle', bags: ['a'] } }));
  });
  one.tool('plain', {}, async (_args, ctx) => JSON.stringify(await ctx.elicit('Which?', form)));
  one.tool('misfit', {}, async (_args, ctx) => {
    try {
      return (await ctx.elicit('Which?', form, { otherwise: { seat: 'roof' as 'aisle', bags: [] } })).action;
    } catch (error) {
      return String(error);
    }
  });
  return one;
}

const textOf = ({ content }: { content: readonly { type: string; text?: string }[] }): string | undefined => content[0]?.text;

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

for (const version of revisions) {
  test(`otherwise: ${version}, a client that cannot be asked`, async (t) => {
    const client = new McpClient(info, { revisions: [version] });
    t.after(() => client.close());
    await client.connect(memoryTransport(server()));
    const call = async (name: string): Promise<string | undefined> => textOf(await client.callTool(name) as never);
    assert.equal(await call('value'), '{"action":"accept","content":{"seat":"aisle","bags":["b"]}}');
    assert.equal(await call('skip'), '{"action":"cancel"}');
    assert.equal(await call('generator'), '{"seat":"aisle","bags":["a"]}');
    assert.match(await call('misfit') ?? '', /TypeError: elicit: options\.otherwise does not fit the form: seat/);
    await assert.rejects(async () => {
      const result = await client.callTool('plain');
      if (result.isError) throw new Error(textOf(result as never));
    });
  });
}

for (const version of ['2025-11-25', '2026-07-28']) {
  test(`otherwise: ${version}, a client that can be asked is asked`, async (t) => {
    const client = new McpClient(info, { revisions: [version], onElicit: () => ({ action: 'accept', content: { seat: 'window', bags: [] } }) });
    t.after(() => client.close());
    await client.connect(memoryTransport(server()));
    for (const name of ['value', 'skip']) {
      assert.equal(textOf(await client.callTool(name) as never), '{"action":"accept","content":{"seat":"window","bags":[]}}');
    }
  });
}

test('otherwise: in a task of a client that cannot be asked', async (t) => {
  const { server: one } = made(t);
  one.tool('long', { task: 'required' }, async (_args, ctx) => JSON.stringify(await ctx.elicit('Which?', form, { otherwise: { seat: 'aisle', bags: ['b'] } })));
  const client = new TaskClient(info);
  t.after(() => client.close());
  await client.connect(memoryTransport(one));
  const task = await client.startTool('long');
  assert.equal(textOf(await task.result() as never), '{"action":"accept","content":{"seat":"aisle","bags":["b"]}}');
});
