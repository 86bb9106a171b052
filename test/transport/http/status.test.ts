import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import { httpListener } from '../../../src/transport/http/node/request-listener.ts';
import { fakeServer } from './fake-server.ts';
import { code, modern, note, rpc, start } from './harness.ts';
import type { Sent } from './harness.ts';
import { within } from '../../within.ts';

test('what is wrong with a legacy request decides its status', async (t) => {
  const { ask, open } = await start(t, { limits: { maxBodyBytes: 1000 } });
  const session = await open();
  const cases: [what: string, sent: Sent, status: number, says: RegExp | ''][] = [
    ['a request', { headers: session, body: rpc('ping') }, 200, /"result":\{\}/],
    ['an error answer', { headers: session, body: rpc('nope') }, 200, /-32601/],
    ['a notification', { headers: session, body: note('x') }, 202, ''],
    ['an answer', { headers: session, body: { jsonrpc: '2.0', id: 5, result: {} } }, 202, ''],
    ['an error that answers', { headers: session, body: { jsonrpc: '2.0', id: 5, error: { code: 1, message: 'no' } } }, 202, ''],
    ['no session', { body: rpc('ping') }, 400, /Mcp-Session-Id header is missing/],
    ['a notification without a session', { body: note('x') }, 400, /Mcp-Session-Id header is missing/],
    ['a notification of an unknown session', { headers: { 'mcp-session-id': 'x' }, body: note('x') }, 404, /Session not found/],
    ['a GET of an unknown session', { method: 'GET', headers: { 'mcp-session-id': 'x' } }, 404, /Session not found/],
    ['a DELETE without a session', { method: 'DELETE' }, 400, /missing/],
    ['an unknown session', { headers: { 'mcp-session-id': 'x' }, body: rpc('ping') }, 404, /Session not found/],
    ['a second handshake', { headers: session, body: rpc('initialize', { protocolVersion: '2025-11-25' }) },
      200, /result/],
    ['a handshake in an unknown session', { headers: { 'mcp-session-id': 'x' }, body: rpc('initialize') },
      404, /not found/],
    ['a failed handshake', { body: rpc('initialize', { fail: true }) }, 200, /-32602/],
    ['an unknown version', { headers: { ...session, 'mcp-protocol-version': '1999-01-01' }, body: rpc('ping') },
      400, /1999-01-01/],
    ['a handshake under an unknown version', {
      headers: { 'mcp-protocol-version': '1999-01-01' }, body: rpc('initialize', { protocolVersion: '2025-11-25' }),
    }, 400, /1999-01-01/],
    ['a notification under an unknown version',
      { headers: { ...session, 'mcp-protocol-version': '1999-01-01' }, body: note('x') }, 400, /1999-01-01/],
    ['a GET under an unknown version', { method: 'GET', headers: { ...session, 'mcp-protocol-version': '1999-01-01' } },
      400, /1999-01-01/],
    ['a DELETE under an unknown version',
      { method: 'DELETE', headers: { ...session, 'mcp-protocol-version': '1999-01-01' } }, 400, /1999-01-01/],
    ['another version that is served',
      { headers: { ...session, 'mcp-protocol-version': '2025-03-26' }, body: rpc('ping') }, 200, /result/],
    // 2026-07-28 basic/transports/streamable-http#sending-messages: a server sends no requests, so a response from the client is invalid.
    ['an answer of 2026-07-28', { headers: modern('ping').headers ?? {}, body: { jsonrpc: '2.0', id: 5, result: {} } }, 400, /-32600/],
    ['no JSON', { headers: session, body: '{' }, 400, /-32700/],
    ['no JSON-RPC', { headers: session, body: '{"id":3}' }, 400, /"id":3.*-32600/],
    ['nothing', { headers: session, body: '' }, 400, /-32700/],
    ['a batch where there is none', { headers: session, body: [rpc('ping')] }, 400, /no batches/],
    ['a body that is too large', { headers: session, body: rpc('x', { x: 'x'.repeat(1000) }) }, 413, /1000 bytes/],
    ['another content type', { headers: { ...session, 'content-type': 'text/plain' }, body: rpc('ping') },
      415, /application\/json/],
    ['JSON with a charset',
      { headers: { ...session, 'content-type': 'Application/JSON; charset=utf-8' }, body: rpc('ping') }, 200, /result/],
    ['JSON-like', { headers: { ...session, 'content-type': 'application/jsonp' }, body: rpc('ping') }, 415, /./],
    ['nothing that can be answered', { headers: { ...session, accept: 'text/html' }, body: rpc('ping') },
      406, /Accept/],
    ['an answer of any kind', { headers: { ...session, accept: '*/*' }, body: rpc('ping') }, 200, /result/],
    ['another path', { path: '/other', body: rpc('ping') }, 404, /other.*the endpoint is \/mcp/],
    ['a path below', { path: '/mcp/', headers: session, body: rpc('ping') }, 404, /the endpoint is \/mcp/],
    ['a path that begins so', { path: '/mcp2', headers: session, body: rpc('ping') }, 404, /the endpoint is \/mcp/],
    ['another method', { method: 'PUT', headers: session }, 405, /PUT/],
    ['a GET that takes no stream', { method: 'GET', headers: { ...session, accept: 'application/json' } },
      406, /event-stream/],
    ['a GET without a session', { method: 'GET' }, 400, /missing/],
    ['a DELETE of an unknown session', { method: 'DELETE', headers: { 'mcp-session-id': 'x' } }, 404, /not found/],
    ['OPTIONS without CORS', { method: 'OPTIONS' }, 405, /OPTIONS/],
    ['a POST to the stream of HTTP+SSE', { path: '/sse', body: rpc('initialize') }, 405, /allowed: GET/],
    ['the session, still there', { headers: session, body: rpc('ping') }, 200, /result/],
    ['a DELETE', { method: 'DELETE', headers: session }, 204, ''],
    ['the session, gone', { headers: session, body: rpc('ping') }, 404, /not found/],
  ];
  for (const [what, sent, status, says] of cases) {
    const answer = await ask(sent);
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    if (says === '') assert.equal(answer.text, '', what);
    else assert.match(answer.text, says, what);
    if (status === 405) assert.ok(answer.headers.allow, what);
    if (status >= 400) assert.equal(typeof code(answer), 'number', what);
  }
});

test('a failed handshake leaves no session, a good one has an id of 128 bits', async (t) => {
  const { ask, server } = await start(t);
  const failed = await ask({ body: rpc('initialize', { fail: true }) });
  assert.equal(failed.headers['mcp-session-id'], undefined);
  assert.equal(server.peers.size, 0);
  const ids = new Set<unknown>();
  for (let i = 0; i < 10; i++) {
    const { headers } = await ask({ body: rpc('initialize', { protocolVersion: '2025-06-18' }) });
    assert.match(String(headers['mcp-session-id']), /^[0-9a-f]{32}$/);
    ids.add(headers['mcp-session-id']);
  }
  assert.equal(ids.size, 10);
});

test('batches, where the revision has them', async (t) => {
  const { ask, live, open, server } = await start(t);
  const headers = await open('2025-03-26');
  const mixed = await ask({ headers, body: [rpc('ping', {}, 1), note('a'), rpc('later', {}, 2), { id: 3 }] });
  assert.equal(mixed.status, 200);
  assert.deepEqual((JSON.parse(mixed.text) as { id: number }[]).map(({ id }) => id).sort(), [1, 2, 3]);
  const notes = await ask({ headers, body: [note('b'), { jsonrpc: '2.0', id: 9, result: {} }] });
  assert.deepEqual([notes.status, notes.text], [202, '']);
  const answers = await ask({ headers, body: [{ jsonrpc: '2.0', id: 9, result: {} }, { jsonrpc: '2.0', id: 10, error: { code: 1, message: 'no' } }] });
  assert.deepEqual([answers.status, answers.text], [202, '']);
  // A stream stays open until each request of the batch is answered.
  const streamed = live({ headers: { ...headers, accept: 'text/event-stream' }, body: [rpc('ping', {}, 1), rpc('wait', { key: 'b' }, 2)] });
  await server.arrived('b');
  server.waiting.get('b')?.finish();
  const told = (await (await streamed).all()).flatMap(({ data }) => JSON.parse(data) as { id: number }[]);
  assert.deepEqual(told.map(({ id }) => id).sort(), [1, 2]);
  assert.deepEqual(server.notifications, ['a', 'b']);
  assert.equal((await ask({ headers, body: [] })).status, 400);
});

test('an answer becomes a stream when something goes before it, or nothing else is taken', async (t) => {
  const { ask, live, open } = await start(t);
  const headers = await open('2025-06-18');
  const plain = await ask({ headers, body: rpc('steps', { steps: 0 }) });
  assert.equal(plain.headers['content-type'], 'application/json');
  assert.equal(plain.headers['content-length'], String(plain.text.length));
  const streamed = await live({ headers, body: rpc('steps', { steps: 2 }) });
  assert.equal(streamed.headers['content-type'], 'text/event-stream');
  assert.deepEqual((await streamed.all()).map(({ id, data }) => [id, Object.keys(JSON.parse(data) as object)]), [
    ['0-1', ['jsonrpc', 'method', 'params']], ['0-2', ['jsonrpc', 'method', 'params']],
    ['0-3', ['jsonrpc', 'id', 'result']],
  ]);
  // An error ends a stream, like a result.
  const refused = await live({ headers, body: rpc('forbidden', { late: true }) });
  assert.deepEqual((await within('the end of the stream', refused.all())).map(({ data }) => Object.keys(JSON.parse(data) as object)), [
    ['jsonrpc', 'method'], ['jsonrpc', 'id', 'error'],
  ]);
  const wanted = await live({ headers: { ...headers, accept: 'text/event-stream' }, body: rpc('ping') });
  assert.deepEqual((await wanted.all()).map(({ data }) => data), ['{"jsonrpc":"2.0","id":1,"result":{}}']);
  // A client that accepts no stream gets only the response.
  const json = await ask({ headers: { ...headers, accept: 'application/json' }, body: rpc('steps', { steps: 2 }) });
  assert.deepEqual(JSON.parse(json.text), { jsonrpc: '2.0', id: 1, result: { steps: 2 } });
});

test('a cancelled request ends without an answer', async (t) => {
  const { ask, live, open, server } = await start(t);
  const headers = await open();
  const pending = live({ headers, body: rpc('wait', { key: 'c' }, 'c') });
  await server.arrived('c');
  await ask({ headers, body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } } });
  const events = await (await pending).all();
  // Only the first event, with the id for a reconnection, comes.
  assert.deepEqual(events.filter(({ data }) => data !== ''), []);
});

test('a server that has only legacy revisions does not look like a modern one, nor the other way round', async (t) => {
  const old = await start(t, {}, ['2025-06-18']);
  const session = await old.open('2025-06-18');
  const version = { 'mcp-protocol-version': '2026-07-28' };
  const refused = await old.ask({ headers: { ...session, ...version }, body: rpc('ping') });
  assert.deepEqual([refused.status, code(refused)], [400, -32600]);
  assert.equal((await old.ask({ method: 'GET', path: '/sse' })).status, 404);
  const fresh = await start(t, {}, ['2026-07-28']);
  const handshake = await fresh.ask({ body: rpc('initialize', { protocolVersion: '2025-06-18' }) });
  assert.deepEqual([handshake.status, code(handshake)], [400, -32022]);
  // 2026-07-28 basic/versioning: on any transport the server names its versions, for clients that know no newer one.
  assert.deepEqual((JSON.parse(handshake.text) as { error: { data: unknown } }).error.data, { supported: ['2026-07-28'], requested: '2025-06-18' });
  for (const method of ['GET', 'DELETE']) {
    for (const more of [{}, { 'last-event-id': '0-0' }]) {
      const { status, headers } = await fresh.ask({ method, headers: { 'mcp-session-id': 'x', ...more } });
      assert.deepEqual([status, headers.allow], [405, 'POST']);
    }
  }
});

test('the events of one turn are an answer with a length; a stream that outlives its turn has none', async (t) => {
  const { ask, live, open, server } = await start(t);
  const headers = await open();
  const whole = await ask({ headers, body: rpc('steps', { steps: 3 }) });
  assert.equal(Number(whole.headers['content-length']), Buffer.byteLength(whole.text));
  assert.equal(whole.headers['content-type'], 'text/event-stream');
  assert.equal(whole.text.match(/^data: \{/gm)?.length, 4);

  const opened = live({ headers, body: rpc('wait', { key: 'w' }) });
  await server.arrived('w');
  const work = server.waiting.get('w');
  for (const method of ['a', 'b']) work?.inbound.send(JSON.stringify(note(method)));
  const stream = await opened;
  assert.equal(stream.headers['content-length'], undefined);
  // The stream's first event and the two notifications arrive while the request is still running.
  for (const method of [undefined, 'a', 'b']) {
    const { data = '' } = await stream.next() ?? {};
    assert.equal(data === '' ? undefined : (JSON.parse(data) as { method: string }).method, method);
  }
  work?.finish();
  assert.equal((await stream.all()).length, 1);
});

test('an answer that is made at once is one write, and waits for no turn where its connection asks alone', async (t) => {
  const http = createServer(httpListener(fakeServer())).listen(0, '127.0.0.1');
  t.after(() => http.close());
  await once(http, 'listening');
  const client = connect((http.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => client.destroy());
  const [connection] = await once(http, 'connection') as [Socket];
  const writes = t.mock.method(connection, 'write');
  const turns = t.mock.method(globalThis, 'setImmediate');
  const flushes = (): number => turns.mock.calls.filter(({ arguments: [what] }) => what.name === 'flushDue').length;
  const post = async (method: string, params: object, headers: string): Promise<[writes: number, flushes: number, text: string]> => {
    const [before, flushed] = [writes.mock.callCount(), flushes()];
    const body = JSON.stringify(rpc(method, params));
    client.write(`POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    const [chunk] = await once(client, 'data') as [Buffer];
    return [writes.mock.callCount() - before, flushes() - flushed, chunk.toString()];
  };
  // Other connections may have responses in the same turn, so the first response is flushed at the end of the turn.
  const [, first, opened] = await post('initialize', { protocolVersion: '2025-11-25' }, '');
  assert.equal(first, 1);
  const session = `mcp-session-id: ${/mcp-session-id: (\S+)/.exec(opened)?.[1]}\r\n`;
  for (const [method, params, end] of [['echo', { text: 'é' }, /é"\}\}$/], ['steps', { steps: 2 }, /"steps":2\}\}\n\n$/]] as const) {
    const [written, flushed, text] = await post(method, params, session);
    assert.deepEqual([written, flushed], [1, 0], method);
    assert.match(text, /^HTTP\/1.1 200 OK\r\n/);
    assert.match(text, end);
  }
});
