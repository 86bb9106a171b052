import assert from 'node:assert/strict';
import test from 'node:test';
import { fromBase64, fromBase64Url, toBase64 } from '../../src/jsonrpc/base64.ts';
import { isBase64 } from '../../src/jsonrpc/message.ts';
import { takeBatch } from '../../src/jsonrpc/batch.ts';
import { joinBytes, processBudget } from '../../src/bounds/budget.ts';
import { decode, decodeUtf8, decodeValue } from '../../src/jsonrpc/message.ts';
import { Connection, defaultConnectionLimits } from '../../src/jsonrpc/connection.ts';
import type { ConnectionHandlers, ConnectionLimits } from '../../src/jsonrpc/connection.ts';
import { need, RpcError, toErrorObject } from '../../src/jsonrpc/errors.ts';
import { createFramer } from '../../src/jsonrpc/framing.ts';
import { failureText, InboundRequest, nobody, pipeOutlet } from '../../src/jsonrpc/inbound-request.ts';
import type { Refusal } from '../../src/jsonrpc/message.ts';
import { noiseAfter } from '../../src/bounds/reading.ts';
import { quote, shorten } from '../../src/bounds/quote.ts';
import { stopOf } from '../../src/jsonrpc/stop.ts';
import { systemClock } from '../../src/bounds/clock.ts';
import { weighText, weighValue } from '../../src/bounds/weight.ts';
import { readCancellation } from '../../src/protocol/cancellation.ts';
import { requestsOf } from '../../src/protocol/progress.ts';
import { mockClock } from '../mock-clock.ts';
import { later } from '../server/peer.ts';

// Behaviour that mutants showed no other test in this folder covers.

const jsonrpc = '2.0';
const settled = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

function bench(handlers: Partial<ConnectionHandlers> = {}, limits: Partial<ConnectionLimits> = {}): { connection: Connection; sent: unknown[]; receive(message: object): void } {
  const sent: unknown[] = [];
  const connection = new Connection(
    { send: (text) => sent.push(JSON.parse(text)), answer: (text) => text === undefined || sent.push(JSON.parse(text)) },
    { request: () => ({}), notification: () => undefined, cancellation: readCancellation, error: () => {}, ...handlers },
    { ...defaultConnectionLimits, ...limits },
  );
  return { connection, sent, receive: (message) => connection.receive(decode(JSON.stringify(message))) };
}

test('Base64 is whole, has only its alphabet, and may be long', () => {
  for (const good of ['', 'QQ==', 'QUI=', 'QUJD', '+/+/', 'QUJDQQ==']) assert.deepEqual([isBase64(good), fromBase64(good)?.join()], [true, Buffer.from(good, 'base64').join()], good);
  for (const bad of ['Q', 'QQ', 'QQ=', 'Q===', '====', '=QQ=', 'QQ==QQ==', '-_-_', 'QU D', 'QUJD\n', 'QQ==\n', 'data:;base64,AAAA', 'äääa', '\u212aQQQ', 5, undefined, null, ['QQ==']]) {
    assert.deepEqual([isBase64(bad), fromBase64(bad as string)], [false, undefined], String(bad));
  }
  const long = 'A'.repeat(16 * 1024 * 1024);
  assert.deepEqual([isBase64(long), isBase64(`${long.slice(4)}AAA%`)], [true, false]);
});

test('Base64 is the same with and without a Buffer, in both alphabets', () => {
  const every = Array.from({ length: 5 }, (_, length) => Uint8Array.from({ length }, (_, at) => 251 + at)).concat(Uint8Array.from({ length: 20_000 }, (_, at) => at * 7));
  const spellings = (): unknown[] => every.map((bytes) => [toBase64(bytes), toBase64(bytes, 'base64url'), fromBase64Url(toBase64(bytes, 'base64url'))?.join()]);
  const refused = (): unknown[] => ['+/8', '-_8=', ' -_8', '-_9', '!', 'A'].map(fromBase64Url);
  const expected = spellings();
  assert.deepEqual(expected[2], ['+/w=', '-_w', '251,252']);
  const kept = Object.getOwnPropertyDescriptor(globalThis, 'Buffer') as PropertyDescriptor;
  let bare: [unknown[], unknown[]];
  Reflect.deleteProperty(globalThis, 'Buffer');
  try {
    bare = [spellings(), refused()];
  } finally {
    Object.defineProperty(globalThis, 'Buffer', kept);
  }
  assert.deepEqual(bare, [expected, Array(6).fill(undefined)]);
  assert.deepEqual(refused(), Array(6).fill(undefined));
});

test('bytes: one part is handed back as it is, several are copied', () => {
  const part = Uint8Array.of(1, 2);
  assert.equal(joinBytes([part], 2), part);
  const whole = joinBytes([part, Uint8Array.of(3)], 3);
  part[0] = 9;
  assert.deepEqual([...whole], [1, 2, 3]);
});

test('bytes that are not UTF-8 are refused, and a byte order mark is a character', () => {
  assert.throws(() => decodeUtf8(Uint8Array.of(0x22, 0xff, 0x22)), TypeError);
  assert.equal(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41)), '\ufeffA');
});

test('a value that came parsed is what its text is', () => {
  for (const value of [{ jsonrpc, id: 1, method: 'm' }, { jsonrpc, method: 'm', params: { a: [] } }, { jsonrpc, id: 'x', result: {} }, 7]) {
    const { weight: _, ...parsed } = decodeValue(value) as { weight?: number };
    const { weight: __, ...read } = decode(JSON.stringify(value)) as { weight?: number };
    assert.deepEqual(parsed, read);
  }
});

test('an error object has data only where there is some, and an answer an id only where it is known', () => {
  assert.deepEqual(toErrorObject(new RpcError(1, 'no')), { code: 1, message: 'no' });
  assert.deepEqual(toErrorObject(new RpcError(1, 'no', null)), { code: 1, message: 'no', data: null });
  const error = { code: -32700, message: 'no' };
  assert.equal(failureText(null, error), '{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}');
  assert.equal(failureText(null, error, true), '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}');
  assert.equal(failureText(3, error), '{"jsonrpc":"2.0","id":3,"error":{"code":-32700,"message":"no"}}');
});

test('what a runtime lacks is named, with what needs it', () => {
  assert.throws(() => need('NoSuchThing', 'the test'), /^Error: this runtime has no NoSuchThing, which the test needs$/);
  need('Map', 'the test');
});

test('times of a request: 0 to 24 days', async () => {
  const { connection } = bench();
  for (const options of [{ timeoutMs: -1 }, { maxTimeoutMs: -1 }]) {
    await assert.rejects(requestsOf(connection).request('m', undefined, options), { name: 'TypeError', code: 'invalid_option' });
  }
});

test('quotations are cut after as many characters as are allowed, and not before', () => {
  assert.equal(quote('x'.repeat(80)), `"${'x'.repeat(80)}"`);
  assert.equal(quote('x'.repeat(81)), `"${'x'.repeat(80)}"...`);
  assert.equal(quote('abc', 3), '"abc"');
  assert.equal(shorten('abc', 3), 'abc');
  assert.equal(shorten('abcd', 3), 'abc...');
});

test('weight: what is as much as a limit is allowed, and one more is not', () => {
  const limits = { maxValues: 3, maxDepth: 2 };
  const long = (text: string): string => text + ' '.repeat(64 * 1024);
  for (const [text, fits] of [['[1,2]', true], ['[1,2,3]', false], ['{"a":1}', true], ['{"a":1,"b":2,"c":3}', false], ['[[]]', true], ['[[[]]]', false], ['[[],[]]', false]] as const) {
    assert.equal(typeof weighText(long(text), limits), fits ? 'number' : 'object', text);
  }
  for (const [value, fits] of [[[1, 2], true], [[1, 2, 3], false], [{ a: 1, b: 2 }, true], [{ a: 1, b: 2, c: 3 }, false], [[['x']], true], [[[['x']]], false]] as const) {
    assert.equal(typeof weighValue(value, limits), fits ? 'number' : 'object', JSON.stringify(value));
  }
  const whole = '[1]'.padEnd(64 * 1024);
  assert.equal(weighText(whole), 64 * 1024);
  assert.equal(weighText(`${whole} `), 64 * 1024 + 1 + 2 * 64);
});

test('budget: all peers of a process share 128 MiB where nothing else is said', () => {
  assert.equal(processBudget().limit, 128 * 1024 * 1024);
});

// ---- lines above the limit

function refused(line: string, chunk: number, limit = 1000): Refusal {
  const seen: Refusal[] = [];
  const framer = createFramer({ line: () => assert.fail('a line'), refused: (one) => seen.push(one) }, limit);
  const bytes = Buffer.from(`${line}\n`);
  for (let at = 0; at < bytes.length; at += chunk) framer.push(bytes.subarray(at, at + chunk));
  return seen[0] as Refusal;
}

test('of a line above the limit 256 bytes at either end are looked at, however it is cut', () => {
  const text = 'x'.repeat(2000);
  // With a limit of 10 the first part does not fill the 256 bytes kept from the beginning.
  for (const [chunk, limit] of [100, 150, 255, 256, 257, 5000].flatMap((size) => [[size, 1000], [size, 10]] as const)) {
    assert.equal(refused(`{"jsonrpc":"2.0",${' '.repeat(232)}"id":7,"result":"${text}"}`, chunk, limit).id, 7, `${chunk}, ${limit}: the 256th byte`);
    assert.equal(refused(`{"jsonrpc":"2.0",${' '.repeat(233)}"id":7,"result":"${text}"}`, chunk, limit).id, null, `${chunk}, ${limit}: beyond it`);
    assert.equal(refused(`{"result":"${text}"${' '.repeat(9)},"id":7${' '.repeat(248)}}`, chunk, limit).id, 7, `${chunk}, ${limit}: at the end`);
    assert.equal(refused(`{"result":"${text}"${' '.repeat(9)},"id":7${' '.repeat(249)}}`, chunk, limit).id, null, `${chunk}, ${limit}: before it`);
  }
});

test('a line above the limit that begins with its id and its params is a call, though its method is out of sight', () => {
  const { id, responseFault } = refused(`{"jsonrpc":"2.0","id":9,"params":{"text":"${'x'.repeat(2000)}"},"method":"tools/call"${' '.repeat(300)}}`, 100);
  assert.deepEqual([id, responseFault], [9, undefined]);
});

// ---- requests of the peer

test('the signal of a request is one, however often it is looked at', () => {
  const inbound = new InboundRequest({ jsonrpc, id: 1, method: 'm' }, { send() {}, answer() {} });
  const { signal } = inbound;
  assert.equal(inbound.signal, signal);
  inbound.abort(() => new Error('enough'));
  assert.equal(signal.aborted, true);
  assert.match(String(signal.reason), /enough/);
});

test('a request may be run by somebody who does not ask when it is over', async () => {
  const answers: (string | undefined)[] = [];
  const outlet = { send() {}, answer: (text: string | undefined) => void answers.push(text) };
  new InboundRequest({ jsonrpc, id: 1, method: 'm' }, outlet).run(() => { throw new RpcError(5, 'no'); });
  new InboundRequest({ jsonrpc, id: 2, method: 'm' }, outlet).run(() => ({}));
  new InboundRequest({ jsonrpc, id: 3, method: 'm' }, outlet).run(async () => ({}));
  await settled();
  assert.deepEqual(answers.map((text) => JSON.parse(text as string).id), [1, 2, 3]);
});

test('the answer to a batch may be as long as its limit', () => {
  const answer = JSON.stringify({ jsonrpc, id: 1, result: {} });
  for (const [maxBatchAnswer, fits] of [[answer.length, true], [answer.length - 1, false]] as const) {
    const { connection, sent } = bench({}, { maxBatchAnswer });
    connection.takeBatch = takeBatch;
    connection.receive(decode(JSON.stringify([{ jsonrpc, id: 1, method: 'm' }])));
    assert.equal('result' in (sent[0] as object[])[0]!, fits, String(maxBatchAnswer));
  }
});

test('of what belongs to a request in a batch the outlet of the batch is asked for room, and where it counts none there is some', () => {
  for (const room of [undefined, () => true, () => false]) {
    const found: unknown[] = [];
    const { connection } = bench({ request: ({ outlet }) => (found.push(outlet.room?.(100, true), outlet.room?.(100)), {}) });
    connection.takeBatch = takeBatch;
    connection.receive(decode(JSON.stringify([{ jsonrpc, id: 1, method: 'm' }])), { send() {}, answer() {}, ...(room && { room }) });
    assert.deepEqual(found, room?.() === false ? [false, false] : [true, true]);
  }
});

// ---- our requests

test('a request ends when its time is up, also where both limits are the same', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const { connection } = bench();
  for (const options of [{ timeoutMs: 20, maxTimeoutMs: 20 }, { timeoutMs: 20, maxTimeoutMs: 0 }, { timeoutMs: 0, maxTimeoutMs: 20 }, { timeoutMs: 20, maxTimeoutMs: 50 }]) {
    const refusal = assert.rejects(requestsOf(connection).request('m', undefined, options), /^ConnectionError: m: no answer within 20 ms$/);
    t.mock.timers.tick(20);
    assert.equal(requestsOf(connection).size, 0, JSON.stringify(options));
    await refusal;
  }
});

test('while nothing can pass, no time passes: a held request has its whole time again', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const { connection } = bench();
  const requests = requestsOf(connection);
  const early = assert.rejects(requests.request('early', undefined, { timeoutMs: 20, maxTimeoutMs: 30 }), /early: no answer within 30 ms/);
  t.mock.timers.tick(15);
  requests.hold(true);
  requests.hold(true);
  const late = assert.rejects(requests.request('late', undefined, { timeoutMs: 0, maxTimeoutMs: 40 }), /late: no answer within 40 ms/);
  t.mock.timers.tick(1000);
  assert.equal(requests.size, 2);
  requests.hold(false);
  t.mock.timers.tick(14);
  assert.equal(requests.size, 2, 'of the 30 ms in all 15 are left');
  t.mock.timers.tick(1);
  assert.equal(requests.size, 1);
  t.mock.timers.tick(25);
  assert.equal(requests.size, 0);
  requests.hold(false);
  await Promise.all([early, late]);
});

test('the peer is not told of a request that is given up where the transport says it', async () => {
  const given: unknown[] = [];
  for (const says of [true, false]) {
    const { connection, sent } = bench({ giveUp: (id, method) => (given.push([id, method]), says) });
    const controller = new AbortController();
    const call = requestsOf(connection).request('m', undefined, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
    assert.deepEqual(sent.map((message) => (message as { method: string }).method), says ? ['m'] : ['m', 'notifications/cancelled']);
  }
  assert.deepEqual(given, [[1, 'm'], [1, 'm']]);
});

test('an error without an id fails the one request that waits, and none of two', async () => {
  for (const code of [-32700, -32600]) {
    const { connection, receive } = bench();
    const unread = { jsonrpc, id: null, error: { code, message: 'not read' } };
    const first = requestsOf(connection).request('a');
    const second = requestsOf(connection).request('b');
    receive(unread);
    assert.equal(requestsOf(connection).size, 2);
    receive({ jsonrpc, id: 1, result: { n: 1 } });
    assert.deepEqual(await first, { n: 1 });
    receive({ jsonrpc, id: null, error: { code: -32000, message: 'something else' } });
    assert.equal(requestsOf(connection).size, 1);
    receive(unread);
    await assert.rejects(second, /not read/);
  }
});

test('who is told that the connection is over is told why, and by what', async () => {
  const cause = new Error('the cable');
  const stopped = later<unknown>();
  const { connection, receive } = bench({
    request: ({ signal }) => new Promise(() => signal.addEventListener('abort', () => stopped.resolve(signal.reason))),
  });
  receive({ jsonrpc, id: 1, method: 'wait' });
  const before = requestsOf(connection).request('a');
  connection.close('it was cut', cause);
  const told = [
    await stopped.promise, await before.catch((thrown: unknown) => thrown),
    await requestsOf(connection).request('b').catch((thrown: unknown) => thrown),
  ] as { reason: string; message: string; cause: unknown }[];
  for (const { reason, message, cause: by } of told) {
    assert.equal(reason, 'closed');
    assert.match(message, /it was cut$/);
    assert.equal(by, cause);
  }
});

test('a stop that is made of a request tells why, once it has ended, and only those who still listen', () => {
  const inbound = new InboundRequest({ jsonrpc, id: 1, method: 'm' }, nobody);
  const stop = stopOf(inbound);
  const heard: string[] = [];
  const [first, second] = ['first', 'second'].map((name) => () => void heard.push(name)) as [() => void, () => void];
  stop.removeEventListener('abort', first);
  assert.equal(stop.reason, undefined);
  stop.throwIfAborted();
  stop.addEventListener('abort', first, { once: true });
  stop.addEventListener('abort', second, { once: true });
  stop.removeEventListener('abort', first);
  inbound.cancel('enough');
  assert.deepEqual([heard, stop.reason], [['second'], 'enough']);
  stop.removeEventListener('abort', second);
});

test('who is told nothing may be told anything, and a pipe has room and no word for a cancelled request', () => {
  nobody.send('a');
  nobody.answer('b');
  const sent: (string | undefined)[] = [];
  const pipe = pipeOutlet((text) => sent.push(text));
  pipe.answer(undefined);
  pipe.answer('c');
  assert.deepEqual([sent, pipe.room?.(1e9)], [['c'], true]);
});

test('noise is what a peer sends since its last message', () => {
  assert.equal(noiseAfter(50, decode('log').kind), 150);
  assert.equal(noiseAfter(50, decode('{"jsonrpc":"2.0","method":"m"}').kind), 0);
});

test('a timer that cannot be told to keep no process alive stays as it is', () => {
  const { setTimeout: timeout, clearTimeout: stop } = globalThis;
  const stopped: unknown[] = [];
  Object.assign(globalThis, { setTimeout: () => 7, clearTimeout: (timer: unknown) => stopped.push(timer) });
  const timer = systemClock.after(5, () => {}, true);
  Object.assign(globalThis, { setTimeout: timeout });
  timer?.stop();
  Object.assign(globalThis, { clearTimeout: stop });
  assert.deepEqual(stopped, [7]);
});

test('a connection closes once, and says why and for which cause', async () => {
  const { connection } = bench();
  const cause = new Error('the pipe broke');
  connection.close('the first reason', cause);
  connection.close('the second reason');
  const why = connection.closed?.();
  assert.deepEqual([why?.message, why?.cause], ['the first reason', cause]);
});
