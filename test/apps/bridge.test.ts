import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appBridge } from '../../src/apps/index.ts';
import type { AppBridge, AppBridgeOptions } from '../../src/apps/index.ts';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { RpcError } from '../../src/jsonrpc/index.ts';

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Made {
  readonly bridge: AppBridge;
  /** Messages that the app received. */
  readonly got: Message[];
  readonly refused: string[];
  readonly ended: string[];
  readonly clock: ReturnType<typeof manualClock>;
  /** Sends a message of the app. */
  say(message: unknown): void;
  /** Sends a request and waits for its response. */
  ask(method: string, params?: unknown): Promise<Message>;
  begin(appCapabilities?: object): Promise<Message>;
}

function made(options: Partial<AppBridgeOptions> = {}): Made {
  const [got, refused, ended]: [Message[], string[], string[]] = [[], [], []];
  const clock = manualClock();
  let receive: ((message: unknown) => void) | undefined;
  const waiting = new Map<unknown, (message: Message) => void>();
  let ids = 0;
  const bridge = appBridge({
    post(message) {
      const one = structuredClone(message) as Message;
      got.push(one);
      if (one.method === undefined) waiting.get(one.id)?.(one);
    },
    listen(to) {
      receive = to;
      return () => (receive = undefined);
    },
  }, { info: { name: 'host', version: '1' }, clock, onRefused: (why) => refused.push(why), onEnded: (why) => ended.push(why), ...options });
  const say: Made['say'] = (message) => receive?.(message);
  const ask: Made['ask'] = (method, params) => new Promise((resolve) => {
    const id = ++ids;
    waiting.set(id, resolve);
    say({ jsonrpc: '2.0', id, method, ...params !== undefined && { params } });
  });
  return {
    bridge, got, refused, ended, clock, say, ask,
    async begin(appCapabilities = {}) {
      const answer = await ask('ui/initialize', { appInfo: { name: 'app', version: '2' }, appCapabilities, protocolVersion: '2026-01-26' });
      say({ jsonrpc: '2.0', method: 'ui/notifications/initialized', params: {} });
      return answer;
    },
  };
}

const result = { content: [{ type: 'text' as const, text: 'x' }], structuredContent: { n: 1 }, isError: false, _meta: { 'example.org/at': 1 } };

test('bridge: the handshake, and what the host can', async () => {
  const { begin, bridge } = made({
    context: { theme: 'dark' }, sandbox: { csp: { connectDomains: ['https://a.example'] } }, onLog: () => {},
    handlers: { callTool: async () => result, readResource: async () => ({ contents: [] }), openLink: async () => {} },
  });
  const { result: answer } = await begin();
  assert.deepEqual(answer, {
    protocolVersion: '2026-01-26', hostInfo: { name: 'host', version: '1' },
    hostCapabilities: { serverTools: {}, serverResources: {}, openLinks: {}, logging: {}, sandbox: { csp: { connectDomains: ['https://a.example'] } } },
    hostContext: { theme: 'dark' },
  });
  assert.deepEqual(bridge.app, { name: 'app', version: '2' });
  assert.deepEqual((await made().begin()).result?.['hostCapabilities'], {});
});

test('bridge: nothing is sent before the app is ready; then the input, and after it the result', async () => {
  const { bridge, got, begin } = made();
  bridge.toolInputPartial({ a: 1 });
  bridge.toolInput({ a: 12 });
  bridge.toolInput({ a: 13 });
  bridge.toolInputPartial({ a: 14 });
  bridge.toolResult(result);
  bridge.contextChanged({ theme: 'light' });
  assert.deepEqual(got, []);
  const cancelled = made();
  cancelled.bridge.toolCancelled('the person stopped it');
  assert.equal((await cancelled.ask('ui/initialize', { appInfo: { name: 'app', version: '2' }, appCapabilities: {}, protocolVersion: '2026-01-26' })).error, undefined);
  // Before it reports that it is ready, an app gets only the response to ui/initialize.
  cancelled.bridge.contextChanged({ theme: 'light' });
  assert.deepEqual(cancelled.got.map(({ method }) => method), [undefined]);
  cancelled.say({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
  assert.deepEqual(cancelled.got.slice(1).map(({ method }) => method?.slice(17)), ['tool-cancelled', 'host-context-changed']);
  const answer = await begin();
  assert.deepEqual(answer.result?.['hostContext'], { theme: 'light' });
  assert.deepEqual(got.slice(1).map(({ method, params }) => [method, params]), [
    ['ui/notifications/tool-input', { arguments: { a: 12 } }], ['ui/notifications/tool-result', result],
  ]);
  bridge.contextChanged({ theme: 'dark' });
  bridge.toolCancelled('the person stopped it');
  assert.deepEqual(got.slice(3).map(({ method, params }) => [method, params]), [
    ['ui/notifications/host-context-changed', { theme: 'dark' }], ['ui/notifications/tool-cancelled', { reason: 'the person stopped it' }],
  ]);
});

test('bridge: parts come before the whole, and a result has its input before it', async () => {
  const { bridge, got, begin } = made();
  await begin();
  bridge.toolInputPartial({ a: 1 });
  bridge.toolInputPartial({ a: 2 });
  bridge.toolResult(result);
  bridge.toolInputPartial({ a: 3 });
  assert.deepEqual(got.slice(1).map(({ method }) => method?.slice(17)), ['tool-input-partial', 'tool-input-partial', 'tool-input', 'tool-result']);
});

test('bridge: calls, reads and links go to the host, and its answers back', async () => {
  const asked: unknown[] = [];
  const { ask, begin, refused } = made({
    handlers: {
      callTool: async (name, args) => {
        asked.push([name, args]);
        if (name === 'refused') throw new Error('the person declined');
        if (name === 'unknown') throw new RpcError(-32602, 'no such tool');
        return result;
      },
      readResource: async (uri) => ({ contents: [{ uri, text: 'x' }] }),
      openLink: async (url) => void asked.push(url.href),
      message: async (content) => void asked.push(content),
      updateModelContext: async (context) => void asked.push(context),
    },
  });
  await begin();
  assert.deepEqual((await ask('ping')).result, {});
  assert.deepEqual((await ask('tools/call', { name: 'a', arguments: { b: 1 } })).result, result);
  assert.deepEqual((await ask('tools/call', { name: 'refused' })).error, { code: -32000, message: 'the person declined' });
  assert.deepEqual((await ask('tools/call', { name: 'unknown' })).error, { code: -32602, message: 'no such tool' });
  assert.deepEqual((await ask('resources/read', { uri: 'x:y' })).result, { contents: [{ uri: 'x:y', text: 'x' }] });
  assert.deepEqual((await ask('ui/open-link', { url: 'https://a.example/x' })).result, {});
  assert.deepEqual((await ask('ui/message', { role: 'user', content: { type: 'text', text: 'hi' } })).result, {});
  assert.deepEqual((await ask('ui/update-model-context', { structuredContent: { a: 1 } })).result, {});
  assert.deepEqual(asked, [['a', { b: 1 }], ['refused', {}], ['unknown', {}], 'https://a.example/x', [{ type: 'text', text: 'hi' }], { structuredContent: { a: 1 } }]);
  assert.deepEqual(refused, ['"tools/call": the person declined', '"tools/call": no such tool']);
});

const wrong: readonly (readonly [method: string, params: unknown, code: number])[] = [
  ['tools/call', { name: 7 }, -32602], ['tools/call', { name: 'a', arguments: [] }, -32602], ['tools/call', undefined, -32602], ['resources/read', {}, -32602],
  ['ui/open-link', { url: 'javascript:alert(1)' }, -32000], ['ui/open-link', { url: 'file:///etc/passwd' }, -32000], ['ui/open-link', { url: 'data:text/html,x' }, -32000], ['ui/open-link', { url: 'https://user:x@a.example' }, -32000], ['ui/open-link', { url: 'nothing' }, -32602], ['ui/open-link', { url: `https://a.example/${'x'.repeat(9000)}` }, -32602],
  ['ui/message', { role: 'assistant', content: [] }, -32602], ['ui/message', { role: 'user', content: 'x' }, -32602], ['ui/update-model-context', { content: 'x' }, -32602], ['ui/update-model-context', { structuredContent: [] }, -32602],
  ['ui/request-display-mode', { mode: 'everything' }, -32602], ['tools/list', {}, -32601], ['sampling/createMessage', {}, -32601], ['constructor', {}, -32601], ['__proto__', {}, -32601], ['ui/initialize', {}, -32600],
];
for (const [method, params, code] of wrong) {
  test(`bridge: refused: ${method} ${JSON.stringify(params)?.slice(0, 60)}`, async () => {
    const never = (): never => assert.fail('the host was asked');
    const { ask, begin, refused } = made({ handlers: { callTool: never, readResource: never, openLink: never, message: never, updateModelContext: never, requestDisplayMode: never } });
    await begin();
    assert.equal((await ask(method, params)).error?.code, code);
    assert.equal(refused.length, 1);
  });
}

test('bridge: what the host does not do is refused', async () => {
  const { ask, begin } = made();
  await begin();
  for (const [method, params, code, why] of [
    ['tools/call', { name: 'a' }, -32601, /tools\/call/], ['resources/read', { uri: 'a:b' }, -32601, /resources\/read/], ['ui/open-link', { url: 'https://a.example' }, -32000, /^this host opens no links$/],
    ['ui/message', { role: 'user', content: [] }, -32000, /^this host takes no messages$/], ['ui/update-model-context', {}, -32000, /^this host takes no context for a model$/],
  ] as const) {
    const { error } = await ask(method, params);
    assert.equal(error?.code, code, method);
    assert.match(error?.message ?? '', why);
  }
});

test('bridge: an app gets no display mode that it did not declare, and always hears which it has', async () => {
  const asked: string[] = [];
  const { ask, begin, bridge } = made({ context: { displayMode: 'inline' }, handlers: { requestDisplayMode: async (mode) => (asked.push(mode), mode) } });
  await begin({ availableDisplayModes: ['inline', 'fullscreen'] });
  assert.deepEqual((await ask('ui/request-display-mode', { mode: 'pip' })).result, { mode: 'inline' });
  assert.deepEqual((await ask('ui/request-display-mode', { mode: 'fullscreen' })).result, { mode: 'fullscreen' });
  assert.deepEqual((await ask('ui/request-display-mode', { mode: 'pip' })).result, { mode: 'fullscreen' });
  assert.deepEqual(asked, ['fullscreen']);
  // A display mode that the host changed itself is the current one.
  bridge.contextChanged({ displayMode: 'pip' });
  assert.deepEqual((await ask('ui/request-display-mode', { mode: 'pip' })).result, { mode: 'pip' });
  const none = made({ handlers: { requestDisplayMode: async () => assert.fail('the host was asked') } });
  await none.begin({ availableDisplayModes: [] });
  assert.deepEqual((await none.ask('ui/request-display-mode', { mode: 'fullscreen' })).result, { mode: 'inline' });
  const other = made();
  await other.begin();
  assert.deepEqual((await other.ask('ui/request-display-mode', { mode: 'pip' })).result, { mode: 'inline' });
  // The host may choose another mode than requested; the response names it.
  const another = made({ handlers: { requestDisplayMode: async () => 'inline' } });
  await another.begin({ availableDisplayModes: ['inline', 'fullscreen'] });
  assert.deepEqual((await another.ask('ui/request-display-mode', { mode: 'fullscreen' })).result, { mode: 'inline' });
});

test('bridge: before the handshake only a ping is answered, and there is one handshake', async () => {
  const { ask, say, begin, refused } = made({ handlers: { callTool: async () => result } });
  assert.deepEqual((await ask('ping')).result, {});
  assert.equal((await ask('tools/call', { name: 'a' })).error?.code, -32600);
  for (const params of [{}, { appInfo: { name: 'a', version: '1' }, protocolVersion: 'x' }, { appInfo: 'a', appCapabilities: {}, protocolVersion: 'x' },
    ...[null, 'x', 7, []].map((appCapabilities) => ({ appInfo: { name: 'a', version: '1' }, appCapabilities, protocolVersion: 'x' }))]) {
    assert.equal((await ask('ui/initialize', params)).error?.code, -32600);
  }
  say({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
  assert.equal((await ask('tools/call', { name: 'a' })).error?.code, -32600);
  await begin();
  assert.deepEqual((await ask('tools/call', { name: 'a' })).result, result);
  assert.equal(refused.length, 10);
});

test('bridge: what is no message is told, and bad ones end the app', async () => {
  const { say, begin, refused, ended, got } = made({ limits: { maxFaults: 9, maxMessageBytes: 10_000 } });
  await begin();
  const circle: Record<string, unknown> = { jsonrpc: '2.0', id: 1, method: 'ping' };
  circle['params'] = circle;
  const bad = [
    'text', null, 7, [], [{ jsonrpc: '2.0', id: 1, method: 'ping' }], { id: 1, method: 'ping' }, circle,
    { jsonrpc: '2.0', id: 2, method: 'ping', params: { big: 1n } }, { jsonrpc: '2.0', id: 3, method: 'ping', params: { text: 'x'.repeat(20_000) } },
  ];
  for (const one of bad) say(one);
  assert.equal(refused.length, 9, refused.join('\n'));
  assert.deepEqual(ended, []);
  assert.deepEqual(got.filter(({ error }) => error).map(({ id, error }) => [id, error?.code]), [[1, -32600], [1, -32600], [3, -32600]]);
  say({ jsonrpc: '2.0', id: 4, result: {} });
  assert.deepEqual(ended, ['the app sent more than 9 bad messages']);
  const before = got.length;
  say({ jsonrpc: '2.0', id: 5, method: 'ping' });
  assert.equal(got.length, before);
});

test('bridge: names of a prototype are names like any other', async () => {
  let given: Readonly<Record<string, unknown>> = {};
  const { say, begin, ask } = made({ handlers: { callTool: async (_name, args) => ((given = args), result) } });
  await begin();
  const params = JSON.parse('{"name":"a","arguments":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}},"__proto__":{"name":"b"}}') as object;
  assert.deepEqual((await ask('tools/call', params)).result, result);
  assert.deepEqual(Object.keys(given), ['__proto__', 'constructor']);
  assert.equal('polluted' in {}, false);
  say(JSON.parse('{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}'));
});

test('bridge: a flood ends the app, and a second later it would not have', async () => {
  const flood = made({ limits: { maxMessagesPerSecond: 50 } });
  await flood.begin();
  const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
  for (let i = 0; i < 48; i++) flood.say(log);
  assert.deepEqual(flood.ended, []);
  flood.clock.tick(flood.clock.now() + 1000);
  for (let i = 0; i < 50; i++) flood.say(log);
  assert.deepEqual(flood.ended, []);
  flood.say(log);
  assert.deepEqual(flood.ended, ['the app sent more than 50 messages in a second']);
});

test('bridge: requests that wait are counted, and cancelled by the app or with it', async () => {
  const stopped: string[] = [];
  const { say, begin, ask, bridge, got } = made({
    limits: { maxInFlight: 2 },
    handlers: { callTool: (name, _args, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => (stopped.push(name), reject(signal.reason as Error)))) },
  });
  await begin();
  const first = ask('tools/call', { name: 'a' });
  say({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'b' } });
  say({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'c' } });
  assert.match((await ask('tools/call', { name: 'd' })).error?.message ?? '', /more than 2 requests wait/);
  say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  assert.match((await first).error?.message ?? '', /cancelled/);
  bridge.close();
  assert.deepEqual(stopped, ['a', 'b']);
  await Promise.resolve();
  assert.equal(got.some(({ id }) => id === 'x'), false);
});

test('bridge: the app is told before it ends, and waited for, but not for ever', async () => {
  const one = made();
  await one.begin();
  const done = one.bridge.teardown('closed');
  const asked = one.got.at(-1);
  assert.deepEqual([asked?.method, asked?.params], ['ui/resource-teardown', { reason: 'closed' }]);
  let over = false;
  void done.then(() => (over = true));
  // The app stays connected until it answers the teardown, and may still send requests.
  assert.deepEqual((await one.ask('ping')).result, {});
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(over, false);
  one.say({ jsonrpc: '2.0', id: asked?.id, result: {} });
  await done;
  const silent = made({ limits: { teardownMs: 500 } });
  await silent.begin();
  const late = silent.bridge.teardown('closed');
  silent.clock.tick(silent.clock.now() + 500);
  await late;
  // An error response ends the wait too.
  const failing = made();
  await failing.begin();
  const failed = failing.bridge.teardown('closed');
  failing.say({ jsonrpc: '2.0', id: failing.got.at(-1)?.id, error: { code: -32000, message: 'Teardown error' } });
  await failed;
  // By default it may take two seconds, and a second call does not shorten them.
  const slow = made();
  await slow.begin();
  let ends = 0;
  const both = ['closed', 'closed again'].map(async (why) => {
    await slow.bridge.teardown(why);
    ends++;
  });
  slow.clock.tick(slow.clock.now() + 1999);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(ends, 0);
  slow.clock.tick(slow.clock.now() + 1);
  await Promise.all(both);
  assert.equal(slow.got.filter(({ method }) => method === 'ui/resource-teardown').length, 1);
  // An app over its message limit gets `ui/resource-teardown`, but the host does not wait for the answer.
  const flood = made({ limits: { maxMessagesPerSecond: 3 } });
  await flood.begin();
  for (let i = 0; i < 2; i++) flood.say({ jsonrpc: '2.0', method: 'notifications/message', params: {} });
  assert.deepEqual([flood.ended.length, flood.got.at(-1)?.method, flood.got.at(-1)?.params], [1, 'ui/resource-teardown', { reason: flood.ended[0] }]);
  // An app that never became ready is only closed.
  const early = made();
  await early.bridge.teardown('closed');
  assert.deepEqual(early.got, []);
});

test('bridge: size, log, teardown of the app arrive, and the size is a size', async () => {
  // No callback is needed.
  const deaf = made();
  await deaf.begin();
  for (const method of ['ui/notifications/size-changed', 'notifications/message', 'ui/notifications/request-teardown', 'notifications/cancelled']) deaf.say({ jsonrpc: '2.0', method, params: {} });
  assert.deepEqual([deaf.refused, deaf.ended], [[], []]);
  const heard: unknown[] = [];
  const { say, begin } = made({ onSize: (size) => heard.push(size), onLog: (message) => heard.push(message), onRequestTeardown: () => heard.push('end') });
  await begin();
  say({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { width: 10, height: 20.5 } });
  say({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { width: -1, height: 1e9 } });
  say({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height: 'tall' } });
  say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } });
  say({ jsonrpc: '2.0', method: 'ui/notifications/request-teardown' });
  assert.deepEqual(heard, [{ width: 10, height: 20.5 }, {}, {}, { level: 'info', data: 'x' }, 'end']);
});
