import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler, httpServerTrace } from '../../../src/transport/http/fetch/index.ts';
import type { HttpTrace } from '../../../src/transport/http/fetch/index.ts';
import { redact } from '../../../src/transport/http/redact.ts';
import { fakeServer } from './fake-server.ts';
import { both, modern, note, rpc, start } from './harness.ts';

type Entry = Parameters<HttpTrace>[0];

/** The main parts of an entry, in one line. */
function line(entry: Entry): string {
  const arrow = entry.direction === 'received' ? '->' : '<-';
  if (entry.kind === 'http') return `${entry.exchange} ${arrow} ${entry.method} ${entry.path} ${entry.status ?? ''}`.trim();
  const { event = {}, exchange } = entry;
  const fields = Object.entries(event).map(([name, value]) => ` ${name}=${value}`).join('');
  const text = entry.kind === 'event' ? `event ${entry.data.slice(0, 20)}`
    : /"method":"[^"]*"|"result"|"code":[-\d]*|\{$/.exec(entry.text)?.[0] ?? '';
  return `${exchange} ${arrow}${fields} ${text}`.trim();
}

test('trace sees messages, heads and events, joined by the number of the exchange', async (t) => {
  const seen: Entry[] = [];
  const { ask, live, open, server } = await start(t, { trace: httpServerTrace((entry) => seen.push(entry)) });
  const headers = await open();
  await (await live({ headers, body: rpc('steps', { steps: 1 }) })).all();
  await ask({ headers, body: note('x') });
  await ask(modern('ping'));
  await ask(modern('steps', { steps: 1 }));
  await ask({ headers, body: '{' });
  assert.deepEqual(seen.map(line), [
    '1 -> POST /mcp', '1 -> "method":"initialize"', '1 <- POST /mcp 200', '1 <- "result"',
    '2 -> POST /mcp', '2 -> "method":"steps"', '2 <- POST /mcp 200', '2 <- id=0-0 retry=1000 event',
    '2 <- id=0-1 "method":"notifications/step"', '2 <- id=0-2 "result"',
    '3 -> POST /mcp', '3 -> "method":"x"', '3 <- POST /mcp 202',
    '4 -> POST /mcp', '4 -> "method":"ping"', '4 <- POST /mcp 200', '4 <- "result"',
    '5 -> POST /mcp', '5 -> "method":"steps"', '5 <- POST /mcp 200', '5 <- "method":"notifications/step"', '5 <- "result"',
    '6 -> POST /mcp', '6 -> {', '6 <- POST /mcp 400', '6 <- "code":-32700',
  ]);

  // A notification that waits for a stream is traced when it is sent, and again when it is replayed.
  seen.length = 0;
  const [peer] = server.peers;
  peer?.notify('early');
  const listening = await live({ method: 'GET', headers });
  await listening.next();
  const { id = '' } = await listening.next() ?? {};
  listening.cut();
  await listening.closed;
  const resumed = await live({ method: 'GET', headers: { ...headers, 'last-event-id': '1-0' } });
  await resumed.next();
  const pair = await live({ method: 'GET', path: '/sse' });
  await pair.next();
  assert.equal(id, '1-1');
  assert.deepEqual(seen.map(line).map((text) => text.replace(/\/messages.*/, '/messages')), [
    '7 -> GET /mcp', '7 <- GET /mcp 200', '7 <- id=1-0 retry=1000 event', '7 <- id=1-1 "method":"early"',
    '8 -> GET /mcp', '8 <- GET /mcp 200', '8 <- id=1-1 "method":"early"',
    '9 -> GET /sse', '9 <- GET /sse 200', '9 <- event=endpoint event /messages',
  ]);
  resumed.cut();
  pair.cut();
});

test('a plain function sees messages only, with the event that carries each', async (t) => {
  const seen: object[] = [];
  const { ask, live, open } = await start(t, { trace: (entry) => void seen.push({ ...entry, at: 0, text: /"method":"[^"]*"|"result"/.exec(entry.text)?.[0] }) });
  const headers = await open();
  await (await live({ headers, body: rpc('steps', { steps: 1 }) })).all();
  await ask(modern('ping'));
  const one = (direction: string, text: string, id?: string): object => ({ kind: 'message', direction, text, at: 0, ...id !== undefined && { event: { id } } });
  assert.deepEqual(seen, [
    one('received', '"method":"initialize"'), one('sent', '"result"'),
    one('received', '"method":"steps"'), one('sent', '"method":"notifications/step"', '0-1'), one('sent', '"result"', '0-2'),
    one('received', '"method":"ping"'), one('sent', '"result"'),
  ]);
  assert.throws(() => fetchHandler(fakeServer(), { trace: { begin: 1 } as never }), /trace\.begin/);
});

test('no credential is in a trace', async (t) => {
  const seen: Entry[] = [];
  const secrets = {
    authorization: 'Bearer hunter2', cookie: 'id=hunter2', 'x-api-key': 'hunter2', dpop: 'hunter2',
    'proxy-authorization': 'hunter2', 'x-amz-security-token': 'hunter2',
  };
  const { ask } = await start(t, { trace: httpServerTrace((entry) => seen.push(entry)), auth: () => undefined });
  const { headers = {}, body = '' } = modern('ping');
  await ask({ headers: { ...headers, ...secrets }, path: '/mcp?access_token=hunter2', body });
  assert.doesNotMatch(JSON.stringify(seen), /hunter2/);
  const [request, response] = seen;
  assert.equal(request?.kind === 'http' && request.headers['authorization'], 'Bearer [redacted]');
  assert.equal(request?.kind === 'http' && request.headers['cookie'], '[redacted]');
  assert.equal(request?.kind === 'http' && request.headers['mcp-method'], 'ping');
  // The challenge is not a credential: it names the missing one.
  assert.equal(response?.kind === 'http' && response.headers['www-authenticate'], 'Bearer');
  assert.deepEqual(redact([['Authorization', 'DPoP abc'], ['Set-Cookie', 'a']]), {
    authorization: 'DPoP [redacted]', 'set-cookie': '[redacted]',
  });
  // If a value has several words, the scheme is the first. If the first word is not a scheme, nothing of the value is shown.
  for (const [value, shown] of [
    ['Digest username="u", response="hunter2"', 'Digest [redacted]'], ['AWS4-HMAC-SHA256 a b', 'AWS4-HMAC-SHA256 [redacted]'],
    ['hunter2', '[redacted]'], ['"hunter" 2', '[redacted]'], [' hunter 2', '[redacted]'], ['', '[redacted]'],
  ] as const) assert.deepEqual(redact([['proxy-authorization', value]]), { 'proxy-authorization': shown }, value);
});

test('a web request is traced like any other', async () => {
  const seen: Entry[] = [];
  const handle = fetchHandler(fakeServer(), { trace: httpServerTrace((entry) => seen.push(entry)) });
  const response = await handle(new Request('http://localhost/mcp', {
    method: 'POST', headers: { 'content-type': 'application/json', accept: both, authorization: 'Basic hunter2' },
    body: JSON.stringify(rpc('initialize', { protocolVersion: '2025-11-25' })),
  }));
  await response.text();
  assert.deepEqual(seen.map(line), [
    '1 -> POST /mcp', '1 -> "method":"initialize"', '1 <- POST /mcp 200', '1 <- "result"',
  ]);
  assert.doesNotMatch(JSON.stringify(seen), /hunter2/);
  await handle.close();
});
