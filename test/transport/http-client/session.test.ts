import assert from 'node:assert/strict';
import { waitingClock } from '../../mock-clock.ts';
import { SessionExpired } from '../../../src/transport/http/http-error.ts';
import { client, handshake, json, result, revision, serve, stream, test } from './harness.ts';
import { metaKeys } from '../../../src/protocol/meta.ts';
import { requestHeaders } from '../../../src/transport/http/client/headers.ts';
import { defaultHttpClientLimits } from '../../../src/transport/http/client/options.ts';
import { within } from '../../within.ts';

const modern = { _meta: { [metaKeys.protocolVersion]: '2026-07-28' } };

test('the headers of each kind of message', () => {
  const r = revision;
  const table = [
    [{ id: 1, method: 'initialize' }, r('2025-11-25'), 's', { 'mcp-session-id': 's' }],
    [{ id: 1, method: 'tools/list' }, undefined, undefined, {}],
    [{ id: 1, method: 'tools/list' }, r('2025-03-26'), 's', { 'mcp-session-id': 's' }],
    [{ id: 1, method: 'tools/list' }, r('2025-06-18'), undefined, { 'mcp-protocol-version': '2025-06-18' }],
    [{ id: 1, method: 'server/discover', params: modern }, undefined, undefined,
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' }],
    [{ id: 1, method: 'tools/call', params: { ...modern, name: 'add' }, headers: { 'Mcp-Param-X': '1' } },
      r('2025-11-25'), undefined,
      { 'mcp-param-x': '1', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' }],
    [{ id: 1, method: 'prompts/get', params: { ...modern, name: ' é' } }, undefined, undefined,
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'prompts/get', 'mcp-name': '=?base64?IMOp?=' }],
    [{ id: 1, method: 'resources/read', params: { ...modern, uri: 'a://b\r\nx: y' } }, undefined, undefined,
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read',
        'mcp-name': '=?base64?YTovL2INCng6IHk=?=' }],
    [{ id: 1, method: 'tools/call', params: { ...modern, name: 7 } }, undefined, undefined,
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }],
    [{ id: 1, method: 'tools/call', params: { name: 'add' } }, r('2025-11-25'),
      undefined, { 'mcp-protocol-version': '2025-11-25' }],
    [{ method: 'note' }, r('2026-07-28'), undefined, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'note' }],
  ] as const;
  for (const [message, agreed, session, expected] of table) {
    assert.deepEqual(requestHeaders({}, message, agreed, session), expected, JSON.stringify(message));
  }
  assert.deepEqual(requestHeaders({ 'MCP-Session-Id': 'mine', Authorization: 'x' }, {}, undefined, 'theirs'),
    { 'mcp-session-id': 'theirs', authorization: 'x' });
  // Headers that are derived from the body take precedence over the caller's headers.
  assert.deepEqual(
    requestHeaders({ 'Mcp-Method': 'x', 'MCP-NAME': 'x', 'MCP-Protocol-Version': 'x' }, { id: 1, method: 'tools/call', params: { ...modern, name: 'add' } }, undefined, undefined),
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' },
  );
});

test('what is sent, and the session of the handshake on everything after it', async (t) => {
  const server = await serve(t, (call, response) => {
    if (call.text.includes('"result"')) response.writeHead(202).end();
    else if (!handshake(call, response, { 'mcp-session-id': 's1' })) json(response, result(call.body.id));
  });
  const it = await client(t, server.url);
  await it.request(0, 'server/discover', modern);
  await it.handshake();
  await it.request(1);
  await it.request(2, 'tools/list', modern);
  // 2026-07-28 basic/transports/streamable-http#client-behavior: method, name, and the mirrored arguments of the tool.
  const warnings: string[] = [];
  const tools = it.transport.toolHeaders?.(({ message }) => warnings.push(message));
  const marked = (name: string, header: string): object =>
    ({ name, inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': header } } } });
  assert.deepEqual(tools?.learn([marked('é', 'Region'), marked('wrong', 'a b')]), [marked('é', 'Region')]);
  assert.match(warnings.join(), /^the tool "wrong" is left out: inputSchema\/properties\/region: /);
  const params = { ...modern, name: 'é', arguments: { region: 'eu ' } };
  it.send({ id: 'call', method: 'tools/call', params, headers: tools?.of(params) });
  assert.equal((await it.next()).kind, 'message');
  // Two requests of one turn, and an answer, are each sent separately.
  for (const id of [3, 4]) it.send({ id, method: 'tools/list' });
  for (let answers = 0; answers < 2; answers++) assert.equal((await it.next()).kind, 'message');
  it.send({ method: 'notifications/cancelled', params: { requestId: 9 } });
  while (!server.calls.some(({ body }) => body.method === 'notifications/cancelled')) await new Promise((resolve) => setImmediate(resolve));
  const answer = '{"jsonrpc":"2.0","id":"question","result":{}}';
  it.transport.send(answer, {});
  while (!server.calls.some(({ text }) => text === answer)) await new Promise((resolve) => setImmediate(resolve));
  await it.transport.close();
  const [probe, init, ...rest] = server.calls.filter(({ method }) => method !== 'GET');
  for (const { method, path, headers, body, text } of server.calls) {
    assert.equal(path, '/mcp', text);
    if (method !== 'POST') continue;
    assert.equal(headers['accept'], 'application/json, text/event-stream', text);
    assert.equal(headers['content-type'], 'application/json', text);
    assert.equal(Array.isArray(body), false, text);
  }
  const mirrored = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-param-region'];
  assert.deepEqual(mirrored.map((name) => probe?.headers[name]), ['2026-07-28', 'server/discover', undefined, undefined]);
  assert.deepEqual(mirrored.map((name) => rest.find(({ body }) => body.id === 'call')?.headers[name]), [
    '2026-07-28', 'tools/call', '=?base64?w6k=?=', '=?base64?ZXUg?=',
  ]);
  assert.equal(init?.headers['mcp-session-id'], undefined);
  assert.equal(init?.headers['mcp-protocol-version'], undefined);
  assert.deepEqual(rest.map(({ method, body, headers }) => [
    method, body.method, headers['mcp-session-id'], headers['mcp-protocol-version'],
  ]), [
    ['POST', 'notifications/initialized', 's1', '2025-11-25'],
    ['POST', 'tools/list', 's1', '2025-11-25'],
    ['POST', 'tools/list', undefined, '2026-07-28'],
    ['POST', 'tools/call', undefined, '2026-07-28'],
    ['POST', 'tools/list', 's1', '2025-11-25'],
    ['POST', 'tools/list', 's1', '2025-11-25'],
    ['POST', 'notifications/cancelled', 's1', '2025-11-25'],
    ['POST', undefined, 's1', '2025-11-25'],
    ['DELETE', undefined, 's1', '2025-11-25'],
  ]);
});

// 2026-07-28 basic/transports/streamable-http#case-sensitivity.
test('names of headers of an answer are taken in any case', async (t) => {
  const server = await serve(t, (call, response) => {
    if (call.body.id === 1) response.writeHead(200, { 'CONTENT-type': 'text/event-stream' }).end(`data: ${result(1)}\n\n`);
    else if (call.body.method === 'initialize') response.writeHead(200, { 'cOnTeNt-TyPe': 'application/json', 'MCP-SESSION-ID': 's1' }).end(result(call.body.id));
    else handshake(call, response);
  });
  const it = await client(t, server.url);
  await it.handshake();
  assert.equal((await it.request(1)).kind, 'message');
  assert.equal(server.calls.at(-1)?.headers['mcp-session-id'], 's1');
});

test('custom headers: an object, a function, a promise; asked for each request', async (t) => {
  const server = await serve(t, (call, response) => json(response, result(call.body.id)));
  let n = 0;
  for (const headers of [
    { Authorization: 'Bearer 1' },
    () => ({ Authorization: 'Bearer 1' }),
    async () => ({ Authorization: `Bearer ${++n}` }),
  ]) {
    const it = await client(t, server.url, { headers });
    await it.request(1);
    assert.equal(server.calls.at(-1)?.headers['authorization'], 'Bearer 1');
    await it.request(2);
    assert.equal(server.calls.at(-1)?.headers['authorization'], n ? 'Bearer 2' : 'Bearer 1');
  }
});

test('headers that cannot be had, or cannot be sent, fail the request', async (t) => {
  const server = await serve(t, (call, response) => json(response, result(call.body.id)));
  const broken = await client(t, server.url, { headers: () => Promise.reject(new Error('no token')) });
  const told = await broken.request(1);
  assert.ok(told.kind === 'failed' && /no token/.test(told.error.message));
  const injected = await client(t, server.url, { headers: { 'x-a': 'b\r\nx-c: d' } });
  assert.equal((await injected.request(1)).kind, 'failed');
  assert.deepEqual(server.calls, []);
});

test('a session that the server has forgotten, and the next one', async (t) => {
  let session = 0;
  const server = await serve(t, (call, response) => {
    if (call.body.method === 'initialize') session++;
    if (handshake(call, response, { 'mcp-session-id': `s${session}` })) return;
    if (call.headers['mcp-session-id'] === 's1') {
      json(response, '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"gone"}}', 404);
    }
    else json(response, result(call.body.id));
  });
  const it = await client(t, server.url);
  await it.handshake();
  for (const id of [1, 2]) {
    const told = await it.request(id);
    assert.ok(told.kind === 'failed' && told.id === id && told.error instanceof SessionExpired);
    assert.match(told.error.message, /expired.*gone/);
  }
  await it.transport.reopen?.();
  await it.handshake();
  assert.equal((await it.request(3)).kind, 'message');
  const inits = server.calls.filter(({ body }) => body.method === 'initialize');
  assert.deepEqual(inits.map(({ headers }) => [headers['mcp-session-id'], headers['mcp-protocol-version']]), [
    [undefined, undefined], [undefined, undefined],
  ]);
});

test('an expired session is not deleted', async (t) => {
  const server = await serve(t, (call, response) => {
    if (!handshake(call, response, { 'mcp-session-id': 's' })) response.writeHead(404).end();
  });
  const it = await client(t, server.url);
  await it.handshake();
  await it.request(1);
  await it.transport.close();
  assert.ok(!server.calls.some(({ method }) => method === 'DELETE'));
});

test('close: DELETE once, 405 is fine, and a server that does not answer is not waited for', async (t) => {
  for (const [status, limits, closeMs] of [[204], [405], [500], [0, { closeMs: 20 }, 20], [0, { closeMs: defaultHttpClientLimits.closeMs }, 2000]] as const) {
    const waits: number[] = [];
    const server = await serve(t, (call, response) => {
      if (call.method === 'DELETE') status === 0 || response.writeHead(status).end();
      else handshake(call, response, { 'mcp-session-id': 's' });
    });
    const it = await client(t, server.url, status === 0 ? {
      limits,
      clock: waitingClock((ms) => new Promise((resolve) => {
        waits.push(ms);
        // The clock fires only after the request has arrived.
        const tick = (): void => void (
          server.calls.some(({ method }) => method === 'DELETE') ? resolve() : setImmediate(tick)
        );
        tick();
      })),
    } : {});
    await it.handshake();
    waits.length = 0;
    await within('the end of the close', it.transport.close());
    await it.transport.close();
    assert.deepEqual(waits, closeMs === undefined ? [] : [closeMs]);
    assert.equal(server.calls.filter(({ method }) => method === 'DELETE').length, 1, String(status));
    assert.deepEqual(it.untaken, []);
  }
});

test('abandon closes the stream of its request, before and after the headers, and says nothing', async (t) => {
  let arrived: (() => void) | undefined;
  let closed: (() => void) | undefined;
  const server = await serve(t, (call, response) => {
    if (call.body.id === 3) return json(response, result(3));
    if (call.body.id === 2) stream(response).write('id: 1\ndata:\n\n');
    response.on('close', () => closed?.());
    arrived?.();
  });
  const it = await client(t, server.url);
  for (const id of [1, 2]) {
    const here = new Promise<void>((resolve) => (arrived = resolve));
    const gone = new Promise<void>((resolve) => (closed = resolve));
    it.send({ id, method: 'tools/call' });
    await here;
    it.transport.abandon?.(id);
    await gone;
  }
  it.transport.abandon?.('unknown');
  assert.equal((await it.request(3)).kind, 'message');
  assert.deepEqual(it.untaken, []);
  assert.equal(server.calls.length, 3);
});
