import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { ConnectionError } from '../../../src/jsonrpc/errors.ts';
import { HttpError } from '../../../src/transport/http/http-error.ts';
import { client, json, notice, result, serve, stream, test } from './harness.ts';
import type { Scripted, Told } from './harness.ts';

interface Old extends Scripted {
  readonly get: { stream: ServerResponse | undefined };
}

/** A server of 2024-11-05: GET opens the stream with the endpoint and the answers; a POST to another path gets `status`. */
async function oldServer(
  t: TestContext,
  status: number = 405,
  first: string = 'event: endpoint\ndata: /messages?s=1\n\n',
): Promise<Old> {
  const get: Old['get'] = { stream: undefined };
  const scripted = await serve(t, (call, response) => {
    if (call.method === 'GET') {
      get.stream = stream(response);
      get.stream.write(first);
    } else if (call.path === '/messages?s=1') {
      response.writeHead(202).end('Accepted');
      if (call.body.id !== undefined) get.stream?.write(`event: message\ndata: ${result(call.body.id)}\n\n`);
    } else response.writeHead(status).end();
  });
  return { ...scripted, get };
}

for (const status of [400, 404, 405]) {
  test(`initialize refused with ${status}: HTTP+SSE is found and spoken`, async (t) => {
    const server = await oldServer(t, status);
    const it = await client(t, server.url);
    await it.handshake('2025-03-26');
    assert.equal((await it.request(1)).kind, 'message');
    server.get.stream?.write(`data: ${notice(1)}\n\n`);
    assert.equal((await it.next()).kind, 'message');
    assert.deepEqual(server.calls.slice(0, 5).map(({ method, path, body }) => `${method} ${path} ${body.method}`), [
      'POST /mcp initialize', 'GET /mcp undefined', 'POST /messages?s=1 initialize',
      'POST /messages?s=1 notifications/initialized', 'POST /messages?s=1 tools/list',
    ]);
    await it.transport.close();
    assert.equal(server.calls.length, 5);
    assert.deepEqual(it.untaken, []);
  });
}

test('2024-11-05 alone begins with the stream of HTTP+SSE', async (t) => {
  const server = await oldServer(t);
  const it = await client(t, server.url);
  await it.handshake('2024-11-05');
  assert.equal((await it.request(1)).kind, 'message');
  assert.deepEqual(server.calls.map(({ method, path, body }) => `${method} ${path} ${body.method}`), [
    'GET /mcp undefined', 'POST /messages?s=1 initialize', 'POST /messages?s=1 notifications/initialized',
    'POST /messages?s=1 tools/list',
  ]);
});

for (const opening of ['server/discover', 'initialize']) {
  test(`${opening} answered with the stream of HTTP+SSE: it is kept, and spoken`, async (t) => {
    for (const cut of [1, 7, 1000]) {
      const streams: ServerResponse[] = [];
      // As in @mastra/mcp: every request to this path opens the stream, and only one stream fits.
      const server = await serve(t, (call, response) => {
        if (call.path === '/messages?s=1') {
          response.writeHead(202).end();
          if (call.body.id !== undefined) streams[0]?.write(`event: message\ndata: ${result(call.body.id)}\n\n`);
          return;
        }
        streams.push(stream(response));
        const text = ': hello\nevent: endpoint\ndata: /messages?s=1\n\n';
        for (let at = 0; at < text.length; at += cut) response.write(text.slice(at, at + cut));
      });
      const it = await client(t, server.url);
      if (opening === 'server/discover') {
        const told = await it.request(7, opening);
        assert.ok(told.kind === 'failed' && told.error instanceof HttpError && told.error.status === 200);
      }
      await it.handshake('2025-11-25');
      assert.equal((await it.request(1)).kind, 'message');
      streams[0]?.write(`data: ${notice(1)}\n\n`);
      assert.equal((await it.next()).kind, 'message');
      assert.equal(streams.length, 1);
      streams[0]?.end();
      assert.equal((await it.next()).kind, 'closed');
    }
  });
}

test('a stream that begins with no endpoint answers initialize, however long its first event takes', async (t) => {
  const first = [`data: ${'x'.repeat(20_000)}\n\n`, ': a comment\n\n', 'id: 1\ndata:\n\n', `:${' '.repeat(9000)}\n`, 'event: other\ndata: /messages\n\n'];
  for (const text of first) {
    const server = await serve(t, (call, response) => {
      if (call.body.id === undefined) return void response.writeHead(202).end();
      const answer = stream(response);
      answer.write(text);
      answer.end(`event: endpoint\ndata: /messages\n\ndata: ${result(call.body.id)}\n\n`);
    });
    const it = await client(t, server.url);
    for (let told = await it.request(0, 'initialize'); told.kind !== 'message'; told = await it.next()) assert.equal(told.kind, 'error');
    assert.equal(server.calls.length, 1);
  }
});

test('a newer revision over HTTP+SSE opens no second GET stream', async (t) => {
  const server = await oldServer(t);
  const it = await client(t, server.url);
  await it.handshake('2025-06-18');
  await it.request(1);
  await it.request(2);
  assert.equal(server.calls.filter(({ method }) => method === 'GET').length, 1);
  assert.equal(server.calls.at(-1)?.headers['mcp-protocol-version'], '2025-06-18');
});

test('the end of the stream is the end of the connection', async (t) => {
  const server = await oldServer(t);
  const it = await client(t, server.url);
  await it.handshake('2024-11-05');
  server.get.stream?.end();
  assert.equal((await it.next()).kind, 'closed');
});

test('maxNoiseBytes: a stream of HTTP+SSE that carries no message is given up by name', async (t) => {
  const server = await oldServer(t);
  const it = await client(t, server.url, { limits: { maxNoiseBytes: 10_000 } });
  await it.handshake('2024-11-05');
  // A message resets the count, so noise before and after it may together exceed the limit.
  const half = 'event: message\ndata: no message\n\n'.repeat(40);
  server.get.stream?.write(`${half}data: ${notice(1)}\n\n${half}`);
  const next = async (): Promise<Told> => {
    const told = await it.next();
    return told.kind === 'error' ? next() : told;
  };
  assert.equal((await next()).kind, 'message');
  server.get.stream?.write(`data: ${notice(2)}\n\n`);
  assert.equal((await next()).kind, 'message');
  server.get.stream?.write(half + half + half);
  const last = await next();
  assert.ok(last.kind === 'closed');
  assert.match(last.why, /^the stream was closed: it sent 10000 bytes without a message$/);
});

test('a message that is refused there fails, and the stream goes on', async (t) => {
  let get: ServerResponse | undefined;
  const server = await serve(t, (call, response) => {
    if (call.method === 'GET') (get = stream(response)).write('event: endpoint\ndata: m\n\n');
    else if (call.path !== '/m' || call.body.id === 1) response.writeHead(404).end('no');
    else response.writeHead(202).end(void get?.write(`data: ${result(call.body.id)}\n\n`));
  });
  const it = await client(t, server.url);
  assert.equal((await it.request(0, 'initialize')).kind, 'message');
  const told = await it.request(1);
  assert.ok(told.kind === 'failed' && told.error instanceof HttpError && told.error.status === 404);
  assert.equal((await it.request(2)).kind, 'message');
});

test('an endpoint on another origin is refused by name, and nothing is sent there', async (t) => {
  let stray = 0;
  const other = await serve(t, (call, response) => void (stray++, response.end()));
  for (const endpoint of [other.url, '//127.0.0.2/messages', 'data:,x']) {
    const server = await oldServer(t, 405, `event: endpoint\ndata: ${endpoint}\n\n`);
    const it = await client(t, server.url);
    const told = await it.request(1, 'initialize');
    assert.ok(told.kind === 'failed' && told.error instanceof ConnectionError, endpoint);
    assert.match(told.error.message, /another origin/);
  }
  assert.equal(stray, 0);
});

test('what is no HTTP+SSE server leaves the first refusal as it was', async (t) => {
  for (const first of ['data: {}\n\n', 'event: endpoint\ndata: http://[\n\n']) {
    const server = await oldServer(t, 404, first);
    const it = await client(t, server.url);
    const told = await it.request(1, 'initialize');
    assert.ok(told.kind === 'failed' && told.error instanceof HttpError && told.error.status === 404, first);
    // Nothing was posted to the invalid endpoint.
    assert.deepEqual(server.calls.map(({ path }) => path), ['/mcp', '/mcp'], first);
  }
  const refusing = await serve(t, (call, response) => void response.writeHead(call.method === 'GET' ? 406 : 405).end());
  const told = await (await client(t, refusing.url)).request(1, 'initialize');
  assert.ok(told.kind === 'failed' && told.error instanceof HttpError && told.error.status === 405);
});

test('a stream that ends before it names an endpoint is left at once', async (t) => {
  const server = await serve(t, (call, response) => void (call.method === 'GET' ? stream(response).end(': hello\n\n') : response.writeHead(404).end()));
  // In the harness, a wait of this length never ends.
  const told = await (await client(t, server.url, { limits: { endpointMs: 2_000_000 } })).request(1, 'initialize');
  assert.ok(told.kind === 'failed' && told.error instanceof HttpError && told.error.status === 404);
});

test('a stream that names no endpoint in time is left', async (t) => {
  const server = await oldServer(t, 404, ': hello\n\n');
  const it = await client(t, server.url, { limits: { endpointMs: 10 } });
  const told = await it.request(1, 'initialize');
  assert.ok(told.kind === 'failed' && told.error instanceof HttpError && told.error.status === 404);
  assert.deepEqual(it.waits, [10]);
});

test('other refusals, a modern server\'s among them, look for nothing', async (t) => {
  const body = (code: number): string => JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message: 'no' } });
  for (const [status, code] of [[400, -32022], [400, -32021], [400, -32020], [404, -32601], [500, 0], [401, 0]] as const) {
    const server = await serve(t, (call, response) => json(response, code === 0 ? 'x' : body(code), status));
    const it = await client(t, server.url);
    const told = await it.request(1, 'initialize');
    assert.equal(told.kind, code === 0 ? 'failed' : 'message');
    assert.equal(server.calls.length, 1);
  }
});

test('a legacy server\'s refusal is handed on once nothing older is found', async (t) => {
  const server = await serve(t, (call, response) => json(
    response, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}', 400,
  ));
  const it = await client(t, server.url);
  const told = await it.request(1, 'initialize');
  assert.ok(told.kind === 'message' && told.decoded.kind === 'failure' && told.decoded.message.id === 1);
  assert.equal(server.calls.length, 2);
});

test('reopen leaves the old stream and begins with the new transport again', async (t) => {
  const server = await oldServer(t);
  const it = await client(t, server.url);
  await it.handshake('2024-11-05');
  await it.request(1);
  const gone = new Promise<void>((resolve) => server.get.stream?.on('close', resolve));
  await it.transport.reopen?.();
  await gone;
  await it.request(2, 'initialize');
  assert.deepEqual(server.calls.slice(-3).map(({ method, path }) => `${method} ${path}`), [
    'POST /mcp', 'GET /mcp', 'POST /messages?s=1',
  ]);
  assert.deepEqual(it.untaken, []);
});
