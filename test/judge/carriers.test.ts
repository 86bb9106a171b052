import assert from 'node:assert/strict';
import test from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { CarrierEvents } from '../../src/judge/carrier.ts';
import { http } from '../../src/judge/http.ts';
import { sse } from '../../src/judge/sse.ts';
import type { SseOpening } from '../../src/judge/sse.ts';
import type { WireEntry } from '../../src/judge/verdict.ts';

// How the judge carries messages over HTTP, and over HTTP+SSE: the requests, the entries of its report, and what becomes of each response.

const url = 'http://127.0.0.1/mcp';
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Fetched {
  readonly url: string;
  readonly init: RequestInit;
}

/** The events of a carrier. */
function heard() {
  const entries: WireEntry[] = [];
  const told: string[] = [];
  const events: CarrierEvents = { entry: (entry) => void entries.push(entry), unreadable: (why) => void told.push(`unreadable: ${why}`), failed: (id, why) => void told.push(`failed: ${id} ${why}`), gone: (why) => void told.push(`gone: ${why}`) };
  return { entries, told, events };
}

function carrier(answer: (url: string, init: RequestInit) => Response | Promise<Response>, headers?: Readonly<Record<string, string>>) {
  const clock = manualClock();
  const fetched: Fetched[] = [];
  const rest = heard();
  const made = http({ url, headers, fetch: async (to, init = {}) => {
    fetched.push({ url: String(to), init });
    return answer(String(to), init);
  } }, clock, 1_000, rest.events);
  return { ...rest, clock, fetched, made };
}

const hangs = (_url: string, { signal }: RequestInit): Promise<Response> => new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));

/** A body in these pieces; `end`: what follows them. */
const pieces = (parts: readonly (string | Uint8Array)[], end: 'close' | 'error' | 'open' = 'close'): ReadableStream => new ReadableStream({
  start(control) {
    for (const part of parts) control.enqueue(typeof part === 'string' ? new TextEncoder().encode(part) : part);
    if (end === 'close') control.close();
    if (end === 'error') setImmediate(() => control.error(new Error('cut')));
  },
});

test('judge: over HTTP a message is posted with the given headers, and the exchange is in the report', async () => {
  const { made, fetched, entries } = carrier(() => new Response('{"a":1}', { status: 201, headers: { 'content-type': 'application/json', 'x-one': '1' } }), { Authorization: 'Bearer secret-token-1', Plain: 'p' });
  assert.equal(made.kind, 'http');
  await made.open();
  const reply = await made.send('{"q":1}', { headers: { Accept: 'x', plain: undefined, 'X-More': 'y' } });
  const [{ url: to, init } = assert.fail()] = fetched;
  assert.deepEqual([to, init.method, init.body, init.redirect, init.headers], [url, 'POST', '{"q":1}', 'manual', { authorization: 'Bearer secret-token-1', plain: 'p', accept: 'x', 'x-more': 'y' }]);
  assert.ok(reply);
  assert.deepEqual([reply.exchange, reply.method, reply.status, reply.stream, reply.body, reply.utf8, await reply.ended, reply.headers['x-one']], [1, 'POST', 201, false, '{"a":1}', true, true, '1']);
  assert.deepEqual(entries.map(({ kind, direction, exchange }) => [kind, direction, exchange]), [['http', 'sent', 1], ['message', 'sent', 1], ['http', 'received', 1], ['message', 'received', 1]]);
  const [sent, , received] = entries;
  assert.ok(sent?.kind === 'http' && received?.kind === 'http' && !JSON.stringify(entries).includes('secret-token-1'));
  assert.deepEqual([sent.method, sent.path, sent.status, received.status], ['POST', '/mcp', undefined, 201]);
  // Without a message, and without a body.
  const bare = carrier(() => new Response(null, { status: 204 }));
  const none = await bare.made.send(undefined, { method: 'DELETE', url: '/other?x=1' });
  assert.deepEqual([bare.fetched[0]?.url, bare.fetched[0]?.init.method, 'body' in (bare.fetched[0]?.init ?? {}), none?.body, bare.entries.map(({ kind }) => kind)], ['http://127.0.0.1/other?x=1', 'DELETE', false, '', ['http', 'http']]);
  const bytes = new Uint8Array([1, 2]);
  await bare.made.send('text', { bytes });
  assert.equal(bare.fetched[1]?.init.body, bytes);
  assert.equal(bare.entries.at(-1)?.exchange, 2);
});

test('judge: over HTTP another origin gets nothing, and a failure says why', async () => {
  const { made, fetched } = carrier(() => new Response(''));
  await assert.rejects(made.send('x', { url: 'http://127.0.0.1:81/mcp' }), { message: 'http://127.0.0.1:81 is another origin than http://127.0.0.1' });
  assert.equal(fetched.length, 0);
  await assert.rejects(carrier(() => Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNRESET') }))).made.send('x'), { message: 'fetch failed: ECONNRESET' });
  await assert.rejects(carrier(() => Promise.reject(new TypeError('fetch failed'))).made.send('x'), { message: 'fetch failed' });
  const slow = carrier(hangs);
  const going = slow.made.send('x');
  const late = assert.rejects(going, { message: 'no answer came in time' });
  await turn();
  slow.clock.tick(999);
  assert.equal(slow.clock.waiting, 1);
  slow.clock.tick(1_000);
  await late;
  const closed = carrier(hangs);
  const left = assert.rejects(closed.made.send('x'), { message: 'no answer came in time' });
  await turn();
  assert.equal(await closed.made.close(), 0);
  await left;
  assert.equal(closed.clock.waiting, 0);
});

test('judge: over HTTP a body is read as text, whatever its bytes are, and not without an end', async () => {
  const bad = await carrier(() => new Response(pieces([new Uint8Array([0x61, 0xff]), new Uint8Array([0xc3]), new Uint8Array([0xa4])]))).made.send('x');
  assert.deepEqual([bad?.utf8, bad?.body], [false, 'a\ufffdä']);
  const cut = await carrier(() => new Response(pieces([new Uint8Array([0xc3]), new Uint8Array([0xa4])]))).made.send('x');
  assert.deepEqual([cut?.utf8, cut?.body], [true, 'ä']);
  const large = await carrier(() => new Response(pieces(Array.from({ length: 6 }, () => 'x'.repeat(1_048_576)), 'open'))).made.send('x');
  assert.equal(large?.body.length, 4_194_304);
});

test('judge: over HTTP an event stream is followed to its end', async () => {
  const follow = async (parts: readonly (string | Uint8Array)[], end: 'close' | 'error' | 'open', type = 'Text/Event-Stream; charset=utf-8') => {
    const one = carrier(() => new Response(pieces(parts, end), { headers: { 'content-type': type } }));
    return { ...one, reply: await one.made.send('x') ?? assert.fail() };
  };
  const whole = await follow([': c\n\n', 'id: 1\nevent: message\ndata: {"a":1}\n\nid: 2\ndata:\n\n'], 'close');
  assert.deepEqual([whole.reply.stream, whole.reply.body, whole.reply.utf8, await whole.reply.ended], [true, '', true, true]);
  assert.deepEqual(whole.entries.slice(3), [
    { kind: 'message', direction: 'received', text: '{"a":1}', exchange: 1, at: 0, event: { id: '1' } }, { kind: 'event', direction: 'received', exchange: 1, event: { id: '2' }, data: '', at: 0 },
  ]);
  assert.equal(whole.clock.waiting, 0);
  assert.equal(await (await follow(['data: 1\n\n'], 'error')).reply.ended, false);
  const odd = await follow([new Uint8Array([0x64, 0xff, 0x0a])], 'close');
  assert.deepEqual([await odd.reply.ended, odd.told], [true, ['unreadable: an event stream is not UTF-8']]);
  assert.equal((await follow(['x'], 'close', 'text/event-streams')).reply.stream, false);
  const long = await follow(Array.from({ length: 17 }, () => `:${'x'.repeat(1_048_576)}\n\n`), 'open');
  assert.equal(await long.reply.ended, false);
});

function overSse(first: Response | (() => Promise<Response>), post: (to: string, init: RequestInit) => Response = () => new Response(null, { status: 202 })) {
  const clock = manualClock();
  const rest = heard();
  const openings: SseOpening[] = [];
  const fetched: Fetched[] = [];
  const made = sse({ url: 'http://127.0.0.1/sse', headers: { authorization: 'Bearer secret-token-1' }, fetch: async (to, init = {}) => {
    fetched.push({ url: String(to), init });
    if (init.method === 'POST') return post(String(to), init);
    return typeof first === 'function' ? Promise.race([first(), hangs('', init)]) : first;
  } }, clock, 1_000, rest.events, (opening) => openings.push(opening));
  return { ...rest, clock, openings, fetched, made };
}
const streamOf = (parts: readonly string[], end: 'close' | 'error' | 'open' = 'open', status = 200, type = 'text/event-stream'): Response => new Response(pieces(parts, end), { status, headers: { 'content-type': type } });

test('judge: over HTTP+SSE the first event names the address for messages', async () => {
  for (const [parts, first, endpoint] of [
    [['event: endpoint\ndata: /m?s=1\n\n'], 'event: endpoint\ndata: /m?s=1', 'http://127.0.0.1/m?s=1'], [[': hi\r\n\r\n', ': ho\n\n\nevent:endpoint\r\nda', 'ta:/m\r\n\r\n'], 'event:endpoint\ndata:/m', 'http://127.0.0.1/m'], [['data: x\nevent: endpoint\ndata: http://127.0.0.1/x\n\n'], 'data: x\nevent: endpoint\ndata: http://127.0.0.1/x', 'http://127.0.0.1/x'],
    [['event: endpoint\ndata: http://other.example/m\n\n'], 'event: endpoint\ndata: http://other.example/m', undefined], [['event: message\ndata: /m\n\n'], 'event: message\ndata: /m', undefined], [['event: endpoint\ndata: http://[\n\n'], 'event: endpoint\ndata: http://[', undefined], [['event: endpoint\n\n'], 'event: endpoint', 'http://127.0.0.1/sse'],
  ] as const) {
    const { made, openings } = overSse(streamOf(parts));
    await (endpoint === undefined ? assert.rejects(made.open(), { message: 'GET http://127.0.0.1/sse got HTTP 200 text/event-stream and no event endpoint' }) : made.open());
    assert.deepEqual([openings[0]?.first, openings[0]?.endpoint?.href, openings[0]?.status, openings[0]?.type, openings.length], [first, endpoint, 200, 'text/event-stream', 1], parts.join());
    await made.close();
  }
  // The stream ends, or goes on for long, before its first event.
  const ended = overSse(streamOf(['event: endpoint\n'], 'close'));
  await ended.made.open();
  assert.deepEqual([ended.openings[0]?.first, ended.told], ['event: endpoint\n', ['gone: the stream ended']]);
  const endless = overSse(streamOf([`data: ${'x'.repeat(8_192)}`]));
  await assert.rejects(endless.made.open());
  assert.equal(endless.openings[0]?.first, '');
});

test('judge: over HTTP+SSE each message is posted, and the stream brings the messages of the server', async () => {
  const { made, entries, fetched, told, clock } = overSse(streamOf(['event: endpoint\ndata: /m\n\n', 'event: message\ndata: {"a":1}\n\n'], 'error'), (to) => new Response('x', { status: to.endsWith('/m') ? 202 : 500 }));
  assert.equal(await made.send('too early'), undefined);
  assert.equal(made.kind, 'pipe');
  await made.open();
  assert.deepEqual([await made.send('{"q":1}'), await made.send(undefined)], [undefined, undefined]);
  await turn();
  await turn();
  assert.deepEqual(told, ['gone: the stream was cut: cut']);
  assert.deepEqual(fetched.map(({ url: to, init: { method, headers, body, redirect } }) => [to, method, headers, body, redirect]), [
    ['http://127.0.0.1/sse', undefined, { authorization: 'Bearer secret-token-1', accept: 'text/event-stream' }, undefined, 'manual'], ['http://127.0.0.1/m', 'POST', { authorization: 'Bearer secret-token-1', 'content-type': 'application/json' }, '{"q":1}', 'manual'],
  ]);
  assert.ok(!JSON.stringify(entries).includes('secret-token-1'));
  assert.deepEqual(entries.map((one) => [one.kind, one.direction, one.exchange, one.kind === 'http' ? `${one.method} ${one.path} ${one.status}` : one.kind === 'event' ? one.data : one.text]).sort().map((one) => one.join(' ')), [
    'event received 1 /m', 'http received 1 GET /sse 200', 'http received 2 POST /m 202', 'http sent 1 GET /sse undefined', 'http sent 2 POST /m undefined', 'message received 1 {"a":1}', 'message sent 2 {"q":1}',
  ]);
  assert.deepEqual([await made.close(), clock.waiting], [0, 0]);
  for (const [status, message] of [[400, 'HTTP 400'], [399, undefined]] as const) {
    const one = overSse(streamOf(['event: endpoint\ndata: /m\n\n']), () => new Response('', { status }));
    await one.made.open();
    await (message === undefined ? one.made.send('x') : assert.rejects(one.made.send('x'), { message }));
    await one.made.close();
  }
});

test('judge: over HTTP+SSE a response that is not a stream does not open', async () => {
  for (const [response, words] of [[streamOf(['x'], 'close', 404), 'HTTP 404 text/event-stream'], [streamOf(['x'], 'close', 200, 'text/html'), 'HTTP 200 text/html'], [new Response(null, { headers: { 'content-type': 'text/event-stream' } }), 'HTTP 200 text/event-stream']] as const) {
    const { made, openings } = overSse(response);
    await assert.rejects(made.open(), { message: `GET http://127.0.0.1/sse got ${words} and no event endpoint` });
    assert.deepEqual([openings[0]?.first, openings[0]?.endpoint], ['', undefined]);
  }
  const slow = overSse(() => new Promise(() => {}));
  const late = assert.rejects(slow.made.open(), { name: 'TimeoutError' });
  await turn();
  slow.clock.tick(1_000);
  await late;
});
