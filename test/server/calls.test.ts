import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpServer, RpcError, ServerCore, ToolError, tools } from '../../src/server/index.ts';
import { connect, later, textOf } from './peer.ts';
import type { Answer, Bag } from './peer.ts';

const info = { name: 'test', version: '1' };
const revision = '2025-11-25';

/** A schema as Standard Schema libraries make them. It upper-cases a name. */
const standard = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate(value: unknown) {
      const { name } = value as { name?: unknown };
      if (typeof name !== 'string') return { issues: [{ message: 'is no name', path: ['name'] }] };
      return Promise.resolve({ value: { name: name.toUpperCase() } });
    },
    jsonSchema: {
      input: () => ({ type: 'object', properties: { name: { type: 'string' } } }),
      output: () => ({ type: 'object', properties: { name: { type: 'string' } } }),
    },
    types: undefined as { input: { name: string }; output: { name: string } } | undefined,
  },
} as const;

test('arguments go through a Standard Schema, and its issues come back with their paths', async () => {
  const server = new McpServer(info);
  server.tool('hello', { input: standard }, ({ name }) => `Hello ${name}`);
  const peer = await connect(server, { revision });
  assert.equal(textOf(await peer.call('hello', { name: 'Ada' })), 'Hello ADA');
  assert.equal(textOf(await peer.call('hello', { name: 1 })), 'failed: arguments.name: is no name');
  const { result } = await peer.request('tools/list');
  assert.deepEqual((result?.['tools'] as Bag[])[0]?.['inputSchema'], {
    type: 'object', properties: { name: { type: 'string' } },
  });
});

test('defaults of a JSON Schema are not invented: the handler sees what was sent', async () => {
  const server = new McpServer(info);
  server.tool(
    'see', { input: { type: 'object', properties: { a: { type: 'number' } } } }, (args) => JSON.stringify(args),
  );
  const peer = await connect(server, { revision });
  assert.equal(textOf(await peer.call('see')), '{}');
  assert.equal(textOf(await peer.call('see', { a: 1, b: 2 })), '{"a":1,"b":2}');
  assert.match(textOf(await peer.call('see', { a: 'x' })), /^failed: arguments\.a: /);
});

test('arguments that do not fit are an error before 2025-11-25, and name each path', async () => {
  const server = new McpServer(info);
  const input = {
    type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'number' } } } }, required: ['c'],
  } as const;
  server.tool('see', { input }, () => '');
  const peer = await connect(server, { revision: '2025-06-18' });
  const { error } = await peer.call('see', { a: { b: 'x' } });
  assert.equal(error?.code, -32602);
  assert.match(
    error?.message ?? '',
    /^Invalid params: params\.arguments\.a\.b: .*; params\.arguments: property "c" is missing$/,
  );
});

test('without a validator schemas are shown and not enforced', async () => {
  const seeing = tools();
  const server = new ServerCore(info, { features: [seeing] });
  seeing.add('see', { input: { type: 'object', properties: { a: { type: 'number' } } } }, ({ a }) => `${a}`);
  const peer = await connect(server, { revision });
  assert.equal(textOf(await peer.call('see', { a: 'x' })), 'x');
});

test('a structured result that breaks its schema fails the tool, and the author is told why', async () => {
  const errors: string[] = [];
  const server = new McpServer(info, { onError: ({ message }) => errors.push(message) });
  const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
  server.tool('value', { output }, () => ({}) as never);
  server.tool('whole', { output }, () => ({ content: [], structuredContent: { n: 'x' } }) as never);
  server.tool('nothing', { output }, () => undefined as never);
  server.tool('content', { output }, () => ({ content: [{ type: 'text', text: 'only' }] }) as never);
  server.tool('failed', { output }, () => ({ content: [{ type: 'text', text: 'sorry' }], isError: true }) as never);
  server.tool('later', { output }, async () => ({ n: 1 }));
  const slow = { '~standard': { ...standard['~standard'], validate: async () => ({ issues: [{ message: 'is none' }] }) } } as const;
  server.tool('judged later', { output: slow }, () => ({ name: 'x' }));
  const peer = await connect(server, { revision });
  for (const name of ['value', 'whole', 'nothing', 'content', 'judged later']) {
    assert.match(textOf(await peer.call(name)), new RegExp(`^failed: ${name} failed \\(id [0-9a-f]+\\)$`));
    assert.match(errors.pop() ?? '', /breaks the output schema: structuredContent/);
  }
  assert.equal(textOf(await peer.call('failed')), 'failed: sorry');
  assert.deepEqual((await peer.call('later')).result, {
    content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 },
  });
});

test('what a schema strips or completes is stripped or completed in the text of a structured result too', async () => {
  const server = new McpServer(info);
  const known = { '~standard': { ...standard['~standard'], validate: (value: unknown) => ({ value: { name: (value as { name: string }).name, unit: 'C' } }) } } as const;
  const late = { '~standard': { ...known['~standard'], validate: async (value: unknown) => known['~standard'].validate(value) } } as const;
  const given = (): never => ({ name: 'x', apiKey: 'secret' }) as never;
  server.tool('known', { output: known }, given);
  server.tool('late', { output: late }, given);
  const peer = await connect(server, { revision });
  for (const name of ['known', 'late']) {
    assert.deepEqual((await peer.call(name)).result, {
      content: [{ type: 'text', text: '{"name":"x","unit":"C"}' }], structuredContent: { name: 'x', unit: 'C' },
    });
  }
});

test('what a handler may return, and what it may not', async () => {
  const errors: string[] = [];
  const server = new McpServer(info, { onError: ({ message }) => errors.push(message) });
  const block = { type: 'text', text: 'x' } as const;
  const returns: Record<string, unknown> = {
    text: 'x', block, blocks: [block], whole: { content: [block] }, nothing: undefined,
    number: 7, empty: {}, null: null, map: new Map(),
  };
  for (const [name, value] of Object.entries(returns)) server.tool(name, {}, () => value as string);
  const peer = await connect(server, { revision });
  for (const name of ['text', 'block', 'blocks', 'whole']) {
    assert.deepEqual((await peer.call(name)).result, { content: [block] }, name);
  }
  assert.deepEqual((await peer.call('nothing')).result, { content: [] });
  for (const name of ['number', 'empty', 'null', 'map']) {
    assert.match(textOf(await peer.call(name)), new RegExp(`^failed: ${name} failed \\(id [0-9a-f]+\\)$`));
    assert.match(errors.pop() ?? '', /^the handler returned (number|object), expected text, content or a result/);
  }
});

test('a result that JSON cannot say is an error answer, and the server goes on', async () => {
  const server = new McpServer(info);
  const circle: Bag = {};
  circle['circle'] = circle;
  server.tool('circle', {}, () => ({ content: [], _meta: circle }));
  server.tool('bigint', {}, () => ({ content: [], _meta: { n: 1n } }));
  server.tool('toJSON', {}, () => ({ content: [], toJSON: () => { throw new Error('no'); } }));
  server.tool('structured', { output: { type: 'object' } }, () => circle as never);
  server.tool('data', {}, () => { throw new RpcError(4050, 'with data', circle); });
  const peer = await connect(server, { revision });
  for (const name of ['circle', 'bigint', 'toJSON']) assert.equal((await peer.call(name)).error?.code, -32603, name);
  assert.ok((await peer.call('structured')).error ?? (await peer.call('structured')).result?.['isError']);
  assert.deepEqual((await peer.call('data')).error, { code: 4050, message: 'with data' });
  assert.deepEqual((await peer.request('ping')).result, {});
});

test('a handler may throw anything, at once or later', async () => {
  const server = new McpServer(info, { errors: 'message', onError: () => {} });
  const thrown: Record<string, unknown> = {
    error: new Error('broken'), string: 'text', undefined, null: null, empty: new Error(''),
  };
  for (const [name, value] of Object.entries(thrown)) {
    server.tool(name, {}, () => { throw value; });
    server.tool(`${name} later`, {}, () => Promise.reject(value));
  }
  const peer = await connect(server, { revision });
  const said: Record<string, string> = {
    error: 'broken', string: 'text', undefined: 'undefined', null: 'null', empty: '',
  };
  for (const [name, text] of Object.entries(said)) {
    for (const tool of [name, `${name} later`]) {
      for (const answer of [await peer.call(tool), await peer.modern('tools/call', { name: tool })]) {
        assert.match(textOf(answer), new RegExp(`^failed: ${tool} failed \\(id [0-9a-f]+\\): ${text}$`));
      }
    }
  }
  // A ToolError is the author's message to the caller.
  server.tool('said', {}, () => { throw new ToolError('no flour'); });
  for (const ask of [peer.request, peer.modern]) assert.equal(textOf(await ask('tools/call', { name: 'said' })), 'failed: no flour');
});

test('a reader or a prompt that fails is an error without a stack or a message', async () => {
  const errors: string[] = [];
  const server = new McpServer(info, { onError: ({ message }, { what }) => errors.push(`${what} ${message}`) });
  server.resource('note://bad', {}, () => { throw new Error('broken'); });
  server.resource('note://odd', {}, () => 7 as never);
  server.resource('note://nothing', {}, () => undefined as never);
  // A blob must be whole base64: this is the alphabet of URLs, a text without its padding, and a data URI.
  server.resource('note://url', {}, () => ({ uri: 'note://url', blob: 'A-_8' }));
  server.resource('note://part', {}, () => ({ uri: 'note://part', blob: 'AAA' }));
  server.resource('note://data', {}, () => [{ uri: 'note://data', blob: 'AAAA' }, { uri: 'note://data', blob: 'data:;base64,AAAA' }]);
  server.prompt('bad', {}, () => Promise.reject(new Error('broken')));
  server.prompt('odd', {}, () => 7 as never);
  server.prompt('completes', {
    arguments: {
      a: { complete: () => { throw new Error('broken'); } }, later: { complete: () => Promise.reject(new Error('broken')) }, odd: { complete: () => 7 as never },
    },
  }, () => '');
  server.resource('note://later', {}, () => Promise.reject(new Error('broken')));
  server.resourceTemplate('note:{id}', {
    complete: { id: (value) => { if (value === 'later') return Promise.reject(new Error('broken')); throw new Error('broken'); } },
  }, () => { throw new Error('broken'); });
  server.prompt('at once', {}, () => { throw new Error('broken'); });
  const completing = (name: string): Bag => ({ ref: { type: 'ref/prompt', name: 'completes' }, argument: { name, value: '' } });
  const completingId = (value: string): Bag => ({ ref: { type: 'ref/resource', uri: 'note:{id}' }, argument: { name: 'id', value } });
  const peer = await connect(server, { revision });
  for (const ask of [peer.request, peer.modern]) {
    for (const [method, params] of [
      ['resources/read', { uri: 'note://bad' }], ['resources/read', { uri: 'note://later' }], ['resources/read', { uri: 'note:1' }],
      ['prompts/get', { name: 'bad' }], ['prompts/get', { name: 'at once' }],
      ['completion/complete', completing('a')], ['completion/complete', completing('later')],
      ['completion/complete', completingId('')], ['completion/complete', completingId('later')],
    ] as const) {
      const { error } = await ask(method, params);
      assert.equal(error?.code, -32603);
      assert.match(error?.message ?? '', /^(?:\S+|at once) failed \(id [0-9a-f]+\)$/);
      assert.match(errors.pop() ?? '', new RegExp(`^${method.split('/', 1)[0]?.replace(/s$/, '')} broken$`));
    }
    for (const [method, params] of [
      ['resources/read', { uri: 'note://odd' }], ['resources/read', { uri: 'note://nothing' }], ['resources/read', { uri: 'note://url' }], ['resources/read', { uri: 'note://part' }], ['resources/read', { uri: 'note://data' }],
      ['prompts/get', { name: 'odd' }], ['completion/complete', completing('odd')],
    ] as const) assert.equal((await ask(method, params)).error?.code, -32603, method);
  }
});

test('calls run beside each other, and each gets its own answer', async () => {
  const server = new McpServer(info);
  const waiting = new Map<number, () => void>();
  server.tool('wait', {
    input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  }, async ({ n }) => {
    await new Promise<void>((resolve) => waiting.set(n, resolve));
    return `${n}`;
  });
  const peer = await connect(server, { revision });
  const calls = Array.from({ length: 20 }, (_, n) => peer.call('wait', { n }));
  for (let n = 19; n >= 0; n--) waiting.get(n)?.();
  assert.deepEqual((await Promise.all(calls)).map(textOf), calls.map((_, n) => `${n}`));
});

test('an id that is in flight is refused, and free again after its answer or its cancellation', async () => {
  const server = new McpServer(info);
  const go = later<void>();
  server.tool('wait', {}, async (_args, ctx) => {
    await go.promise;
    // Messages of a cancelled request are not sent.
    if (ctx.signal.aborted) {
      ctx.progress(1);
      ctx.log('error', 'late');
    }
    return 'done';
  });
  const peer = await connect(server, { revision });
  const first = peer.request('tools/call', { name: 'wait' }, 'x');
  peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'other' } });
  peer.send({ jsonrpc: '2.0', id: 'y', method: 'tools/call', params: { name: 'wait', _meta: { progressToken: 'y' } } });
  peer.send({ jsonrpc: '2.0', id: 'y', method: 'ping' });
  assert.deepEqual(await peer.next(), {
    jsonrpc: '2.0', id: 'y', error: { code: -32600, message: 'Invalid request: id "y" is already in flight' },
  });
  peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'y' } });
  assert.deepEqual((await peer.request('ping', undefined, 'y')).result, {});
  go.resolve();
  assert.equal(textOf(await first), 'done');
  assert.deepEqual(await peer.rest(), []);
  assert.deepEqual((await peer.request('ping', undefined, 'x')).result, {});
  // 1 and "1" are two ids.
  const both = [peer.request('ping', undefined, 1), peer.request('ping', undefined, '1')];
  assert.deepEqual((await Promise.all(both)).map(({ id }) => id), [1, '1']);
});

test('more requests in flight than the limit are refused, one by one', async () => {
  const server = new McpServer(info, { limits: { maxInFlight: 2 } });
  const go = later<void>();
  server.tool('wait', {}, async () => {
    await go.promise;
    return 'done';
  });
  const peer = await connect(server, { revision });
  const calls = [peer.call('wait'), peer.call('wait')];
  assert.deepEqual((await peer.request('ping')).error, {
    code: -32603, message: 'Too many requests in flight: the limit is 2',
  });
  go.resolve();
  assert.deepEqual((await Promise.all(calls)).map(textOf), ['done', 'done']);
  assert.deepEqual((await peer.request('ping')).result, {});
});

test('more subscriptions than the limit are refused, in either era', async () => {
  const server = new McpServer(info, { limits: { maxSubscriptions: 2 } });
  server.resource('note://one', {}, () => '');
  const peer = await connect(server, { revision });
  const subscribe = (uri: string): Promise<Answer> => peer.request('resources/subscribe', { uri });
  await subscribe('note://one');
  await subscribe('note://two');
  assert.deepEqual((await subscribe('note://one')).result, {});
  assert.match((await subscribe('note://three')).error?.message ?? '', /Too many subscriptions: the limit is 2/);
  await peer.request('resources/unsubscribe', { uri: 'note://two' });
  assert.deepEqual((await subscribe('note://three')).result, {});

  const ended = [
    peer.modern('subscriptions/listen', { notifications: {} }),
    peer.modern('subscriptions/listen', { notifications: {} }),
  ];
  assert.equal((await peer.rest()).length, 2);
  assert.match(
    (await peer.modern('subscriptions/listen', { notifications: {} })).error?.message ?? '',
    /Too many subscriptions/,
  );
  server.endSubscriptions();
  for (const { id, result } of await Promise.all(ended)) {
    assert.equal(result?.['resultType'], 'complete');
    assert.equal((result?.['_meta'] as Bag)['io.modelcontextprotocol/subscriptionId'], id);
  }
  assert.deepEqual((await peer.rest()).map(({ method }) => method), ['notifications/cancelled', 'notifications/cancelled']);
  void peer.modern('subscriptions/listen', { notifications: {} });
  assert.equal((await peer.next()).method, 'notifications/subscriptions/acknowledged');

  // Nor may one request name more: each URI is matched with each template.
  const resourceSubscriptions = ['note://one', 'note://two', 'note://three'];
  assert.deepEqual((await peer.modern('subscriptions/listen', { notifications: { resourceSubscriptions } })).error, {
    code: -32602, message: 'Invalid params: params.notifications.resourceSubscriptions: the limit is 2 URIs',
  });
});

test('a subscription ends with its connection', async () => {
  const server = new McpServer(info, { limits: { maxSubscriptions: 1 } });
  server.tool('one', {}, () => '');
  const first = await connect(server);
  void first.modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  await first.next();
  first.close();
  const second = await connect(server);
  void second.modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const { method, params } = await second.next();
  assert.equal(method, 'notifications/subscriptions/acknowledged');
  server.tool('two', {}, () => '');
  assert.equal((await second.next()).method, 'notifications/tools/list_changed');
  // It also ends with its cancellation: nothing more is sent for it.
  const requestId = (params?.['_meta'] as Bag)['io.modelcontextprotocol/subscriptionId'];
  second.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  server.tool('three', {}, () => '');
  assert.deepEqual(await second.rest(), []);
});

test('filters are checked', async () => {
  const server = new McpServer(info);
  server.tool('one', {}, () => '');
  const peer = await connect(server);
  for (const notifications of [
    undefined, null, [], 'x', { resourceSubscriptions: 'note://one' }, { resourceSubscriptions: [1] },
  ]) {
    assert.equal(
      (await peer.modern('subscriptions/listen', { notifications })).error?.code,
      -32602,
      JSON.stringify(notifications),
    );
  }
});
