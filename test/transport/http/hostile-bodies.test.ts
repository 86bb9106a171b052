import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { processBudget } from '../../../src/bounds/budget.ts';
import { fetchHandler } from '../../../src/transport/http/fetch/index.ts';
import { BodyReader } from '../../../src/transport/http/server/body-reader.ts';
import { Unread } from '../../../src/transport/http/server/unread.ts';
import { McpServer } from '../../../src/server/index.ts';
import { fakeServer } from './fake-server.ts';
import { both, code, modern, rpc, start } from './harness.ts';
import { serveHttp, strict } from './engine.ts';

const MiB = 1024 * 1024;

/** Reduces the process's budget for one test. Returns the bytes that were already held. */
function small(t: TestContext, limit: number): number {
  const budget = processBudget();
  const { limit: usual, used } = budget;
  budget.limit = used + limit;
  t.after(() => {
    budget.limit = usual;
  });
  return used;
}

function socket(t: TestContext, port: number): Socket {
  const opened = connect(port, '127.0.0.1');
  opened.on('error', () => {});
  t.after(() => opened.destroy());
  return opened;
}

const head = (length: number): string =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: ${both}\r\n`
  + `Content-Length: ${length}\r\n\r\n`;

test('a body in chunks of one byte costs at most twice its bytes, and the same however it is cut', () => {
  const before = processBudget().used;
  const whole = Buffer.from(JSON.stringify({ text: 'é€😀'.repeat(200) }));
  for (let cut = 0; cut <= whole.length; cut++) {
    const reader = new BodyReader(whole.length);
    for (const part of [whole.subarray(0, cut), whole.subarray(cut)]) assert.equal(reader.push(part), undefined);
    assert.ok(Buffer.from(reader.take()).equals(whole), `cut at ${cut}`);
  }
  const reader = new BodyReader(MiB);
  for (let at = 0; at < MiB; at++) reader.push(new Uint8Array([at & 0xff]));
  assert.ok(processBudget().used - before <= 2 * MiB, `${processBudget().used - before} bytes are held`);
  assert.deepEqual(reader.push(new Uint8Array(1)), { fault: 'too large' });
  assert.equal(processBudget().used, before);
});

test('bodies that never end hold no more than the process may hold, and innocents notice nothing', async (t) => {
  const before = small(t, 4 * MiB);
  const { http, ask, open } = await start(t);
  const session = await open();
  const refused: Promise<string>[] = [];
  const sockets: Socket[] = [];
  for (let i = 0; i < 20; i++) {
    const hostile = socket(t, http.port);
    sockets.push(hostile);
    refused.push(once(hostile, 'data').then(([data]) => String(data)));
    hostile.write(head(2 * MiB));
    hostile.write(Buffer.alloc(MiB, 0x20));
  }
  // All but a few are refused; those few hold the whole budget.
  const answers: string[] = [];
  await new Promise<void>((resolve) => {
    for (const one of refused) void one.then((answer) => answers.push(answer) >= 15 && resolve(), () => {});
  });
  for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 503 .*Retry-After: 1/is);
  assert.ok(processBudget().used - before <= 4 * MiB);
  assert.equal((await ask({ headers: session, body: rpc('ping') })).status, 200);
  assert.equal((await ask(modern('ping'))).status, 200);
  // Clients that leave release their bytes.
  for (const one of sockets) one.destroy();
  while (processBudget().used > before + 64 * 1024) await new Promise(setImmediate);
});

test('a batch without a session that has batches is refused before it is read', async (t) => {
  const { ask, open } = await start(t);
  const hostile = `[${'1,'.repeat(5 * MiB)}1]`;
  const cases: [headers: Record<string, string>, status: number, says: RegExp][] = [
    [{}, 400, /Mcp-Session-Id header is missing/],
    [{ 'mcp-session-id': 'x' }, 404, /not found/],
    [await open('2025-11-25'), 400, /no batches/],
    [{ 'mcp-protocol-version': '2026-07-28' }, 400, /no batches/],
  ];
  for (const [headers, status, says] of cases) {
    const began = process.cpuUsage();
    const answer = await ask({ headers, body: hostile });
    const { user, system } = process.cpuUsage(began);
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.text, says);
    // The parsing takes several times as long by itself. Both ends of the connection are in this process.
    assert.ok(user + system < 1_000_000, `${user + system} µs`);
  }
});

test('a version that nests deep, or is long, is refused and not sent back', async (t) => {
  const deep = `${'['.repeat(900)}${']'.repeat(900)}`;
  const long = JSON.stringify('x'.repeat(MiB));
  for (const versions of [['2026-07-28'], ['2025-11-25'], undefined]) {
    const { ask } = await start(t, {}, versions);
    for (const value of [deep, long, '5', 'null', '{"a":{}}']) {
      const bodies = [
        `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":${value}}}`,
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":${value}}}}`,
      ];
      for (const body of bodies) {
        const answer = await ask({ body, headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'ping' } });
        assert.ok(answer.text.length < 2000, `${answer.text.length} characters came back`);
      }
    }
  }
  // A depth of 5,000 exceeds the limit of any message.
  const { ask } = await start(t, {}, ['2026-07-28']);
  const body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":${'['.repeat(5000)}${']'.repeat(5000)}}}`;
  assert.equal((await ask({ body })).status, 400);
  assert.equal((await ask(modern('ping'))).status, 200);
});

test('requests that stand alone are charged; small ones are served whatever the others hold', async (t) => {
  const before = small(t, 2 * MiB);
  const { ask, server } = await start(t);
  const big = 'x'.repeat(MiB);
  const held = ask(modern('wait', { key: 'held', big }));
  await server.arrived('held');
  const refused = await ask(modern('wait', { key: 'more', big }));
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1']);
  assert.equal((await ask(modern('ping'))).status, 200);
  server.waiting.get('held')?.finish();
  assert.equal((await held).status, 200);
  assert.equal(processBudget().used, before);
});

test('answers that nobody reads are bounded over all connections', async (t) => {
  const { http, errors, ask } = await start(t, { limits: { maxUnreadBytes: 20 * MiB } });
  const closed: Promise<unknown>[] = [];
  for (let i = 0; i < 8; i++) {
    const hostile = socket(t, http.port);
    hostile.pause();
    const { headers, body } = modern('big', { size: 8 * MiB });
    const text = JSON.stringify(body);
    hostile.write(head(text.length).replace('\r\n\r\n', `\r\n${Object.entries(headers ?? {}).map((field) => field.join(': ')).join('\r\n')}\r\n\r\n`) + text);
    closed.push(once(hostile, 'close'));
  }
  while (errors.length < 4) await new Promise(setImmediate);
  assert.match(errors[0]?.message ?? '', /too slow, \d+ bytes were waiting/);
  assert.equal((await ask(modern('big', { size: MiB }))).status, 200);
});

test('fetch: answers that nobody reads are bounded over all responses, JSON and streams alike', async () => {
  const server = new McpServer({ name: 'big', version: '1.0.0' });
  server.tool('big', {}, () => 'x'.repeat(8 * MiB));
  server.tool('told', {}, (_, ctx) => {
    ctx.progress(1);
    return 'x'.repeat(8 * MiB);
  });
  const errors: Error[] = [];
  const handle = fetchHandler(server, { limits: { maxUnreadBytes: 20 * MiB }, onError: (error) => errors.push(error) });
  const call = (name: string): Promise<Response> => {
    const { headers, body } = modern('tools/call', {
      name,
      _meta: {
        progressToken: 1, 'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    });
    return handle(new Request('http://localhost/mcp', {
      method: 'POST', body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', accept: both, ...headers, 'mcp-name': name },
    }));
  };
  const unread = [await call('big'), await call('told'), await call('big'), await call('told')];
  assert.deepEqual(unread.map(({ headers }) => headers.get('content-type')), [
    'application/json', 'text/event-stream', 'application/json', 'text/event-stream',
  ]);
  assert.equal(errors.length, 2);
  assert.match(errors[0]?.message ?? '', /too slow, \d+ bytes were waiting/);
  for (const cut of unread.slice(0, 2)) await assert.rejects(cut.text(), /the connection was broken off/);
  for (const whole of unread.slice(2)) assert.ok((await whole.text()).length > 8 * MiB);
  // Answers that were read no longer count.
  for (let i = 0; i < 4; i++) assert.ok((await (await call(i % 2 ? 'big' : 'told')).text()).endsWith(i % 2 ? '}' : '\n\n'));
  assert.equal(errors.length, 2);
  // Abandoned answers do not count either.
  for (let i = 0; i < 4; i++) await (await call('big')).body?.cancel();
  assert.equal(errors.length, 2);
  await handle.close({ drainMs: 0 });
});

/** A connection that sends several requests of 2026-07-28 without waiting for the responses. */
function pipelined(port: number, requests: readonly (readonly [method: string, params: object])[]): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.resume().on('error', () => {});
  socket.write(requests.map(([method, params]) => {
    const { headers, body } = modern(method, params);
    const text = JSON.stringify(body);
    const fields = { host: 'localhost', accept: both, 'content-type': 'application/json', 'content-length': text.length, ...headers };
    return `POST /mcp HTTP/1.1\r\n${Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`;
  }).join(''));
  return socket;
}

test('a request waits for the response before its own, and is not begun when the client has left', async (t) => {
  const { http, server } = await start(t);
  const socket = pipelined(http.port, ['one', 'two', 'three'].map((key) => ['wait', { key }]));
  await server.arrived('one');
  assert.deepEqual([...server.waiting.keys()], ['one']);
  server.waiting.get('one')?.finish();
  await server.arrived('two');
  const { signal } = server.waiting.get('two')?.inbound ?? assert.fail();
  socket.destroy();
  if (!signal.aborted) await once(signal, 'abort');
  assert.deepEqual([...server.waiting.keys()], ['one', 'two']);
});

// http1 reads the next request only after a response is complete, so its backlog is limited in bytes.
test('a connection that brings more than 100 requests ahead is cut', { skip: strict }, async (t) => {
  const { http, server } = await start(t);
  const socket = pipelined(http.port, [['wait', { key: 'one' }], ...Array.from({ length: 101 }, () => ['ping', {}] as const)]);
  await once(socket, 'close');
  assert.deepEqual([...server.waiting.keys()], ['one']);
});

test('progress that nobody reads is left out, and the result still comes', async (t) => {
  const server = new McpServer({ name: 'talkative', version: '1.0.0' });
  let written = 0;
  server.tool('talk', {}, async (_, ctx) => {
    // The kernel first buffers some megabytes.
    for (let i = 1; i <= 20_000; i++) {
      ctx.progress(i, 20_000, 'x'.repeat(1000));
      if (i % 100 === 0) await new Promise(setImmediate);
    }
    written = 1;
    return 'done';
  });
  const errors: Error[] = [];
  const http = await serveHttp(server, { limits: { maxBufferedBytes: 100_000 }, onError: (error) => errors.push(error) });
  t.after(() => http.close({ drainMs: 0 }));
  for (const revision of ['2026-07-28', '2025-11-25']) {
    written = 0;
    const { headers, body } = modern('tools/call', {
      name: 'talk',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
        progressToken: 1,
      },
    }, { 'mcp-name': 'talk' });
    const session: Record<string, string> = {};
    const post = (fields: Record<string, string>, sent: object): Promise<Response> => fetch(http.url, {
      method: 'POST', headers: { 'content-type': 'application/json', accept: both, ...fields }, body: JSON.stringify(sent),
    });
    if (revision === '2025-11-25') {
      const opened = await post({}, rpc('initialize', {
        protocolVersion: revision, capabilities: {}, clientInfo: { name: 'x', version: '1' },
      }));
      session['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
      await opened.text();
    }
    const response = revision === '2025-11-25'
      ? await post(session, rpc('tools/call', { name: 'talk', arguments: {}, _meta: { progressToken: 1 } }))
      : await post(headers ?? {}, body as object);
    while (written === 0) await new Promise(setImmediate);
    const text = await response.text();
    assert.ok(text.split('notifications/progress').length < 19_000, 'nothing was left out');
    assert.match(text.slice(-400), /"text":"done"/);
    assert.deepEqual(errors, []);
  }
});

test('the response that has waited longest is cut first', () => {
  const cut: string[] = [];
  const unread = new Unread(100, (bytes) => cut.push(String(bytes)));
  const response = (name: string) => ({ destroy: () => cut.push(name) });
  const [a, b, c] = [response('a'), response('b'), response('c')] as const;
  unread.note(a, 40);
  unread.note(b, 40);
  unread.note(a, 50);
  unread.note(b, 0);
  unread.note(c, 50);
  assert.deepEqual(cut, []);
  unread.note(c, 51);
  assert.deepEqual(cut, ['a', '50']);
  unread.note(b, 101);
  assert.deepEqual(cut, ['a', '50', 'c', '51', 'b', '101']);
});

test('a body that was read before is handed over, and counted like any other', async () => {
  const handle = fetchHandler(fakeServer());
  const request = (): Request => new Request('http://localhost/mcp', {
    method: 'POST', headers: { 'content-type': 'application/json', accept: both },
  });
  const message = rpc('initialize', { protocolVersion: '2025-11-25' });
  for (const body of [message, JSON.stringify(message), new TextEncoder().encode(JSON.stringify(message))]) {
    const response = await handle(request(), { body });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /"result"/);
  }
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const response = await handle(request(), { body: { jsonrpc: '2.0', id: 1, method: 'ping', params: { deep } } });
  assert.equal(response.status, 400);
  assert.equal(code({ status: 400, headers: {}, text: await response.text() }), -32600);
  await handle.close();
});
