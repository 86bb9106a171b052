import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { pinging } from '../../src/protocol/index.ts';
import type { Pinging } from '../../src/client/index.ts';
import { decode } from '../../src/jsonrpc/message.ts';
import { Connection } from '../../src/jsonrpc/connection.ts';
import { ConnectionError } from '../../src/jsonrpc/errors.ts';
import { McpServer } from '../../src/server/index.ts';
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { serveMessagePort } from '../../src/transport/message-port.ts';
import { serveStdio, stdioTransport } from '../../src/transport/stdio/index.ts';
import { Scripted } from '../client/scripted.ts';
import type { Sent } from '../client/scripted.ts';
import { mockClock } from '../mock-clock.ts';
import { within } from '../within.ts';

// 2025-11-25 basic/utilities/ping: a silent peer is pinged, and a peer that does not answer is gone.

const legacy = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
const soon = { intervalMs: 5, timeoutMs: 20 };
const says = /the other side has not answered a ping within 20 ms/;

/** Keeps the process alive, because the timers of `pinging` do not. */
function stay(t: TestContext): void {
  const timer = setInterval(() => {}, 1000);
  t.after(() => clearInterval(timer));
}

/** A server that answers the handshake, and other messages by `more`. */
function scripted(revision: string, more: (sent: Sent) => object | undefined): Scripted {
  return new Scripted('pipe', (sent) => sent.method === 'initialize'
    ? { protocolVersion: revision, capabilities: { tools: {} }, serverInfo: { name: 'silent', version: '1' } }
    : more(sent));
}

for (const revision of legacy) {
  test(`${revision}: a client pings a silent server, and leaves one that does not answer`, async (t) => {
    stay(t);
    let pings = 0;
    const transport = scripted(revision, ({ method }) => (method === 'ping' && ++pings <= 2 ? {} : undefined));
    Object.assign(transport, { reopen: undefined });
    let told = (_: string): void => {};
    const closed = new Promise<string>((resolve) => (told = resolve));
    const client = new McpClient({ name: 'test', version: '1' }, {
      era: 'legacy', pinging: pinging(soon), onClose: (why) => told(why),
    });
    await client.connect(transport);
    const pending = client.callTool('never', {}, { timeoutMs: 0 });
    assert.match(await closed, says);
    assert.ok(pings >= 3, 'two were answered');
    await assert.rejects(pending, (error) => error instanceof ConnectionError && error.reason === 'closed' && says.test(error.message));
    assert.equal(transport.closed, 1);
    await assert.rejects(client.listTools(), says);
    await client.close();
  });

  test(`${revision}: a server pings a silent client, and ends its session`, async (t) => {
    stay(t);
    const errors: string[] = [];
    const server = new McpServer({ name: 'test', version: '1' }, {
      pinging: pinging(soon), onError: (error, { what }) => errors.push(`${what}: ${error.message}`),
    });
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    let pings = 0;
    stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.trim().split('\n')) {
        const { id, method } = JSON.parse(line) as { id?: number; method?: string };
        if (method === 'ping' && ++pings <= 2) stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n`);
      }
    });
    const serving = serveStdio(server, { stdin, stdout });
    stdin.write(`${JSON.stringify({
      jsonrpc: '2.0', id: 1, method: 'initialize',
      params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'silent', version: '1' } },
    })}\n${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    await serving.closed;
    assert.equal(pings, 3);
    assert.deepEqual(errors.map((error) => error.replace(/20 ms.*/, '')), [
      'connection: the other side has not answered a ping within ',
    ]);
  });
}

// 2025-11-25 basic/utilities/ping#implementation-considerations: the frequency is an option, and pings are not excessive.
test('a connection is pinged after each interval of silence, and not while the other side is heard', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const sent: { id: number; method: string }[] = [];
  const connection = new Connection(
    { send: (text) => sent.push(JSON.parse(text) as { id: number; method: string }), answer() {} },
    { request: () => ({}), notification() {}, cancellation: () => undefined, error() {} },
  );
  const lost: string[] = [];
  pinging({ intervalMs: 1000, timeoutMs: 300 }).watch(connection, ({ message }) => lost.push(message));
  const pass = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let second = 0; second < 5; second++) {
    connection.receive(decode('{"jsonrpc":"2.0","method":"notifications/message","params":{}}'));
    await pass(1000);
  }
  assert.deepEqual(sent, []);
  await pass(999);
  assert.deepEqual(sent, []);
  await pass(1);
  assert.deepEqual(sent.map(({ method }) => method), ['ping']);
  await pass(299);
  assert.deepEqual(lost, []);
  await pass(1);
  assert.deepEqual(lost, ['the other side has not answered a ping within 300 ms']);
  connection.close();
});

test('an answered ping is followed by a whole interval, no ping goes out beside another, and by default it is 30 seconds and 10', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const pass = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (const [options, intervalMs, timeoutMs] of [[{ intervalMs: 1000, timeoutMs: 5000 }, 1000, 5000], [{}, 30_000, 10_000]] as const) {
    const sent: { id: number }[] = [];
    const connection = new Connection(
      { send: (text) => sent.push(JSON.parse(text) as { id: number }), answer() {} },
      { request: () => ({}), notification() {}, cancellation: () => undefined, error() {} },
    );
    const lost: string[] = [];
    pinging(options).watch(connection, ({ message }) => lost.push(message));
    for (let pings = 1; pings <= 3; pings++) {
      await pass(intervalMs - 1);
      assert.equal(sent.length, pings - 1);
      await pass(1);
      assert.equal(sent.length, pings);
      // The answer is late; until it arrives no other ping is sent.
      for (let part = 0; part < 9; part++) await pass(timeoutMs / 10);
      assert.equal(sent.length, pings);
      connection.receive(decode(JSON.stringify({ jsonrpc: '2.0', id: sent.at(-1)?.id, result: {} })));
      await pass(0);
      assert.equal(sent.length, pings);
    }
    await pass(intervalMs);
    await pass(timeoutMs - 1);
    assert.deepEqual(lost, []);
    await pass(1);
    assert.deepEqual(lost, [`the other side has not answered a ping within ${timeoutMs} ms`]);
    connection.close();
  }
});

test('whatever a silent server says is a sign of life, and one that has gone is started again by the next request', async (t) => {
  stay(t);
  let pings = 0;
  const transport = scripted('2025-11-25', ({ method }) => {
    if (method === 'tools/list') return { tools: [] };
    if (method !== 'ping') return undefined;
    pings++;
    if (pings > 2) return undefined;
    queueMicrotask(() => transport.push({ method: 'notifications/message', params: { level: 'info', data: 'busy' } }));
    return undefined;
  });
  let told = (_: string): void => {};
  const closed = new Promise<string>((resolve) => (told = resolve));
  const client = new McpClient({ name: 'test', version: '1' }, { era: 'legacy', pinging: pinging(soon), onClose: (why) => told(why) });
  await client.connect(transport);
  assert.match(await within('the end of the connection', closed), says);
  assert.equal(pings, 3, 'whatever comes is a sign of life');
  assert.deepEqual(await client.listTools(), []);
  assert.equal(transport.reopened, 1);
  await client.close();
});

test('the channels of both sides end: memory and message port', async (t) => {
  stay(t);
  const server = (): McpServer => new McpServer({ name: 'test', version: '1' }, { pinging: pinging(soon), onError: () => {} });
  // A client that receives but does not answer.
  const deaf = memoryTransport(server());
  let told = (_: string): void => {};
  const closed = new Promise<string>((resolve) => (told = resolve));
  await deaf.open({ message() {}, failed() {}, error() {}, closed: (why) => told(why) });
  const { port1, port2 } = new MessageChannel();
  const serving = serveMessagePort(server(), port1);
  const hello = [
    JSON.stringify({
      jsonrpc: '2.0', id: 1, method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'silent', version: '1' } },
    }),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  ];
  for (const text of hello) {
    deaf.send(text);
    port2.postMessage(text);
  }
  t.after(() => port2.close());
  assert.match(await within('the end of the channel in memory', closed), says);
  await within('the end of the port', serving.closed);
});

test('neither side watches a modern connection, nor a server an HTTP session', async (t) => {
  const watched: string[] = [];
  const part = (who: string): Pinging => ({ watch: () => void watched.push(who), moved: ({ state, options: { modern } }) => void (state === 'ready' && modern !== false && watched.push(who)) });
  const server = new McpServer({ name: 'test', version: '1' }, { pinging: part('server') });
  const http = await serveHttp(server);
  t.after(() => http.close({ drainMs: 0 }));
  for (const era of ['modern', 'legacy'] as const) {
    for (const transport of [memoryTransport(server), httpTransport(http.url)]) {
      const client = new McpClient({ name: 'test', version: '1' }, { era, pinging: part('client') });
      await client.connect(transport);
      await client.ping();
      await client.close();
    }
  }
  assert.deepEqual(watched.sort(), ['client', 'client', 'server']);
});

test('times that are none are refused by name', async () => {
  const info = { name: 'test', version: '1' };
  const bad = [-1, NaN, Infinity, 2 ** 31, '5' as unknown as number];
  for (const ms of bad) {
    const refused = (name: string): { name: string; message: RegExp } =>
      ({ name: 'TypeError', message: new RegExp(`\\.${name} is invalid, expected (0 to 2147483647|number), not `) });
    assert.throws(() => pinging({ intervalMs: ms }), refused('intervalMs'));
    assert.throws(() => pinging({ timeoutMs: ms }), refused('timeoutMs'));
    assert.throws(() => new McpServer(info, { limits: { questionTimeoutMs: ms } }), refused('questionTimeoutMs'));
    assert.throws(() => new McpClient(info, { limits: { probeTimeoutMs: ms } }), refused('probeTimeoutMs'));
    assert.throws(() => serveStdio(new McpServer(info), { drainMs: ms }), refused('drainMs'));
    assert.throws(() => stdioTransport('true', [], { graceMs: ms }), refused('graceMs'));
    assert.throws(() => httpTransport('http://127.0.0.1:1', { limits: { closeMs: ms } }), refused('closeMs'));
    await assert.rejects(async () => serveHttp(new McpServer(info), { limits: { keepAliveMs: ms } }), refused('keepAliveMs'));
    const client = new McpClient(info);
    await client.connect(memoryTransport(new McpServer(info)));
    await assert.rejects(client.ping({ timeoutMs: ms }), refused('timeoutMs'));
    await client.close();
  }
  assert.throws(() => pinging({ intervalMs: 0 }), /above 0/);
});
