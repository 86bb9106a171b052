import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { ConnectionError, RpcError } from '../../src/jsonrpc/errors.ts';
import type { RequestId } from '../../src/jsonrpc/message.ts';
import { metaKeys } from '../../src/protocol/meta.ts';
import { loadedToolOutputs } from '../../src/client/tool-output.ts';
import { compile } from '../../src/schema/compile.ts';
import { HttpError, SessionExpired } from '../../src/transport/http/http-error.ts';
import { everything, legacy, modern, RpcFault, Scripted } from './scripted.ts';
import type { Script, Sent } from './scripted.ts';
import { mockClock } from '../mock-clock.ts';

const info = { name: 'tester', version: '1' };
const hang: Script = () => undefined;

interface Connected { client: McpClient; wire: Scripted; errors: Error[] }

async function connect(
  script: Script,
  options: ClientOptions = {},
  kind: 'pipe' | 'http' = 'pipe',
): Promise<Connected> {
  const errors: Error[] = [];
  const wire = new Scripted(kind, script);
  const client = new McpClient(info, { onError: (error) => errors.push(error), ...options });
  await client.connect(wire);
  return { client, wire, errors };
}

const meta = (sent: Sent | undefined): Record<string, unknown> => sent?.params?.['_meta'] as Record<string, unknown>;
const last = ({ sent }: Scripted): Sent | undefined => sent.at(-1);

test('legacy calls carry a progress token alone, modern ones the whole of it', async () => {
  const old = await connect(legacy(() => ({ content: [] })));
  await old.client.callTool('t', { a: 1 });
  assert.deepEqual(last(old.wire)?.params, { name: 't', arguments: { a: 1 }, _meta: { progressToken: last(old.wire)?.id } });
  await old.client.callTool('t');
  assert.deepEqual(last(old.wire)?.params, { name: 't', _meta: { progressToken: last(old.wire)?.id } });
  await old.client.listTools().catch(() => {});
  assert.equal(meta(last(old.wire)), undefined);
  const now = await connect(modern(() => ({ resultType: 'complete', content: [] })), { onLog: () => {} });
  await now.client.callTool('t', { a: 1 });
  assert.deepEqual(last(now.wire)?.params, {
    name: 't', arguments: { a: 1 }, _meta: {
      [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientInfo]: info, [metaKeys.clientCapabilities]: {},
      [metaKeys.logLevel]: 'info', progressToken: last(now.wire)?.id,
    },
  });
  await now.client.callTool('t', {}, { logLevel: 'debug', onProgress: () => {} });
  assert.equal(meta(last(now.wire))[metaKeys.logLevel], 'debug');
  assert.equal(meta(last(now.wire))['progressToken'], last(now.wire)?.id);
  await now.client.setLogLevel('error');
  await now.client.request('org.example/x', { _meta: { 'org.example/y': 1 } });
  assert.equal(meta(last(now.wire))[metaKeys.logLevel], 'error');
  assert.equal(meta(last(now.wire))['org.example/y'], 1);
  assert.ok(!now.wire.methods().includes('logging/setLevel'));
  // For every request, with or without parameters: the caller's values for these keys are not sent.
  const { client } = now;
  const own = { [metaKeys.protocolVersion]: 'x', [metaKeys.clientInfo]: 'x', [metaKeys.clientCapabilities]: 'x' };
  for (const call of [
    () => client.listTools(), () => client.listPrompts(), () => client.listResources(), () => client.listResourceTemplates(), () => client.readResource('a:b'),
    () => client.getPrompt('p'), () => client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'n', value: '' }), () => client.request('org.example/x'),
    () => client.request('org.example/x', { _meta: own }), () => client.request('org.example/x', {}, { meta: own }), () => client.callTool('t', {}, { meta: own }),
  ]) await call().catch(() => {});
  const { sent } = now.wire;
  assert.equal(sent.length, 15);
  for (const { method, params } of sent) {
    const { [metaKeys.protocolVersion]: version, [metaKeys.clientInfo]: name, [metaKeys.clientCapabilities]: capabilities } = params?.['_meta'] as Record<string, unknown>;
    assert.deepEqual([version, name, capabilities], ['2026-07-28', info, {}], method);
  }
});

test('every call is its request', async () => {
  const { client, wire } = await connect(legacy(() => ({ contents: [], messages: [], completion: { values: ['x'] } })));
  await client.readResource('a:b');
  await client.getPrompt('p', { x: 'y' });
  assert.deepEqual(
    await client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'n', value: 'v' }, { x: 'y' }),
    { values: ['x'] },
  );
  await client.setLogLevel('debug');
  await client.ping();
  await client.subscribe('a:b');
  await client.unsubscribe('a:b');
  assert.deepEqual(wire.sent.slice(3).map(({ method, params }) => [method, params]), [
    ['resources/read', { uri: 'a:b', _meta: { progressToken: wire.sent[3]?.id } }],
    ['prompts/get', { name: 'p', arguments: { x: 'y' }, _meta: { progressToken: wire.sent[4]?.id } }],
    ['completion/complete', {
      ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'n', value: 'v' }, context: { arguments: { x: 'y' } },
    }],
    ['logging/setLevel', { level: 'debug' }],
    ['ping', undefined],
    ['resources/subscribe', { uri: 'a:b' }],
    ['resources/unsubscribe', { uri: 'a:b' }],
  ]);
  const older = await connect(legacy(() => ({ completion: { values: [] } }), '2025-03-26'));
  assert.deepEqual(await older.client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'n', value: 'v' }, { x: 'y' }), { values: [] });
  assert.ok(!('context' in (last(older.wire)?.params ?? {})));
});

test('what the server has not declared is not sent', async () => {
  for (const script of [legacy(hang, '2025-11-25', {}), modern(hang, {})]) {
    const { client, wire } = await connect(script);
    const before = wire.sent.length;
    for (const call of [
      () => client.callTool('t'), () => client.listTools(), () => client.readResource('a:b'),
      () => client.listPrompts(), () => client.getPrompt('p'), () => client.subscribe('a:b'),
      () => client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'n', value: '' }),
      () => client.listResourceTemplates(),
    ]) await assert.rejects(call(), /the server did not declare/);
    assert.equal(wire.sent.length, before);
  }
  // A capability with settings is declared by those settings.
  for (const script of [legacy(hang, '2025-11-25', { resources: {} }), modern(hang, { resources: {} })]) {
    const { client, wire } = await connect(script);
    const before = wire.sent.length;
    await assert.rejects(client.subscribe('a:b'), /the server did not declare/);
    assert.equal(wire.sent.length, before);
  }
  const { client } = await connect(legacy(hang, '2025-11-25', {}));
  await assert.rejects(client.setLogLevel('info'), /did not declare/);
  await assert.rejects(client.request('initialize'), /initialize: the handshake is over/);
});

test('before connect and after close a call says so', async () => {
  await assert.rejects(new McpClient(info).callTool('t'), /not connected/);
  const { client, wire } = await connect(legacy(hang));
  const sent = wire.until('tools/call');
  const pending = client.callTool('t');
  await sent;
  await client.close();
  await assert.rejects(pending, (error) => error instanceof ConnectionError && error.reason === 'closed');
  await assert.rejects(client.callTool('t'), /the client was closed/);
  assert.equal(wire.closed, 1);
});

test('nextCursor: null ends a list, and an empty one does not', async () => {
  const cursors: unknown[] = [];
  const { client } = await connect(modern(({ params }) => {
    cursors.push(params?.['cursor']);
    return { resultType: 'complete', tools: [], nextCursor: cursors.length === 1 ? '' : null };
  }));
  assert.deepEqual(await client.listTools(), []);
  assert.deepEqual(cursors, [undefined, '']);
});

test('the pages of a list are bounded in memory', async () => {
  let pages = 0;
  const { client } = await connect(modern(() => ({
    resultType: 'complete', tools: [{ name: 'x'.repeat(10_000), inputSchema: { type: 'object' } }], nextCursor: `${++pages}`,
  })), { limits: { maxListBytes: 100_000 } });
  await assert.rejects(client.listTools(), /tools\/list: the pages take more than 100000 bytes/);
  assert.ok(pages < 11);
});

test('a malformed request of a legacy server is answered with an error, and one of a modern server is not', async () => {
  const old = await connect(legacy());
  const answered = old.wire.until((sent) => sent.error !== undefined);
  old.wire.push({ id: 'q', method: 'ping', params: null });
  const { id, error } = await answered;
  assert.deepEqual([id, error?.code], ['q', -32600]);
  const { wire, errors } = await connect(modern());
  const { length } = wire.sent;
  wire.push({ id: 'q', method: 'ping', params: null });
  assert.equal(wire.sent.length, length);
  assert.equal(errors.length, 1);
});

test('an aborted ping of a modern server over a pipe is cancelled', async () => {
  let discoveries = 0;
  const script = modern();
  const { client, wire } = await connect((sent, at) => (
    sent.method === 'server/discover' && discoveries++ > 0 ? undefined : script(sent, at)
  ));
  const controller = new AbortController();
  const sent = wire.until('server/discover');
  const ping = client.ping({ signal: controller.signal });
  const { id } = await sent;
  controller.abort(new Error('enough'));
  await assert.rejects(ping, /enough/);
  assert.deepEqual(last(wire)?.params, { requestId: id, reason: 'enough' });
});

test('the identifier of an extension has a prefix', () => {
  assert.throws(() => new McpClient(info, { extensions: { tasks: {} } }), /not an extension identifier: "tasks"/);
  assert.throws(() => new McpClient(info, { capabilities: { extensions: { 'a b/c': {} } } }), TypeError);
  assert.ok(new McpClient(info, { extensions: { 'org.example/tasks': {} } }));
});

test('progress renews the time of a call that did not ask to hear of it', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const { client, wire } = await connect(modern(({ method }) => (method === 'tools/call' ? undefined : {})));
  const sent = wire.until('tools/call');
  const call = client.callTool('t');
  const { id, params } = await sent;
  const { progressToken } = params?.['_meta'] as Record<string, unknown>;
  for (let progress = 1; progress <= 3; progress++) {
    t.mock.timers.tick(40_000);
    wire.push({ method: 'notifications/progress', params: { progressToken, progress } });
  }
  wire.answer(id as number, { resultType: 'complete', content: [] });
  assert.deepEqual((await call).content, []);
});

// 2025-11-25 basic/lifecycle#timeouts.
test('a call without limits is given up after a minute, and after ten whatever its progress', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  for (const make of [legacy, modern]) {
    const { client, wire } = await connect(make(({ method }) => (method === 'tools/call' ? undefined : {})));
    for (const [parts, ms, limit] of [[1, 60_000, 60_000], [20, 30_000, 600_000]] as const) {
      const sent = wire.until('tools/call');
      const rejected = assert.rejects(client.callTool('t'), { message: `tools/call: no answer within ${limit} ms` });
      const { id, params } = await sent;
      const { progressToken } = params?.['_meta'] as Record<string, unknown>;
      for (let part = 1; part <= parts; part++) {
        t.mock.timers.tick(ms - 1);
        assert.equal(last(wire)?.id, id);
        if (part < parts) wire.push({ method: 'notifications/progress', params: { progressToken, progress: part } });
        t.mock.timers.tick(1);
      }
      await rejected;
      assert.equal(last(wire)?.params?.['requestId'], id);
    }
    await client.close();
  }
});

// Each revision, server/utilities/completion#implementation-considerations: missing and partial results.
test('completions may be none, or a part of what there is', async () => {
  for (const make of [legacy, modern]) {
    for (const completion of [{ values: [] }, { values: [], total: 7, hasMore: true }, { values: ['a'], total: 7, hasMore: true }, { values: ['a'], hasMore: true }, { values: ['a'], total: 7 }]) {
      const { client } = await connect(make(() => ({ resultType: 'complete', completion })));
      assert.deepEqual(await client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'n', value: '' }), completion);
    }
  }
});

test('lists of each kind are read to their last page', async () => {
  for (const make of [legacy, modern]) {
    const pages = [undefined, 'two', 'three'];
    const { client } = await connect(make(({ method = '', params }) => {
      const at = pages.indexOf(params?.['cursor'] as string | undefined);
      const name = `${method} ${at}`;
      return {
        [method === 'resources/templates/list' ? 'resourceTemplates' : method.slice(0, -'/list'.length)]: [{ name, uri: `a:${at}`, uriTemplate: `a:${at}`, inputSchema: { type: 'object' } }],
        nextCursor: pages[at + 1], resultType: 'complete', ttlMs: 0, cacheScope: 'private',
      };
    }));
    for (const [list, method] of [
      [client.listTools(), 'tools/list'], [client.listPrompts(), 'prompts/list'], [client.listResources(), 'resources/list'], [client.listResourceTemplates(), 'resources/templates/list'],
    ] as const) assert.deepEqual((await list).map(({ name }) => name), [0, 1, 2].map((at) => `${method} ${at}`));
    for (const [items, method] of [
      [client.tools(), 'tools/list'], [client.prompts(), 'prompts/list'], [client.resources(), 'resources/list'], [client.resourceTemplates(), 'resources/templates/list'],
    ] as const) {
      const names: string[] = [];
      for await (const { name } of items) names.push(name);
      assert.deepEqual(names, [0, 1, 2].map((at) => `${method} ${at}`));
    }
  }
});

test('lists are read to their last page', async () => {
  for (const make of [legacy, modern]) {
    const { client, wire } = await connect(make((sent) => {
      // A cursor has a meaning only for its server: case, spaces and line breaks count.
      const cursors = [undefined, ' Page\n', 'PAGE', 'page '];
      const page = cursors.indexOf(sent.params?.['cursor'] as string | undefined);
      if (sent.method === 'prompts/list') return { prompts: [{ name: 'p' }] };
      if (page === -1) return new RpcFault(-32602, 'no such cursor');
      return {
        tools: Array.from({ length: page }, (_, at) => ({ name: `t${page}${at}`, inputSchema: { type: 'object' } })),
        nextCursor: cursors[page + 1],
      };
    }));
    assert.deepEqual((await client.listTools()).map(({ name }) => name), ['t10', 't20', 't21', 't30', 't31', 't32']);
    const names: string[] = [];
    wire.sent.length = 0;
    for await (const tool of client.tools()) {
      names.push(tool.name);
      if (names.length === 2) break;
    }
    assert.deepEqual(names, ['t10', 't20']);
    assert.equal(wire.sent.length, 3);
    // A list of one page.
    assert.deepEqual((await client.listPrompts()).map(({ name }) => name), ['p']);
    // A new session begins at the first page, though the last listing stopped at its second.
    await client.close();
    const again = new Scripted('pipe', make((sent) => ({ tools: [{ name: `${sent.params?.['cursor']}`, inputSchema: { type: 'object' } }] })));
    await client.connect(again);
    assert.deepEqual((await client.listTools()).map(({ name }) => name), ['undefined']);
    await client.close();
  }
});

// 2026-07-28 server/utilities/pagination: a client concludes nothing from a cursor but that there is one.
test('a cursor may come again, from a server that keeps the place itself', async () => {
  for (const make of [legacy, modern]) {
    let left = 4;
    const { client } = await connect(make(() => ({ ...left-- > 1 && { nextCursor: 'more' }, prompts: [{ name: `p${left}` }] })));
    assert.deepEqual((await client.listPrompts()).map(({ name }) => name), ['p3', 'p2', 'p1', 'p0']);
  }
});

test('pages that go in a circle, without end, or without a list are refused', async () => {
  const circle = await connect(
    legacy((sent) => ({ prompts: [], nextCursor: sent.params?.['cursor'] === 'a' ? 'b' : 'a' })),
  );
  await assert.rejects(circle.client.listPrompts(), /more than \d+ pages/);
  let page = 0;
  const endless = await connect(
    legacy(() => ({ prompts: [], nextCursor: String(page++) })), { limits: { maxPages: 5 } },
  );
  await assert.rejects(endless.client.listPrompts(), /more than 5 pages/);
  const odd = await connect(legacy(() => ({ prompts: 5 })));
  await assert.rejects(odd.client.listPrompts(), { code: 'malformed_result', method: 'prompts/list', message: /result\.prompts must be a list/ });
});

test('errors of the server are RpcErrors', async () => {
  const { client } = await connect(legacy(() => new RpcFault(-32602, 'Unknown tool', { x: 1 })));
  await assert.rejects(
    client.callTool('t'),
    (error) => error instanceof RpcError && error.code === -32602 && error.message === 'Unknown tool',
  );
});

test('cancelling: a notification on pipes and in the legacy era, a closed stream over modern HTTP', async () => {
  const cases: ['pipe' | 'http', typeof legacy | typeof modern, boolean, boolean][] = [
    ['pipe', legacy, true, false], ['pipe', modern, true, false], ['http', legacy, true, true],
    ['http', modern, false, true],
  ];
  for (const [kind, make, notifies, abandons] of cases) {
    const { client, wire } = await connect(make(hang), {}, kind);
    const controller = new AbortController();
    const sent = wire.until('tools/call');
    const call = client.callTool('t', {}, { signal: controller.signal });
    const { id } = await sent;
    controller.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
    assert.deepEqual(
      last(wire)?.method === 'notifications/cancelled' && last(wire)?.params,
      notifies && { requestId: id, reason: 'enough' },
    );
    assert.deepEqual(wire.abandoned, abandons ? [id] : []);
    await assert.rejects(
      client.callTool('t', {}, { timeoutMs: 1 }),
      (error) => error instanceof ConnectionError && error.reason === 'timeout' && error.message === 'tools/call: no answer within 1 ms',
    );
    // A call that timed out is cancelled in the same way.
    const { id: late } = wire.sent.filter(({ method }) => method === 'tools/call').at(-1) ?? {};
    assert.equal(last(wire)?.params?.['requestId'], notifies ? late : undefined);
    assert.deepEqual(wire.abandoned, abandons ? [id, late] : []);
    await client.close();
  }
});

test('progress and log messages reach their handlers', async () => {
  const logs: unknown[] = [];
  const { client } = await connect(modern((sent, wire) => {
    const progressToken = meta(sent)['progressToken'];
    wire.push({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
    wire.push({ method: 'notifications/message', params: { level: 'info', data: 'x' } });
    return { resultType: 'complete', content: [] };
  }), { onLog: (message) => logs.push(message) });
  const reports: unknown[] = [];
  await client.callTool('t', {}, { onProgress: (progress) => reports.push(progress.progress) });
  assert.deepEqual(reports, [1]);
  assert.deepEqual(logs, [{ level: 'info', data: 'x' }]);
});

// Each revision, basic/patterns/progress#progress-flow, basic/utilities/progress#progress-flow.
test('each of the requests in flight has a progress token of its own, and hears what is reported under it', async () => {
  for (const make of [legacy, modern]) {
    const { client, wire } = await connect(make(hang));
    const heard: unknown[][] = [];
    const third = wire.until(({ params }) => params?.['name'] === 'c');
    const calls = ['a', 'b', 'c'].map((name) => client.callTool(name, {}, {
      // A token of the caller would be the same for all calls.
      meta: { progressToken: 'mine' }, onProgress: ({ progress }) => heard.push([name, progress]),
    }));
    await third;
    const sent = wire.sent.filter(({ method }) => method === 'tools/call');
    const tokens = sent.map((one) => meta(one)['progressToken']);
    assert.equal(new Set(tokens).size, 3);
    assert.ok(tokens.every((token) => typeof token === 'string' || Number.isInteger(token)));
    for (const [at, progressToken] of tokens.entries()) wire.push({ method: 'notifications/progress', params: { progressToken, progress: at + 1 } });
    for (const { id } of sent) wire.answer(id as RequestId, { resultType: 'complete', content: [] });
    await Promise.all(calls);
    assert.deepEqual(heard, [['a', 1], ['b', 2], ['c', 3]]);
  }
});

test('an option of the log level is told to a legacy server', async () => {
  const { wire } = await connect(legacy(), { logLevel: 'warning' });
  assert.deepEqual(last(wire), { ...last(wire), method: 'logging/setLevel', params: { level: 'warning' } });
});

test('other notifications and other faults are told', async () => {
  const heard: unknown[] = [];
  const { wire, errors } = await connect(legacy(), { onNotification: ({ method }) => heard.push(method) });
  wire.push({ method: 'notifications/other', params: { a: 'e' } });
  assert.deepEqual(heard, ['notifications/other']);
  wire.push({ id: 99, result: {} });
  wire.push({ nonsense: true });
  wire.receiver.error(new Error('odd'));
  assert.deepEqual(errors.map(({ message }) => /not sent|refused|odd/.exec(message)?.[0]), ['not sent', 'refused', 'odd']);
  // No message is sent after the refused call.
  assert.equal(last(wire)?.method, 'notifications/initialized');
});

for (const era of [legacy, modern]) {
  test(`a malformed answer fails its call, and no other (${era.name})`, async () => {
    const { client, wire, errors } = await connect(era((sent, wire) => {
      if (sent.params?.['name'] !== 'odd') return undefined;
      wire.push({ id: sent.id });
      wire.push({ id: sent.id, result: { content: [] } });
      return undefined;
    }));
    const other = client.callTool('other');
    await assert.rejects(
      client.callTool('odd'),
      /^RpcError: Invalid response: neither "method" nor "result" nor "error"$/,
    );
    assert.equal(errors.length, 1);
    wire.answer(wire.sent.findLast(({ params }) => params?.['name'] === 'other')?.id as RequestId, { content: [] });
    assert.deepEqual(await other, { content: [] });
    // Nothing was reported, and nothing was cancelled.
    assert.equal(last(wire)?.method, 'tools/call');
  });
}

test('a discovery that is answered with nonsense means a legacy server, at once', async () => {
  const { client } = await connect((sent, wire) => {
    if (sent.method === 'initialize') return { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: info };
    wire.push({ id: sent.id, error: null });
    return undefined;
  });
  assert.equal(client.revision?.version, '2025-06-18');
});

test('a server that has died fails what is pending, and what comes after where it cannot be started again', async () => {
  const told: string[] = [];
  const wire = new Scripted('pipe', legacy(hang));
  Object.defineProperty(wire, 'reopen', { value: undefined });
  const client = new McpClient(info, { onClose: (why) => told.push(why) });
  await client.connect(wire);
  const sent = wire.until('tools/call');
  const call = client.callTool('t');
  await sent;
  wire.receiver.closed('it exited with code 3');
  await assert.rejects(call, /exited with code 3/);
  await assert.rejects(client.callTool('t'), /exited with code 3/);
  assert.deepEqual(told, ['it exited with code 3']);
});

test('a server that has left is started again for the next request, in either era', async () => {
  const { client, wire } = await connect(modern(() => ({ resultType: 'complete', content: [] })));
  wire.receiver.closed('it exited with code 3');
  await Promise.all([client.callTool('t'), client.callTool('t')]);
  assert.equal(wire.reopened, 1);
  assert.deepEqual(wire.methods(), ['server/discover', 'server/discover', 'tools/call', 'tools/call']);
  const old = await connect(legacy(() => ({ content: [] })));
  await old.client.subscribe('a:b');
  old.wire.receiver.closed('it exited with code 3');
  await Promise.all([old.client.callTool('t'), old.client.callTool('t')]);
  assert.equal(old.wire.reopened, 1);
  assert.deepEqual(old.wire.methods().slice(4), [
    'initialize', 'notifications/initialized', 'resources/subscribe', 'tools/call', 'tools/call',
  ]);
});

test('an expired session is renewed once for all, and each call sent once more', async () => {
  let expired = false;
  const { client, wire } = await connect(legacy((sent) =>
    expired && sent.method === 'tools/call'
      ? new SessionExpired('gone')
      : { content: [], of: sent.params?.['name'] }), {}, 'http');
  await client.subscribe('a:b');
  expired = true;
  const begun = wire.until('initialize');
  const calls = ['x', 'y', 'z'].map((name) => client.callTool(name));
  await begun;
  expired = false;
  assert.deepEqual((await Promise.all(calls)).map((result) => (result as { of?: unknown }).of), ['x', 'y', 'z']);
  assert.equal(wire.reopened, 1);
  const methods = wire.methods();
  assert.equal(methods.filter((method) => method === 'initialize').length, 2);
  assert.equal(methods.filter((method) => method === 'resources/subscribe').length, 2);
  assert.equal(methods.filter((method) => method === 'tools/call').length, 6);
});

test('a session that expires at once again is an error, not a loop', async () => {
  const { client, wire } = await connect(legacy(() => new SessionExpired('gone')), {}, 'http');
  await assert.rejects(client.callTool('t'), SessionExpired);
  assert.equal(wire.methods().filter((method) => method === 'initialize').length, 2);
});

test('a renewal that fails is told, and tried again by the next request', async () => {
  let down = false;
  const script = legacy(() => (down ? new SessionExpired('gone') : { content: [] }));
  const { client } = await connect((sent, wire) =>
    down && sent.method !== 'tools/call' ? new HttpError(503, 'busy') : script(sent, wire), {}, 'http');
  down = true;
  await assert.rejects(client.callTool('t'), /HTTP 503/);
  await assert.rejects(client.callTool('t'), /HTTP 503/);
  down = false;
  await client.callTool('t');
});

const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

test('structured content is judged by the validator that is given', async () => {
  let result: object = {};
  const { client, errors, wire } = await connect(legacy((sent) => sent.method === 'tools/list'
    ? {
        tools: [
          { name: 't', inputSchema: { type: 'object' }, outputSchema },
          { name: 'u', inputSchema: { type: 'object' }, outputSchema: { $ref: '#anchor' } },
          { name: 'v', inputSchema: { type: 'object' }, outputSchema: { $ref: 'http://example.org/schema' } },
          { name: 'w', inputSchema: { type: 'object' }, outputSchema: { $ref: '#/$defs/none' } },
          { name: 'x', inputSchema: { type: 'object' }, outputSchema: { $schema: 'http://json-schema.org/draft-04/schema#' } },
        ],
      }
    : result), { validator: compile });
  result = { content: [], structuredContent: { n: 'x' } };
  await client.callTool('t');
  await client.listTools();
  await assert.rejects(client.callTool('t'), /the tool "t" breaks its output schema: structuredContent\/n /);
  result = { content: [] };
  await assert.rejects(client.callTool('t'), /has no structuredContent/);
  result = { content: [], isError: true };
  await client.callTool('t');
  result = { content: [], structuredContent: { n: 5 } };
  const { structuredContent } = await client.callTool<{ n: number }>('t');
  assert.equal(structuredContent?.n, 5);
  // An output schema that cannot be compiled is reported once, and the result passes.
  await client.callTool('u');
  await client.callTool('u');
  assert.equal(errors.length, 1);
  assert.match(errors[0]?.message ?? '', /output schema of the tool "u"/);
  // 2025-11-25 basic/index#implementation-requirements: the same for an unsupported dialect.
  await client.callTool('x');
  assert.match(errors.splice(1).join(), /^Error: the output schema of the tool "x": .*draft-04/);
  // 2026-07-28 basic/index#ref-resolution: an unresolved reference rejects each call.
  for (const name of ['v', 'w', 'v']) {
    await assert.rejects(client.callTool(name), new RegExp(`^Error: the output schema of the tool "${name}": #: .*(http://example.org/schema|#/\\$defs/none)`));
  }
  assert.equal(errors.length, 1);
  // After a list change the old output schema no longer counts.
  wire.push({ method: 'notifications/tools/list_changed' });
  result = { content: [] };
  await client.callTool('t');
});

const marked = (name: string, header: string): object => ({
  name, inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': header } } },
});
const listOf = (...tools: object[]): Script => (sent) =>
  sent.method === 'tools/list' ? { resultType: 'complete', tools } : { resultType: 'complete', content: [], messages: [] };

test('over modern HTTP arguments are mirrored, and tools with bad annotations left out', async () => {
  const { client, wire, errors } = await connect(
    modern(listOf(marked('good', 'Region'), marked('bad', ''))), {}, 'http',
  );
  assert.deepEqual((await client.listTools()).map(({ name }) => name), ['good']);
  assert.equal(errors.length, 1);
  assert.match(errors[0]?.message ?? '', /the tool "bad" is left out: inputSchema\/properties\/region: x-mcp-header/);
  await client.callTool('good', { region: 'Zürich' });
  assert.deepEqual(last(wire)?.headers, { 'mcp-param-region': '=?base64?WsO8cmljaA==?=' });
  for (const none of [{ region: null }, {}]) {
    await client.callTool('good', none);
    assert.deepEqual(last(wire)?.headers, {});
  }
  // A prompt may have the same name as a tool.
  await client.getPrompt('good', { region: 'x' });
  assert.equal(last(wire)?.headers, undefined);
  const { client: piped, wire: pipe } = await connect(modern(listOf(marked('good', 'Region'), marked('bad', ''))));
  assert.equal((await piped.listTools()).length, 2);
  await piped.callTool('good', { region: 'x' });
  assert.equal(last(pipe)?.headers, undefined);
  const { client: old } = await connect(legacy(listOf(marked('good', 'Region'), marked('bad', ''))), {}, 'http');
  assert.equal((await old.listTools()).length, 2);
});

// 2026-07-28 basic/transports/streamable-http#schema-extension, #value-encoding.
test('over modern HTTP each argument that is marked has its header, and a tool that marks wrongly is left out by name', async () => {
  const schema = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
  const all = schema({
    text: { type: 'string', 'x-mcp-header': 'Text' }, plain: { type: 'string' },
    deep: schema({ count: { type: 'integer', 'x-mcp-header': 'Count' }, flag: { type: 'boolean', 'x-mcp-header': 'Flag' } }),
  });
  const one = (header: unknown, type: string = 'string'): object => ({ type, 'x-mcp-header': header });
  const wrong: Record<string, object> = {
    'an empty one': schema({ a: one('') }), 'a line feed': schema({ a: one('A\nB') }), 'a control character': schema({ a: one('A\u0001') }),
    'a space': schema({ a: one('a b') }), 'a colon': schema({ a: one('A:') }), 'two in other case': schema({ a: one('A'), b: schema({ c: one('a') }) }),
    'a number': schema({ a: one('A', 'number') }), 'an object': schema({ a: one('A', 'object') }), 'an array': schema({ a: one('A', 'array') }),
    'below items': schema({ a: { type: 'array', items: one('A') } }), 'below then': schema({}, { then: schema({ a: one('A') }) }), 'at the root': { ...schema({}), 'x-mcp-header': 'A' },
  };
  const { client, wire, errors } = await connect(
    modern(listOf({ name: 'all', inputSchema: all }, ...Object.entries(wrong).map(([name, inputSchema]) => ({ name, inputSchema })))), {}, 'http',
  );
  assert.deepEqual((await client.listTools()).map(({ name }) => name), ['all']);
  assert.deepEqual(errors.map(({ message }) => /^the tool "([^"]+)" is left out: inputSchema\S*: x-mcp-header /.exec(message)?.[1]), Object.keys(wrong));
  for (const [args, headers] of [
    [{ text: 'x', plain: 'y', deep: { count: 42, flag: true } }, { 'mcp-param-text': 'x', 'mcp-param-count': '42', 'mcp-param-flag': 'true' }],
    [{ text: '', deep: { count: -7, flag: false } }, { 'mcp-param-text': '', 'mcp-param-count': '-7', 'mcp-param-flag': 'false' }],
    [{ text: 'a\r\nb', deep: { count: Number.MIN_SAFE_INTEGER } }, { 'mcp-param-text': '=?base64?YQ0KYg==?=', 'mcp-param-count': '-9007199254740991' }],
    [{ text: ' x', deep: { count: -(2 ** 53) } }, { 'mcp-param-text': '=?base64?IHg=?=' }],
    [{ text: '=?base64?eA==?=', deep: { count: 2 ** 53, flag: null } }, { 'mcp-param-text': '=?base64?PT9iYXNlNjQ/ZUE9PT89?=' }],
  ] as const) {
    await client.callTool('all', args);
    assert.deepEqual(last(wire)?.headers, headers, JSON.stringify(args));
  }
});

test('-32020 makes the client read the list anew and call once more', async () => {
  const { client, wire } = await connect(modern((sent) => {
    if (sent.method === 'tools/list') {
      return { resultType: 'complete', ttlMs: 60_000, cacheScope: 'public', tools: [marked('t', 'Region')] };
    }
    return sent.headers?.['mcp-param-region'] === 'x' ? { resultType: 'complete', content: [] } : new RpcFault(-32020);
  }), {}, 'http');
  await client.callTool('t', { region: 'x' });
  assert.deepEqual(wire.methods(), ['server/discover', 'tools/call', 'tools/list', 'tools/call']);
  await assert.rejects(
    client.callTool('t', { region: 5 }),
    (error) => error instanceof RpcError && error.code === -32020,
  );
  // The list comes from the server, not from the cache, and only once.
  assert.deepEqual(wire.methods().slice(4), ['tools/call', 'tools/list', 'tools/call']);
  assert.ok(everything.tools);
});

test('a validator is loaded at the first result to judge; one that cannot be loaded fails the call', async () => {
  let loads = 0;
  const broken = loadedToolOutputs(() => {
    loads++;
    return Promise.reject(new Error('no such chunk'));
  });
  broken.learn([{ name: 't', outputSchema }]);
  const warnings: Error[] = [];
  const warn = (error: Error): void => void warnings.push(error);
  await broken.check('unlisted', { structuredContent: {} }, warn);
  await broken.check('t', { isError: true }, warn);
  assert.equal(loads, 0);
  await assert.rejects(async () => broken.check('t', { structuredContent: { n: 1 } }, warn), /no such chunk/);
  // Loading the validator failed, not the schema: the next call tries again.
  await assert.rejects(async () => broken.check('t', { structuredContent: { n: 1 } }, warn), /no such chunk/);
  assert.deepEqual([loads, warnings], [2, []]);

  const whole = loadedToolOutputs();
  whole.learn([{ name: 't', outputSchema }]);
  await whole.check('t', { structuredContent: { n: 1 } }, warn);
  assert.equal(whole.check('t', { structuredContent: { n: 1 } }, warn), undefined, 'a call waits for nothing once it is loaded');
  assert.equal(whole.check('unlisted', {}, warn), undefined);
  await assert.rejects(async () => whole.check('t', { structuredContent: { n: 'x' } }, warn), /breaks its output schema.*is not of type integer/);
});

// 2025-06-18 basic/index#_meta.
test('the author hears of a malformed key in the `_meta` of a request, and a root with one is refused', async () => {
  const heard: string[] = [];
  const { client, wire } = await connect(modern(() => ({})), { onError: ({ message }) => heard.push(message) });
  for (const key of ['_odd', 'odd-', 'org._example/odd', 'org..example/odd', '1org/odd', 'org-/odd', 'org.example/-odd', 'org.example/odd.']) {
    heard.length = 0;
    await client.request('org.example/ask', { _meta: { 'org.example/fine': 1, [key]: 2 } });
    assert.deepEqual(heard, [`org.example/ask: _meta has the malformed key ${key}`]);
    assert.equal((last(wire)?.params?.['_meta'] as Record<string, unknown>)[key], 2);
    const roots = [{ uri: 'file:///a', _meta: { [key]: 1 } }];
    assert.throws(() => new McpClient(info, { roots }), { name: 'TypeError', message: `a root: _meta has the malformed key "${key}"` });
  }
});
