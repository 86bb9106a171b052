import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { ask, McpServer, rehearse, resources, RpcError } from '../../src/server/index.ts';
import { spentStates } from '../../src/server/modern/request-state.ts';
import { sampleQuestion } from '../../src/server/sampling.ts';
import { Registry } from '../../src/server/registry.ts';
import type { Entry } from '../../src/server/registry.ts';
import { samplingFault } from '../../src/protocol/sampling.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { connect, later } from './peer.ts';

// Cases that only mutation testing has shown: no other test of the server covers them.

const info = { name: 'test', version: '1' };

test('sampling: each block of a message must be one', () => {
  const text = { type: 'text', text: 'x' };
  for (const content of [text, [text], [text, text]]) assert.equal(samplingFault([{ role: 'user', content }]), undefined);
  for (const content of ['x', [text, 'x'], ['x', text], null, [null]]) {
    assert.equal(samplingFault([{ role: 'user', content }]), 'messages[0].content must be a block or a list of blocks');
  }
});

for (const era of ['modern', 'legacy'] as const) {
  test(`a ${era} client hears of each list that changes`, async () => {
    const server = new McpServer(info);
    server.tool('t', {}, () => 'x');
    server.prompt('p', {}, () => 'x');
    server.resource('a:r', { name: 'r' }, () => 'x');
    const heard: string[] = [];
    let told = (): void => {};
    const client = new McpClient(info, {
      era,
      onListChanged: (list) => {
        heard.push(list);
        told();
      },
    });
    await client.connect(memoryTransport(server));
    await client.ping();
    for (const change of [() => server.prompt('q', {}, () => 'x'), () => server.tool('u', {}, () => 'x'), () => server.resource('a:s', { name: 's' }, () => 'x')]) {
      const next = new Promise<void>((resolve) => { told = resolve; });
      change();
      await next;
    }
    assert.deepEqual(heard, ['prompts', 'tools', 'resources']);
    await client.close();
  });
}

test('a generator asks for the roots of the client', async () => {
  const server = new McpServer(info);
  server.tool('where', {}, function* () {
    const roots = yield* ask.roots();
    return roots.map(({ uri }) => uri).join();
  });
  const { result } = await rehearse(server, 'where', {}, [{ roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] }]);
  assert.deepEqual(result.content, [{ type: 'text', text: 'file:///a,file:///b' }]);
});

test('a rehearsed tool whose release throws has its result all the same', async () => {
  const server = new McpServer(info, { onError: () => {} });
  server.tool('t', {}, (_, ctx) => {
    ctx.defer(() => { throw new Error('stuck'); });
    return 'done';
  });
  const { result, rounds } = await rehearse(server, 't', {});
  assert.deepEqual(result.content, [{ type: 'text', text: 'done' }]);
  assert.deepEqual(rounds.map(({ released }) => released), [1]);
});

test('spent states: the one that expires first is forgotten, and from then on nothing is taken that expires no later', () => {
  const soon = Date.now() + 60_000;
  const spent = spentStates(2);
  assert.deepEqual([spent.spend('b', soon + 20), spent.spend('a', soon + 10), spent.spend('c', soon + 30)], [true, true, true]);
  assert.equal(spent.spend('a', soon + 10), false, 'forgotten');
  assert.equal(spent.spend('other', soon + 10), false, 'as soon as what is forgotten');
  assert.equal(spent.spend('b', soon + 20), false, 'still known');
  assert.equal(spent.spend('early', soon + 15), false, 'sooner than what is known');
  assert.equal(spent.spend('d', soon + 40), true);
  assert.equal(spent.spend('b', soon + 20), false);
});

test('a message of a model has a role, content and a model; what has not is no answer', () => {
  const question = sampleQuestion({ messages: [], maxTokens: 1 });
  const content = { type: 'text', text: 'x' };
  for (const role of ['user', 'assistant']) {
    const answer = { role, content, model: 'm' };
    assert.deepEqual(question.read(answer), { value: answer });
  }
  for (const answer of [{}, { role: 'system', content, model: 'm' }, { role: 'user', content }, { role: 'user', content: 'x', model: 'm' }, { role: 'user', content: null, model: 'm' }, { content, model: 'm' }]) {
    assert.deepEqual(question.read(answer), { problem: "the model's message has no role, content or model" });
  }
});

test('a registry has scopes once an entry had some', () => {
  const registry = new Registry('tool', 'tools', (listed: object) => listed);
  const make = (definition: object): Entry => ({
    kind: 'tool', name: 'x', listed: {}, definition, handler: () => 'x', toResult: () => ({}),
  });
  registry.register('a', {}, make);
  registry.register('b', { scopes: [] }, make);
  assert.equal(registry.scoped, false);
  const { remove } = registry.register('c', { scopes: ['pay'] }, make);
  assert.equal(registry.scoped, true);
  registry.register('d', {}, make);
  remove();
  assert.equal(registry.scoped, true);
});

test('a rehearsed handler that ends while its round is being left leaves nothing open', async () => {
  const server = new McpServer(info);
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  server.tool('t', {}, async (_args, ctx) => {
    ctx.defer(async () => {
      await turn();
      await turn();
    });
    ctx.elicit('Sure?', { sure: { type: 'boolean' } }, { key: 'sure' }).catch(() => undefined);
    await turn();
    return 'done';
  });
  const { rounds } = await rehearse(server, 't', {}, { sure: { action: 'accept', content: { sure: true } } });
  assert.deepEqual(rounds.map(({ questions, leftOpen }) => [Object.keys(questions), leftOpen]), [[['sure'], false], [[], false]]);
});

test('the first page of a list stays the first, whatever pages were asked for since', async () => {
  const server = new McpServer(info, { pageSize: 1 });
  for (const name of ['a', 'b']) server.tool(name, {}, () => '');
  const peer = await connect(server, { revision: '2025-11-25' });
  const page = async (cursor?: unknown): Promise<unknown> => (await peer.request('tools/list', cursor === undefined ? {} : { cursor })).result;
  const first = await page() as { nextCursor: string };
  assert.deepEqual((await page(first.nextCursor) as { tools: { name: string }[] }).tools.map(({ name }) => name), ['b']);
  assert.deepEqual(await page(), first);
});

test('what is updated keeps its place in the list', async () => {
  const server = new McpServer(info, { pageSize: 1 });
  const [first] = ['a', 'b', 'c'].map((name) => server.tool(name, {}, () => ''));
  const peer = await connect(server, { revision: '2025-11-25' });
  const page = async (params: Record<string, unknown> = {}): Promise<{ nextCursor?: string; tools: { name: string }[] }> =>
    (await peer.request('tools/list', params)).result as never;
  const { nextCursor } = await page();
  first?.update({ title: 'A' });
  assert.equal((await page()).nextCursor, nextCursor);
  assert.deepEqual((await page({ cursor: nextCursor })).tools.map(({ name }) => name), ['b']);
});

test('resources have scopes where one of them has, or one of their templates', () => {
  for (const [resource, template] of [[{ scopes: ['a'] }, {}], [{}, { scopes: ['a'] }], [{}, {}]] as const) {
    const one = resources();
    one.add('a:b', resource, () => '');
    one.addTemplate('a:{b}', template, () => '');
    assert.equal(one.scoped, 'scopes' in resource || 'scopes' in template);
  }
});

test('what is deferred by work that went on after its run had ended is released at once', async () => {
  const server = new McpServer(info);
  const go = later<void>();
  const released = later<void>();
  server.tool('t', {}, async (_args, ctx) => {
    void go.promise.then(() => ctx.defer(() => released.resolve()));
    await ctx.elicit('Sure?', { sure: { type: 'boolean' } });
    return 'done';
  });
  const peer = await connect(server);
  const { result } = await peer.modern('tools/call', { name: 't' });
  assert.equal(result?.['resultType'], 'input_required');
  go.resolve();
  await released.promise;
});

test('a handler may say each code that a legacy revision leaves to servers, from -32000 down to -32099', async () => {
  const server = new McpServer(info);
  let code = 0;
  server.prompt('p', {}, () => {
    throw new RpcError(code, 'no');
  });
  const peer = await connect(server, { revision: '2025-06-18' });
  for (const [thrown, said] of [[-32000, -32000], [-32099, -32099], [-32100, -32603], [-32768, -32603], [-32769, -32769]] as const) {
    code = thrown;
    assert.equal((await peer.request('prompts/get', { name: 'p' })).error?.code, said);
  }
});

test('on stderr a failure that no caller hears of has no number', async () => {
  const { error } = console;
  const lines: string[] = [];
  console.error = (...parts: unknown[]) => void lines.push(parts.join(' '));
  try {
    const server = new McpServer(info);
    server.tool('t', {}, (_args, ctx) => {
      ctx.defer(() => {
        throw new Error('the gate is stuck');
      });
      return '';
    });
    await (await connect(server, { revision: '2025-06-18' })).call('t');
  } finally {
    console.error = error;
  }
  assert.match(lines.join('\n'), /^release t failed: Error: the gate is stuck/);
});

// 2025-11-25 server/tools#security-considerations: servers validate all tool inputs. A schema without arguments counts too.
for (const era of ['modern', 'legacy'] as const) {
  test(`a tool without input refuses arguments, as its listed schema says (${era})`, async () => {
    const server = new McpServer(info);
    const seen: unknown[] = [];
    server.tool('t', {}, (args) => {
      seen.push(args);
      return 'ran';
    });
    const client = new McpClient(info, { era });
    await client.connect(memoryTransport(server));
    assert.deepEqual((await client.listTools())[0]?.inputSchema, { type: 'object', additionalProperties: false, properties: {} });
    assert.deepEqual((await client.callTool('t', {})).content, [{ type: 'text', text: 'ran' }]);
    const refused = await client.callTool('t', { path: '/etc/passwd' });
    assert.equal(refused.isError, true);
    assert.match(JSON.stringify(refused.content), /path/);
    assert.deepEqual(seen, [{}]);
    await client.close();
  });
}
