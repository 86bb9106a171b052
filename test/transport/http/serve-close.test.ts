// How serveHttp closes while connections are open, with a stopped clock.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { httpServerTrace } from '../../../src/transport/http/server/http-server-trace.ts';
import type { HttpServer, ServeHttpOptions } from '../../../src/transport/http/node/index.ts';
import { fakeServer } from './fake-server.ts';
import { both, modern } from './harness.ts';
import type { Sent } from './harness.ts';
import { serveHttp } from './engine.ts';

async function begin(t: TestContext, options: ServeHttpOptions = {}): Promise<{ http: HttpServer; dial(): Promise<Socket> }> {
  const http = await serveHttp(fakeServer(), options);
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return {
    http,
    async dial() {
      const socket = connect(http.port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    },
  };
}

function post({ headers = {}, body }: Sent): string {
  const text = JSON.stringify(body);
  const fields = { host: 'localhost', 'content-type': 'application/json', accept: both, 'content-length': Buffer.byteLength(text), ...headers };
  return `POST /mcp HTTP/1.1\r\n${Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`;
}

/** Reads until the text contains `what`. */
async function until(socket: Socket, what: string): Promise<string> {
  let text = '';
  while (!text.includes(what)) text += String((await once(socket, 'data'))[0]);
  return text;
}

/** Stops `setTimeout` only. */
const stopClock = (t: TestContext): void => t.mock.timers.enable({ apis: ['setTimeout'] });

/** Runs everything that waits for no timer, and gives sockets some turns. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
}

test('closing with no connection waits for nothing', async (t) => {
  const { http } = await begin(t);
  stopClock(t);
  await http.close();
});

test('a connection that was never asked anything is ended once the time in which it may be is over', async (t) => {
  const { http, dial } = await begin(t);
  const socket = await dial();
  // The answer to this ping shows that the server has accepted both connections.
  const other = await dial();
  other.write(post(modern('ping')));
  await until(other, '"result"');
  stopClock(t);
  let over = false;
  const closed = http.close().then(() => (over = true));
  await settled();
  assert.equal(over, false);
  t.mock.timers.tick(99);
  await settled();
  assert.equal(over, false);
  const gone = once(socket.resume(), 'close');
  t.mock.timers.tick(1);
  await Promise.all([gone, closed]);
});

test('a connection that has gone is not waited for', async (t) => {
  const { http, dial } = await begin(t);
  const socket = await dial();
  socket.write(post(modern('ping')));
  await until(socket, '"result"');
  socket.resume().end();
  await once(socket, 'close');
  await settled();
  stopClock(t);
  await http.close();
});

test('within that time a request is served, and its connection ended', async (t) => {
  const { http, dial } = await begin(t);
  const socket = await dial();
  socket.write(post(modern('ping')));
  assert.match(await until(socket, '"result"'), /connection: keep-alive/i);
  stopClock(t);
  const closed = http.close();
  socket.write(post(modern('ping')));
  assert.match(await until(socket, '"result"'), /connection: close/i);
  t.mock.timers.tick(100);
  await closed;
});

test('the answer to a request that came before the end closes its connection, so that the next request goes elsewhere', async (t) => {
  const server = fakeServer();
  const http = await serveHttp(server);
  const socket = connect(http.port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write(post(modern('wait', { key: 'slow' })));
  await server.arrived('slow');
  const answered = until(socket, '"done":true');
  const closed = http.close();
  await settled();
  server.waiting.get('slow')?.finish();
  assert.match(await answered, /\r\nconnection: close\r\n/i);
  await closed;
});

test('an answer that is still on its way is waited for, and then its connection is idle', async (t) => {
  const { http, dial } = await begin(t);
  const socket = await dial();
  socket.pause();
  const size = 20_000_000;
  socket.write(post(modern('big', { size })));
  await once(socket, 'readable');
  stopClock(t);
  let over = false;
  const closed = http.close({ drainMs: 0 }).then(() => (over = true));
  await settled();
  assert.equal(over, false);
  let length = 0;
  socket.on('data', (chunk: Buffer) => (length += chunk.length)).resume();
  await Promise.all([closed, once(socket, 'end')]);
  assert.ok(length > size, String(length));
});

test('a client that reads no more is cut off after a second', async (t) => {
  const { http, dial } = await begin(t);
  const socket = await dial();
  socket.pause();
  socket.write(post(modern('big', { size: 20_000_000 })));
  await once(socket, 'readable');
  stopClock(t);
  const closed = http.close({ drainMs: 0 });
  await settled();
  t.mock.timers.tick(1000);
  await closed;
});

test('a port that is taken is told', async (t) => {
  const { http } = await begin(t);
  t.after(() => http.close({ drainMs: 0 }));
  await assert.rejects(serveHttp(fakeServer(), { port: http.port }), { code: 'EADDRINUSE' });
});

test('what was read is not waiting any more, however much it was', async (t) => {
  const errors: Error[] = [];
  const { http, dial } = await begin(t, { limits: { maxUnreadBytes: 9_000_000 }, onError: (error) => errors.push(error) });
  t.after(() => http.close({ drainMs: 0 }));
  const socket = await dial();
  for (let i = 0; i < 4; i++) {
    // More than the system buffers at once.
    socket.write(post(modern('big', { size: 8_000_000 })));
    let length = 0;
    while (length < 8_000_000) length += (await once(socket, 'data') as [Buffer])[0].length;
  }
  assert.deepEqual(errors, []);
  assert.equal(socket.destroyed, false);
});

test('a body that is over the limit is refused once, though its end comes too', async (t) => {
  const seen: string[] = [];
  const { http, dial } = await begin(t, {
    limits: { maxBodyBytes: 100 },
    trace: httpServerTrace((entry) => void seen.push(`${entry.direction} ${entry.kind === 'http' ? `${entry.method} ${entry.status ?? ''}` : 'text' in entry ? entry.text.slice(0, 60) : ''}`)),
  });
  t.after(() => http.close({ drainMs: 0 }));
  const socket = await dial();
  const chunk = `65\r\n${'x'.repeat(0x65)}\r\n`;
  socket.end(`POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`);
  let text = '';
  for await (const part of socket) text += String(part);
  assert.match(text, /^HTTP\/1.1 413 /);
  assert.equal(text.match(/HTTP\/1.1/g)?.length, 1);
  assert.deepEqual(seen, ['received POST ', 'sent POST 413', 'sent {"jsonrpc":"2.0","error":{"code":-32600,"message":"Content t']);
});
