import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpServer } from '../../src/server/index.ts';
import type { ServerOptions } from '../../src/server/index.ts';
import { connect, everything, modernMeta, textOf } from './peer.ts';
import type { Bag } from './peer.ts';

// The revision in which a request is answered: 2026-07-28 basic/versioning, 2025-11-25 basic/lifecycle.

const info = { name: 'test', version: '1' };
const legacy = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const modern = '2026-07-28';

function server(options?: ServerOptions): McpServer {
  const made = new McpServer(info, options);
  made.tool('revision', {}, (_args, ctx) => `${ctx.revision.version} ${ctx.client?.version} ${Object.keys(ctx.capabilities)}`);
  return made;
}

test('both eras are served on one pipe at the same time, each request in its own', async () => {
  const peer = await connect(server(), { revision: '2025-06-18', capabilities: { roots: {} }, version: '7' });
  const answers = await Promise.all([
    peer.call('revision'),
    peer.modern('tools/call', { name: 'revision' }, { sampling: {} }),
    peer.call('revision'),
    peer.modern('tools/call', { name: 'revision' }, {}),
  ]);
  assert.deepEqual(answers.map(textOf), [
    '2025-06-18 7 roots', '2026-07-28 1 sampling', '2025-06-18 7 roots', '2026-07-28 1 ',
  ]);
  assert.deepEqual(answers.map(({ result }) => result?.['resultType']), [undefined, 'complete', undefined, 'complete']);
});

test('a modern request needs no handshake, and makes none', async () => {
  const peer = await connect(server());
  assert.equal((await peer.modern('tools/call', { name: 'revision' })).result?.['resultType'], 'complete');
  assert.equal((await peer.call('revision')).error?.message, 'Invalid request: tools/call before initialize');
  const { result } = await peer.request('initialize', {
    protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info,
  });
  assert.equal(result?.['protocolVersion'], '2025-11-25');
  assert.equal((await peer.modern('server/discover')).result?.['resultType'], 'complete');
});

test('legacy methods are unknown to modern requests, and the other way round', async () => {
  const made = server();
  made.resource('note://one', {}, () => '');
  const peer = await connect(made, { revision: '2025-11-25' });
  for (const method of ['ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']) {
    assert.equal((await peer.modern(method, { uri: 'note://one', level: 'info' })).error?.code, -32601, method);
  }
  for (const method of ['server/discover', 'subscriptions/listen']) {
    assert.equal((await peer.request(method, { notifications: {} })).error?.code, -32601, method);
  }
});

test('each legacy revision is agreed to, and an unknown one answered with the newest legacy one', async () => {
  for (const version of legacy) {
    const { result } = await (await connect(server())).request('initialize', {
      protocolVersion: version, capabilities: {}, clientInfo: info,
    });
    assert.equal(result?.['protocolVersion'], version);
  }
  for (const version of ['1999-12-31', modern, '2099-01-01', '', 'x'.repeat(1000)]) {
    const { result } = await (await connect(server())).request('initialize', {
      protocolVersion: version, capabilities: {}, clientInfo: info,
    });
    assert.equal(result?.['protocolVersion'], '2025-11-25', version.slice(0, 20));
  }
});

test('a handshake that is wrong is refused by name, and may be tried again', async () => {
  const peer = await connect(server());
  const right = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info };
  for (const [wrong, where] of [
    [{ ...right, protocolVersion: 7 }, 'protocolVersion'],
    [{ ...right, capabilities: [] }, 'capabilities'],
    [{ ...right, clientInfo: { name: 'x' } }, 'clientInfo'],
    [{}, 'protocolVersion'],
  ] as const) {
    const { error } = await peer.request('initialize', wrong as Bag);
    assert.equal(error?.code, -32602);
    assert.match(error?.message ?? '', new RegExp(`^Invalid params: params\\.${where} must be`));
  }
  assert.equal((await peer.request('initialize', right)).error, undefined);
  assert.equal((await peer.request('initialize', right)).error?.code, -32600);
});

test('a server limited to some revisions offers these and no other', async () => {
  const some = server({ revisions: ['2024-11-05', '2025-06-18'] });
  const peer = await connect(some);
  // 2026-07-28 basic/versioning: -32022 would say that the server is a modern one.
  assert.equal((await peer.modern('server/discover')).error?.code, -32601);
  assert.equal((await peer.modern('tools/list')).error?.code, -32600);
  const { result } = await peer.request('initialize', {
    protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info,
  });
  assert.equal(result?.['protocolVersion'], '2025-06-18');

  const only = await connect(server({ revisions: [modern] }));
  assert.equal((await only.modern('tools/list')).error, undefined);
  const refusal = await only.request('initialize', {
    protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info,
  });
  assert.equal(refusal.error?.code, -32022);
  assert.deepEqual(refusal.error?.data, { supported: [modern], requested: '2025-11-25' });
  assert.match(refusal.error?.message ?? '', /2026-07-28 only/);
  for (const params of [{}, { protocolVersion: 7, capabilities: [] }]) {
    const { error } = await only.request('initialize', params);
    assert.deepEqual([error?.code, error?.data], [-32022, { supported: [modern], requested: '' }]);
    assert.match(error?.message ?? '', /2026-07-28 only/);
  }
  // A server with only this revision reports the missing metadata.
  assert.match((await only.call('revision')).error?.message ?? '', /protocolVersion"\] is missing/);
});

test('a modern request with another revision is refused with what there is', async () => {
  const peer = await connect(server());
  for (const requested of ['2025-11-25', '2027-01-01', '']) {
    const { error } = await peer.request('tools/list', { _meta: modernMeta({}, requested) });
    assert.equal(error?.code, -32022);
    assert.deepEqual(error?.data, { supported: [modern, ...legacy], requested });
  }
});

test('metadata that is wrong is refused by name', async () => {
  const peer = await connect(server());
  const prefix = 'io.modelcontextprotocol/';
  for (const [changes, where] of [
    [{ protocolVersion: undefined }, 'protocolVersion"] is missing'],
    [{ protocolVersion: 7 }, 'protocolVersion"] must be a string'],
    [{ clientCapabilities: undefined }, 'clientCapabilities"] is missing'],
    [{ clientCapabilities: [] }, 'clientCapabilities"] must be an object'],
    [{ clientInfo: { name: 'x' } }, 'clientInfo"] must be an object with a name and a version'],
    ...['loud', '', 'INFO', ' info', 7, null, {}, ['info']].map((logLevel) => [{ logLevel }, 'logLevel"] must be one of debug,'] as const),
  ] as const) {
    const _meta = {
      ...modernMeta(),
      ...Object.fromEntries(Object.entries(changes).map(([key, value]) => [prefix + key, value])),
    };
    const { error } = await peer.request('tools/list', { _meta });
    assert.equal(error?.code, -32602);
    assert.ok(error?.message.includes(where), error?.message);
  }
});

test('a client need not say who it is', async () => {
  const peer = await connect(server());
  const { 'io.modelcontextprotocol/clientInfo': _, ..._meta } = modernMeta({});
  // Nor does it get the client name of an earlier request.
  await peer.modern('tools/call', { name: 'revision' });
  assert.equal(textOf(await peer.request('tools/call', { name: 'revision', _meta })), '2026-07-28 undefined ');
});

test('what is modern never reaches a legacy client', async () => {
  const made = new McpServer({ ...info, title: 'T', icons: [] }, {
    cache: { tools: { ttlMs: 1000 }, read: { ttlMs: 1000 } },
  });
  made.tool('one', {}, () => ({ content: [{ type: 'text', text: '' }] }));
  made.resource('note://one', {}, () => '');
  made.prompt('p', {}, () => '');
  for (const revision of legacy) {
    const peer = await connect(made, { revision, capabilities: everything });
    for (const [method, params] of [
      ['tools/list', {}], ['tools/call', { name: 'one' }], ['resources/list', {}], ['resources/templates/list', {}],
      ['resources/read', { uri: 'note://one' }], ['prompts/list', {}], ['prompts/get', { name: 'p' }], ['ping', {}],
    ] as const) {
      const { result } = await peer.request(method, params);
      assert.ok(result, method);
      for (const key of ['resultType', 'ttlMs', 'cacheScope', '_meta']) {
        assert.equal(key in result, false, `${method} ${key}`);
      }
    }
  }
});

test('an extension adds methods for clients that declare it, in every revision', async () => {
  const made = server();
  made.extend({
    id: 'com.example/echo',
    settings: { loud: true },
    resultTypes: ['echo'],
    methods: {
      'echo/say': (params, ctx) =>
        ({ said: params['text'], revision: ctx.revision.version, resultType: 'echo', _meta: { 'com.example/x': 1 } }),
      'echo/ask': async (_params, ctx) => ({ action: (await ctx.elicit('?', { a: { type: 'string' } })).action }),
    },
  });
  assert.throws(
    () => made.extend({ id: 'com.example/other', methods: { 'echo/say': () => ({}) } }),
    /already registered/,
  );
  assert.throws(() => made.extend({ id: 'com.example/echo' }), /already registered/);
  for (const id of ['plain', '', '/name', '1com/name', 'com..example/name', 'com.example/-name']) {
    assert.throws(() => made.extend({ id }), /not a prefixed name/, id);
  }
  const peer = await connect(made, { revision: '2025-11-25' });
  const capabilities = { extensions: { 'com.example/echo': {} } };
  const { result } = await peer.modern('echo/say', { text: 'hi' }, capabilities);
  assert.deepEqual({ ...result }, {
    said: 'hi', revision: modern, resultType: 'echo',
    _meta: { 'io.modelcontextprotocol/serverInfo': info, 'com.example/x': 1 },
  });
  const { error } = await peer.modern('echo/say', { text: 'hi' }, {});
  assert.equal(error?.code, -32021);
  assert.deepEqual(error?.data, { requiredCapabilities: { extensions: { 'com.example/echo': {} } } });
  for (const method of ['echo/none', 'constructor', '__proto__', 'toString']) {
    assert.equal((await peer.modern(method, {}, capabilities)).error?.code, -32601, method);
    assert.equal((await peer.request(method)).error?.code, -32601, method);
  }
  for (const revision of legacy) {
    const declaring = await connect(made, { revision, capabilities });
    const { result: echoed } = await declaring.request('echo/say', { text: 'hi' });
    assert.deepEqual([echoed?.['said'], echoed?.['revision']], ['hi', revision]);
    // A legacy client would take -32021 as a sign of a modern server.
    const silent = await connect(made, { revision, capabilities: {} });
    assert.equal((await silent.request('echo/say', { text: 'hi' })).error?.code, -32601, revision);
  }
  const discovered = await peer.modern('server/discover');
  assert.deepEqual((discovered.result?.['capabilities'] as Bag)['extensions'], { 'com.example/echo': { loud: true } });
});

test('batches are for the one revision that has them', async () => {
  const made = server();
  const batch = '[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}]';
  for (const revision of legacy) {
    const peer = await connect(made, { revision });
    peer.text(batch);
    const answer = await peer.next() as unknown;
    assert.equal(Array.isArray(answer), revision === '2025-03-26', revision);
    if (!Array.isArray(answer)) assert.equal((answer as { error: { code: number } }).error.code, -32600);
  }
});

test('a filter of subscriptions is agreed as far as it says true and the server has the list', async () => {
  const server = new McpServer(info);
  server.tool('a', {}, () => '');
  const peer = await connect(server);
  const notifications = { toolsListChanged: 'yes', promptsListChanged: true, constructor: true, unknown: 1 };
  void peer.modern('subscriptions/listen', { notifications });
  const { params } = await peer.next();
  assert.deepEqual(params?.['notifications'], {});
  void peer.modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  assert.deepEqual((await peer.next()).params?.['notifications'], { toolsListChanged: true });
});

test('a request with clientInfo alone is a modern one that lacks the rest', async () => {
  const peer = await connect(server());
  const { error } = await peer.request('tools/list', {
    _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' } },
  });
  assert.equal(error?.code, -32602);
  assert.match(error?.message ?? '', /protocolVersion"\] is missing/);
});

// 2026-07-28 basic/index#_meta.
test('a modern request without a required field of `_meta` is refused with -32602, which names it', async () => {
  const peer = await connect(server());
  const whole = modernMeta();
  for (const key of ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities']) {
    for (const value of [undefined, null, 5]) {
      const { error } = await peer.request('tools/list', { _meta: { ...whole, [key]: value } });
      assert.equal(error?.code, -32602);
      assert.ok(error?.message.includes(`_meta["${key}"]`), error?.message);
    }
  }
  assert.equal((await peer.request('tools/list', { _meta: whole })).error, undefined);
  // The methods that only this era has need these fields too.
  const fresh = await connect(server());
  for (const params of [undefined, {}, { _meta: {} }]) assert.equal((await fresh.request('server/discover', params)).error?.code, -32602);
});

test('a version from the wire is not written back whole', async () => {
  const long = 'x'.repeat(100_000);
  const peer = await connect(server());
  const { error } = await peer.request('tools/list', {
    _meta: { 'io.modelcontextprotocol/protocolVersion': long, 'io.modelcontextprotocol/clientCapabilities': {} },
  });
  assert.ok(JSON.stringify(error).length < 1000);
  const only = await connect(server({ revisions: [modern] }));
  const refused = await only.request('initialize', { protocolVersion: long, capabilities: {}, clientInfo: info });
  assert.ok(JSON.stringify(refused.error).length < 1000);
  for (const [method, params] of [
    ['tools/call', { name: long }], ['prompts/get', { name: long }], ['resources/read', { uri: `a:${long}` }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: long }, argument: { name: 'a', value: '' } }],
  ] as const) assert.ok(JSON.stringify((await peer.modern(method, params)).error ?? '').length < 1000, method);
});
