import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answering, ClientCore, listening, McpClient, resultCache, toolOutputs } from '../../src/client/index.ts';
import type { CoreClientOptions } from '../../src/client/index.ts';
import { processBudget } from '../../src/bounds/budget.ts';
import { metaKeys } from '../../src/protocol/meta.ts';
import { compile } from '../../src/schema/index.ts';
import { legacy, modern, Scripted } from './scripted.ts';
import type { Script, Sent } from './scripted.ts';

// A client composed of parts: it neither declares nor handles features that were left out.

const info = { name: 'tester', version: '1' };
const done = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };
const question = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: { sure: { type: 'boolean', default: true } } } },
};
const asks = { resultType: 'input_required', inputRequests: { a: question } };
const onElicit = (): { action: 'accept' } => ({ action: 'accept' });
const accepted = { action: 'accept', content: { sure: true } };

async function connect(script: Script, options?: CoreClientOptions): Promise<{ client: ClientCore; wire: Scripted }> {
  const wire = new Scripted('pipe', script);
  const client = new ClientCore(info, options);
  await client.connect(wire);
  return { client, wire };
}

const declared = ({ sent }: Scripted): unknown => {
  const initialize = sent.find(({ method }) => method === 'initialize')?.params;
  const meta = sent.at(-1)?.params?.['_meta'] as Record<string, unknown> | undefined;
  return initialize ? initialize['capabilities'] : meta?.[metaKeys.clientCapabilities];
};

test('a core alone declares nothing, calls and lists in both eras', async () => {
  const answer = ({ method }: Sent): object =>
    (method === 'tools/list' ? { resultType: 'complete', tools: [{ name: 't', inputSchema: { type: 'object' } }] } : done);
  for (const script of [legacy(answer), modern(answer)]) {
    const { client, wire } = await connect(script);
    assert.deepEqual((await client.callTool('t')).content, done.content);
    assert.deepEqual((await client.listTools()).map(({ name }) => name), ['t']);
    assert.deepEqual(await client.request('prompts/get', { name: 'p' }), done);
    await client.setLogLevel('error');
    await client.ping();
    assert.deepEqual(declared(wire), {});
    await client.close();
  }
});

test('a core alone is made with capabilities of parts that it lacks: they are not declared', async () => {
  const capabilities = { elicitation: { form: {} }, experimental: { x: {} } };
  const { client, wire } = await connect(modern(), { capabilities });
  await client.ping();
  assert.deepEqual(declared(wire), { experimental: { x: {} } });
});

test('without answering, what needs it says so, and a legacy server gets -32601', async () => {
  const { client, wire } = await connect(modern(() => asks));
  await assert.rejects(client.callTool('t'), /^Error: tools\/call: the server asks for input.*without `answering`/);
  assert.deepEqual(wire.methods(), ['server/discover', 'tools/call']);

  const old = await connect(legacy());
  assert.equal((await old.wire.ask(7, 'elicitation/create', question.params)).error?.code, -32601);
  assert.equal((await old.wire.ask(8, 'roots/list')).error?.code, -32601);
  assert.deepEqual((await old.wire.ask(9, 'ping')).result, {});
});

test('without answering, an extension gets its results, and learns that no question can be answered', async () => {
  let why: unknown;
  const { client } = await connect(modern(() => ({ resultType: 'task', inputRequests: { a: question } }), { tools: {}, extensions: { 'com.example/tasks': {} } }), {
    extensions: {
      'com.example/tasks': {
        resultTypes: {
          task: async ({ inputRequests }, _method, { answer }) => {
            why = await answer(inputRequests).catch((error: unknown) => error);
            return done;
          },
        },
      },
    },
  });
  assert.deepEqual((await client.callTool('t')).content, done.content);
  assert.match(String(why), /without `answering`/);
});

test('with answering, questions are answered in both eras, and roots may be set anew', async () => {
  const part = answering({ onElicit, roots: [{ uri: 'file:///a' }] });
  const old = await connect(legacy(), { answering: part });
  assert.deepEqual(declared(old.wire), { elicitation: { form: {} }, roots: { listChanged: true } });
  assert.deepEqual((await old.wire.ask(7, 'elicitation/create', question.params)).result, accepted);
  part.roots = [{ uri: 'file:///b' }];
  old.client.notify('notifications/roots/list_changed');
  assert.equal(old.wire.sent.at(-1)?.method, 'notifications/roots/list_changed');
  assert.deepEqual((await old.wire.ask(8, 'roots/list')).result, { roots: [{ uri: 'file:///b' }] });

  const script = modern(({ params }) => (params?.['inputResponses'] ? done : asks));
  const { client, wire } = await connect(script, { answering: answering({ onElicit }) });
  await client.callTool('t');
  assert.deepEqual(declared(wire), { elicitation: { form: {} } });
  assert.deepEqual(wire.sent.at(-1)?.params?.['inputResponses'], { a: accepted });
});

test('notify says nothing to a modern server, nor to one that is gone', async () => {
  const { client, wire } = await connect(modern());
  client.notify('notifications/roots/list_changed');
  const old = await connect(legacy());
  await old.client.close();
  old.client.notify('notifications/roots/list_changed');
  for (const { sent } of [wire, old.wire]) assert.ok(sent.every(({ method }) => method !== 'notifications/roots/list_changed'));
});

test('without listening, lists change for legacy servers and are not subscribed to for modern ones', async () => {
  const heard: string[] = [];
  const options = { onListChanged: (list: string): void => void heard.push(list) };
  const old = await connect(legacy(), options);
  old.wire.push({ method: 'notifications/tools/list_changed' });
  assert.deepEqual(heard, ['tools']);

  const { client, wire } = await connect(modern(), options);
  wire.push({ method: 'notifications/tools/list_changed', params: { _meta: { [metaKeys.subscriptionId]: 2 } } });
  await client.ping();
  assert.deepEqual(heard, ['tools']);
  assert.ok(!wire.methods().includes('subscriptions/listen'));
});

test('without listening, subscribing rejects where the server is a modern one', async () => {
  const { client, wire } = await connect(modern());
  await assert.rejects(client.request('resources/subscribe', { uri: 'a:b' }), /resources\/subscribe.*`listening`/);
  assert.deepEqual(wire.methods(), ['server/discover']);
  const old = await connect(legacy());
  await old.client.request('resources/subscribe', { uri: 'a:b' });
  assert.deepEqual(old.wire.sent.at(-1)?.params, { uri: 'a:b' });
});

test('with listening, resources are subscribed to in both eras', async () => {
  const idle = listening();
  await assert.rejects(idle.subscribe('a:b'), /not connected/);
  const updated: string[] = [];
  const onResourceUpdated = (uri: string): void => void updated.push(uri);
  const script = modern(({ id, method, params }, wire) => {
    if (method !== 'subscriptions/listen') return {};
    const _meta = { [metaKeys.subscriptionId]: id };
    const { notifications } = params ?? {};
    wire.push({ method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications } });
    wire.push({ method: 'notifications/resources/updated', params: { _meta, uri: 'a:b' } });
    return undefined;
  });
  const part = listening();
  const { client } = await connect(script, { listening: part, onResourceUpdated });
  await part.subscribe('a:b');
  await part.unsubscribe('a:b');
  await client.close();

  const legacyPart = listening();
  const old = await connect(legacy(), { listening: legacyPart, onResourceUpdated });
  await legacyPart.subscribe('a:c');
  old.wire.push({ method: 'notifications/resources/updated', params: { uri: 'a:c' } });
  await assert.rejects(legacyPart.listen('x', true), /no subscriptions\/listen/);
  assert.deepEqual(updated, ['a:b', 'a:c']);
});

test('results are kept with a cache, and asked for each time without', async () => {
  const script = modern(() => ({ resultType: 'complete', contents: [], ttlMs: 60_000, cacheScope: 'private' }));
  for (const [cache, asked] of [[undefined, 2], [resultCache(), 1]] as const) {
    const { client, wire } = await connect(script, { cache });
    await client.request('resources/read', { uri: 'a:b' });
    await client.request('resources/read', { uri: 'a:b' });
    assert.equal(wire.methods().filter((method) => method === 'resources/read').length, asked);
  }
});

test('what tools return is judged where outputs are', async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } } };
  const script = modern(({ method }) => (method === 'tools/list'
    ? { resultType: 'complete', tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema }] }
    : { ...done, structuredContent: { n: 'x' } }));
  const plain = await connect(script);
  await plain.client.listTools();
  assert.deepEqual((await plain.client.callTool('t')).structuredContent, { n: 'x' });
  const judged = await connect(script, { outputs: toolOutputs(compile) });
  await judged.client.listTools();
  await assert.rejects(judged.client.callTool('t'), /breaks its output schema/);
});

test('the whole client is the core with every part', async () => {
  const client = new McpClient(info, { onElicit, roots: [] });
  assert.ok(client instanceof ClientCore);
  const wire = new Scripted('pipe', modern(({ params }) => (params?.['inputResponses'] ? done : asks)));
  await client.connect(wire);
  assert.deepEqual((await client.callTool('t')).content, done.content);
  assert.deepEqual(declared(wire), { elicitation: { form: {} }, roots: {} });
});

test('a part that is used twice throws, and the first client keeps it', async () => {
  const parts = {
    answering: answering({}), listening: listening(), cache: resultCache(), outputs: toolOutputs(compile),
  };
  const changed: string[] = [];
  const { wire } = await connect(legacy(), { ...parts, onListChanged: (list) => changed.push(list) });
  for (const [name, part] of Object.entries(parts)) {
    assert.throws(
      () => new ClientCore({ name: 'second', version: '1' }, { [name]: part }),
      new RegExp(`the part \`${name}\` belongs to another client`),
    );
  }
  wire.push({ method: 'notifications/tools/list_changed' });
  assert.deepEqual(changed, ['tools']);
});

for (const era of ['legacy', 'modern'] as const) {
  test(`what a ${era} server says of itself is charged while it is connected, and may not be large`, async () => {
    const before = processBudget().used;
    const long = (length: number): Script => (sent, wire) => {
      const answer = (era === 'legacy' ? legacy() : modern())(sent, wire);
      return answer && !(answer instanceof Error) && 'instructions' in answer
        ? { ...answer, instructions: 'x'.repeat(length) } : answer;
    };
    const { client } = await connect(long(100_000), { era });
    assert.ok(processBudget().used - before > 100_000);
    await client.close();
    assert.equal(processBudget().used, before);
    await assert.rejects(connect(long(300_000), { era }), /name, capabilities and instructions exceed 262144 bytes or the memory limit/);
    assert.equal(processBudget().used, before);
  });
}
