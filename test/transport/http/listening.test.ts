import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { sseParser } from '../../../src/transport/http/sse-parser.ts';
import { Backlog } from '../../../src/transport/http/server/backlog.ts';
import { both, modern, note, rpc, start } from './harness.ts';
import { requestsOf } from '../../../src/protocol/progress.ts';
import type { Bench } from './harness.ts';
import { everyNth } from '../../every-nth.ts';

/** Opens a GET stream, and cuts it after this many bytes of events. Returns the last event id. */
function cutAfter(port: number, headers: Record<string, string>, bytes: number, lines: string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const seen: number[] = [];
    const parser = sseParser({ onEvent: ({ data }) => data !== '' && lines.push(data) });
    let body = -1;
    const text = Object.entries(headers).map((field) => field.join(': ')).join('\r\n');
    socket.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n${text}\r\n\r\n`);
    socket.on('data', (chunk) => {
      seen.push(...chunk);
      if (body < 0) body = Buffer.from(seen).indexOf('\r\n\r\n');
      // The bytes of the chunked coding make the cut inexact, but over all cuts every position is reached.
      if (body < 0 || seen.length - body - 4 < bytes) return;
      const raw = Buffer.from(seen.slice(body + 4, body + 4 + bytes)).toString('latin1');
      parser.push(Buffer.from(raw.replace(/(?:^|\r\n)[\da-f]*(?:\r\n|$)/g, ''), 'latin1'));
      socket.destroy();
      resolve(parser.lastEventId);
    });
  });
}

for (const version of ['2025-11-25', '2025-06-18', '2025-03-26']) {
  test(`${version}: a GET stream cut at any byte of its beginning loses no notification`, async (t) => {
    const { http, live, open, server } = await start(t);
    for (let cut = 1; cut < 130; cut += everyNth(4)) {
      const headers = await open(version);
      const peer = [...server.peers].at(-1) ?? assert.fail();
      peer.notify('notifications/before', { cut, pad: 'x'.repeat(100) });
      const got: string[] = [];
      const last = await cutAfter(http.port, headers, cut, got);
      peer.notify('notifications/after', { cut });
      const again = await live({
        method: 'GET', headers: { ...headers, ...last !== '' && { 'last-event-id': last } },
      });
      const methods = new Set(got.map((data) => (JSON.parse(data) as { method: string }).method));
      while (!methods.has('notifications/after')) {
        const { data = assert.fail('the stream ended') } = await again.next() ?? {};
        if (data !== '') methods.add((JSON.parse(data) as { method: string }).method);
      }
      assert.deepEqual([...methods], ['notifications/before', 'notifications/after'], `cut after ${cut}`);
      again.cut();
    }
  });
}

test('what nobody listens to is kept within bounds, and a question that was answered is not asked again', async (t) => {
  const { live, ask, open, server } = await start(t);
  const headers = await open();
  const [peer] = server.peers;
  for (let n = 0; n < 10_000; n++) peer?.notify('notifications/n', { n });
  const listening = await live({ method: 'GET', headers });
  const numbers: number[] = [];
  await listening.next();
  while (numbers.at(-1) !== 9999) {
    numbers.push((JSON.parse((await listening.next())?.data ?? '') as { params: { n: number } }).params.n);
  }
  assert.ok(numbers.length > 10 && numbers.length < 1000, `${numbers.length} were kept`);
  assert.deepEqual(numbers, Array.from(numbers, (_, i) => 10_000 - numbers.length + i));

  const answered = peer && requestsOf(peer.connection).request('roots/list');
  const { id } = JSON.parse((await listening.next())?.data ?? '') as { id: number };
  await ask({ headers, body: { jsonrpc: '2.0', id, result: {} } });
  await answered;
  listening.cut();
  await listening.closed;
  peer?.notify('notifications/last');
  const again = await live({ method: 'GET', headers });
  for (let event = await again.next(); ; event = await again.next()) {
    assert.doesNotMatch(event?.data ?? assert.fail(), /roots\/list/);
    if (event?.data.includes('notifications/last')) break;
  }
  again.cut();
});

test('what a connected GET stream has brought goes on no other one, however soon the client opens it', async (t) => {
  const { ask, live, open, server } = await start(t);
  const headers = await open();
  const [peer] = server.peers;
  // The stream of a call is open all the time.
  const call = ask({ headers, body: rpc('wait', { key: 'a' }, 2) });
  await server.arrived('a');
  server.waiting.get('a')?.inbound.send(JSON.stringify(note('notifications/own')));
  peer?.notify('notifications/waited');
  const first = await live({ method: 'GET', headers });
  peer?.notify('notifications/written');
  const methods = (events: readonly { readonly data: string }[]): unknown[] =>
    events.filter(({ data }) => data !== '').map(({ data }) => (JSON.parse(data) as { method: string }).method);
  // The client has not read a byte of the first stream, which is connected.
  const second = await live({ method: 'GET', headers });
  assert.deepEqual(methods(await first.all()), ['notifications/waited', 'notifications/written']);
  peer?.notify('notifications/last');
  const [primer, next] = [await second.next(), await second.next()];
  assert.equal(primer?.data, '');
  assert.deepEqual(methods(next ? [next] : []), ['notifications/last']);
  second.cut();
  server.waiting.get('a')?.finish();
  assert.deepEqual((await call).text.match(/notifications\/\w+/g), ['notifications/own']);
});

test('a backlog keeps the newest', () => {
  const backlog = new Backlog(3 * 66);
  for (const text of ['a', 'b', 'c', 'd']) backlog.add(text, text);
  assert.deepEqual(backlog.texts, ['b', 'c', 'd']);
  backlog.answered('c');
  backlog.answered('nobody');
  assert.deepEqual(backlog.texts, ['b', 'd']);
  backlog.clear();
  assert.deepEqual(backlog.texts, []);
});

/** Opens a session, sends a request that never ends, and disconnects. */
async function abandon({ http, open, server }: Bench, key: string): Promise<Record<string, string>> {
  const headers = await open();
  const text = JSON.stringify(rpc('wait', { key }));
  const socket = connect(http.port, '127.0.0.1');
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: ${both}\r\n`
    + `Mcp-Session-Id: ${headers['mcp-session-id']}\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  await server.arrived(key);
  socket.destroy();
  return headers;
}

test('sessions whose clients have left with work in flight can be pushed out, the oldest first', async (t) => {
  const bench = await start(t, { limits: { maxSessions: 3 } });
  const { ask, open, live, server } = bench;
  const gone = [await abandon(bench, 'a'), await abandon(bench, 'b')];
  const stays = await open();
  const stream = await live({ method: 'GET', headers: stays });
  // The server notices a moment later that the clients have left.
  const aborted = server.waiting.get('a')?.inbound.signal ?? assert.fail();
  let fresh: Record<string, string> | undefined;
  while (!aborted.aborted) {
    const { status, headers } = await ask({ body: rpc('initialize', { protocolVersion: '2025-11-25' }) });
    if (status === 200) fresh = { 'mcp-session-id': String(headers['mcp-session-id']) };
  }
  const statuses: number[] = [];
  for (const headers of [gone[0] ?? {}, stays, fresh ?? {}]) {
    statuses.push((await ask({ headers, body: rpc('ping', {}, 9) })).status);
  }
  assert.deepEqual(statuses, [404, 200, 200]);
  stream.cut();
});

test('a server of 2026-07-28 alone refuses in its own words; with both eras an unknown version is named', async (t) => {
  const alone = await start(t, {}, ['2026-07-28']);
  const both = await start(t);
  const version = (value: string): Record<string, string> => ({ 'mcp-protocol-version': value });
  const cases: [bench: Bench, headers: Record<string, string>, method: string, status: number, code: number][] = [
    [alone, {}, 'tools/list', 400, -32020],
    [alone, version('2099-01-01'), 'tools/list', 400, -32022],
    [alone, version('2025-11-25'), 'tools/list', 400, -32022],
    [alone, { ...version('2026-07-28'), 'mcp-method': 'tools/list' }, 'tools/list', 400, -32602],
    [alone, version('2026-07-28'), 'initialize', 400, -32022],
    [both, {}, 'tools/list', 400, -32600],
    [both, version('2099-01-01'), 'tools/list', 400, -32022],
    [both, version('bogus'), 'initialize', 400, -32022],
    [both, version('2025-06-18'), 'initialize', 200, 0],
  ];
  for (const [{ ask }, headers, method, status, code] of cases) {
    const answer = await ask({ headers, body: rpc(method, { protocolVersion: '2025-11-25' }) });
    const { error } = JSON.parse(answer.text) as { error?: { code: number } };
    assert.deepEqual([answer.status, error?.code ?? 0], [status, code], `${method} ${JSON.stringify(headers)}: ${answer.text}`);
  }
});

test('a subscription is refused to who takes no stream', async (t) => {
  const { ask } = await start(t);
  const answer = await ask(modern('subscriptions/listen', { notifications: {} }, { accept: 'application/json' }));
  assert.equal(answer.status, 406);
  assert.match(answer.text, /-32600.*text\/event-stream/);
});

test('a mirrored header is decoded before it is compared, and an integer that cannot be told is refused', async (t) => {
  const { ask } = await start(t);
  const call = async (region: string, value: unknown, more: Record<string, string> = {}): Promise<number> =>
    (await ask(modern('tools/call', { name: 'mirrored', arguments: { region: value } }, {
      'mcp-name': 'mirrored', 'mcp-param-region': region, ...more,
    }))).status;
  assert.equal(await call('=?base64?w6k=?=', 'é'), 200);
  assert.equal(await call('=?base64?w6k=?=', 'e'), 400);
  assert.equal(await call('=?base64?/w==?=', '\ufffd'), 400);
  assert.equal(await call('9007199254740993', 9007199254740992), 400);
  for (const integer of ['9007199254740991', '-9007199254740991']) assert.equal(await call(integer, Number(integer)), 200);
  for (const integer of ['9007199254740992', '-9007199254740992']) assert.equal(await call(integer, Number(integer)), 400);
});
