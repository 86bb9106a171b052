import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answering, ClientCore, McpClient, toolOutputs } from '../../src/client/index.ts';
import type { CoreClientOptions } from '../../src/client/index.ts';
import { decode } from '../../src/jsonrpc/message.ts';
import { metaKeys } from '../../src/protocol/meta.ts';
import { HttpError } from '../../src/transport/http/http-error.ts';
import { connectScripted, legacy, modern, Scripted } from './scripted.ts';
import type { Script } from './scripted.ts';
import { mockClock } from '../mock-clock.ts';

// In a process of its own: it counts the open timers.

// Behaviour that mutants showed no other client test covers.

const info = { name: 'tester', version: '1' };
const done = { resultType: 'complete', content: [] };

async function connectCore(script: Script, options?: CoreClientOptions): Promise<{ client: ClientCore; wire: Scripted }> {
  const wire = new Scripted('pipe', script);
  const client = new ClientCore(info, options);
  await client.connect(wire);
  return { client, wire };
}

/** Runs everything that waits for no clock. */
const settled = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

test('extensions without handlers are declared with their settings', async () => {
  const { client, wire } = await connectCore(modern(), { capabilities: { extensions: { 'com.example/x': { depth: 2 } } } });
  await client.ping();
  const meta = wire.sent.at(-1)?.params?.['_meta'] as Record<string, unknown>;
  assert.deepEqual(meta[metaKeys.clientCapabilities], { extensions: { 'com.example/x': { depth: 2 } } });
});

test('a legacy notification for which there is no handler does no harm', async () => {
  const errors: Error[] = [];
  const { client, wire } = await connectCore(legacy(), { onError: (error) => errors.push(error) });
  wire.push({ method: 'notifications/resources/updated', params: { uri: 'a:b' } });
  wire.push({ method: 'notifications/tools/list_changed' });
  wire.push({ method: 'notifications/message', params: { level: 'info', data: 1 } });
  wire.push({ method: 'notifications/other' });
  await client.ping();
  assert.deepEqual(errors, []);
});

test('a notification goes to the extension that names it, and to onNotification where none does', async () => {
  const heard: unknown[] = [];
  const hear = (what: string) => (params: object): void => void heard.push([what, params]);
  const { wire } = await connectCore(legacy(), {
    extensions: {
      'com.example/a': { notifications: { 'a/news': hear('a') } },
      'com.example/none': {},
      'com.example/b': { notifications: { 'b/news': hear('b') } },
    },
    onNotification: ({ method }) => heard.push(method),
  });
  wire.push({ method: 'b/news', params: { n: 1 } });
  wire.push({ method: 'a/news' });
  wire.push({ method: 'c/news' });
  wire.push({ method: 'toString' });
  assert.deepEqual(heard, [['b', { n: 1 }], ['a', {}], 'c/news', 'toString']);
});

test('a client without listening is told that its server has gone', async () => {
  const why: string[] = [];
  const { wire } = await connectCore(legacy(), { onClose: (reason) => why.push(reason) });
  wire.receiver.closed('gone');
  assert.deepEqual(why, ['gone']);
});

test('an onClose or an onLate that throws is told to onError, and nothing of it reaches the transport', async () => {
  const errors: string[] = [];
  const boom = (what: string) => (): never => {
    throw new Error(what);
  };
  const { client, wire } = await connectCore(legacy(() => undefined), {
    onError: ({ message }) => errors.push(message), onClose: boom('closing'),
  });
  const stop = new AbortController();
  const sent = wire.until('tools/call');
  const call = client.request('tools/call', { name: 'slow' }, { signal: stop.signal, onLate: boom('late') });
  const { id } = await sent;
  stop.abort();
  await assert.rejects(call);
  assert.doesNotThrow(() => wire.push({ id, result: {} }));
  assert.doesNotThrow(() => wire.receiver.closed('gone'));
  assert.deepEqual(errors, ['late', 'closing']);
});

test('a server that leaves during the handshake makes connect reject, and onClose is not called', async () => {
  const why: string[] = [];
  const wire = new Scripted('pipe', (_, { receiver }) => void receiver.closed('gone'));
  const client = new ClientCore(info, { era: 'modern', onClose: (reason) => why.push(reason) });
  await assert.rejects(client.connect(wire), /gone/);
  assert.deepEqual(why, []);
});

test('what was kept of a server is forgotten when it has gone', async () => {
  const { client, wire } = await connectScripted(modern(() => ({ resultType: 'complete', tools: [], ttlMs: 60_000, cacheScope: 'public' })));
  await client.listTools();
  await client.listTools();
  assert.deepEqual(wire.methods(), ['server/discover', 'tools/list']);
  wire.receiver.closed('gone');
  await client.listTools();
  assert.deepEqual(wire.methods().slice(2), ['server/discover', 'tools/list']);
});

test('a result that is fresh for no time takes no place in the cache', async () => {
  const { client, wire } = await connectScripted(
    modern(({ params }) => ({ resultType: 'complete', contents: [], ttlMs: params?.['uri'] === 'a:kept' ? 60_000 : 0, cacheScope: 'public' })),
    { limits: { maxCached: 1 } },
  );
  await client.readResource('a:kept');
  await client.readResource('a:stale');
  await client.readResource('a:kept');
  assert.deepEqual(wire.sent.slice(1).map(({ params }) => params?.['uri']), ['a:kept', 'a:stale']);
});

test('the lists that the server may change are listened to, and no others', async () => {
  const filters: unknown[] = [];
  for (const capabilities of [
    { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } },
    { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } },
    { prompts: { listChanged: true } },
  ]) {
    const wire = new Scripted('pipe', modern(() => undefined, capabilities));
    const client = new McpClient(info, { onListChanged: () => {} });
    const listens = wire.until('subscriptions/listen');
    await client.connect(wire);
    filters.push((await listens).params?.['notifications']);
    await client.close();
  }
  assert.deepEqual(filters, [
    { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }, { toolsListChanged: true }, { promptsListChanged: true },
  ]);
});

for (const [status, asked, told] of [[503, 2, 0], [500, 2, 0], [404, 1, 1]] as const) {
  test(`a stream that the server refuses with ${status} is ${asked === 2 ? 'tried again' : 'reported'}`, async (t) => {
    mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
    const errors: Error[] = [];
    const wire = new Scripted('http', modern(({ method }) => (method === 'subscriptions/listen' ? new HttpError(status, `HTTP ${status}`) : done)));
    const client = new McpClient(info, { onListChanged: () => {}, onError: (error) => errors.push(error) });
    await client.connect(wire);
    await settled();
    t.mock.timers.tick(250);
    await settled();
    assert.equal(wire.methods().filter((method) => method === 'subscriptions/listen').length, asked);
    assert.equal(errors.length, told);
    await client.close();
  });
}

test('lists are read page by page: resources, templates and prompts', async () => {
  const { client } = await connectScripted(modern(({ method, params }) => {
    const member = method === 'resources/list' ? 'resources' : method === 'prompts/list' ? 'prompts' : 'resourceTemplates';
    return params?.['cursor'] === 'b' ? { resultType: 'complete', [member]: [{ name: 'second', uri: 'a:b', uriTemplate: 'a:{b}' }] }
      : { resultType: 'complete', [member]: [{ name: 'first', uri: 'a:b', uriTemplate: 'a:{b}' }], nextCursor: 'b' };
  }));
  for (const list of [client.resources(), client.resourceTemplates(), client.prompts()]) {
    const names: string[] = [];
    for await (const { name } of list) names.push(name);
    assert.deepEqual(names, ['first', 'second']);
  }
  for (const list of [client.listResources(), client.listResourceTemplates(), client.listPrompts()]) {
    assert.deepEqual((await list).map(({ name }) => name), ['first', 'second']);
  }
});

test('a prompt is asked for by its name, with arguments where there are some', async () => {
  const { client, wire } = await connectScripted(legacy(() => ({ messages: [] })));
  await client.getPrompt('p');
  await client.getPrompt('p', { city: 'Ulm' });
  assert.deepEqual(wire.sent.slice(-2).map(({ params }) => ({ ...params, _meta: 0 })), [{ name: 'p', _meta: 0 }, { name: 'p', arguments: { city: 'Ulm' }, _meta: 0 }]);
});

test('a server that was modern before is given its time: initialize is not sent beside the probe', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const wire = new Scripted('pipe', (sent, far) => (sent.method === 'server/discover' ? undefined : legacy()(sent, far)));
  const client = new McpClient(info, { remembered: '2026-07-28', limits: { probeTimeoutMs: 20 } });
  const connected = client.connect(wire);
  await settled();
  t.mock.timers.tick(25);
  await settled();
  assert.deepEqual(wire.methods(), ['server/discover']);
  const answer = modern()(wire.sent[0] ?? {}, wire) as object;
  wire.answer(wire.sent[0]?.id ?? 0, answer);
  await connected;
  assert.equal(client.revision?.version, '2026-07-28');
  await client.close();
});

test('a root may have dots in its names', async () => {
  const roots = [{ uri: 'file:///a/..b' }, { uri: 'file:///...' }, { uri: 'file:///a/.%2eb/c.d' }];
  const { wire } = await connectCore(legacy(), { answering: answering({ roots }) });
  assert.deepEqual((await wire.ask(7, 'roots/list')).result, { roots });
  for (const uri of ['file:///a/..', 'file:///a/%2e%2E/b', 'file:///a\\..\\b', 'file:///a%2f../b', 'file:///a%5C..']) {
    assert.throws(() => answering({ roots: [{ uri }] }), /a root must be a file:\/\/ URI without ".."/, uri);
  }
});

test('a handler of elicitations that answers nothing is named, with what it may answer', async () => {
  for (const answer of [undefined, {}, { action: 'yes' }]) {
    const errors: Error[] = [];
    const { wire } = await connectCore(legacy(), {
      answering: answering({ onElicit: () => answer as never }), onError: (error) => errors.push(error),
    });
    const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
    const { error } = await wire.ask(7, 'elicitation/create', params);
    assert.equal(error?.code, -32603);
    assert.match(`${error?.message} ${errors.map(String).join()}`, /must answer with the action accept, decline or cancel/);
  }
});

test('a call that waits to be asked again ends at once when it is cancelled', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const { client, wire } = await connectScripted(modern(() => ({ resultType: 'input_required', requestState: 's' })), { limits: { timeoutMs: 0, maxTimeoutMs: 0 } });
  const controller = new AbortController();
  const called = client.callTool('t', {}, { signal: controller.signal });
  await settled();
  controller.abort(new Error('enough'));
  await assert.rejects(called, /enough/);
  assert.deepEqual(wire.methods(), ['server/discover', 'tools/call']);
});

test('when one question of several fails, the handlers of the others are told why', async () => {
  let reason: unknown;
  const question = (message: string): object => ({ method: 'elicitation/create', params: { message, requestedSchema: { type: 'object', properties: {} } } });
  const { client } = await connectScripted(modern(() => ({ resultType: 'input_required', inputRequests: { a: question('slow'), b: question('broken') } })), {
    onElicit: ({ message }, { signal }) => {
      if (message === 'broken') throw new Error('the form is torn');
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(new Error('stopped'));
        });
      });
    },
  });
  await assert.rejects(client.callTool('t'), /the form is torn/);
  assert.match(String(reason), /the form is torn/);
});

test('a list of tools may hold what is none, and what breaks a schema in many places is told in ten', async () => {
  const errors = Array.from({ length: 12 }, (_, n) => ({ path: `/${n}`, message: 'is wrong' }));
  const outputs = toolOutputs(() => () => ({ valid: false, errors }) as never);
  outputs.learn([null, 'tool', { outputSchema: { type: 'object' } }, { name: 5, outputSchema: {} }, { name: 't', outputSchema: { type: 'object' } }]);
  await assert.rejects(async () => outputs.check('t', { structuredContent: {} }, () => {}), (error: Error) => {
    assert.match(error.message, /structuredContent\/0 is wrong; .*structuredContent\/9 is wrong$/);
    return true;
  });
  await outputs.check('5', { structuredContent: {} }, () => {});
});

test('a list of as many pages as the limit is read, and one of a page more is refused', async () => {
  const pages = (count: number): Script => modern(({ params }) => {
    const at = Number(params?.['cursor'] ?? 1);
    return { resultType: 'complete', tools: [{ name: `t${at}`, inputSchema: { type: 'object' } }], ...(at < count && { nextCursor: String(at + 1) }) };
  });
  const { client } = await connectScripted(pages(3), { limits: { maxPages: 3 } });
  assert.equal((await client.listTools()).length, 3);
  const longer = await connectScripted(pages(4), { limits: { maxPages: 3 } });
  await assert.rejects(longer.client.listTools(), /more than 3 pages/);
});

test('a probe that is given up is not cancelled: the server might know neither', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const wire = new Scripted('pipe', () => undefined);
  const client = new McpClient(info, { era: 'modern', limits: { timeoutMs: 20 } });
  const refused = assert.rejects(client.connect(wire), /server\/discover.*20 ms/);
  await settled();
  t.mock.timers.tick(25);
  await refused;
  assert.deepEqual(wire.methods(), ['server/discover']);
});

test('a client that is connected again, to a server of the older era, answers its ping before the handshake is over', async () => {
  const { client } = await connectScripted(modern());
  await client.close();
  const answered: unknown[] = [];
  const wire = new Scripted('pipe', (sent, wire) => {
    if (sent.method === 'initialize') void wire.ask(7, 'ping').then(({ result, error }) => answered.push(result ?? error));
    return legacy()(sent, wire);
  });
  await client.connect(wire);
  await client.ping();
  assert.deepEqual(answered, [{}]);
});

test('a probe that is answered leaves no timer behind', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const { client } = await connectScripted(modern());
  assert.equal(timers(), before);
  await client.close();
});

test('over HTTP a probe waits for its answer: only over a pipe is silence a sign', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const wire = new Scripted('http', () => undefined);
  const client = new McpClient(info, { limits: { probeTimeoutMs: 10, timeoutMs: 1000 } });
  const refused = assert.rejects(client.connect(wire));
  await settled();
  t.mock.timers.tick(20);
  await settled();
  assert.deepEqual(wire.methods(), ['server/discover']);
  wire.receiver.failed(wire.sent[0]?.id ?? 0, new HttpError(500, 'down'));
  await refused;
});

test('a notification is known by its whole name, and late progress is no news', async () => {
  const heard: string[] = [];
  const { client, wire } = await connectScripted(legacy(), {
    onNotification: ({ method }) => heard.push(method), onListChanged: (list) => heard.push(`${list}!`),
  });
  wire.push({ method: 'x/notifications/tools/list_changed' });
  wire.push({ method: 'notifications/tools/list_changed/x' });
  wire.push({ method: 'notifications/progress', params: { progressToken: 'nobody', progress: 1 } });
  wire.push({ method: 'notifications/tools/list_changed' });
  assert.deepEqual(heard, ['x/notifications/tools/list_changed', 'notifications/tools/list_changed/x', 'tools!']);
  await client.close();
});

test('before it is connected a client knows nothing of a server, and asking is no fault', () => {
  const client = new McpClient(info);
  assert.deepEqual([client.capabilities, client.server, client.instructions, client.revision], [undefined, undefined, undefined, undefined]);
});

test('a question without a method is none', async () => {
  for (const question of [{ params: {} }, { method: 7 }, { method: 'ping' }, null, 'x']) {
    const { client } = await connectScripted(modern(() => ({ resultType: 'input_required', inputRequests: { q: question }, requestState: 's' })));
    await assert.rejects(client.callTool('t'), /inputRequests\["q"\] is not an input request/, JSON.stringify(question));
  }
});

// 2025-03-26 basic/index#batching: an implementation MUST support receiving batches.
test('a batch of a server is taken, whatever it holds, and what it asks is answered in one', async () => {
  const heard: unknown[] = [];
  const batch: { messages: unknown[] } = { messages: [] };
  const wire = new Scripted('pipe', legacy((sent, to) => {
    const held = batch.messages.push({ jsonrpc: '2.0', id: sent.id, result: { content: [{ type: 'text', text: String(sent.params?.['name']) }] } });
    if (held < 2) return undefined;
    batch.messages.push(
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } },
      { jsonrpc: '2.0', id: 'a', method: 'ping' }, { jsonrpc: '2.0', id: 'b', method: 'roots/list' }, { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    );
    to.receiver.message(decode(JSON.stringify(batch.messages)));
    return undefined;
  }, '2025-03-26'));
  const client = new McpClient(info, {
    era: 'legacy', roots: [{ uri: 'file:///a' }], onLog: ({ data }) => heard.push(data), onListChanged: (list) => heard.push(list),
  });
  await client.connect(wire);
  const results = await Promise.all([client.callTool('one'), client.callTool('two')]);
  assert.deepEqual(results.map(({ content }) => content), [[{ type: 'text', text: 'one' }], [{ type: 'text', text: 'two' }]]);
  assert.deepEqual(heard, ['x', 'tools']);
  await new Promise(setImmediate);
  const { headers, ...answers } = wire.sent.at(-1) as object as Record<string, unknown>;
  assert.deepEqual([headers, Object.values(answers)], [undefined, [
    { jsonrpc: '2.0', id: 'a', result: {} }, { jsonrpc: '2.0', id: 'b', result: { roots: [{ uri: 'file:///a' }] } },
  ]]);
});
