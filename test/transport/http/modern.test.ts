import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { code, modern, modernVersion, note, rpc, start } from './harness.ts';
import type { Sent } from './harness.ts';
import { within } from '../../within.ts';

const region = (value: unknown, headers: Record<string, string>): Sent =>
  modern('tools/call', { name: 'mirrored', arguments: { region: value } }, { 'mcp-name': 'mirrored', ...headers });
const count = (value: unknown, header: string): Sent =>
  modern('tools/call', { name: 'mirrored', arguments: { deep: { count: value } } }, {
    'mcp-name': 'mirrored', 'mcp-param-count': header,
  });
const without = (sent: Sent, name: string): Sent => ({
  ...sent, headers: Object.fromEntries(Object.entries(sent.headers ?? {}).filter(([key]) => key !== name)),
});
const version = 'io.modelcontextprotocol/protocolVersion';
const capabilities = 'io.modelcontextprotocol/clientCapabilities';

test('the headers of a modern request are held against its body', async (t) => {
  const { ask } = await start(t);
  const call = modern('tools/call', { name: 'a' }, { 'mcp-name': 'a' });
  const cases: [what: string, sent: Sent, status: number, code?: number][] = [
    ['well formed', call, 200],
    ['an unknown method', modern('nope'), 404, -32601],
    ['an error of a method', modern('fail', { code: -32602 }), 200, -32602],
    ['a capability that is missing', modern('fail', { code: -32021 }), 400, -32021],
    ['no version header', without(call, 'mcp-protocol-version'), 400, -32020],
    ['another version header', { ...call, headers: { ...call.headers, 'mcp-protocol-version': '2025-11-25' } },
      400, -32020],
    ['an unknown version header', { ...call, headers: { ...call.headers, 'mcp-protocol-version': '2099-01-01' } }, 400, -32020],
    // The header is valid, but the version in the body differs.
    ...['2025-11-25', '2099-01-01'].map((claimed): [string, Sent, number, number] => [
      `${claimed} in the body only`, modern('ping', { _meta: { [version]: claimed, [capabilities]: {} } }), 400, -32020,
    ]),
    ['no version in the body', modern('ping', { _meta: { [capabilities]: {} } }), 400, -32602],
    ['no capabilities', modern('ping', { _meta: { [version]: modernVersion } }), 400, -32602],
    ['no metadata', modern('ping', { _meta: undefined }), 400, -32602],
    ['an unknown version', modern('ping', { _meta: { [version]: '2099-01-01', [capabilities]: {} } }, {
      'mcp-protocol-version': '2099-01-01',
    }), 400, -32022],
    ['a legacy version', modern('ping', { _meta: { [version]: '2025-11-25', [capabilities]: {} } }, {
      'mcp-protocol-version': '2025-11-25',
    }), 400, -32022],
    ['an unknown version header, and no version in the body', modern('ping', { _meta: { [capabilities]: {} } }, {
      'mcp-protocol-version': '2099-01-01',
    }), 400, -32022],
    ['no method header', without(call, 'mcp-method'), 400, -32020],
    ['another method header', modern('ping', {}, { 'mcp-method': 'Ping' }), 400, -32020],
    ['no name header', without(call, 'mcp-name'), 400, -32020],
    ...(['prompts/get', 'resources/read'] as const).map((method): [string, Sent, number, number] => [
      `no name header of ${method}`, modern(method, { [method === 'resources/read' ? 'uri' : 'name']: 'a:b' }), 400, -32020,
    ]),
    ['another name header', modern('tools/call', { name: 'a' }, { 'mcp-name': 'b' }), 400, -32020],
    ['a name in Base64', modern('tools/call', { name: 'ü' }, { 'mcp-name': '=?base64?w7w=?=' }), 200],
    ['a name in bad Base64', modern('tools/call', { name: 'a' }, { 'mcp-name': '=?base64?YQ?=' }), 400, -32020],
    ...(['prompts/get', 'resources/read', 'tools/call'] as const).map((method): [string, Sent, number, number] => {
      const member = method === 'resources/read' ? 'uri' : 'name';
      return [`another name header of ${method}`, modern(method, { [member]: 'a:b' }, { 'mcp-name': 'a:c' }), 400, -32020];
    }),
    ['a URI as the name', modern('resources/read', { uri: 'a:b' }, { 'mcp-name': 'a:b' }), 404, -32601],
    ['a mirrored argument', region('eu', { 'mcp-param-region': 'eu' }), 200],
    ['a mirrored argument in Base64', region('zürich ', { 'mcp-param-region': '=?base64?esO8cmljaCA=?=' }), 200],
    ['another one in Base64', region('zurich ', { 'mcp-param-region': '=?base64?esO8cmljaCA=?=' }), 400, -32020],
    ['a mirrored argument that differs', region('eu', { 'mcp-param-region': 'us' }), 400, -32020],
    ['a mirrored argument without its header', region('eu', {}), 400, -32020],
    ['a number without its header', modern('tools/call', { name: 'mirrored', arguments: { deep: { count: 42 } } }, { 'mcp-name': 'mirrored' }), 400, -32020],
    ['a boolean without its header', modern('tools/call', { name: 'mirrored', arguments: { deep: { count: true } } }, { 'mcp-name': 'mirrored' }), 400, -32020],
    ['an empty text without its header', region('', {}), 400, -32020],
    ...[0, false].map((value): [string, Sent, number, number] => [`${value} without its header`, modern('tools/call', {
      name: 'mirrored', arguments: { deep: { count: value } },
    }, { 'mcp-name': 'mirrored' }), 400, -32020]),
    ...['=?base64?YQ?=', 'caf\u00e9'].map((given): [string, Sent, number, number] => [
      `${given}, which no header may hold, without its argument`, region(undefined, { 'mcp-param-region': given }), 400, -32020,
    ]),
    ['no arguments and no headers', modern('tools/call', { name: 'mirrored' }, { 'mcp-name': 'mirrored' }), 200],
    ['a null that is deeper, not mirrored', modern('tools/call', { name: 'mirrored', arguments: { deep: { count: null } } }, { 'mcp-name': 'mirrored' }), 200],
    ['a header without its argument', region(undefined, { 'mcp-param-region': 'eu' }), 400, -32020],
    ['a header beside null', region(null, { 'mcp-param-region': 'eu' }), 400, -32020],
    ['null, not mirrored', region(null, {}), 200],
    ['a number, as a number', count(42, '42.0'), 200],
    ['another number', count(42, '43'), 400, -32020],
    ['a string that looks like one', count('42', '42.0'), 400, -32020],
    ['an empty header for 0', count(0, ''), 400, -32020],
    ['a boolean', count(true, 'true'), 200],
    ['another boolean', count(true, 'false'), 400, -32020],
    ['a boolean as a number', count(true, '1'), 400, -32020],
  ];
  for (const [what, sent, status, expected] of cases) {
    const answer = await ask(sent);
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    if (expected !== undefined) assert.equal(code(answer), expected, what);
    else assert.match(answer.text, /"result"/, what);
  }
});

test('what does not belong to the era is ignored or refused', async (t) => {
  const { ask, live, server } = await start(t);
  const { headers = {}, body } = modern('ping');
  const answer = await ask({
    headers: { ...headers, 'mcp-session-id': 'x', 'last-event-id': '0-1' }, body: body as object,
  });
  assert.deepEqual([answer.status, answer.headers['mcp-session-id']], [200, undefined]);
  const older = { 'mcp-session-id': 'x', 'last-event-id': '0-1' };
  const accepted = await ask({ headers: { ...headers, ...older }, body: note('x') });
  assert.deepEqual([accepted.status, accepted.text, accepted.headers['mcp-session-id']], [202, '', undefined]);
  for (const sent of [modern('steps', { steps: 1 }, older), modern('subscriptions/listen', {}, older), modern('nope', {}, older)]) {
    const stream = await live(sent);
    assert.equal(stream.headers['mcp-session-id'], undefined);
    stream.cut();
  }
  assert.equal((await ask({ headers, body: { jsonrpc: '2.0', id: 1, result: {} } })).status, 400);
  assert.equal((await ask({ headers, body: [rpc('ping')] })).status, 400);
  for (const method of ['GET', 'DELETE']) {
    for (const more of [{}, older]) assert.equal((await ask({ method, headers: { ...headers, ...more } })).status, 405);
  }
  assert.equal(server.peers.size, 0);
});

test('a stream carries what goes before the answer; leaving it cancels', async (t) => {
  const { live, ask, server } = await start(t);
  const steps = await live(modern('steps', { steps: 2 }));
  assert.deepEqual([steps.headers['content-type'], steps.headers['x-accel-buffering'], steps.headers['mcp-session-id']], ['text/event-stream', 'no', undefined]);
  const events = await within('the end of the stream', steps.all());
  assert.deepEqual(events.map(({ id }) => id), ['', '', '']);
  const only = await ask({ ...modern('steps', { steps: 2 }, { accept: 'application/json' }) });
  assert.equal(only.headers['content-type'], 'application/json');
  assert.deepEqual(JSON.parse(only.text), { jsonrpc: '2.0', id: 1, result: { steps: 2 } });

  const listening = await live(modern('subscriptions/listen'));
  assert.deepEqual([listening.headers['content-type'], listening.headers['x-accel-buffering']], ['text/event-stream', 'no']);
  await listening.next();
  const [subscription] = server.subscriptions;
  assert.ok(subscription);
  const aborted = new Promise((resolve) => subscription.signal.addEventListener('abort', resolve));
  listening.cut();
  await within('the cancellation', aborted);
  assert.equal(subscription.settled, true);
});

test('leaving before anything was sent cancels as well', async (t) => {
  const { ask, http, server } = await start(t, { limits: { maxOpenRequests: 1 } });
  const { headers, body } = modern('wait', { key: 'w' });
  const client = request(http.url, {
    method: 'POST', headers: { 'content-type': 'application/json', ...headers }, agent: false,
  });
  client.on('error', () => {});
  client.end(JSON.stringify(body));
  await server.arrived('w');
  const { inbound } = server.waiting.get('w') ?? assert.fail();
  const aborted = new Promise((resolve) => inbound.signal.addEventListener('abort', resolve));
  client.destroy();
  await aborted;
  // Its place is free again.
  assert.equal((await ask(modern('ping'))).status, 200);
});

test('a quiet subscription is kept open by comments', async (t) => {
  const { http } = await start(t, { limits: { keepAliveMs: 5 } });
  const { headers, body } = modern('subscriptions/listen');
  const response = await fetch(http.url, {
    method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body),
  });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.endsWith(':\n\n:\n\n')) break;
  }
  assert.match(text, /^data: .*acknowledged.*\n\n:\n\n:\n\n$/);
});

test('open requests are bounded', async (t) => {
  const { live, ask, server } = await start(t, { limits: { maxOpenRequests: 1 } });
  const pending = live(modern('wait', { key: 'one' }));
  await server.arrived('one');
  assert.equal((await ask(modern('ping'))).status, 503);
  server.waiting.get('one')?.finish();
  assert.equal((await pending).status, 200);
  assert.equal((await ask(modern('ping'))).status, 200);
});
