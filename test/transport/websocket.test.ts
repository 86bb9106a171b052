import assert from 'node:assert/strict';
import test from 'node:test';
import { McpServer } from '../../src/server/index.ts';
import { socketWithEvents, webSocketHandler } from '../../src/transport/websocket/index.ts';
import type { AllowedUpgrade, WebSocketHandler } from '../../src/transport/websocket/index.ts';

/** The refusal of an upgrade when no place is free. */
const noRoom = '503 Too many sessions are open, and all are busy';

// The handler's checks before there is a socket. Sockets of `ws` and of other runtimes: npm run websocket.

/** The upgrade of a principal: allowed, or the status and message of the refusal. */
async function upgrade(handler: WebSocketHandler, principal: string): Promise<AllowedUpgrade | string> {
  const judged = await handler.upgrade({ url: '/mcp', headers: { host: 'localhost', authorization: principal, 'sec-websocket-protocol': 'x, mcp' } });
  return judged.allowed ? judged : `${judged.status} ${(JSON.parse(judged.body) as { error: { message: string } }).error.message}`;
}

test('websocket: one principal takes no more than maxConnectionsPerPrincipal places, and others still get theirs', async () => {
  const handler = webSocketHandler(new McpServer({ name: 'sockets', version: '1' }), {
    limits: { maxConnections: 3, maxConnectionsPerPrincipal: 2 }, auth: ({ header }) => ({ principal: header('authorization') ?? '' }),
  });
  const [one, two] = [await upgrade(handler, 'ann'), await upgrade(handler, 'ann')];
  assert.ok(typeof one === 'object' && typeof two === 'object');
  assert.equal(one.protocol, 'mcp');
  assert.equal(await upgrade(handler, 'ann'), noRoom);
  assert.equal(typeof await upgrade(handler, 'bob'), 'object');
  // All places are taken. Releasing a place twice counts once.
  assert.equal(await upgrade(handler, 'cyd'), noRoom);
  one.cancel();
  one.cancel();
  assert.equal(typeof await upgrade(handler, 'ann'), 'object');
  assert.equal(await upgrade(handler, 'ann'), noRoom);
  await handler.close({ drainMs: 0 });
  // A place is free again, so only the closing can refuse.
  two.cancel();
  for (const principal of ['ann', 'bob', 'cyd']) assert.equal(await upgrade(handler, principal), '503 The server is closing');
});

test('websocket: an upgrade whose credentials are still looked at when the server closes is refused as well', async () => {
  let admit = (): void => {};
  const handler = webSocketHandler(new McpServer({ name: 'sockets', version: '1' }), {
    auth: () => new Promise((resolve) => (admit = () => resolve({ principal: 'ann' }))),
  });
  const judged = upgrade(handler, 'ann');
  await handler.close({ drainMs: 0 });
  admit();
  assert.equal(await judged, '503 The server is closing');
});

// 2026-07-28 basic/patterns/cancellation, basic/patterns/subscriptions#graceful-closure.
test('websocket: a handler that closes cancels each subscription by its id, and answers it', async () => {
  const server = new McpServer({ name: 'sockets', version: '1' });
  server.tool('a', {}, () => '');
  const handler = webSocketHandler(server);
  const judged = await upgrade(handler, 'ann');
  assert.ok(typeof judged === 'object');
  const sent: { id?: unknown; method?: string; params?: { requestId?: unknown } }[] = [];
  const events = new EventTarget();
  judged.serve({
    readyState: 1, bufferedAmount: 0, send: (text) => void sent.push(JSON.parse(text) as typeof sent[0]),
    close: () => void events.dispatchEvent(new Event('close')),
    addEventListener: (type, listener) => events.addEventListener(type, listener),
    removeEventListener: (type, listener) => events.removeEventListener(type, listener),
  });
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { notifications: { toolsListChanged: true }, _meta };
  for (const id of ['x', 'y']) {
    const data = JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params });
    events.dispatchEvent(Object.assign(new Event('message'), { data }));
  }
  await handler.close();
  const acknowledged = 'notifications/subscriptions/acknowledged';
  assert.deepEqual(sent.map(({ id, method, params: said }) => [method ?? 'answer', id ?? said?.requestId]), [
    [acknowledged, undefined], [acknowledged, undefined], ['notifications/cancelled', 'x'], ['notifications/cancelled', 'y'], ['answer', 'x'], ['answer', 'y'],
  ]);
});

test('websocket: a socket with callbacks becomes one with events, and both directions pass through it', () => {
  const done: unknown[] = [];
  const raw = {
    readyState: 1, send: (text: string) => done.push(['send', text]), close: (code?: number, reason?: string) => done.push(['close', code, reason]),
    getBufferedAmount: () => 12,
  };
  const { socket, message, closed } = socketWithEvents(raw);
  const listener = (event: object): void => void done.push({ ...event });
  const other = (event: object): void => void done.push(['other', { ...event }]);
  for (const type of ['message', 'close'] as const) socket.addEventListener(type, listener);
  socket.addEventListener('message', other);
  message('{}');
  message(new Uint8Array(1));
  closed(1001, 'gone');
  // RFC 6455, 7.1.5: 1005 stands for a close without a code.
  closed();
  socket.removeEventListener('message', listener);
  socket.removeEventListener('message', () => {});
  message('last');
  socket.send('text');
  socket.close(1000, 'done');
  assert.deepEqual(done, [
    { type: 'message', data: '{}' }, ['other', { type: 'message', data: '{}' }], { type: 'message', data: new Uint8Array(1) }, ['other', { type: 'message', data: new Uint8Array(1) }],
    { type: 'close', code: 1001, reason: 'gone' }, { type: 'close', code: 1005, reason: '' },
    ['other', { type: 'message', data: 'last' }], ['send', 'text'], ['close', 1000, 'done'],
  ]);
  assert.deepEqual([socket.readyState, socket.bufferedAmount], [1, 12]);
  raw.readyState = 3;
  assert.equal(socket.readyState, 3);
  assert.equal(socketWithEvents({ readyState: 1, send: raw.send, close: raw.close }).socket.bufferedAmount, undefined);
});
