// The node:http sender with a scripted socket: the exact bytes that it writes, and how it treats the bytes that it receives.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import http, { Agent } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { createServer, Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { Cancellation } from '../../../src/transport/http/client/sender.ts';
import type { HttpAnswer, HttpSender } from '../../../src/transport/http/client/sender.ts';
import { plainAgent } from '../../../src/transport/http/node/agent.ts';
import { proxyHeaders, TunnelAgent } from '../../../src/transport/http/node/proxy.ts';
import { nodeSender } from '../../../src/transport/http/node/sender.ts';
import { defaultNodeHttpClientLimits } from '../../../src/transport/http/node/transport-options.ts';
import type { NodeTransportOptions } from '../../../src/transport/http/node/transport-options.ts';

interface Line {
  readonly socket: Socket;
  /** Everything received on the connection. */
  text: string;
  /** Resolves when the received text ends with this. */
  has(end: string): Promise<string>;
}

interface Played {
  readonly origin: string;
  readonly sender: HttpSender;
  /** The connections in their order. */
  readonly lines: Line[];
  line(number: number): Promise<Line>;
  send(given?: { method?: string; path?: string; body?: string; lasting?: boolean; headers?: Record<string, string>; cancellation?: Cancellation }): Promise<HttpAnswer>;
}

async function play(t: TestContext, options: NodeTransportOptions = {}, limits: Partial<typeof defaultNodeHttpClientLimits> = {}): Promise<Played> {
  const lines: Line[] = [];
  const came = new EventEmitter();
  const server = createServer((socket) => {
    const line: Line = {
      socket, text: '',
      async has(end) {
        while (!line.text.endsWith(end)) await once(came, 'text');
        return line.text;
      },
    };
    socket.on('data', (chunk: Buffer) => {
      line.text += chunk.toString();
      came.emit('text');
    });
    socket.on('error', () => {});
    lines.push(line);
    came.emit('line');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sender = nodeSender(new URL(origin), options, { ...defaultNodeHttpClientLimits, ...limits });
  t.after(() => {
    sender.close?.();
    for (const { socket } of lines) socket.destroy();
    server.close();
  });
  return {
    origin, sender, lines,
    async line(number) {
      while (lines.length <= number) await once(came, 'line');
      return lines[number] ?? assert.fail();
    },
    send: ({ method = 'POST', path = '/mcp', body, lasting = true, headers = {}, cancellation = new Cancellation() } = {}) =>
      sender.send({ method, url: new URL(path, origin), headers, body, lasting, cancellation }),
  };
}

async function bodyOf(answer: HttpAnswer): Promise<string> {
  let text = '';
  await answer.read((chunk) => void (text += Buffer.from(chunk).toString()));
  return text;
}

const ok = (body: string, fields = ''): string => `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${fields}\r\n${body}`;

test('node:http: a request byte by byte; what frames it is not the caller\'s', async (t) => {
  const { line, send, origin } = await play(t);
  const answered = send({ path: '/a?b=c', body: '{"é":1}', headers: { 'x-a': '1', host: 'evil', connection: 'close', 'content-length': '1', 'transfer-encoding': 'chunked' } });
  const first = await line(0);
  assert.equal(await first.has('{"é":1}'), [
    'POST /a?b=c HTTP/1.1', `host: ${origin.slice('http://'.length)}`, 'accept-encoding: identity', 'x-a: 1', 'content-length: 8', 'Connection: keep-alive', '', '{"é":1}',
  ].join('\r\n'));
  first.socket.write(ok('hello', 'X-Two: a\r\nX-Two: b\r\nSet-Cookie: c\r\nSet-Cookie: d\r\n'));
  const answer = await answered;
  assert.deepEqual([answer.status, answer.header('x-two'), answer.header('set-cookie'), answer.header('none')], [200, 'a, b', 'c, d', undefined]);
  assert.deepEqual(Object.fromEntries(answer.fields()), { 'content-length': '5', 'x-two': 'a, b', 'set-cookie': ['c', 'd'] });
  assert.equal(await bodyOf(answer), 'hello');
  // Without a body there is no content-length. The caller's accept-encoding is sent.
  first.text = '';
  const plain = send({ method: 'GET', headers: { 'accept-encoding': 'gzip' } });
  assert.equal(await first.has('\r\n\r\n'), ['GET /mcp HTTP/1.1', `host: ${origin.slice('http://'.length)}`, 'accept-encoding: gzip', 'Connection: keep-alive', '', ''].join('\r\n'));
  first.socket.write(ok(''));
  assert.equal(await bodyOf(await plain), '');
});

test('node:http: an answer cut at every byte is the same answer', async (t) => {
  const { lines, line, send } = await play(t);
  const whole = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n';
  for (let cut = 1; cut < whole.length; cut++) {
    const answered = send({ body: 'x' });
    const { socket } = await line(0);
    socket.setNoDelay(true);
    socket.write(whole.slice(0, cut), () => socket.write(whole.slice(cut)));
    assert.equal(await bodyOf(await answered), 'abcde', String(cut));
  }
  assert.equal(lines.length, 1);
});

test('node:http: what breaks an answer fails it', async (t) => {
  const cases: [what: string, answer: string, fails: RegExp][] = [
    ['no answer', '', /socket hang up/],
    ['no HTTP', 'nonsense\r\n\r\n', /Parse Error/],
    ['a body that is too short', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', /aborted|closed in the middle/],
    ['a chunk that is too short', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc', /aborted|closed in the middle/],
    ['a chunk without a length', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n', /Parse Error|aborted/],
  ];
  for (const [what, text, fails] of cases) {
    const { line, send } = await play(t);
    const answered = send({ body: 'x' });
    const { socket, has } = await line(0);
    await has('x');
    socket.end(text);
    await assert.rejects(async () => bodyOf(await answered), fails, what);
  }
});

test('node:http: an answer before the body was read, and one without a length, are answers', async (t) => {
  const { line, send } = await play(t);
  const body = 'x'.repeat(5_000_000);
  const early = send({ body });
  const { socket } = await line(0);
  socket.pause();
  socket.write('HTTP/1.1 413 No\r\nConnection: close\r\nContent-Length: 4\r\n\r\nlong');
  const answer = await early;
  assert.deepEqual([answer.status, await bodyOf(answer)], [413, 'long']);
  const until = send({ method: 'GET' });
  const second = await line(1);
  second.socket.end('HTTP/1.1 200 OK\r\n\r\nuntil the end');
  assert.equal(await bodyOf(await until), 'until the end');
});

test('node:http: one connection serves what comes in turn; quick requests have others only where all are in use', async (t) => {
  const { line, lines, send } = await play(t, {}, { maxConnections: 1 });
  for (const lasting of [true, false, true]) {
    const answered = send({ body: 'x', lasting });
    const { socket } = await line(0);
    socket.write(ok('a'));
    await bodyOf(await answered);
  }
  assert.equal(lines.length, 1);
  const lasts = send({ method: 'GET' });
  await (await line(0)).has('keep-alive\r\n\r\n');
  const quick = send({ body: 'q', lasting: false });
  const spare = await line(1);
  await spare.has('q');
  spare.socket.write(ok('b'));
  assert.equal(await bodyOf(await quick), 'b');
  // A second lasting request waits for the first.
  const waits = send({ body: 'w' });
  lines[0]?.socket.write(ok('c'));
  assert.equal(await bodyOf(await lasts), 'c');
  await (await line(0)).has('w');
  lines[0]?.socket.write(ok('d'));
  assert.equal(await bodyOf(await waits), 'd');
  assert.equal(lines.length, 2);
});

test('node:http: closing lets go of idle connections, and leaves those of an agent that was given', async (t) => {
  const own = await play(t, {}, { idleMs: 60_000 });
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const given = await play(t, { agent });
  for (const { send, line } of [own, given]) {
    const answered = send({ body: 'x' });
    const { socket, has } = await line(0);
    await has('x');
    socket.write(ok('a'));
    await bodyOf(await answered);
  }
  const gone = once((await own.line(0)).socket, 'end');
  own.sender.close?.();
  given.sender.close?.();
  await gone;
  assert.equal((await given.line(0)).socket.readableEnded, false);
  const again = given.send({ body: 'y' });
  await (await given.line(0)).has('y');
  given.lines[0]?.socket.write(ok('b'));
  assert.equal(await bodyOf(await again), 'b');
});

test('node:http: a request that is cancelled ends its connection, before its answer and within it', async (t) => {
  const { line, send } = await play(t);
  for (const answers of [false, true]) {
    const cancellation = new Cancellation();
    const answered = send({ body: 'x', cancellation });
    const { socket, has } = await line(answers ? 1 : 0);
    await has('x');
    const closed = once(socket, 'close');
    if (answers) {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc');
      const reading = bodyOf(await answered);
      cancellation.cancel();
      await assert.rejects(reading, /aborted|closed in the middle/);
    } else {
      cancellation.cancel();
      await assert.rejects(answered, /the request was cancelled/);
    }
    await closed;
  }
  const cancellation = new Cancellation();
  cancellation.cancel();
  await assert.rejects(send({ cancellation }), /the request was cancelled/);
});

test('node:http: what is not read is not taken from the socket', async (t) => {
  const { line, send } = await play(t);
  const answered = send({ method: 'GET' });
  const { socket } = await line(0);
  socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n');
  const answer = await answered;
  let go = (): void => {};
  const chunks: string[] = [];
  let first = (): void => {};
  const started = new Promise<void>((resolve) => (first = resolve));
  const reading = answer.read((chunk) => {
    chunks.push(Buffer.from(chunk).toString());
    if (chunks.length > 1) return undefined;
    first();
    return new Promise((resolve) => (go = resolve));
  });
  await started;
  await new Promise((resolve) => socket.write('1\r\nb\r\n', resolve));
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  assert.deepEqual(chunks, ['a']);
  go();
  socket.write('0\r\n\r\n');
  await reading;
  assert.deepEqual(chunks, ['a', 'b']);
});

test('a proxy without a name gets no credentials, and one that answers a CONNECT like any request is told of', async () => {
  assert.deepEqual(proxyHeaders(new URL('http://p.test:1/')), {});
  assert.deepEqual(proxyHeaders(new URL('http://a%3Ab:@p.test/')), { 'proxy-authorization': `Basic ${Buffer.from('a:b:').toString('base64')}` });
  const { request } = http;
  const asked: unknown[] = [];
  let destroyed = 0;
  // Node itself always emits `connect`; other runtimes may not.
  Object.assign(http, {
    request(options: unknown) {
      asked.push(options);
      return Object.assign(new EventEmitter(), {
        destroy: () => destroyed++,
        end(this: EventEmitter) {
          this.emit('response', { statusCode: 407 });
        },
      });
    },
  });
  syncBuiltinESMExports();
  try {
    for (const [proxy, host, target, port] of [['http://u:p@p.test:8', 'h.test', 'h.test:443', '8'], ['http://[::1]', '::2', '[::2]:443', 80]] as const) {
      const error = await new Promise<Error | null>((resolve) => {
        new TunnelAgent(new URL(proxy), {}).createConnection({ host, port: 443 }, resolve);
      });
      assert.equal(error?.message, 'the proxy refused a tunnel: HTTP 407');
      const { hostname } = new URL(proxy);
      assert.deepEqual(asked.at(-1), {
        method: 'CONNECT', host: hostname.replace(/[[\]]/g, ''), port, path: target, agent: false,
        headers: { host: target, ...proxy.includes('@') && { 'proxy-authorization': `Basic ${Buffer.from('u:p').toString('base64')}` } },
      });
    }
    assert.equal(destroyed, 2);
  } finally {
    Object.assign(http, { request });
    syncBuiltinESMExports();
  }
});

test('an idle connection has the time that is left of it, set anew only where it is another', () => {
  const agent = plainAgent({}, 4_000);
  const socket = new Socket();
  const set: number[] = [];
  const { setTimeout } = socket;
  socket.setTimeout = (ms, ...rest) => {
    set.push(ms);
    return setTimeout.call(socket, ms, ...rest);
  };
  assert.equal(agent.keepSocketAlive(socket), true);
  assert.equal(agent.keepSocketAlive(socket), true);
  assert.deepEqual(set, [4_000]);
  assert.equal(socket.timeout, 4_000);
  assert.equal(plainAgent({}, 0).keepSocketAlive(socket), false);
  socket.destroy();
});
