// Barewire's HTTP/1.1 on a scripted connection: the responses, their order, and how a connection ends.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { McpServer } from '../../src/server/index.ts';
import { http1Server } from '../../src/transport/http1/http1-server.ts';
import type { Http1Connection, Http1Options, Http1Server } from '../../src/transport/http1/http1-server.ts';
import { fakeServer } from '../transport/http/fake-server.ts';
import type { FakeServer } from '../transport/http/fake-server.ts';
import { both, modern, rpc } from '../transport/http/harness.ts';
import type { Sent } from '../transport/http/harness.ts';
import { octetsOf } from './reading.ts';

/** A connection that collects the output; its reader may be slow. */
interface Line {
  readonly connection: Http1Connection;
  /** The output since the last call. */
  said(): Promise<string>;
  readonly writes: number;
  readonly state: { ended: boolean; destroyed: boolean; paused: boolean; buffered: number };
  send(text: string): void;
}

function begin(t: TestContext, options: Http1Options = {}): { server: FakeServer; http: Http1Server; line(): Line } {
  const server = fakeServer();
  const http = http1Server(server, options);
  t.after(() => http.close({ drainMs: 0 }));
  return {
    server, http,
    line() {
      let text = '';
      let writes = 0;
      const state = { ended: false, destroyed: false, paused: false, buffered: 0 };
      const gone = (): void => void Promise.resolve().then(() => connection?.closed());
      const connection = http.connect({
        write(part, latin1) {
          assert.ok(!state.ended && !state.destroyed, 'written after the end');
          text += latin1 ? `(latin1)${part}` : part;
          writes++;
        },
        end() {
          state.ended = true;
          if (state.buffered === 0) gone();
        },
        destroy() {
          state.destroyed = true;
          gone();
        },
        pause: () => void (state.paused = true),
        resume: () => void (state.paused = false),
        get buffered() {
          return state.buffered;
        },
      });
      if (connection === undefined) return assert.fail('it was not taken');
      return {
        connection, state,
        get writes() {
          return writes;
        },
        async said() {
          for (let i = 0; i < 10; i++) await new Promise(setImmediate);
          const what = text;
          text = '';
          return what;
        },
        send: (what) => connection.push(octetsOf(what)),
      };
    },
  };
}

/** A request of 2026-07-28, unless `sent` is given. */
function post(sent: Sent = modern('ping'), more: Record<string, string | number> = {}, version: string = 'HTTP/1.1'): string {
  const text = Buffer.from(JSON.stringify(sent.body)).toString('latin1');
  const fields = { host: 'localhost', 'content-type': 'application/json', accept: both, 'content-length': text.length, ...sent.headers, ...more };
  return `POST /mcp ${version}\r\n${Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`;
}

const statuses = (text: string): string[] => text.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(9)) ?? [];
const ids = (text: string): string[] => text.match(/"id":"?\w+/g)?.map((one) => one.replace(/^"id":"?/, '')) ?? [];
const withId = (id: number, method: string = 'ping', params: object = {}): Sent => {
  const { headers, body } = modern(method, params);
  return { headers: headers ?? {}, body: { ...body as object, id } };
};

test('http1: a response says its length, the time, and how long the connection is kept', async (t) => {
  const line = begin(t).line();
  line.send(post());
  const text = await line.said();
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(text, /\r\ncontent-type: application\/json\r\n/);
  assert.match(text, /\r\ndate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
  assert.match(text, /\r\nconnection: keep-alive\r\nkeep-alive: timeout=5\r\n/);
  const [, length, body] = /content-length: (\d+)\r\n(?:.+\r\n)*\r\n([^]*)$/.exec(text) ?? [];
  assert.equal(Buffer.byteLength(body ?? ''), Number(length));
  assert.ok(!line.state.ended);
});

test('http1: the octets of an answer are counted, not its characters', async (t) => {
  const line = begin(t).line();
  for (const said of ['\u00fc', '\u20ac', '\ud83d\ude00', '\u00fc\u20ac\ud83d\ude00a']) {
    line.send(post(modern('echo', { text: said })));
    const [, length, body] = /content-length: (\d+)\r\n(?:.+\r\n)*\r\n([^]*)$/.exec(await line.said()) ?? [];
    assert.ok(body?.includes(said), body);
    assert.equal(Buffer.byteLength(body ?? ''), Number(length));
  }
});

test('http1: requests that come together are answered in their order, in one piece', async (t) => {
  const line = begin(t).line();
  line.send([1, 2, 3, 4].map((id) => post(withId(id))).join(''));
  assert.deepEqual(ids(await line.said()), ['1', '2', '3', '4']);
  assert.equal(line.writes, 1);
});

test('http1: a request that waits holds up those behind it, and their answers keep the order', async (t) => {
  const { server, line: dial } = begin(t);
  const line = dial();
  line.send(post(withId(1, 'wait', { key: 'a' })) + post(withId(2)) + post(withId(3)).slice(0, 40));
  assert.equal(await line.said(), '');
  server.waiting.get('a')?.finish();
  assert.deepEqual(ids(await line.said()), ['1', '2']);
  line.send(post(withId(3)).slice(40));
  assert.deepEqual(ids(await line.said()), ['3']);
});

test('http1: a client that sends ahead without an end is not read any further, and later goes on', async (t) => {
  const { server, line: dial } = begin(t, { http1: { maxAheadBytes: 5000 } });
  const line = dial();
  line.send(post(withId(1, 'wait', { key: 'a' })));
  let id = 1;
  while (!line.state.paused && id < 100) line.send(post(withId(++id)));
  assert.ok(id > 5 && id < 40, String(id));
  server.waiting.get('a')?.finish();
  assert.equal(ids(await line.said()).length, id);
  assert.equal(line.state.paused, false);
});

test('http1: an endless body that nobody reads ends the connection', async (t) => {
  const line = begin(t, { http1: { maxUnwantedBytes: 1000 } }).line();
  const chunk = `64\r\n${'x'.repeat(100)}\r\n`;
  line.send('POST /nowhere HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n');
  assert.deepEqual(statuses(await line.said()), ['404']);
  for (let i = 0; i < 10; i++) line.send(chunk);
  assert.equal(line.state.ended, false);
  line.send(chunk);
  assert.equal(line.state.ended, true);
});

test('http1: a short body that nobody reads is read over, and the next request is found', async (t) => {
  const line = begin(t).line();
  line.send(post(modern('ping')).replace('/mcp', '/nowhere') + post(withId(7)));
  const text = await line.said();
  assert.deepEqual(statuses(text), ['404', '200']);
  assert.ok(ids(text).includes('7'));
});

test('http1: a body that is said to be too long is refused before it comes, and the connection ends', async (t) => {
  const line = begin(t, { limits: { maxBodyBytes: 1000 } }).line();
  line.send(post(modern('ping'), { 'content-length': 1_000_000 }).slice(0, 400));
  const text = await line.said();
  assert.deepEqual(statuses(text), ['413']);
  assert.match(text, /\r\nconnection: close\r\n/);
  assert.equal(line.state.ended, true);
});

test('http1: a client that waits for 100 Continue gets it once the body is wanted, or the refusal', async (t) => {
  const { line: dial } = begin(t);
  const request = post(modern('ping'), { expect: '100-continue' });
  const at = request.indexOf('\r\n\r\n') + 4;
  const line = dial();
  line.send(request.slice(0, at));
  assert.equal(await line.said(), 'HTTP/1.1 100 Continue\r\n\r\n');
  line.send(request.slice(at));
  assert.deepEqual(statuses(await line.said()), ['200']);
  const refused = dial();
  refused.send(request.slice(0, at).replace('application/json\r\n', 'text/plain\r\n'));
  const text = await refused.said();
  assert.deepEqual(statuses(text), ['415']);
  // It is unknown whether the body will come.
  assert.match(text, /\r\nconnection: close\r\n/);
  assert.equal(refused.state.ended, true);
});

test('http1: HTTP/1.0 is answered, and its connection kept only where it asks for that', async (t) => {
  const { line: dial } = begin(t);
  const line = dial();
  line.send(post(modern('ping'), { connection: 'keep-alive' }, 'HTTP/1.0'));
  assert.match(await line.said(), /^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*connection: keep-alive\r\n/);
  line.send(post(modern('ping'), {}, 'HTTP/1.0'));
  assert.match(await line.said(), /\r\nconnection: close\r\n/);
  assert.equal(line.state.ended, true);
});

test('http1: a stream to HTTP/1.1 is chunked; to HTTP/1.0 the end of the connection ends it', async (t) => {
  const { server, line: dial } = begin(t);
  for (const version of ['HTTP/1.1', 'HTTP/1.0']) {
    const line = dial();
    line.send(post(modern('subscriptions/listen'), { connection: 'keep-alive' }, version));
    const opened = await line.said();
    assert.equal(/\r\ntransfer-encoding: chunked\r\n/.test(opened), version === 'HTTP/1.1', opened);
    assert.doesNotMatch(opened, /content-length/);
    for (const field of ['content-type: text/event-stream', 'x-accel-buffering: no']) assert.ok(opened.includes(`\r\n${field}\r\n`), opened);
    assert.equal(/\r\nconnection: close\r\n/.test(opened), version === 'HTTP/1.0');
    const inbound = [...server.subscriptions].at(-1);
    inbound?.send('{"told":"\u00fc"}');
    const event = 'data: {"told":"\u00fc"}\n\n';
    const part = await line.said();
    assert.ok(part.includes(version === 'HTTP/1.1' ? `\r\n${event}\r\n` : event), part);
    if (version === 'HTTP/1.1') assert.equal(Number.parseInt(part, 16), Buffer.byteLength(part.slice(part.indexOf('\r\n') + 2, -2)));
    line.connection.closed();
    assert.equal(inbound?.signal.aborted, true);
  }
});

test('http1: HEAD has no body, and the next request is found', async (t) => {
  const line = begin(t).line();
  line.send('HEAD /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n' + post());
  const text = await line.said();
  assert.match(text, /^HTTP\/1\.1 405 [^]*content-length: [1-9]\d*\r\n(?:.+\r\n)*\r\nHTTP\/1\.1 200 /);
});

test('http1: an upgrade is not taken, and the request is answered', async (t) => {
  const line = begin(t).line();
  line.send(post(modern('ping'), { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' }));
  const text = await line.said();
  assert.deepEqual(statuses(text), ['200']);
  assert.match(text, /connection: keep-alive/);
});

test('http1: what is malformed is refused in words, and nothing of the connection is read any more', async (t) => {
  const line = begin(t).line();
  line.send(`POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n${post()}`);
  const text = await line.said();
  assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\nconnection: close\r\n\r\nContent-Length and Transfer-Encoding exclude each other\n$/);
  line.send(post());
  assert.equal(await line.said(), '');
  assert.equal(line.state.ended, true);
});

test('http1: a chunk that is malformed cancels what was asked for, and is refused', async (t) => {
  const line = begin(t).line();
  line.send(`POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"jso\r\n`);
  assert.equal(await line.said(), '');
  line.send('x\r\n');
  assert.deepEqual(statuses(await line.said()), ['400']);
});

test('http1: a client that leaves, or ends its side, cancels its request', async (t) => {
  const { server, line: dial } = begin(t);
  for (const way of ['closed', 'ended'] as const) {
    const line = dial();
    line.send(post(withId(1, 'wait', { key: way })));
    await line.said();
    const waiting = server.waiting.get(way) ?? assert.fail();
    assert.equal(waiting.inbound.signal.aborted, false);
    line.connection[way]();
    assert.equal(waiting.inbound.signal.aborted, true, way);
    waiting.finish();
    assert.equal(await line.said(), '');
  }
});

test('http1: time. A head, a body and a pause that take too long', async (t) => {
  const { http, server, line: dial } = begin(t, { http1: { headMs: 3000, bodyMs: 6000, keepAliveMs: 2000 } });
  const tick = (seconds: number): void => {
    for (let i = 0; i < seconds; i++) http.tick();
  };
  const silent = dial();
  const head = dial();
  head.send('POST /mcp HT');
  const body = dial();
  body.send(post().slice(0, -5));
  const pause = dial();
  pause.send(post());
  await pause.said();
  const asks = dial();
  asks.send(post(withId(1, 'wait', { key: 'a' })));
  const later = dial();
  later.send(post());
  await later.said();
  tick(3);
  assert.ok(!silent.state.destroyed && !head.state.ended && !body.state.ended && !pause.state.ended);
  later.send('POST ');
  tick(1);
  // A client that has sent nothing gets no response, nor does one that pauses between requests.
  assert.ok(silent.state.destroyed && pause.state.ended);
  assert.deepEqual([await silent.said(), await pause.said()], ['', '']);
  assert.deepEqual(statuses(await head.said()), ['408']);
  assert.ok(!later.state.ended && !body.state.ended);
  tick(3);
  assert.deepEqual(statuses(await later.said()), ['408']);
  assert.deepEqual(statuses(await body.said()), ['408']);
  tick(100);
  assert.ok(!asks.state.ended && !asks.state.destroyed);
  server.waiting.get('a')?.finish();
  assert.deepEqual(statuses(await asks.said()), ['200']);
});

test('http1: a last response is waited for while its reader takes it, and no longer', async (t) => {
  const { http, line: dial } = begin(t, { http1: { lingerMs: 1000, headMs: 1000 } });
  const line = dial();
  line.state.buffered = 100_000;
  line.send(post(modern('ping'), { connection: 'close' }));
  await line.said();
  assert.equal(line.state.ended, true);
  for (let i = 0; i < 5; i++) {
    line.state.buffered -= 1000;
    http.tick();
    http.tick();
    assert.equal(line.state.destroyed, false, String(i));
  }
  for (let i = 0; i < 4; i++) http.tick();
  assert.equal(line.state.destroyed, true);
});

test('http1: there are so many connections and not more', (t) => {
  const { http, line: dial } = begin(t, { http1: { maxConnections: 2 } });
  const first = dial();
  dial();
  let destroyed = false;
  const pipe = { write() {}, end() {}, destroy: () => void (destroyed = true), pause() {}, resume() {}, buffered: 0 };
  assert.equal(http.connect(pipe), undefined);
  assert.equal(destroyed, true);
  first.connection.closed();
  dial();
});

test('http1: a field with characters above U+007F goes out as it came', async (t) => {
  const line = begin(t, { cors: true }).line();
  line.send('OPTIONS /mcp HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\naccess-control-request-headers: x-\u00e9\r\n\r\n');
  assert.match(await line.said(), /^\(latin1\)HTTP\/1\.1 204 No Content\r\n[^]*access-control-allow-headers: x-\u00e9\r\n/);
});

test('http1: it closes: what is in flight is answered, and then every connection ends', async (t) => {
  const { http, server, line: dial } = begin(t);
  const idle = dial();
  idle.send(post());
  await idle.said();
  const asks = dial();
  asks.send(post(withId(1, 'wait', { key: 'a' })));
  await asks.said();
  const closed = http.close();
  await asks.said();
  server.waiting.get('a')?.finish();
  await closed;
  const text = await asks.said();
  assert.deepEqual(statuses(text), ['200']);
  assert.ok(idle.state.ended && asks.state.ended);
});

test('http1: an option that is misspelt is refused', () => {
  assert.throws(() => http1Server(fakeServer(), { http1: { headMss: 1 } } as Http1Options), { code: 'unknown_option' });
});

test('http1: sessions, and a legacy client', async (t) => {
  const line = begin(t).line();
  line.send(post({ body: rpc('initialize', { protocolVersion: '2025-11-25' }) }));
  const session = /mcp-session-id: (\S+)/.exec(await line.said())?.[1] ?? assert.fail();
  line.send(post({ body: rpc('ping'), headers: { 'mcp-session-id': session } }));
  assert.deepEqual(statuses(await line.said()), ['200']);
});

test('an idle connection keeps nothing of its last request', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const held: [string, WeakRef<object>][] = [];
  const server = new McpServer({ name: 'test', version: '1' });
  server.tool('keep', { input: { type: 'object', properties: { text: { type: 'string' } } } }, (args, ctx) => {
    held.push(['the arguments', new WeakRef(args)], ['the context', new WeakRef(ctx)]);
    return 'done';
  });
  const http = http1Server(server);
  t.after(() => http.close({ drainMs: 0 }));
  let written = '';
  const closed = (): void => void Promise.resolve().then(() => connection?.closed());
  const connection = http.connect({ write: (text) => void (written += text), end: closed, destroy: closed, pause: () => {}, resume: () => {}, buffered: 0 });
  assert.ok(connection);
  const send = (text: string): void => {
    const octets = octetsOf(text);
    held.push(['the octets', new WeakRef(octets.buffer)]);
    connection.push(octets);
  };
  for (let i = 0; i < 2; i++) send(post(modern('tools/call', { name: 'keep', arguments: { text: 'x' } }, { 'mcp-name': 'keep' })));
  for (let i = 0; i < 10; i++) await new Promise(setImmediate);
  collect();
  assert.deepEqual(statuses(written), ['200', '200']);
  assert.deepEqual(held.flatMap(([name, ref]) => (ref.deref() === undefined ? [] : [name])), []);
});
