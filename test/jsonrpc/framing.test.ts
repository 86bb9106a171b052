import assert from 'node:assert/strict';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Budget } from '../../src/bounds/budget.ts';
import { createFramer } from '../../src/jsonrpc/framing.ts';

// In a process of its own: it measures the memory of the process, and counts copied bytes.

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const join = (...parts: (string | Uint8Array)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? bytesOf(part) : part)));

const unexpected = (): never => assert.fail('unexpected');

/** The framer's output in order: a line unchanged, a refusal as `!` and its message. */
function read(chunks: Iterable<Uint8Array>, maxBytes?: number): string[] {
  const seen: string[] = [];
  const framer = createFramer({
    line: (text) => seen.push(text),
    refused: ({ error: { code, message } }) => seen.push(`!${code} ${message}`),
  }, maxBytes);
  for (const chunk of chunks) framer.push(chunk);
  framer.end();
  return seen;
}

function* oneByOne(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
}

const badUtf8 = '!-32700 Parse error: the message is not valid UTF-8';
const tooLong = (limit: number): string => `!-32600 Invalid request: the message is over the limit of ${limit} bytes`;

const table: readonly (readonly [
  name: string, stream: string | Uint8Array, expected: string[], maxBytes?: number,
])[] = [
  ['nothing', '', []],
  ['one line', '{"a":1}\n', ['{"a":1}']],
  ['several lines', 'a\nbc\ndef\n', ['a', 'bc', 'def']],
  ['a last line without its end', 'a\nb', ['a', 'b']],
  ['CRLF', 'a\r\nbc\r\n', ['a', 'bc']],
  ['CRLF and LF mixed', 'a\r\nb\nc\r\n', ['a', 'b', 'c']],
  ['a last line that ends with CR', 'a\nb\r', ['a', 'b']],
  ['CR inside a line stays', 'a\rb\n', ['a\rb']],
  ['one CR of two is the line end', 'a\r\r\n', ['a\r']],
  ['empty lines', '\n\na\n\n\r\n\nb\n\r\n', ['a', 'b']],
  ['only line ends', '\n\r\n\n\r', []],
  ['blanks are not empty', ' \n', [' ']],
  ['two, three and four bytes', 'é\n€uro\n🙂🙃\nx\n', ['é', '€uro', '🙂🙃', 'x']],
  ['a byte order mark stays', '\ufeffa\n', ['\ufeffa']],
  ['line separators of Unicode are not line ends', 'a\u2028b\u2029c\u0085d\n', ['a\u2028b\u2029c\u0085d']],
  ['NUL and other controls', 'a\0b\u0001\n', ['a\0b\u0001']],
  ['not UTF-8, and the lines beside it', join('a\n', new Uint8Array([0xff, 0xfe]), '\nb\n'), ['a', badUtf8, 'b']],
  ['a character cut off by the line end', join(
    'a', new Uint8Array([0xe2, 0x82]), '\n', new Uint8Array([0xac]), '\nb\n',
  ),
    [badUtf8, badUtf8, 'b']],
  ['an overlong encoding', join(new Uint8Array([0xc0, 0x8a]), '\nb\n'), [badUtf8, 'b']],
  ['half a surrogate pair', join(new Uint8Array([0xed, 0xa0, 0x80]), '\r\nb\r\n'), [badUtf8, 'b']],
  ['not UTF-8 in a last line without its end', join('a\n', new Uint8Array([0xc3])), ['a', badUtf8]],
  ['as long as the limit', '12345678\nb\n', ['12345678', 'b'], 8],
  ['as long as the limit, with CRLF', '12345678\r\nb\r\n', ['12345678', 'b'], 8],
  ['one byte over the limit', '123456789\nb\n', [tooLong(8), 'b'], 8],
  ['one byte over the limit, with CRLF', '123456789\r\nb\n', [tooLong(8), 'b'], 8],
  ['far over the limit', `a\n${'x'.repeat(100)}\nb\n`, ['a', tooLong(8), 'b'], 8],
  ['over the limit twice', `${'x'.repeat(20)}\n${'y'.repeat(30)}\nb\n`, [tooLong(8), tooLong(8), 'b'], 8],
  ['over the limit and never ended', `a\n${'x'.repeat(100)}`, ['a', tooLong(8)], 8],
  ['the limit counts bytes', 'éééé\nééééé\nb\n', ['éééé', tooLong(8), 'b'], 8],
  ['over the limit and not UTF-8', join('x'.repeat(20), new Uint8Array([0xff]), '\nb\n'), [tooLong(8), 'b'], 8],
  ['the limit is for one line', `${'abcdefg\n'.repeat(20)}`, Array<string>(20).fill('abcdefg'), 8],
];

for (const [name, stream, expected, maxBytes] of table) {
  const bytes = typeof stream === 'string' ? bytesOf(stream) : stream;

  test(`framing: ${name}`, () => {
    assert.deepEqual(read([bytes], maxBytes), expected);
  });

  test(`framing: ${name}, cut at every byte`, () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      assert.deepEqual(read([bytes.subarray(0, cut), bytes.subarray(cut)], maxBytes), expected, `cut at ${cut}`);
    }
  });

  test(`framing: ${name}, byte by byte`, () => {
    assert.deepEqual(read(oneByOne(bytes), maxBytes), expected);
  });
}

test('framing: cut twice, at every pair of places', () => {
  const bytes = bytesOf('é\r\n\n{"a":"🙂"}\r\nlast');
  for (let first = 0; first <= bytes.length; first++) {
    for (let second = first; second <= bytes.length; second++) {
      const chunks = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
      assert.deepEqual(read(chunks), ['é', '{"a":"🙂"}', 'last'], `cut at ${first} and ${second}`);
    }
  }
});

test('framing: a line is handed out as soon as it is whole', () => {
  const seen: string[] = [];
  const framer = createFramer({ line: (text) => seen.push(text), refused: unexpected });
  framer.push(bytesOf('a\nb'));
  assert.deepEqual(seen, ['a']);
  framer.push(bytesOf('c\n'));
  assert.deepEqual(seen, ['a', 'bc']);
});

test('framing: an endless line is not held', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const refused: string[] = [];
  const framer = createFramer({ line: unexpected, refused: ({ error }) => refused.push(error.message) }, 1024);
  collect();
  const before = process.memoryUsage().arrayBuffers;
  // 64 MiB in separate chunks: retained, they would show.
  for (let i = 0; i < 1024; i++) framer.push(new Uint8Array(64 * 1024).fill(0x78));
  collect();
  const grown = process.memoryUsage().arrayBuffers - before;
  assert.ok(grown < 8 * 1024 * 1024, `${grown} bytes more`);
  assert.deepEqual(refused, []);
  framer.push(bytesOf('\n'));
  assert.equal(refused.length, 1);
});

test('framing: a message of many chunks is copied a few times and decoded once', (t) => {
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
  const copies = t.mock.method(typedArray, 'set');
  const decodings = t.mock.method(TextDecoder.prototype, 'decode');
  const seen: number[] = [];
  const framer = createFramer({ line: ({ length }) => seen.push(length), refused: unexpected });
  const part = bytesOf('x'.repeat(16));
  for (let i = 0; i < 10_000; i++) framer.push(part);
  framer.push(bytesOf('\n'));
  assert.deepEqual(seen, [160_000]);
  // Linear: each byte is read a fixed number of times, not again with each chunk.
  const copied = copies.mock.calls.reduce((sum, call) => sum + (call.arguments[0] as Uint8Array).length, 0);
  const decoded = decodings.mock.calls.reduce((sum, call) => sum + (call.arguments[0] as Uint8Array).length, 0);
  // Each byte is copied once from its chunk, which is not kept, and up to three times while the buffer grows by halves; the first
  // bytes once more.
  assert.ok(copied <= 645_000, `${copied} bytes were copied`);
  assert.equal(decoded, 160_000);
});

test('a framer that is closed gives back what its unfinished line was charged, and has no line any more', () => {
  const seen: string[] = [];
  const events = { line: (text: string) => seen.push(text), refused: ({ error }: { error: { message: string } }) => seen.push(error.message) };
  for (const [sent, charged] of [['unfinished', true], ['far too long for the limit', false]] as const) {
    const budget = new Budget(10_000);
    const framer = createFramer(events, 12, budget);
    framer.push(bytesOf(sent));
    assert.equal(budget.used > 0, charged, sent);
    framer.close();
    assert.equal(budget.used, 0);
    framer.end();
    assert.deepEqual(seen, []);
  }
});
