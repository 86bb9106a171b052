import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../../src/transport/http/fetch/handler.ts';
import { fakeServer } from './fake-server.ts';
import { both, modern, rpc } from './harness.ts';
import type { Sent } from './harness.ts';

const origin = 'http://localhost:1';

function ask(handle: (request: Request) => Promise<Response>, sent: Sent, signal?: AbortSignal): Promise<Response> {
  const { method = 'POST', path = '/mcp', headers = {}, body } = sent;
  return handle(new Request(origin + path, {
    method,
    headers: { accept: both, ...(method === 'POST' && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }));
}

test('the same logic answers web requests: sessions, streams, resumption', async () => {
  const server = fakeServer();
  const handle = fetchHandler(server);
  const opened = await ask(handle, { body: rpc('initialize', { protocolVersion: '2025-11-25' }) });
  assert.equal(opened.status, 200);
  const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  assert.equal(
    await (await ask(handle, { headers, body: rpc('ping') })).text(),
    '{"jsonrpc":"2.0","id":1,"result":{}}',
  );
  const accepted = await ask(handle, { headers, body: { jsonrpc: '2.0', method: 'x' } });
  assert.deepEqual([accepted.status, await accepted.text()], [202, '']);
  const [whole, streamed] = [await ask(handle, { headers, body: rpc('ping') }), await ask(handle, { headers, body: rpc('steps', { steps: 2 }) })];
  assert.deepEqual([whole, streamed].map((answer) => answer.headers.get('content-type')), ['application/json', 'text/event-stream']);
  assert.equal(streamed.headers.get('x-accel-buffering'), 'no');
  const steps = await streamed.text();
  assert.equal(steps.match(/^id: 0-\d$/gm)?.join(), 'id: 0-0,id: 0-1,id: 0-2,id: 0-3');
  const resumed = await ask(handle, { method: 'GET', headers: { ...headers, 'last-event-id': '0-2' } });
  assert.equal(await resumed.text(), 'id: 0-3\ndata: {"jsonrpc":"2.0","id":1,"result":{"steps":2}}\n\n');
  assert.equal((await ask(handle, { method: 'DELETE', headers })).status, 204);
  assert.equal((await ask(handle, { headers, body: rpc('ping') })).status, 404);
  assert.equal((await ask(handle, modern('ping'))).status, 200);
  assert.equal((await ask(handle, modern('nope'))).status, 404);
  assert.equal((await handle(new Request('http://evil.example/mcp'))).status, 403);
});

test('leaving a stream, or a request that is not answered, cancels in the modern era', async () => {
  const server = fakeServer();
  const handle = fetchHandler(server);
  const response = await ask(handle, modern('subscriptions/listen'));
  const reader = response.body?.getReader();
  await reader?.read();
  const [subscription] = server.subscriptions;
  await reader?.cancel();
  assert.equal(subscription?.signal.aborted, true);

  const controller = new AbortController();
  const pending = ask(handle, modern('wait', { key: 'w' }), controller.signal);
  await server.arrived('w');
  controller.abort();
  assert.equal(server.waiting.get('w')?.inbound.signal.aborted, true);
  void pending;

  // A client that leaves before the server begins also cancels the request.
  const early = new AbortController();
  const hasty = fetchHandler(Object.assign(Object.create(server) as typeof server, {
    serveRequest(...given: Parameters<typeof server.serveRequest>) {
      early.abort();
      return server.serveRequest(...given);
    },
  }));
  server.subscriptions.clear();
  void ask(hasty, modern('subscriptions/listen'), early.signal);
  while (server.subscriptions.size === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([...server.subscriptions].map(({ signal }) => signal.aborted), [true]);
});

test('bodies are bounded, and may be broken', async () => {
  const handle = fetchHandler(fakeServer(), { limits: { maxBodyBytes: 200 } });
  const chunked = (size: number) => new ReadableStream<Uint8Array>({
    start(controller) {
      for (let i = 0; i < size; i++) controller.enqueue(new Uint8Array([0x20]));
      controller.close();
    },
  });
  const send = (body: ReadableStream) => handle(new Request(`${origin}/mcp`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half',
  } as RequestInit));
  assert.equal((await send(chunked(200))).status, 400);
  assert.equal((await send(chunked(201))).status, 413);
  const broken = new ReadableStream({
    start: (controller) => controller.error(new Error('gone')),
  });
  assert.equal((await send(broken)).status, 400);
  assert.equal((await ask(handle, { body: 'x'.repeat(201) })).status, 413);
});

test('a slow reader of a web stream is cut off', async () => {
  const errors: Error[] = [];
  const server = fakeServer();
  const handle = fetchHandler(server, { limits: { maxBufferedBytes: 1000 }, onError: (error) => errors.push(error) });
  const response = await ask(handle, modern('subscriptions/listen'));
  const [subscription] = server.subscriptions;
  for (let i = 0; i < 30; i++) subscription?.send(JSON.stringify('x'.repeat(100)));
  assert.equal(subscription?.signal.aborted, true);
  assert.match(errors[0]?.message ?? '', /too slow/);
  await assert.rejects(response.text(), /broken off/);
});

test('an answer of 64 Ki characters is handed over in parts, which may be cut; a shorter one is whole', async () => {
  const errors: string[] = [];
  const handle = fetchHandler(fakeServer(), { limits: { maxUnreadBytes: 1000 }, onError: ({ message }) => errors.push(message) });
  const around = (await (await ask(handle, modern('big', { size: 0 }))).text()).length;
  const size = 64 * 1024 - around;
  assert.equal((await (await ask(handle, modern('big', { size: size - 1 }))).text()).length, 64 * 1024 - 1);
  assert.deepEqual(errors, []);
  const long = await ask(handle, modern('big', { size }));
  await assert.rejects(long.text(), /broken off/);
  assert.deepEqual(errors, ['a response was cut off: its reader is too slow, 65536 bytes were waiting']);
});

test('a request whose client has left before it is handled is cancelled, though its body is there', async () => {
  const server = fakeServer();
  const handle = fetchHandler(server);
  const { headers = {}, body } = modern('subscriptions/listen');
  const controller = new AbortController();
  controller.abort();
  void handle(new Request(`${origin}/mcp`, {
    method: 'POST', headers: { accept: both, 'content-type': 'application/json', ...headers }, signal: controller.signal,
  }), { body });
  assert.deepEqual([...server.subscriptions].map(({ signal }) => signal.aborted), [true]);
  await handle.close({ drainMs: 0 });
});

test('a client that leaves while the store looks for what it missed is no fault, and its session can lapse', async () => {
  const errors: Error[] = [];
  const controller = new AbortController();
  const handle = fetchHandler(fakeServer(), {
    limits: { maxSessions: 1 },
    onError: (error) => errors.push(error),
    eventStore: {
      append() {},
      async after() {
        controller.abort();
        return [];
      },
      drop() {},
    },
  });
  const open = (): Promise<Response> => ask(handle, { body: rpc('initialize', { protocolVersion: '2025-11-25' }) });
  const session = (await open()).headers.get('mcp-session-id') ?? '';
  const headers = { 'mcp-session-id': session, 'last-event-id': '0-1' };
  await ask(handle, { method: 'GET', headers }, controller.signal);
  await new Promise(setImmediate);
  assert.deepEqual(errors, []);
  // A session with a connected client would not make room.
  assert.equal((await open()).status, 200);
  await handle.close({ drainMs: 0 });
});

test('closing ends what is open', async () => {
  const server = fakeServer();
  const handle = fetchHandler(server);
  const response = await ask(handle, modern('subscriptions/listen'));
  const text = response.text();
  await handle.close({ drainMs: 1000 });
  assert.match(await text, /"result":\{\}/);
  assert.equal((await ask(handle, modern('ping'))).status, 503);
});
