import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { mockClock } from '../../mock-clock.ts';
import { systemClock } from '../../../src/bounds/clock.ts';
import { Budget } from '../../../src/bounds/budget.ts';
import { decode } from '../../../src/jsonrpc/message.ts';
import { othersFirst } from '../../../src/bounds/reading.ts';
import { readMessages } from '../../../src/transport/stdio/reading.ts';
import type { StreamReading } from '../../../src/transport/stdio/reading.ts';
import { stderrLines } from '../../../src/transport/stdio/client.ts';

const KiB = 1024;

interface Read {
  readonly reading: StreamReading;
  /** The number or kind of each message, and the reason why the reading ended. */
  readonly seen: unknown[];
  readonly over: Promise<void>;
  readonly budget: Budget;
}

function read(stream: Readable, options: { maxMessageBytes?: number; maxNoiseBytes?: number; onMessage?: (reading: StreamReading, n: unknown) => void } = {}): Read {
  const seen: unknown[] = [];
  const budget = new Budget(1e9);
  let tell = (): void => {};
  const over = new Promise<void>((resolve) => (tell = resolve));
  const reading: StreamReading = readMessages(stream, {
    trace: undefined, clock: systemClock, budget, decode, maxMessageBytes: options.maxMessageBytes, maxNoiseBytes: options.maxNoiseBytes,
    message(decoded) {
      const n = decoded.kind === 'notification' ? decoded.message.params?.['n'] : decoded.kind;
      seen.push(n);
      options.onMessage?.(reading, n);
    },
    end() {
      seen.push('end');
      tell();
    },
    noisy(why) {
      seen.push(why);
      tell();
    },
  });
  return { reading, seen, over, budget };
}

const line = (n: number, length: number = 0): string => `${JSON.stringify({ jsonrpc: '2.0', method: 'n', params: { n, pad: 'x'.repeat(length) } })}\n`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Stops the clock, so that nothing counts as slow on a busy machine. */
const stopTime = (t: TestContext): void => mockClock(t.mock, { apis: ['Date'], now: Date.now() });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('reading: what is longer than is taken at once arrives whole and in order, however it is cut', async () => {
  const all = Buffer.from(numbers(40).map((n) => line(n, 10 * KiB)).join(''));
  for (const size of [all.length, 64 * KiB, 64 * KiB + 1, 100_000, 7_777]) {
    const chunks: Buffer[] = [];
    for (let at = 0; at < all.length; at += size) chunks.push(all.subarray(at, at + size));
    const { seen, over } = read(Readable.from(chunks, { objectMode: false }));
    await over;
    assert.deepEqual(seen, [...numbers(40), 'end'], String(size));
  }
});

test('reading: what is held waits in the stream, and what is in hand is kept in its order', async (t) => {
  stopTime(t);
  const stream = new PassThrough();
  const { seen, reading } = read(stream, { onMessage: (it, n) => n === 1 && it.pause(true) });
  // The chunk is taken in parts: the rest of it waits in the reader.
  stream.write(line(0, 70 * KiB) + line(1, 60 * KiB) + line(2, 70 * KiB) + line(3));
  await turn();
  assert.deepEqual([seen, stream.isPaused()], [[0, 1], true]);
  // Data that arrives during the pause is appended: Node still delivers the output of a program that has exited.
  stream.emit('data', Buffer.from(line(4)));
  stream.write(line(5));
  await turn();
  assert.deepEqual(seen, [0, 1]);
  reading.pause(false);
  assert.deepEqual([seen, stream.isPaused()], [[0, 1, 2, 3, 4], false]);
  stream.end(line(6).trim());
  await turn();
  assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 'end']);
});

test('reading: the end brings what was still held back', async (t) => {
  stopTime(t);
  const stream = new PassThrough();
  const { seen, over } = read(stream, { onMessage: (it, n) => n === 0 && it.pause(true) });
  stream.write(line(0, 70 * KiB) + line(1));
  await turn();
  stream.emit('end');
  await over;
  assert.deepEqual(seen, [0, 1, 'end']);
});

test('reading: after stop nothing is read, nor told', async (t) => {
  stopTime(t);
  const stream = new PassThrough();
  const { seen, budget } = read(stream, { onMessage: (it, n) => n === 0 && it.stop() });
  // The incomplete line is dropped, so it is not charged.
  stream.write(line(0, 70 * KiB) + line(1, 100 * KiB));
  stream.write(line(2));
  stream.end();
  await turn();
  assert.deepEqual([seen, stream.isPaused(), stream.listenerCount('data'), stream.listenerCount('end')], [[0], true, 0, 0]);
  assert.equal(budget.used, 0);
});

test('reading: noise is counted between messages, and one byte over the limit ends it', async () => {
  const garbage = `${'x'.repeat(99)}\n`;
  const most = `it sent 400 bytes without a message`;
  const cases: [chunks: string[], seen: unknown[]][] = [
    [[garbage, garbage], ['refusal', 'refusal', 'end']],
    [[garbage, garbage, 'x'], ['refusal', 'refusal', most]],
    // A message resets the count of the chunks before it, and the rest of its own chunk is not counted.
    [[garbage, garbage.replace('\n', '') + '\n' + line(1)], ['refusal', 'refusal', 1, 'end']],
    [[garbage, garbage, line(1), garbage, garbage], ['refusal', 'refusal', 1, 'refusal', 'refusal', 'end']],
    [[garbage, line(1), garbage, garbage, 'xx'], ['refusal', 1, 'refusal', 'refusal', most]],
  ];
  for (const [chunks, seen] of cases) {
    const it = read(Readable.from(chunks.map((chunk) => Buffer.from(chunk)), { objectMode: false }), { maxNoiseBytes: 400 });
    await it.over;
    assert.deepEqual(it.seen, seen);
  }
});

test('reading: at most 64 KiB are read at once, and no message of the next part comes before them', async (t) => {
  stopTime(t);
  const stream = new PassThrough();
  const { seen } = read(stream, { onMessage: (it, n) => n === 0 && it.pause(true) });
  // The first part ends within the first message, the second part within the second.
  stream.write(line(0, 70 * KiB) + line(1, 60 * KiB) + line(2));
  await turn();
  assert.deepEqual(seen, [0]);
});

test('reading: who takes long lets others have their turn, and takes less at once until it is quick again', async (t) => {
  stopTime(t);
  const stream = new PassThrough();
  let slow = true;
  t.after(() => (slow = false));
  const { seen } = read(stream, { onMessage: () => slow && t.mock.timers.tick(9) });
  const chunk = numbers(2000).map((n) => line(n).padEnd(128).replace(/\n( +)$/, '$1\n')).join('');
  assert.equal(chunk.length, 2000 * 128);
  const counts: number[] = [];
  const count = async (turns: number): Promise<number[]> => {
    for (let i = 0; i < turns; i++) {
      const before = seen.length;
      await turn();
      if (seen.length > before) counts.push(seen.length - before);
    }
    return counts.splice(0);
  };
  stream.write(chunk);
  assert.equal(seen.length, 512);
  assert.deepEqual(await count(6), [128, 32, 8, 4, 4, 4]);
  slow = false;
  // Nothing counts as slow any more: everything received is read in one turn.
  assert.deepEqual(await count(2), [2000 - 692]);
  slow = true;
  stream.write(chunk);
  assert.equal(seen.length, 2000 + 512);
  slow = false;
  stream.destroy();
  // With the real clock again, the last read seems to lie in the future.
  t.mock.reset();
  await new Promise<void>((resolve) => othersFirst(systemClock, resolve));
});

test('stderr: lines whatever the cut, the end without one, long lines in pieces, and the last twenty are kept', async () => {
  const cases: [text: string, lines: string[]][] = [
    ['', []],
    ['one\ntwo\n', ['one', 'two']],
    ['one\r\ntwo\r', ['one', 'two\r']],
    ['\n\nlast', ['', '', 'last']],
    ['é🙂\n', ['é🙂']],
    [`${'x'.repeat(4096)}\n`, ['x'.repeat(4096)]],
    [`${'x'.repeat(4097)}\ny`, ['x'.repeat(4096), 'x', 'y']],
    [`${'x'.repeat(10_000)}\n`, ['x'.repeat(4096), 'x'.repeat(4096), 'x'.repeat(1808)]],
    [numbers(30).map((n) => `${n}\n`).join(''), numbers(30).map(String)],
  ];
  for (const [text, lines] of cases) {
    const seen: string[] = [];
    const stream = Readable.from([Buffer.from(text)].filter(({ length }) => length > 0), { objectMode: false });
    const last = stderrLines(stream, systemClock, (one) => void seen.push(one));
    await turn();
    await turn();
    assert.deepEqual(seen, lines);
    assert.equal(last(), lines.slice(-20).join('\n'));
    // The result is the same byte by byte, unless a line is too long.
    if (text.length > 1000) continue;
    const bytes: string[] = [];
    const cut = new PassThrough();
    stderrLines(cut, systemClock, (one) => void bytes.push(one));
    for (const byte of Buffer.from(text)) cut.write(Buffer.from([byte]));
    cut.end();
    await turn();
    await turn();
    assert.deepEqual(bytes, lines);
  }
});

test('stderr: a line without an end is shown once it is too long, and not before', async () => {
  const stream = new PassThrough();
  const seen: string[] = [];
  stderrLines(stream, systemClock, (one) => void seen.push(one));
  stream.write('x'.repeat(4096));
  await turn();
  assert.deepEqual(seen, []);
  stream.write('y');
  await turn();
  assert.deepEqual(seen, ['x'.repeat(4096), 'y']);
  stream.write('z\n');
  await turn();
  assert.deepEqual(seen.slice(2), ['z']);
});
