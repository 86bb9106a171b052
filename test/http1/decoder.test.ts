// HTTP/1.1 as a codec: accepted and refused messages, whole, cut at every byte, and byte by byte.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Budget } from '../../src/bounds/budget.ts';
import type { DecoderLimits } from '../../src/transport/http1/limits.ts';
import { requestDecoder } from '../../src/transport/http1/request-decoder.ts';
import { responseDecoder } from '../../src/transport/http1/response-decoder.ts';
import { everyNth } from '../every-nth.ts';
import { mutated } from './mutated.ts';
import { octetsOf, piecesOf, readAll } from './reading.ts';
import { canary, requests } from './requests.ts';
import { nextResponse, responses } from './responses.ts';

const readRequests = (pieces: readonly Uint8Array[]): string[] =>
  readAll(requestDecoder(), pieces, ({ method, path, query }) => `${method} ${path}${query && '?'}${query}`);

const readResponses = (pieces: readonly Uint8Array[], method: string): string[] => {
  let asked = method;
  return readAll(responseDecoder(() => asked, {}), pieces, ({ status, fields }) => {
    if (status >= 200) asked = 'GET';
    return `${status}${fields.get('x-canary') ?? ''}`;
  });
};

/** The cuts that a test tries: after every byte, then one cut at each place. */
function* cuttings(length: number): Generator<readonly number[]> {
  yield Array.from({ length: length - 1 }, (_, i) => i + 1);
  // In a long text, only every 97th place after the first 300 octets and before the last 60.
  for (let at = 1; at < length; at += at > 300 && at < length - 60 ? 97 : 1) yield [at];
}

test('http1: there are at least 300 requests and 150 responses', () => {
  assert.ok(requests.length >= 300 && responses.length >= 150, `${requests.length} requests, ${responses.length} responses`);
});

test('http1: each request is read as the table says, and the next one is found', () => {
  for (const { name, bytes, want } of requests) {
    const said = readRequests([octetsOf(bytes + (want === 'unfinished' ? '' : canary))]);
    if (typeof want === 'number') assert.deepEqual(said, [`!${want}`], name);
    else if (want === 'unfinished') assert.deepEqual(said, ['…'], name);
    else assert.deepEqual([said[0]?.split(' "')[1], ...said.slice(1)], [JSON.stringify(want).slice(1), 'GET /canary ""'], name);
  }
});

test('http1: each response is read as the table says, and the next one is found', () => {
  for (const { name, bytes, method, want } of responses) {
    const lasts = want.endsWith('…');
    const said = readResponses([octetsOf(bytes + (want === 'unfinished' || lasts ? '' : nextResponse))], method);
    const final = said.filter((one) => !one.startsWith('1'));
    if (want === 'refused') assert.ok(final.length === 1 && final[0]?.startsWith('!'), `${name}: ${final.join()}`);
    else if (want === 'unfinished') assert.deepEqual(final, ['…'], name);
    else assert.deepEqual([final[0]?.slice(4), ...final.slice(1)], [JSON.stringify(want), ...lasts ? [] : ['204yes ""']], name);
  }
});

test('http1: a head that comes again means what it meant, and one that differs in an octet is read', () => {
  const whole = requests.filter(({ want, bytes }) => typeof want === 'string' && want !== 'unfinished' && !bytes.includes('HTTP/1.0'));
  for (const { name, bytes } of whole) {
    const [one] = readRequests([octetsOf(bytes + canary)]);
    const said = readRequests([octetsOf(bytes + bytes + canary + bytes), octetsOf(bytes)]);
    assert.deepEqual(said, [one, one, 'GET /canary ""', one, one], name);
  }
  const post = (length: string, more: string = ''): string => `POST /a HTTP/1.1\r\nHost: h\r\n${more}Content-Length: ${length}\r\n\r\nabc`;
  assert.deepEqual(readRequests([octetsOf(post('3') + post('2'))]), ['POST /a "abc"', 'POST /a "ab"', '…'], 'the same length, another head');
  assert.deepEqual(readRequests([octetsOf(`${post('3')}\r\n${post('3')}`)]), ['POST /a "abc"', 'POST /a "abc"'], 'after an empty line');
  assert.deepEqual(readRequests([octetsOf(`${post('3')}${post('3').replace('Host', 'host')}`)]), ['POST /a "abc"', 'POST /a "abc"'], 'a name in another case');
  assert.deepEqual(readRequests([octetsOf(post('3') + post('+'))]), ['POST /a "abc"', '!400'], 'a length that is not a number');
  const [sound, faulty] = ['X: a\r\n', 'X: \0\r\n'].map((more) => post('3', more)) as [string, string];
  assert.deepEqual(readRequests([octetsOf(sound + sound + faulty)]), ['POST /a "abc"', 'POST /a "abc"', '!400'], 'an octet that may not be there');
  const long = post('3', `X: ${'x'.repeat(4000)}\r\n`);
  assert.deepEqual(readRequests([octetsOf(long + long + post('3'))]), Array(3).fill('POST /a "abc"'), 'heads that are long');
  // Cut at every place, also within the second head.
  const twice = octetsOf(post('3') + post('3'));
  for (const cuts of cuttings(twice.length)) assert.deepEqual(readRequests(piecesOf(twice, cuts)), ['POST /a "abc"', 'POST /a "abc"'], `cut at ${cuts.length > 1 ? 'every octet' : cuts[0]}`);
});

test('http1: the answer to HEAD is not read as that to GET, though its head is the same', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n';
  const methods = ['GET', 'HEAD', 'GET'];
  const decoder = responseDecoder(() => methods[0] as string, {});
  const said = readAll(decoder, [octetsOf(`${head}abc${head}${head}def`)], ({ status }) => {
    methods.shift();
    return `${status}`;
  });
  assert.deepEqual(said, ['200 "abc"', '200 ""', '200 "def"']);
});

test('http1: requests are read alike however they are cut', () => {
  const step = everyNth(11);
  for (const { name, bytes } of requests.filter((_, i) => i % step === 0)) {
    const whole = octetsOf(bytes + canary);
    const said = readRequests([whole]);
    for (const cuts of cuttings(whole.length)) assert.deepEqual(readRequests(piecesOf(whole, cuts)), said, `${name}, cut at ${cuts.length > 1 ? 'every byte' : cuts[0]}`);
  }
});

test('http1: responses are read alike however they are cut', () => {
  const step = everyNth(11);
  for (const { name, bytes, method } of responses.filter((_, i) => i % step === 0)) {
    const whole = octetsOf(bytes + nextResponse);
    const said = readResponses([whole], method);
    for (const cuts of cuttings(whole.length)) assert.deepEqual(readResponses(piecesOf(whole, cuts), method), said, `${name}, cut at ${cuts.length > 1 ? 'every byte' : cuts[0]}`);
  }
});

test('http1: mutated requests are read alike whole and a byte at a time', () => {
  // MUTATED sets the number.
  const count = Number(process.env['MUTATED'] ?? 20_000 / everyNth(10));
  for (const text of mutated(requests.map(({ bytes }) => bytes), 7, count)) {
    const whole = octetsOf(text + canary);
    const cuts = Array.from({ length: whole.length - 1 }, (_, i) => i + 1);
    assert.deepEqual(readRequests(piecesOf(whole, cuts)), readRequests([whole]), JSON.stringify(text));
  }
});

test('http1: the time that reading takes grows with the input, not faster, a byte at a time', () => {
  const steps = (size: number): number => {
    const bytes = octetsOf(`POST / HTTP/1.1\r\nHost: h\r\nA: ${'a'.repeat(size)}\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(size)}0\r\n\r\n`);
    const pieces = piecesOf(bytes, Array.from({ length: bytes.length - 1 }, (_, i) => i + 1));
    const began = process.cpuUsage().user;
    assert.equal(readRequests(pieces).length, 1);
    return process.cpuUsage().user - began;
  };
  steps(1000);
  const small = Math.min(steps(1000), steps(1000), steps(1000));
  const large = Math.min(steps(10_000), steps(10_000), steps(10_000));
  // Quadratic cost would be a hundred times as long.
  assert.ok(large < 40 * Math.max(small, 500), `${small} and ${large} µs`);
});

test('http1: a head that has not come to its end is charged, and released', () => {
  const budget = new Budget(10_000);
  const decoder = requestDecoder({ budget });
  const read = (text: string): string => decoder.read(octetsOf(text), 0);
  assert.equal(read('GET / HTTP/1.1\r\nHost: h\r\nA: '), 'more');
  assert.ok(budget.used > 0);
  assert.equal(read('b\r\n\r\n'), 'head');
  assert.equal(budget.used, 0);
  decoder.read(octetsOf(''), 0);
  decoder.next();
  read('GET /');
  decoder.clear();
  assert.equal(budget.used, 0);
});

test('http1: a head for which there is no room is refused with 503', () => {
  const decoder = requestDecoder({ budget: new Budget(10) });
  assert.equal(decoder.read(octetsOf('GET / HTTP/1.1\r\n'), 0), 'fault');
  assert.equal(decoder.refused?.status, 503);
  assert.equal(decoder.read(octetsOf('GET / HTTP/1.1\r\n'), 0), 'fault');
});

test('http1: limits of a head, its fields, and chunk extensions', () => {
  const status = (text: string, limits: Partial<DecoderLimits>): number | undefined => {
    const decoder = requestDecoder({ limits });
    const said = readAll(decoder, [octetsOf(text)], () => '');
    return said.length > 0 && !decoder.refused ? 200 : decoder.refused?.status;
  };
  const head = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';
  assert.deepEqual([status(head, { maxHeadBytes: head.length }), status(head, { maxHeadBytes: head.length - 1 }), status(head, { maxHeadBytes: 10 })], [200, 431, 414]);
  assert.deepEqual([status(head, { maxFields: 1 }), status(head, { maxFields: 0 })], [200, 431]);
  const chunked = 'GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;ab\r\nx\r\n0\r\n\r\n';
  assert.deepEqual([status(chunked, { maxExtensionBytes: 3 }), status(chunked, { maxExtensionBytes: 2 })], [200, 413]);
});

test('http1: what is known of a request', () => {
  const head = (text: string): { readonly persists: boolean; readonly expects: boolean; readonly minor: number; header(name: string): string | undefined; all: unknown[] } => {
    const decoder = requestDecoder();
    assert.equal(decoder.read(octetsOf(`${text}\r\n\r\n`), 0), 'head');
    const { persists, expects, minor, fields } = decoder.head ?? assert.fail();
    return { persists, expects, minor, header: (name) => fields.get(name), all: [...fields] };
  };
  assert.equal(head('GET / HTTP/1.1\r\nHost: h').persists, true);
  assert.equal(head('GET / HTTP/1.1\r\nHost: h\r\nConnection: Close').persists, false);
  assert.equal(head('GET / HTTP/1.1\r\nHost: h\r\nConnection: a, close').persists, false);
  assert.equal(head('GET / HTTP/1.1\r\nHost: h\r\nConnection: a\r\nConnection: close').persists, false);
  assert.equal(head('GET / HTTP/1.0').persists, false);
  assert.equal(head('GET / HTTP/1.0\r\nConnection: keep-alive').persists, true);
  assert.equal(head('GET / HTTP/1.0\r\nConnection: keep-alive, close').persists, false);
  assert.equal(head('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: 100-continue').expects, true);
  assert.equal(head('POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue').expects, false);
  assert.equal(head('POST / HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue').expects, false);
  const { header, all } = head('GET / HTTP/1.1\r\nHOST:  h  \r\nAccept: a/b\r\naccept: c/d\r\nCookie: a\r\nCookie: b\r\n__proto__: x\r\nA: B c');
  assert.equal(header('host'), 'h');
  assert.equal(header('accept'), 'a/b, c/d');
  assert.equal(header('cookie'), 'a; b');
  assert.equal(header('__proto__'), 'x');
  assert.equal(header('constructor'), undefined);
  assert.deepEqual(all.at(-1), ['a', 'B c']);
});
