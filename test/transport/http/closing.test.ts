import assert from 'node:assert/strict';
import { Agent, createServer, request } from 'node:http';
import type { ClientRequest, IncomingMessage, Server } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { fetchHandler } from '../../../src/transport/http/fetch/index.ts';
import { httpListener } from '../../../src/transport/http/node/index.ts';
import type { HttpListener } from '../../../src/transport/http/node/index.ts';
import { fakeServer } from './fake-server.ts';
import type { FakeServer } from './fake-server.ts';
import { both, modern, start } from './harness.ts';

/** A POST on the agent's only connection. */
function post(port: number, agent: Agent, method: string, params: object = {}): Promise<IncomingMessage> {
  const { headers, body } = modern(method, params);
  return new Promise((resolve, reject) => {
    const sent = request({
      port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent,
      headers: { 'content-type': 'application/json', accept: both, ...headers },
    }, resolve);
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

/** A listener mounted in an existing HTTP server. */
async function mounted(t: TestContext): Promise<{ server: FakeServer; listener: HttpListener; http: Server; port: number }> {
  const server = fakeServer();
  const listener = httpListener(server);
  const http = createServer(listener);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => http.close());
  const { port } = http.address() as { port: number };
  return { server, listener, http, port };
}

/** A POST of which the server has received the head and the first bytes. `end` sends the rest. */
async function begun(http: Server, port: number): Promise<{ sent: ClientRequest; answer: Promise<IncomingMessage>; end(): void }> {
  const { headers, body } = modern('ping');
  const text = JSON.stringify(body);
  const arrived = new Promise<void>((resolve) => http.once('request', () => resolve()));
  const sent = request({
    port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent: false,
    headers: { 'content-type': 'application/json', accept: both, 'content-length': text.length, ...headers },
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject));
  sent.write(text.slice(0, 10));
  await arrived;
  return { sent, answer, end: () => sent.end(text.slice(10)) };
}

const drained = async (response: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
};

test('while it closes a server serves what comes over open connections, and asks to come elsewhere', async (t) => {
  const { http, live, open, server } = await start(t);
  const busy = new Agent({ keepAlive: true });
  const idle = new Agent({ keepAlive: true });
  t.after(() => [busy, idle].forEach((agent) => agent.destroy()));
  for (const agent of [idle, busy]) {
    const first = await post(http.port, agent, 'ping');
    await drained(first);
    assert.equal(first.headers.connection, 'keep-alive');
  }
  const headers = await open();
  const listening = await live({ method: 'GET', headers });
  const subscription = await live(modern('subscriptions/listen'));
  await subscription.next();
  const work = post(http.port, busy, 'wait', { key: 'w' });
  await server.arrived('w');

  const closed = http.close({ drainMs: 60_000 });
  // Listening clients can reconnect elsewhere at once: their connections end with their streams.
  await Promise.all([listening.closed, subscription.closed]);
  const late = await post(http.port, idle, 'ping');
  assert.deepEqual([late.statusCode, late.headers.connection], [200, 'close']);
  assert.match(await drained(late), /"result"/);
  server.waiting.get('w')?.finish();
  assert.match(await drained(await work), /"done":true/);
  await closed;
  await assert.rejects(post(http.port, new Agent(), 'ping'), /ECONNREFUSED/);
});

test('a listener in somebody\'s own server can be closed: it drains, and then refuses', async (t) => {
  const { server, listener, http, port } = await mounted(t);
  const agent = new Agent();
  const work = post(port, agent, 'wait', { key: 'w' });
  await server.arrived('w');
  const closed = listener.close({ drainMs: 60_000 });
  const meanwhile = await post(port, agent, 'ping');
  assert.equal(meanwhile.statusCode, 200);
  await drained(meanwhile);
  server.waiting.get('w')?.finish();
  assert.equal((await work).statusCode, 200);
  await closed;
  const refused = await post(port, agent, 'ping');
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '1']);
  assert.match(await drained(refused), /closing/);
});

test('a request whose body comes after the end is refused', async (t) => {
  const { listener, http, port } = await mounted(t);
  const late = await begun(http, port);
  await listener.close({ drainMs: 0 });
  late.end();
  const answer = await late.answer;
  assert.equal(answer.statusCode, 503);
  assert.match(await drained(answer), /closing/);
});

test('a request whose body is still coming while the server closes is served: the time to drain is for it too', async (t) => {
  const { server, listener, http, port } = await mounted(t);
  const work = post(port, new Agent(), 'wait', { key: 'w' });
  await server.arrived('w');
  const closed = listener.close({ drainMs: 60_000 });
  const late = await begun(http, port);
  // The requests in flight end first.
  server.waiting.get('w')?.finish();
  await drained(await work);
  late.end();
  const answer = await late.answer;
  assert.equal(answer.statusCode, 200);
  await drained(answer);
  await closed;
});

test('a client that leaves before the end of its body does not hold a server that closes', async (t) => {
  const { server, listener, http, port } = await mounted(t);
  const work = post(port, new Agent(), 'wait', { key: 'w' });
  await server.arrived('w');
  const closed = listener.close({ drainMs: 60_000 });
  const { sent, answer } = await begun(http, port);
  answer.catch(() => {});
  sent.destroy();
  server.waiting.get('w')?.finish();
  await drained(await work);
  await closed;
});

test('fetch: a body that comes, and credentials that are checked, after the server began to close', async () => {
  const { headers, body } = modern('ping');
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  for (const slow of ['body', 'auth']) {
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const handle = fetchHandler(fakeServer(), {
      auth: async () => {
        if (slow === 'auth') await gate;
        return { principal: 'a' };
      },
    });
    const stream = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(bytes.subarray(0, 5));
        if (slow === 'body') await gate;
        controller.enqueue(bytes.subarray(5));
        controller.close();
      },
    });
    const init = {
      method: 'POST', headers: { 'content-type': 'application/json', accept: both, ...headers }, body: stream, duplex: 'half' as const,
    };
    const answer = handle(new Request('http://localhost/mcp', init));
    await new Promise((resolve) => setImmediate(resolve));
    const closed = handle.close({ drainMs: 60_000 });
    go();
    assert.equal((await answer).status, 200, slow);
    await closed;
  }
});

test('a stream that has ended leaves its connection to the next request', async (t) => {
  const { http, server } = await start(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const ports = new Set<number | undefined>();
  for (let round = 0; round < 3; round++) {
    const streaming = post(http.port, agent, 'wait', { key: `w${round}` });
    await server.arrived(`w${round}`);
    const waiting = server.waiting.get(`w${round}`);
    waiting?.inbound.send('{"jsonrpc":"2.0","method":"notifications/message"}');
    const response = await streaming;
    assert.equal(response.headers['content-type'], 'text/event-stream');
    ports.add(response.socket.localPort);
    waiting?.finish();
    assert.match(await drained(response), /"done":true/);
    // The connection would have been closed at the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(ports.size, 1);
});
