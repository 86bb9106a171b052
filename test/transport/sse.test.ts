import assert from 'node:assert/strict';
import test from 'node:test';
import { sseParser } from '../../src/transport/http/sse-parser.ts';
import type { SseEvent, SseParserOptions } from '../../src/transport/http/sse-parser.ts';
import { sseEvent, sseHeartbeat } from '../../src/transport/http/sse-writer.ts';

// In a separate process: it counts calls of Uint8Array methods.

const bytesOf = (text: string | Uint8Array): Uint8Array =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text;
const join = (...parts: (string | Uint8Array)[]): Uint8Array => Buffer.concat(parts.map(bytesOf));

interface Read {
  readonly events: SseEvent[];
  readonly refused: string[];
  readonly lastEventId: string;
  readonly retry: number | undefined;
}
function read(chunks: Iterable<Uint8Array>, options: Partial<SseParserOptions> = {}): Read {
  const events: SseEvent[] = [];
  const refused: string[] = [];
  const parser = sseParser({
    onEvent: (e) => events.push(e),
    onRefused: (why) => refused.push(why),
    ...options,
  });
  for (const chunk of chunks) {
    // Pass a copy and overwrite it at once: the parser must not keep a reference to it.
    const copy = new Uint8Array(chunk);
    parser.push(copy);
    copy.fill(0x78);
  }
  return { events, refused, lastEventId: parser.lastEventId, retry: parser.retry };
}
const message = (data: string, rest: Partial<SseEvent> = {}): SseEvent => ({
  type: 'message',
  data,
  id: '',
  retry: undefined,
  ...rest,
});
interface Expected {
  readonly events?: SseEvent[];
  readonly refused?: string[];
  readonly lastEventId?: string;
  readonly retry?: number;
  readonly options?: Partial<SseParserOptions>;
}

const BAD = new Uint8Array([0xe2, 0x82]);
const table: readonly (readonly [name: string, stream: string | Uint8Array, expected: Expected])[] = [
  ['nothing', '', {}],
  ['one event', 'data: a\n\n', { events: [message('a')] }],
  ['CR', 'data: a\r\rdata: b\r\r', { events: [message('a'), message('b')] }],
  ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', { events: [message('a'), message('b')] }],
  [
    'mixed line ends',
    'data: a\rdata: b\ndata: c\r\n\rdata: d\n\r\ndata: e\r\r\n',
    {
      events: [message('a\nb\nc'), message('d'), message('e')],
    },
  ],
  ['CR CR LF is two line ends', 'data: a\r\r\ndata: b\n\n', { events: [message('a'), message('b')] }],
  ['LF CR is two line ends', 'data: a\n\rdata: b\n\n', { events: [message('a'), message('b')] }],
  ['a byte order mark', '\ufeffdata: a\n\n', { events: [message('a')] }],
  ['a byte order mark alone in its line', '\ufeff\ndata: a\n\n', { events: [message('a')] }],
  ['a second byte order mark', '\ufeff\ufeffdata: a\n\ndata: b\n\n', { events: [message('b')] }],
  ['a late byte order mark', '\n\ufeffdata: a\n\ndata: \ufeffb\n\n', { events: [message('\ufeffb')] }],
  ['several data lines', 'data: a\ndata\ndata:\ndata:  b\n\n', { events: [message('a\n\n\n b')] }],
  ['empty data', 'data\n\ndata:\n\ndata\ndata\n\n', { events: [message(''), message(''), message('\n')] }],
  [
    'one space is taken off',
    'data:a\n\ndata: a\n\ndata:  a\n\ndata:\ta\n\n',
    {
      events: [message('a'), message('a'), message(' a'), message('\ta')],
    },
  ],
  ['colons in a value', 'data: a:b: c\n\n', { events: [message('a:b: c')] }],
  ['comments', ':\n: data: x\n:data: x\ndata: a\n:\n\n:\n\n', { events: [message('a')] }],
  ['unknown fields', 'foo: a\ndata : a\n data: a\nDATA: a\ndatax\ndata: b\n\n', { events: [message('b')] }],
  [
    'a type, for one event',
    'event: x\ndata: a\n\ndata: b\n\n',
    { events: [message('a', { type: 'x' }), message('b')] },
  ],
  ['an empty type', 'event: x\nevent\ndata: a\n\n', { events: [message('a')] }],
  ['a type without data is forgotten', 'event: x\n\ndata: a\n\n', { events: [message('a')] }],
  [
    'an id lasts',
    'id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n',
    {
      events: [message('a', { id: '1' }), message('b', { id: '1' }), message('c')],
    },
  ],
  [
    'an id with NUL',
    'id: 1\n\nid: 2\0\ndata: a\n\n',
    { events: [message('a', { id: '1' })], lastEventId: '1' },
  ],
  ['an id without data', 'id: 7\n\n', { lastEventId: '7' }],
  ['an id of an unfinished event', 'id: 1\n\nid: 2\ndata: a\n', { lastEventId: '1' }],
  [
    'an id from before',
    'data: a\n\n',
    {
      events: [message('a', { id: '9' })],
      lastEventId: '9',
      options: { lastEventId: '9' },
    },
  ],
  ['retry', 'retry: 10\ndata: a\n\nretry:020\n', { events: [message('a', { retry: 10 })], retry: 20 }],
  [
    'retry that is no number',
    'retry: 1\nretry: -1\nretry: 1.5\nretry: 1e3\nretry:  2\nretry\nretry: ٣\nretry: 3 \n',
    { retry: 1 },
  ],
  ['retry beyond a timer', `retry: ${'9'.repeat(400)}\n`, { retry: 2147483647 }],
  ['nothing at the end', 'data: a\n\ndata: b\n', { events: [message('a')] }],
  ['nothing at the end of a line', 'data: a\n\ndata: b', { events: [message('a')] }],
  [
    'characters of all lengths',
    'data: aé€\u{1f600}\u0000\u2028\n\n',
    { events: [message('aé€\u{1f600}\u0000\u2028')] },
  ],
  [
    'invalid UTF-8 refuses its event',
    join('data: a\ndata: ', BAD, '\nid: 3\ndata: b\n\ndata: c\n\n'),
    {
      events: [message('c', { id: '3' })],
      refused: ['invalid UTF-8'],
      lastEventId: '3',
    },
  ],
  [
    'invalid UTF-8 is replaced on demand',
    join('data: ', BAD, '\ndata: ', BAD, 'x\n\n'),
    {
      events: [message('\ufffd\n\ufffdx')],
      options: { utf8: 'replace' },
    },
  ],
  [
    'an event at the limit',
    'data: 4567890123\n\n',
    {
      events: [message('4567890123')],
      options: { maxEventBytes: 16 },
    },
  ],
  [
    'a line over the limit',
    'id: 1\ndata: 45678901234\nid: 2\n\ndata: b\n\n',
    {
      events: [message('b', { id: '2' })],
      refused: ['event too large'],
      lastEventId: '2',
      options: { maxEventBytes: 16 },
    },
  ],
  [
    'lines over the limit',
    'data: 456\ndata: 456\ndata: b\n\ndata: c\n\n',
    {
      events: [message('c')],
      refused: ['event too large'],
      options: { maxEventBytes: 17 },
    },
  ],
  [
    'far over the limit',
    `data: ${'x'.repeat(200)}\r\ndata: ${'y'.repeat(200)}\r\n\r\ndata: c\r\n\r\n`,
    {
      events: [message('c')],
      refused: ['event too large'],
      options: { maxEventBytes: 16 },
    },
  ],
  [
    'comments do not add up',
    ': a comment\n'.repeat(10) + 'data: a\n\n',
    {
      events: [message('a')],
      options: { maxEventBytes: 16 },
    },
  ],
];
for (const [name, stream, { options, ...expected }] of table)
  test(`parsing: ${name}`, () => {
    const bytes = bytesOf(stream);
    const last = expected.events?.at(-1)?.id ?? '';
    const want: Read = {
      events: [],
      refused: [],
      lastEventId: last,
      retry: expected.events?.at(-1)?.retry,
      ...expected,
    };
    assert.deepEqual(read([bytes], options), want, 'whole');
    assert.deepEqual(
      read(
        [...bytes].map((byte) => Uint8Array.of(byte)),
        options,
      ),
      want,
      'one byte at a time',
    );
    for (let cut = 0; cut <= bytes.length; cut++) {
      const cuts = [bytes.subarray(0, cut), new Uint8Array(0), bytes.subarray(cut)];
      assert.deepEqual(read(cuts, options), want, `cut at ${cut}`);
    }
  });

test('an event comes with its blank line, not later', () => {
  for (const end of ['\n', '\r', '\r\n']) {
    let seen = 0;
    const parser = sseParser({ onEvent: () => seen++ });
    parser.push(bytesOf(`data: a${end}`));
    assert.equal(seen, 0);
    parser.push(bytesOf(end.charAt(0)));
    assert.equal(seen, 1);
  }
});

test('a parser without onRefused drops in silence and goes on', () => {
  const data: string[] = [];
  const parser = sseParser({ onEvent: (event) => data.push(event.data), maxEventBytes: 10 });
  parser.push(bytesOf('data: too long\n\ndata: a\n\n'));
  assert.deepEqual(data, ['a']);
});

// Counts the bytes that `set` copies and `indexOf` scans during `run`.
function cost(run: () => void): { copied: number; scanned: number } {
  const { set, indexOf } = Uint8Array.prototype;
  const count = { copied: 0, scanned: 0 };
  Uint8Array.prototype.set = function (from, at) {
    count.copied += from.length;
    set.call(this, from, at);
  };
  Uint8Array.prototype.indexOf = function (byte, at = 0) {
    const found = indexOf.call(this, byte, at);
    count.scanned += (found < 0 ? this.length : found + 1) - at;
    return found;
  };
  try {
    run();
  } finally {
    Object.assign(Uint8Array.prototype, { set, indexOf });
  }
  return count;
}

test('a long line in small chunks is copied a few times, whatever the chunks', () => {
  const size = 256 * 1024;
  const parts = Array.from({ length: size / 16 }, () => bytesOf('x'.repeat(16)));
  let length: number | undefined;
  const parser = sseParser({ onEvent: ({ data }) => (length = data.length) });
  const { copied, scanned } = cost(() => {
    for (const chunk of [bytesOf('data: '), ...parts, bytesOf('\n\n')]) parser.push(chunk);
  });
  assert.equal(length, size);
  assert.ok(copied < 4 * size, `${copied} copied`);
  assert.ok(scanned < 3 * size, `${scanned} scanned`);
});

test('many short lines are looked at once for each line end', () => {
  for (const end of ['\n', '\r', '\r\n']) {
    const bytes = bytesOf(`data${end}`.repeat(100_000) + end);
    let length: number | undefined;
    const parser = sseParser({ onEvent: ({ data }) => (length = data.length) });
    const { copied, scanned } = cost(() => parser.push(bytes));
    assert.equal(length, 99_999);
    assert.ok(copied === 0 && scanned <= 2 * bytes.length, `${copied} copied, ${scanned} scanned`);
  }
});

test('a line that never ends is refused once and not held', () => {
  const chunk = new Uint8Array(65536);
  assert.deepEqual(read(Array.from({ length: 200 }, () => chunk)).refused, ['event too large']);
});

test('what is written is read back', () => {
  const events = [
    { data: '' },
    { data: '{"a":"b\\n"}' },
    { data: ' a', event: 'x', id: '1', retry: 0 },
    { data: 'a\nb\r\nc\rd\n' },
    { data: '\n' },
    { data: ': no comment\n\nid: 9\nevent: no type' },
    { data: '\ufeff\u{1f600}\0\u2028', id: '', event: ' x ' },
  ];
  const stream = sseHeartbeat + events.map(sseEvent).join(sseHeartbeat);
  const want: SseEvent[] = [];
  for (const { data, event = 'message', id = want.at(-1)?.id ?? '', retry = want.at(-1)?.retry } of events)
    want.push({ type: event, data: data.replace(/\r\n?/g, '\n'), id, retry });
  assert.deepEqual(read([bytesOf(stream)]).events, want);
});

test('the text of an event', () => {
  assert.equal(sseEvent({ data: '{}' }), 'data: {}\n\n');
  assert.equal(
    sseEvent({ data: 'a\r\nb', event: 'e', id: 'i', retry: 5 }),
    'event: e\nid: i\nretry: 5\ndata: a\ndata: b\n\n',
  );
});

test('no value can add a field', () => {
  for (const bad of ['a\nb', 'a\rb', '\r\n', 'a\0'])
    for (const name of ['event', 'id'])
      assert.throws(
        () => sseEvent({ data: '', [name]: bad }),
        new RegExp(`^TypeError: SSE ${name} is malformed`),
      );
  for (const retry of [-1, 1.5, NaN, Infinity, 1e21])
    assert.throws(() => sseEvent({ data: '', retry }), /^TypeError: SSE retry is malformed/);
});
