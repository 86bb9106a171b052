import assert from 'node:assert/strict';
import test from 'node:test';
import { waitingClock } from '../../mock-clock.ts';
import { ConnectionError } from '../../../src/jsonrpc/errors.ts';
import { httpTrace, watchBody } from '../../../src/transport/http/client/http-trace.ts';
import { clientTransport } from '../../../src/transport/http/client/transport.ts';
import { HttpError } from '../../../src/transport/http/http-error.ts';
import type { HttpTrace } from '../../../src/transport/trace.ts';
import { agreed, empty, failure, json, lingerMs, result, scripted, ScriptedAnswer, stream } from './scripted-sender.ts';

const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
const note = '{"jsonrpc":"2.0","method":"n"}';
const ask = { id: 1, method: 'tools/list' };

test('what is sent, header by header', async () => {
  const it = await scripted((_request, number) => number === 1 ? json(result(1), 200, { 'mcp-session-id': 's' }) : empty(number === 2 ? 202 : 405), {
    headers: { 'X-Own': 'a', Accept: 'mine' },
  });
  it.send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } });
  await it.settled();
  agreed(it, '2025-11-25');
  it.send({ method: 'notifications/initialized' });
  await it.settled();
  it.send({ id: 2, method: 'tools/call', params: { name: 'x' } });
  it.send({ id: 3, method: 'tools/call', params: { name: 'x', ...meta } });
  await it.settled();
  await it.transport.close();
  const post = { 'x-own': 'a', accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const session = { 'mcp-session-id': 's', 'mcp-protocol-version': '2025-11-25' };
  assert.deepEqual(it.sent.map(({ method, headers, lasting, body }) => [method, headers, lasting, body === undefined]), [
    ['POST', post, true, false],
    ['POST', { ...post, ...session }, false, false],
    ['GET', { 'x-own': 'a', ...session, accept: 'text/event-stream' }, true, true],
    ['POST', { ...post, ...session }, true, false],
    ['POST', { ...post, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'x' }, true, false],
    ['DELETE', { 'x-own': 'a', ...session, accept: 'mine' }, false, true],
  ]);
});

test('what each answer to a request means', async () => {
  const cases: [what: string, answer: () => ScriptedAnswer, told: string[]][] = [
    ['the answer', () => json(result(1)), ['success']],
    ['an error', () => json(failure(1, -32601)), ['failure']],
    ['an error of nobody is its own', () => json(failure(null, -32600)), ['failure']],
    ['an error with its status', () => json(failure(1, -32601), 404), ['failure']],
    ['an error of nobody with its status', () => json(failure(null, -32600), 400), ['failure']],
    ['an error of another with a status', () => json(failure(2, -32600), 400), [`failed 1: HTTP 400: ${failure(2, -32600)}`]],
    ['an error where credentials are refused', () => json(failure(1, -32600), 401), [`failed 1: HTTP 401: ${failure(1, -32600)}`]],
    ['another one\'s answer', () => json(result(2)), ['success', 'failed 1: the server answered another request']],
    ['a message that is no answer', () => json(note), ['notification', 'failed 1: the server answered another request']],
    ['no message', () => json('{}'), ['failed 1: the server\'s message was refused: Invalid request: "jsonrpc" must be "2.0"']],
    ['a batch', () => json(`[${result(1)}]`), ['failed 1: the server\'s message was refused: this protocol revision has no batches']],
    ['another type', () => new ScriptedAnswer(200, { 'content-type': 'text/html; x' }).write('<p>').end(), ['failed 1: HTTP 200 with content type "text/html": <p>']],
    ['no type', () => empty(202), ['failed 1: HTTP 202 with content type ""']],
    ['a redirect elsewhere', () => empty(307, { location: 'http://other.test/' }), ['failed 1: a redirect that is not followed: http://other.test/']],
    ['a redirect that changes the method', () => empty(302, { location: '/there' }), ['failed 1: a redirect that is not followed: /there']],
    ['a body that breaks', () => new ScriptedAnswer(200, { 'content-type': 'application/json' }).write('{').break(new Error('cut')), ['failed 1: cut']],
    ['a stream that breaks', () => stream('data: {').break(new Error('cut')), ['failed 1: the stream is lost (attempts to resume it: 0)']],
    ['a stream with its answer', () => stream(`data: ${note}\n\ndata: ${result(1)}\n\n`).end(), ['notification', 'success']],
    ['a stream with no message', () => stream('data: {}\n\n').end(), ['error: the server\'s message was refused: Invalid request: "jsonrpc" must be "2.0"', 'failed 1: the stream is lost (attempts to resume it: 0)']],
  ];
  for (const [what, answer, told] of cases) {
    const it = await scripted(answer);
    it.send(ask);
    await it.settled();
    assert.deepEqual(it.told.map((line) => line.slice(0, 120)), told.map((line) => line.slice(0, 120)), what);
  }
});

test('what broke a stream is the cause of its error', async () => {
  const cut = new Error('cut');
  const it = await scripted(() => stream().break(cut));
  it.send({ ...ask, params: meta });
  await it.settled();
  const [[, error] = []] = it.failures;
  assert.ok(error instanceof ConnectionError);
  assert.equal(error.cause, cut);
});

test('an answer of the client\'s is no request, whatever id is given with it', async () => {
  const it = await scripted(() => empty(202));
  it.send({ id: 7 }, result(7));
  it.transport.send(result(8));
  await it.settled();
  assert.deepEqual(it.told, []);
  assert.deepEqual(it.sent.map(({ lasting }) => lasting), [false, false]);
});

test('a request that is over is not cancelled, unless it was a stream, whose wait for its end is over then', async () => {
  const it = await scripted((_request, number) => number === 1 ? json(result(1)) : stream(`data: ${result(2)}\n\n`).end());
  it.send(ask);
  await it.settled();
  it.send({ ...ask, id: 2 });
  await it.settled();
  assert.deepEqual(it.sent.map(({ cancellation }) => cancellation.cancelled), [false, true]);
  assert.deepEqual(it.waits, [lingerMs]);
  assert.deepEqual(it.told, ['success', 'success']);
});

test('what cannot be read after the answer is nobody\'s matter', async () => {
  const it = await scripted(() => stream(`data: ${result(1)}\n\ndata: ${'x'.repeat(500)}\n\n`).end(), { limits: { maxMessageBytes: 400 } });
  it.send(ask);
  await it.settled();
  assert.deepEqual(it.told, ['success']);
});

test('what fails before anybody listens is told to nobody', async () => {
  const transport = clientTransport('http://there.test/mcp', {}, { send: () => Promise.reject(new Error('down')) });
  transport.send(note, { method: 'n' });
  transport.send(`{"jsonrpc":"2.0","id":1,"method":"x"}`, { id: 1, method: 'x' });
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
  await transport.close();
});

test('a stream is resumed from its last event, after waits that are asked for; 429 and 5xx are tried again', async () => {
  const answers = [
    stream('id: a\nretry: 7\ndata:\n\n').break(new Error('cut')),
    empty(429), empty(500), stream(`id: b\ndata: ${note}\n\n`).end(), stream(`data: ${result(1)}\n\n`).end(),
  ];
  const it = await scripted((_request, number) => answers[number - 1] ?? empty(404), { limits: { reconnectMinMs: 100, reconnectInitialMs: 1000, reconnectMaxMs: 3000 } });
  it.send(ask);
  await it.settled();
  await it.settled();
  assert.deepEqual(it.told, ['notification', 'success']);
  assert.deepEqual(it.sent.map(({ method, headers }) => [method, headers['last-event-id']]), [
    ['POST', undefined], ['GET', 'a'], ['GET', 'a'], ['GET', 'a'], ['GET', 'b'],
  ]);
  assert.deepEqual(it.waits, [100, 2000, 3000, 100, lingerMs]);
});

test('resuming ends with a refusal, and after reconnectAttempts failures', async () => {
  for (const [status, gets, why] of [
    [404, 1, 'failed 1: GET: HTTP 404'], [405, 1, 'failed 1: GET: HTTP 405'], [499, 1, 'failed 1: GET: HTTP 499'],
    [500, 3, 'failed 1: the stream is lost (attempts to resume it: 3)'], [429, 3, 'failed 1: the stream is lost (attempts to resume it: 3)'],
  ] as const) {
    const it = await scripted((_request, number) => number === 1 ? stream('id: a\ndata:\n\n').end() : empty(status), { limits: { reconnectAttempts: 3 } });
    it.send(ask);
    await it.settled();
    await it.settled();
    assert.deepEqual([it.sent.length - 1, it.told], [gets, [why]], String(status));
  }
});

test('an HTTP+SSE stream is not heard on while the server takes no answers, and what is too long there is told', async () => {
  const messages = stream('event: endpoint\ndata: /m\n\n');
  const untaken: (() => void)[] = [];
  const it = await scripted(({ method, url }) => {
    if (method === 'GET') return messages;
    if (url.pathname === '/mcp') return empty(405);
    return new Promise((resolve) => untaken.push(() => resolve(empty(202))));
  }, { limits: { maxMessageBytes: 400 } });
  it.send({ id: 0, method: 'initialize' });
  await it.settled();
  untaken.shift()?.();
  messages.write(`data: ${result(0)}\n\n`).write(`data: ${'x'.repeat(500)}\n\n`);
  await it.settled();
  assert.deepEqual(it.told, ['success', 'error: the stream: event too large']);
  for (let i = 0; i < 33; i++) it.send({}, result(i));
  messages.write(`data: ${note}\n\n`).write(`data: ${note}\n\n`);
  await it.settled();
  // The chunk with the first of these messages waits, and so does everything after it.
  assert.deepEqual([it.told.length, messages.taken], [3, 3]);
  for (let i = 0; i < 17; i++) untaken.shift()?.();
  await it.settled();
  assert.deepEqual([it.told.length, messages.taken], [4, 5]);
  for (const take of untaken) take();
  messages.end();
  await it.settled();
  assert.equal(it.told.at(-1), 'closed: the server ended its stream');
});

test('a server that asks, and takes no answers, is not heard on: 32 may wait, and reading goes on at 16', async () => {
  const answer = stream();
  const untaken: (() => void)[] = [];
  const it = await scripted(({ lasting }) => lasting ? answer : new Promise((resolve) => untaken.push(() => resolve(empty(202)))));
  it.send(ask);
  for (let i = 0; i < 32; i++) it.send({}, result(i));
  answer.write(`data: ${note}\n\n`);
  await it.settled();
  assert.equal(answer.taken, 2, 'the empty chunk, and this one');
  it.send({}, result(33));
  answer.write(`data: ${note}\n\n`);
  await it.settled();
  assert.equal(answer.taken, 2);
  for (let i = 0; i < 16; i++) untaken.shift()?.();
  await it.settled();
  assert.equal(answer.taken, 2);
  untaken.shift()?.();
  await it.settled();
  assert.equal(answer.taken, 3);
  for (const take of untaken) take();
  answer.write(`data: ${result(1)}\n\n`).end();
  await it.settled();
  assert.deepEqual(it.told, ['notification', 'notification', 'success']);
});

test('httpTrace: an event has the fields that it changes; the sender is closed where it can be', async () => {
  const seen: Parameters<HttpTrace>[0][] = [];
  let closed = 0;
  const around = httpTrace((entry) => void seen.push(entry));
  const answer = stream(`data: ${note}\n\nid: a\nretry: 5\ndata: ${note}\n\ndata: ${note}\n\nid\nevent: x\ndata: y\n\ndata: ${result(1)}\n\n`).end();
  const it = await scripted(() => answer, { around }, { close: () => void closed++ });
  it.send(ask);
  await it.settled();
  const events = seen.flatMap((entry) => ('event' in entry ? [entry.event] : []));
  assert.deepEqual(events, [{}, { id: 'a', retry: 5 }, {}, { id: '', event: 'x' }, {}]);
  await it.transport.close();
  assert.equal(closed, 1);
  const plain = { send: async () => answer };
  assert.deepEqual(Object.keys(around(plain)), ['send']);
});

test('httpTrace: a body is shown once it is whole; an empty one and one above 16 MiB are not', () => {
  const shown: number[] = [];
  const most = 16 * 1024 * 1024;
  for (const sizes of [[], [0], [3, 4], [most], [most, 1], [most - 1, 1]]) {
    const watcher = watchBody((entry) => void shown.push('text' in entry ? entry.text.length : -1), 1, 'received');
    for (const size of sizes) watcher.push(new Uint8Array(size));
    watcher.end();
  }
  assert.deepEqual(shown, [7, most, most]);
});

test('closing tells the server of its session, once, and not of one that it does not know any more', async () => {
  for (const gone of [false, true]) {
    let closed = 0;
    const it = await scripted((_request, number) => number === 1 ? json(result(0), 200, { 'mcp-session-id': 's' }) : empty(404), {}, { close: () => void closed++ });
    it.send({ id: 0, method: 'initialize' });
    await it.settled();
    if (gone) {
      it.send(ask);
      await it.settled();
      assert.match(it.told[1] ?? '', /^failed 1: the session has expired$/);
    }
    await it.transport.close();
    await it.transport.close();
    assert.deepEqual([it.sent.at(-1)?.method, it.sent.length, closed], gone ? ['POST', 2, 1] : ['DELETE', 2, 1]);
    it.send({ id: 5, method: 'ping' });
    assert.equal(it.told.at(-1), 'failed 5: the transport is closed');
    assert.ok(it.failures.at(-1)?.[1] instanceof ConnectionError);
  }
});

test('credentials are asked for by 401, 403, and 400 with a nonce, whatever makes the answers', async () => {
  for (const [status, fields, asked] of [
    [400, {}, 0], [400, { 'www-authenticate': 'DPoP error="use_dpop_nonce"' }, 1], [401, {}, 1], [402, {}, 0], [403, {}, 1], [404, {}, 0],
  ] as const) {
    let refused = 0;
    const it = await scripted(() => empty(status, fields), {
      auth: { headers: () => ({ Authorization: 'Bearer a' }), refused: async () => ++refused < 0 },
    });
    it.send(ask);
    await it.settled();
    assert.deepEqual([refused, it.sent.length, it.sent[0]?.headers['authorization'], it.failures.length], [asked, 1, 'Bearer a', 1], String(status));
  }
});

test('that the handshake is over is said three times to a server that is away, once to one that refuses, and requests wait for it', async () => {
  for (const [status, tries] of [[500, 3], [429, 3], [400, 1], [404, 1]] as const) {
    const it = await scripted((_request, number) => number === 1 ? json(result(0)) : number <= 4 && number <= 1 + tries ? empty(status) : json(result(1)));
    it.send({ id: 0, method: 'initialize' });
    await it.settled();
    agreed(it, '2025-11-25');
    it.send({ method: 'notifications/initialized' });
    it.send(ask);
    await it.settled();
    await it.settled();
    assert.deepEqual(it.told, ['success', `error: HTTP ${status}`, 'success'], String(status));
    const sent = it.sent.map(({ body = '' }) => (JSON.parse(body) as { method: string }).method);
    assert.deepEqual(sent, ['initialize', ...Array.from({ length: tries }, () => 'notifications/initialized'), 'tools/list']);
    assert.deepEqual(it.waits.filter((ms) => ms < 1_000_000), [1000, 2000].slice(0, tries - 1));
    await it.transport.close();
  }
});

test('an answer and a cancellation are brought again to a server that is away, a report of progress is not', async () => {
  for (const [what, message, status, tries] of [
    ['an answer', {}, 502, 4], ['an answer', {}, 429, 4], ['an answer', {}, 400, 1], ['an answer', {}, 404, 1],
    ['a cancellation', { method: 'notifications/cancelled' }, 503, 4], ['roots', { method: 'notifications/roots/list_changed' }, 503, 4],
    ['progress', { method: 'notifications/progress' }, 503, 1], ['any other', { method: 'notifications/own' }, 503, 1],
  ] as const) {
    const it = await scripted(() => empty(status), { limits: { reconnectAttempts: 3 } });
    it.send(message, note);
    await it.settled();
    await it.settled();
    assert.deepEqual([it.sent.length, it.told], [tries, [`error: HTTP ${status}`]], `${what} ${status}`);
    assert.deepEqual(it.waits, [1000, 2000, 4000].slice(0, tries - 1), `${what} ${status}`);
    await it.transport.close();
  }
});

test('an answer that the server has taken is not brought again, and none after the end', async () => {
  const it = await scripted((_request, number) => empty(number === 1 ? 502 : 202));
  it.send({}, result(1));
  await it.settled();
  await it.settled();
  assert.deepEqual([it.sent.length, it.told], [2, []]);
  const away = await scripted(() => empty(502), { clock: waitingClock(() => new Promise(() => {})) });
  away.send({}, result(1));
  await away.settled();
  await away.transport.close();
  await away.settled();
  assert.deepEqual([away.sent.length, away.told], [1, []]);
});

test('an error status that is no message has its body and its fields', async () => {
  const it = await scripted(() => new ScriptedAnswer(503, { 'retry-after': '9' }).write('x'.repeat(300)).end());
  it.send(ask);
  await it.settled();
  const [[, error] = []] = it.failures;
  assert.ok(error instanceof HttpError);
  assert.deepEqual([error.status, error.body.length, error.message.length, error.header('retry-after')], [503, 300, 'HTTP 503: '.length + 200, '9']);
});
