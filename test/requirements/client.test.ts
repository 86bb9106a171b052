import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { metaKeys } from '../../src/protocol/meta.ts';
import { McpServer, RpcError } from '../../src/server/index.ts';
import { McpClient } from '../../src/client/index.ts';
import { MirroredToolHeaders } from '../../src/transport/http/client/tool-headers.ts';
import { messagePortTransport, serveMessagePort } from '../../src/transport/message-port.ts';
import { connectScripted as connect, legacy, modern, RpcFault } from '../client/scripted.ts';
import { connect as connectPeer, later, modernMeta } from '../server/peer.ts';
import { mockClock } from '../mock-clock.ts';

// Rules of requirements/*.tsv that the client keeps by design, each in a case that would show a violation.

const page = (nextCursor?: string): object => ({
  resultType: 'complete', ttlMs: 1000, cacheScope: 'private', tools: [], ...nextCursor !== undefined && { nextCursor },
});

// 2026-07-28 server/utilities/caching#freshness-calculation.
test('a result that has run out is not fetched by itself', async () => {
  mockClock(mock, { apis: ['setTimeout', 'setInterval', 'Date'], now: 0 });
  try {
    const { client, wire } = await connect(modern(() => ({ ...page(), prompts: [], resources: [], resourceTemplates: [], contents: [] })));
    const gets = [
      () => client.listTools(), () => client.listPrompts(), () => client.listResources(), () => client.listResourceTemplates(),
      () => client.readResource('a:b'),
    ];
    for (const get of gets) {
      const before = wire.sent.length;
      await get();
      assert.equal(wire.sent.length, before + 1);
      mock.timers.tick(3_600_000);
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(wire.sent.length, before + 1);
      await get();
      assert.equal(wire.sent.length, before + 2);
    }
  } finally {
    mock.timers.reset();
    mock.restoreAll();
  }
});

// 2026-07-28 server/utilities/caching#interaction-with-pagination.
test('a list that was cleared begins at its first page', async () => {
  const { client, wire } = await connect(modern(({ params }) => (
    { ...page(params?.['cursor'] === undefined ? 'two' : undefined), prompts: [], resources: [], resourceTemplates: [] })));
  const lists = [() => client.listTools(), () => client.listPrompts(), () => client.listResources(), () => client.listResourceTemplates()];
  for (const list of lists) await list();
  client.clearCache();
  for (const list of lists) await list();
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
    const cursors = wire.sent.filter((sent) => sent.method === method).map(({ params }) => params?.['cursor']);
    assert.deepEqual(cursors, [undefined, 'two', undefined, 'two'], method);
  }
});

test('what was asked for before the cache was cleared is not kept after it', async () => {
  let held = true;
  const { client, wire } = await connect(modern(() => (held ? undefined : page())));
  const sent = wire.until('tools/list');
  const early = client.listTools();
  const { id } = await sent;
  client.clearCache();
  held = false;
  wire.answer(id as number, page());
  await early;
  await client.listTools();
  assert.equal(wire.methods().filter((method) => method === 'tools/list').length, 2);
});

// 2026-07-28 basic/index#_meta, server/discover#discoverresult.
test('nobody acts on the name of the other', async () => {
  const said: unknown[] = [];
  for (const name of ['one', '\u0000', 'Claude Desktop']) {
    const { client, wire } = await connect((sent, self) => {
      const answer = modern(() => page())(sent, self) as Record<string, unknown>;
      return answer && { ...answer, _meta: { [metaKeys.serverInfo]: { name, version: name } } };
    });
    await client.listTools();
    said.push(wire.sent);
  }
  assert.deepEqual(said[1], said[0]);
  assert.deepEqual(said[2], said[0]);
  const server = new McpServer({ name: 'server', version: '1' });
  server.tool('a', {}, () => 'b');
  const peer = await connectPeer(server);
  const answers: unknown[] = [];
  for (const name of ['one', 'Claude Desktop']) {
    const _meta = { ...modernMeta(), [metaKeys.clientInfo]: { name, version: name } };
    for (const method of ['server/discover', 'tools/list', 'tools/call']) {
      answers.push((await peer.request(method, { name: 'a', _meta })).result);
    }
  }
  assert.deepEqual(answers.slice(3), answers.slice(0, 3));
});

// 2025-11-25 client/elicitation#safe-url-handling.
test('the page of an elicitation is handed on, and nothing of it is fetched', async () => {
  const url = 'https://bank.example/consent?id=1';
  const { fetch } = globalThis;
  const fetched: unknown[] = [];
  globalThis.fetch = async (input) => {
    fetched.push(input);
    throw new Error('nothing is to be fetched');
  };
  try {
    let shown: string | undefined;
    const { wire } = await connect(legacy(), {
      onElicitUrl: (question) => {
        shown = question.url;
        return { action: 'accept' };
      },
    });
    const answer = await wire.ask(1, 'elicitation/create', { mode: 'url', message: 'Pay?', url, elicitationId: 'e' });
    assert.deepEqual(answer.result, { action: 'accept' });
    assert.equal(shown, url);
    const asks = { resultType: 'input_required', inputRequests: { a: { method: 'elicitation/create', params: { mode: 'url', message: 'Pay?', url } } } };
    const { client } = await connect(modern(({ params }) => (params?.['inputResponses'] ? { resultType: 'complete', content: [] } : asks)), {
      onElicitUrl: () => ({ action: 'accept' }),
    });
    await client.callTool('t');
    assert.deepEqual(fetched, []);
  } finally {
    globalThis.fetch = fetch;
  }
});

// 2025-11-25 client/roots#error-handling.
// 2026-07-28 basic/transports/streamable-http#client-behavior.
test('the parameters to mirror are found by the schema of the tool', () => {
  const headers = new MirroredToolHeaders(({ message }) => assert.fail(message));
  const region = { type: 'string', 'x-mcp-header': 'Place' };
  headers.learn([{ name: 't', inputSchema: { type: 'object', properties: { where: { type: 'object', properties: { region } } } } }]);
  const args = { region: 'no', place: 'no', where: { region: 'yes', place: 'no' } };
  assert.deepEqual(headers.of({ name: 't', arguments: args }), { 'mcp-param-place': 'yes' });
  assert.deepEqual(headers.of({ name: 't', arguments: { region: 'no' } }), {});
  // By its current schema.
  headers.learn([{ name: 't', inputSchema: { type: 'object', properties: { region } } }]);
  assert.deepEqual(headers.of({ name: 't', arguments: args }), { 'mcp-param-place': 'no' });
  headers.learn([{ name: 't', inputSchema: { type: 'object' } }]);
  assert.deepEqual(headers.of({ name: 't', arguments: args }), undefined);
});

// 2025-11-25 client/elicitation#capabilities.
test('a client that answers elicitation declares the modes that it answers, and no other, in each era', async () => {
  const accept = (): { action: 'accept' } => ({ action: 'accept' });
  const modes = { form: { onElicit: accept }, url: { onElicitUrl: accept }, both: { onElicit: accept, onElicitUrl: accept } };
  const expected = { form: { form: {} }, url: { url: {} }, both: { form: {}, url: {} } };
  for (const mode of ['form', 'url', 'both'] as const) {
    for (const make of [legacy, modern]) {
      const { client, wire } = await connect(make(), modes[mode]);
      await client.callTool('t');
      // At the handshake of the legacy era, and with each request of the modern one.
      const metas = make === legacy ? [wire.sent.find(({ method }) => method === 'initialize')?.params?.['capabilities']]
        : wire.sent.map(({ params }) => (params?.['_meta'] as Record<string, unknown>)[metaKeys.clientCapabilities]);
      assert.equal(metas.length, make === legacy ? 1 : 2);
      for (const declared of metas) assert.deepEqual(declared, { elicitation: expected[mode] }, mode);
    }
    // Without a handler no mode is declared, whatever `capabilities` says.
    const bare = await connect(legacy(), { capabilities: { elicitation: expected[mode] } });
    assert.deepEqual(bare.wire.sent.find(({ method }) => method === 'initialize')?.params?.['capabilities'], {}, mode);
    // A revision without modes has only forms.
    const older = await connect(legacy(undefined, '2025-06-18'), { ...modes[mode], revisions: ['2025-06-18'] });
    assert.deepEqual(older.wire.sent[0]?.params?.['capabilities'], mode === 'url' ? {} : { elicitation: {} }, mode);
  }
});

// 2026-07-28 client/sampling#messages.
test('a model is shown the messages of its own sampling only', async () => {
  const shown: unknown[] = [];
  const { wire } = await connect(legacy(), {
    onSample: ({ messages }) => {
      shown.push(messages);
      return { role: 'assistant', content: { type: 'text', text: 'Ho' }, model: 'm' };
    },
  });
  const messages = ['one', 'two'].map((text) => [{ role: 'user', content: { type: 'text', text } }]);
  for (const [id, own] of messages.entries()) await wire.ask(id, 'sampling/createMessage', { messages: own, maxTokens: 1 });
  assert.deepEqual(shown, messages);
});

// 2025-11-25 client/sampling#capabilities.
test('a client that samples with tools declares it, in both eras', async () => {
  for (const make of [legacy, modern]) {
    const { wire } = await connect(make(), { capabilities: { sampling: { tools: {} } }, onSample: () => Promise.reject(new Error('no')) });
    const params = wire.sent.find(({ method }) => method === 'initialize' || method === 'server/discover')?.params ?? {};
    const declared = (params['capabilities'] ?? (params['_meta'] as Record<string, unknown>)[metaKeys.clientCapabilities]) as Record<string, unknown>;
    assert.deepEqual(declared['sampling'], { tools: {} });
  }
  // 2026-07-28: each request declares it anew.
  const { client: asking, wire: asked } = await connect(modern(), { capabilities: { sampling: { tools: {} } }, onSample: () => Promise.reject(new Error('no')) });
  await Promise.allSettled([asking.ping(), asking.callTool('none')].map((call) => Promise.race([call, new Promise((resolve) => setImmediate(resolve))])));
  assert.ok(asked.sent.length > 1);
  for (const { method, params } of asked.sent) {
    assert.deepEqual((params?.['_meta'] as Record<string, Record<string, unknown>> | undefined)?.[metaKeys.clientCapabilities]?.['sampling'], { tools: {} }, method);
  }
  // Earlier revisions have no tools in sampling.
  const options = { revisions: ['2025-06-18'], capabilities: { sampling: { tools: {} } }, onSample: () => Promise.reject(new Error('no')) };
  const { wire } = await connect(legacy(undefined, '2025-06-18'), options);
  assert.deepEqual(wire.sent[0]?.params?.['capabilities'], { sampling: {} });
});

// 2026-07-28 basic/transports/streamable-http#sending-messages: a body is a request or a notification, not a response.
test('a client of 2026-07-28 answers no request of a server', async () => {
  const faults: string[] = [];
  const { wire } = await connect(modern(), { roots: [], onError: ({ message }) => faults.push(message) });
  for (const [id, method] of ['roots/list', 'ping', 'none'].entries()) wire.push({ id, method });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(wire.methods(), ['server/discover']);
  assert.match(faults.join(), /roots\/list.*does not allow/);
});

test('roots that cannot be had are -32603', async () => {
  for (const roots of [() => assert.fail('the disk is gone'), () => Promise.reject(new Error('the disk is gone')), () => [{ uri: 'http://h/' }]]) {
    const { wire } = await connect(legacy(), { roots });
    const { error } = await wire.ask(1, 'roots/list');
    assert.equal(error?.code, -32603);
  }
});

// 2026-07-28 basic/index#error-codes: codes of the server range have no fixed meaning; -32002 is still accepted.
test('a client reads no meaning into a code of a server', async () => {
  for (const [make, begin] of [[modern, ['server/discover']], [legacy, ['server/discover', 'initialize', 'notifications/initialized']]] as const) {
    for (const code of [-32000, -32001, -32002, -32019, -32043, -32099, 1]) {
      const { client, wire } = await connect(make(() => new RpcFault(code, 'as it came', { uri: 'a:b' })));
      for (const call of [() => client.readResource('a:b'), () => client.callTool('t')]) {
        await assert.rejects(call(), (error: Error) => {
          assert.ok(error instanceof RpcError);
          assert.deepEqual([error.code, error.message, error.data], [code, 'as it came', { uri: 'a:b' }]);
          return true;
        });
      }
      assert.deepEqual(wire.methods(), [...begin, 'resources/read', 'tools/call']);
      assert.equal(wire.closed + wire.reopened, 0);
    }
  }
});

// 2026-07-28 basic/patterns/cancellation#implementation-notes. The trace is the library's only log.
test('the trace of each side has the reason of a cancellation', async () => {
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
    const legacyAsks = revision === '2025-06-18' || revision === '2025-11-25';
    const logs = { client: [] as string[], server: [] as string[] };
    const log = (side: 'client' | 'server') => ({ direction, text }: { direction?: string; text?: string }): void => {
      const { method, params } = JSON.parse(text ?? '{}') as { method?: string; params?: { reason?: string } };
      if (method === 'notifications/cancelled') logs[side].push(`${direction}: ${params?.reason}`);
    };
    const begun = later<void>();
    const over = later<unknown>();
    const server = new McpServer({ name: 'server', version: '1' });
    server.tool('wait', {}, async (_args, ctx) => {
      ctx.signal.addEventListener('abort', () => over.resolve(ctx.signal.reason));
      if (!legacyAsks) begun.resolve();
      else await ctx.elicit('Well?', { a: { type: 'string' } }).catch(() => undefined);
      return new Promise(() => {});
    });
    const { port1, port2 } = new MessageChannel();
    const serving = serveMessagePort(server, port1, { trace: log('server') });
    const questionOver = later<void>();
    const client = new McpClient({ name: 'client', version: '1' }, {
      revisions: [revision],
      onElicit: (_params, { signal }) => new Promise(() => {
        signal.addEventListener('abort', () => questionOver.resolve());
        begun.resolve();
      }),
    });
    await client.connect(messagePortTransport(port2, { trace: log('client') }));
    const stop = new AbortController();
    const call = client.callTool('wait', {}, { signal: stop.signal });
    await begun.promise;
    stop.abort(new Error('lunch is over'));
    await assert.rejects(call, /lunch is over/);
    assert.match(String(await over.promise), /lunch is over/, revision);
    if (legacyAsks) await questionOver.promise;
    const question = legacyAsks ? 1 : 0;
    assert.deepEqual([logs.client.length, logs.server.length], [1 + question, 1 + question], revision);
    assert.equal(logs.client[0], 'sent: lunch is over');
    assert.equal(logs.server[0], 'received: lunch is over');
    // The server cancels the question of the call.
    for (const [direction, lines] of [['received', logs.client], ['sent', logs.server]] as const) {
      assert.ok(lines.slice(1).every((line) => line.startsWith(`${direction}: `) && !line.endsWith(': undefined')), lines.join());
    }
    await client.close();
    await serving.close();
  }
});
