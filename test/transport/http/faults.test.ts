import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { systemClock } from '../../../src/bounds/clock.ts';
import type { Clock } from '../../../src/bounds/clock.ts';
import { httpListener } from '../../../src/transport/http/node/index.ts';
import type { NodeRequest } from '../../../src/transport/http/node/index.ts';
import { fakeServer } from './fake-server.ts';
import { both, modern, rpc, raw, start } from './harness.ts';

const head = (fields: string, length: number | string): string =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: ${both}\r\n${fields}`
  + `Content-Length: ${length}\r\nConnection: close\r\n\r\n`;
const initialize = JSON.stringify(rpc('initialize', { protocolVersion: '2025-11-25', note: 'ü€😀' }));
const size = Buffer.byteLength(initialize);

test('bodies one byte at a time, cut short, or of another length than they say', async (t) => {
  const { http, ask, server } = await start(t);
  const bytes = head('', size) + initialize;
  assert.match(await raw(http.port, [...bytes]), /^HTTP\/1\.1 200 .*"id":1,"result"/s);
  const chunked = initialize.match(/.{1,7}/gu)
    ?.map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join('') ?? '';
  const chunkedHead = head('', 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
  assert.match(await raw(http.port, [chunkedHead, ...`${chunked}0\r\n\r\n`]), /^HTTP\/1\.1 200 /);
  const before = server.peers.size;
  // The client leaves before its message is complete: nothing is served.
  assert.doesNotMatch(await raw(http.port, [head('', size), initialize.slice(0, 20)], true), /200/);
  assert.doesNotMatch(await raw(http.port, [head('', size + 5), initialize], true), /200/);
  assert.equal(server.peers.size, before);
  // The body is longer than its Content-Length: the part that counts is invalid JSON, and the rest is not a request.
  assert.match(await raw(http.port, [head('', size - 5) + initialize]), /^HTTP\/1\.1 400 /);
  assert.equal(server.peers.size, before);
  assert.match(await raw(http.port, [head('', 'x') + initialize]), /^HTTP\/1\.1 400 /);
  assert.match(await raw(http.port, [head('', 4) + '\xff\xfe{}'], false), /^HTTP\/1\.1 400 /);
  assert.equal((await ask({ body: JSON.parse(initialize) as object })).status, 200);
});

test('invalid UTF-8 is refused, not repaired', async (t) => {
  const { http } = await start(t);
  const bytes = Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"x":"'), Buffer.from([0xff]),
    Buffer.from('"}}'),
  ]);
  const response = await fetch(http.url, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: bytes,
  });
  assert.deepEqual([response.status, (await response.text()).includes('-32700')], [400, true]);
});

test('a body over the limit is refused before and while it comes', async (t) => {
  const { http, ask } = await start(t, { limits: { maxBodyBytes: 100 } });
  assert.match(await raw(http.port, [head('', 101)]), /^HTTP\/1\.1 413 /);
  const chunks = head('', 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
  const part = `32\r\n${'x'.repeat(50)}\r\n`;
  assert.match(await raw(http.port, [chunks, part, part, part, '0\r\n\r\n']), /^HTTP\/1\.1 413 /);
  assert.equal((await ask({ body: 'x'.repeat(100) })).status, 400);
  assert.equal((await ask({ body: 'x'.repeat(101) })).status, 413);
});

test('no value of a request becomes a header or an event of an answer', async (t) => {
  const { http, live, open } = await start(t, { cors: true });
  const injected = await raw(http.port, [head('Mcp-Session-Id: a\rX-Evil: 1\r\n', 2) + '{}']);
  assert.match(injected, /^HTTP\/1\.1 400 /);
  assert.doesNotMatch(injected, /^x-evil/im);
  const path = await raw(http.port, ['GET /x%0d%0aX-Evil:1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n']);
  assert.match(path, /^HTTP\/1\.1 404 /);
  assert.doesNotMatch(path, /^x-evil/im);
  const sse = { ...await open(), accept: 'text/event-stream' };
  const stream = await live({ headers: sse, body: rpc('echo', { text: 'a\r\n\r\nid: 9\ndata: b\u2028' }) });
  const events = (await stream.all()).filter(({ data }) => data !== '');
  assert.equal(events.length, 1);
  assert.deepEqual(JSON.parse(events[0]?.data ?? ''), {
    jsonrpc: '2.0', id: 1, result: { echo: 'a\r\n\r\nid: 9\ndata: b\u2028' },
  });
});

test('a reader that is too slow is cut off by name, and may resume', async (t) => {
  const { live, open, server, errors } = await start(t, {
    limits: { maxBufferedBytes: 100_000, maxReplayPerStream: 64 * 1024 * 1024 },
  });
  const headers = await open();
  const listening = await live({ method: 'GET', headers });
  const primer = await listening.next();
  listening.pause();
  const peer = server.peers.values().next().value ?? assert.fail();
  const text = 'x'.repeat(100_000);
  let sent = 0;
  // The kernel first buffers some megabytes.
  while (errors.length === 0 && sent < 1000) {
    peer.notify('notifications/x', { n: ++sent, text });
    await new Promise(setImmediate);
  }
  assert.match(errors[0]?.message ?? '', /too slow, \d+ bytes/);
  const again = await live({ method: 'GET', headers: { ...headers, 'last-event-id': primer?.id ?? '' } });
  for (let n = 1; n <= sent; n++) {
    assert.match((await again.next())?.data.slice(0, 80) ?? '', new RegExp(`"n":${n},`));
  }
});

test('a modern reader that is too slow is cut off, and its request cancelled', async (t) => {
  const { live, server, errors } = await start(t, { limits: { maxBufferedBytes: 100_000 } });
  const listening = await live(modern('subscriptions/listen'));
  await listening.next();
  listening.pause();
  const [inbound] = server.subscriptions;
  const text = JSON.stringify('x'.repeat(100_000));
  for (let sent = 0; inbound?.signal.aborted === false && sent < 1000; sent++) {
    inbound.send(text);
    await new Promise(setImmediate);
  }
  assert.equal(inbound?.signal.aborted, true);
  assert.equal(errors.length, 1);
});

test('clients that vanish leave nothing behind that is not bounded', async (t) => {
  const { live, open, server } = await start(t, { limits: { maxSessions: 50 } });
  const gone: Promise<void>[] = [];
  for (let i = 0; i < 250; i++) {
    const headers = await open();
    if (i % 10 !== 0) continue;
    const stream = await live({ method: 'GET', headers });
    await stream.next();
    stream.cut();
    gone.push(stream.closed);
  }
  await Promise.all(gone);
  assert.ok(server.peers.size <= 50, `${server.peers.size} sessions`);
});

test('closing: no new work, what is in flight finishes, streams end', async (t) => {
  const { http, ask, live, open, server } = await start(t);
  const headers = await open();
  const listening = await live({ method: 'GET', headers });
  const subscription = await live(modern('subscriptions/listen'));
  await subscription.next();
  const work = ask({ headers, body: rpc('wait', { key: 'legacy' }) });
  const modernWork = ask(modern('wait', { key: 'modern' }));
  await Promise.all([server.arrived('legacy'), server.arrived('modern')]);
  const idle = await ask({ headers, body: rpc('ping', {}, 7) });
  assert.equal(idle.status, 200);
  const closed = http.close({ drainMs: 60_000 });
  assert.match((await subscription.next())?.data ?? '', /"result"/);
  server.waiting.get('legacy')?.finish();
  server.waiting.get('modern')?.finish();
  assert.match((await work).text, /"done":true/);
  assert.match((await modernWork).text, /"done":true/);
  await Promise.all([listening.closed, closed]);
  assert.equal(server.peers.size, 0);
  await assert.rejects(ask({ body: rpc('initialize') }), /ECONNREFUSED/);
});

test('closing waits no longer than it was told to', async (t) => {
  // The first 100 ms are for connections that clients have opened in advance.
  for (const [options, expected] of [[{ drainMs: 1 }, [1]], [{}, [100, 4900]]] as const) {
    const waits: number[] = [];
    const clock: Clock = {
      ...systemClock,
      after(ms, run, background) {
        waits.push(ms);
        return systemClock.after((expected as readonly number[]).includes(ms) ? 0 : ms, run, background);
      },
    };
    const { http, ask, open, server } = await start(t, {}, undefined, clock);
    const headers = await open();
    const work = ask({ headers, body: rpc('wait', { key: 'legacy' }) });
    const modernWork = ask(modern('wait', { key: 'modern' }));
    await Promise.all([server.arrived('legacy'), server.arrived('modern')]);
    waits.length = 0;
    await http.close(options);
    assert.deepEqual(waits.slice(0, expected.length), expected);
    for (const [name, pending] of [['legacy', work], ['modern', modernWork]] as const) {
      assert.doesNotMatch((await pending).text, /result/, name);
      assert.equal(server.waiting.get(name)?.inbound.signal.aborted, true, name);
    }
  }
});

test('a body that a framework has parsed, and a path that it has cut', async (t) => {
  const listener = httpListener(fakeServer());
  const http = createServer((req, res) => {
    let text = '';
    req.on('data', (chunk) => (text += chunk));
    req.on('end', () => {
      const given: NodeRequest = Object.assign(req, { originalUrl: req.url ?? '', url: '/' });
      if (req.headers['x-way'] === 'argument') return listener(given, res, JSON.parse(text));
      if (req.headers['x-way'] === 'text') given.body = text;
      else if (req.headers['x-way'] === 'value') given.body = JSON.parse(text);
      // Express passes its `next` as third argument.
      listener(given, res, () => assert.fail());
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => http.close());
  const { port } = http.address() as { port: number };
  for (const [way, status] of [['argument', 200], ['text', 200], ['value', 200], ['none', 400]] as const) {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST', headers: { 'content-type': 'application/json', 'x-way': way }, body: initialize,
    });
    assert.equal(response.status, status, way);
    await response.text();
  }
});
