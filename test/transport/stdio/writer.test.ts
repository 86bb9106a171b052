import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import test from 'node:test';
import { systemClock } from '../../../src/bounds/clock.ts';
import { Budget } from '../../../src/bounds/budget.ts';
import { lineWriter, within } from '../../../src/transport/stdio/writer.ts';

/** A stream that records each write, and accepts the next one on `next`. */
function slowStream(highWaterMark: number): { stream: Writable; writes: string[]; next: () => void } {
  const writes: string[] = [];
  let next: () => void = () => undefined;
  const stream = new Writable({
    highWaterMark,
    decodeStrings: false,
    write(chunk: string, _encoding, callback) {
      writes.push(chunk);
      next = callback;
    },
  });
  return { stream, writes, next: () => next() };
}

function stream(): { stream: Writable; writes: string[] } {
  const writes: string[] = [];
  return {
    writes,
    stream: new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, callback) {
        writes.push(chunk);
        callback();
      },
    }),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('writer: the lines of one turn are one write', async () => {
  const { stream: to, writes } = stream();
  const writer = lineWriter(to);
  writer.write('a');
  writer.write('b');
  assert.deepEqual(writes, []);
  await turn();
  writer.write('c');
  await turn();
  assert.deepEqual(writes, ['a\nb\n', 'c\n']);
});

test('writer: what settles in the microtasks of one turn is one write', async () => {
  const { stream: to, writes } = stream();
  const writer = lineWriter(to);
  await turn();
  for (const text of ['a', 'b', 'c']) {
    void (async () => {
      await null;
      for (let i = 0; i < text.charCodeAt(0) - 0x60; i++) await null;
      writer.write(text);
    })();
  }
  await turn();
  assert.deepEqual(writes, ['a\nb\nc\n']);
});

test('writer: a large message is written at once, in its place', () => {
  const { stream: to, writes } = stream();
  const writer = lineWriter(to);
  const large = 'x'.repeat(70_000);
  writer.write('a');
  writer.write(large);
  assert.equal(writes.join(''), `a\n${large}\n`);
});

test('writer: a batch does not grow without bound', () => {
  const { stream: to, writes } = stream();
  const writer = lineWriter(to);
  for (let i = 0; i < 100; i++) writer.write('x'.repeat(1000));
  assert.ok(writes.length > 0);
});

test('writer: a full stream says so, and tells once when there is room', async () => {
  const { stream: to, writes, next } = slowStream(10);
  let room = 0;
  const writer = lineWriter(to, () => room++);
  writer.write('a');
  await turn();
  assert.equal(writer.full, false);
  for (let i = 0; i < 5; i++) {
    writer.write('0123456789');
    await turn();
  }
  assert.equal(writer.full, true);
  assert.equal(to.listenerCount('drain'), 1);
  assert.deepEqual(writes, ['a\n']);
  for (let i = 0; i < 6; i++) {
    assert.equal(room, 0);
    next();
    await turn();
  }
  assert.equal(room, 1);
  assert.equal(writer.full, false);
  assert.equal(writes.join(''), `a\n${'0123456789\n'.repeat(5)}`);
});

test('writer: flush waits until the stream has taken all', async () => {
  const { stream: to, writes, next } = slowStream(10);
  const writer = lineWriter(to);
  writer.write('a');
  let flushed = false;
  const done = writer.flush().then(() => (flushed = true));
  assert.deepEqual(writes, ['a\n']);
  await turn();
  assert.equal(flushed, false);
  next();
  await turn();
  next();
  await done;
});

test('writer: a stream that is gone takes nothing and harms nobody', async () => {
  const { stream: to } = stream();
  const writer = lineWriter(to);
  to.on('error', () => undefined);
  to.destroy(new Error('gone'));
  writer.write('a');
  writer.write('x'.repeat(70_000));
  await writer.flush();
});

test('writer: what is not sent yet counts against the bound too, and half of it may be lost', async () => {
  const { stream: to } = slowStream(10);
  const budget = new Budget(64 * 1024 * 1024);
  const writer = lineWriter(to, undefined, budget);
  writer.write('x'.repeat(70_000));
  assert.deepEqual([writer.full, budget.used], [true, 70_001]);
  // Shorter than an immediate write: it waits for the end of the turn.
  writer.write('y'.repeat(9_999));
  const left = 16 * 1024 * 1024 - 70_001 - 10_000;
  assert.deepEqual([writer.room(left), writer.room(left + 1)], [true, false]);
  const half = 8 * 1024 * 1024 - 70_001 - 10_000;
  assert.deepEqual([writer.room(half, true), writer.room(half + 1, true)], [true, false]);
  budget.limit = budget.used + 10_100;
  assert.deepEqual([writer.room(100), writer.room(101)], [true, false]);
  await turn();
  assert.equal(budget.used, 80_001);
});

test('writer: what a stream that has ended would refuse is not written to it', async () => {
  const ended = stream();
  const writer = lineWriter(ended.stream);
  const errors: Error[] = [];
  ended.stream.on('error', (error) => errors.push(error));
  writer.write('a');
  ended.stream.end();
  await writer.flush();
  await turn();
  assert.deepEqual([ended.writes, errors], [[], []]);
});

test('writer: within waits for what comes first, and leaves no timer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const cleared = t.mock.method(globalThis, 'clearTimeout');
  await within(systemClock, 1000, Promise.resolve());
  assert.equal(cleared.mock.callCount(), 1);
  let over = false;
  const waits = within(systemClock, 1000, new Promise(() => {})).then(() => (over = true));
  t.mock.timers.tick(999);
  await turn();
  assert.equal(over, false);
  t.mock.timers.tick(1);
  await waits;
});

test('writer: what waits in a full stream is charged, and bounded', async () => {
  const { stream: to, next } = slowStream(10);
  const budget = new Budget(100_000);
  const writer = lineWriter(to, undefined, budget);
  assert.ok(writer.room(1e9), 'a stream that is not full takes whatever comes');
  for (let i = 0; i < 5; i++) {
    writer.write('x'.repeat(10_000));
    await turn();
  }
  assert.equal(writer.full, true);
  assert.ok(budget.used >= 50_000, String(budget.used));
  assert.deepEqual([writer.room(40_000), writer.room(60_000)], [true, false]);
  while (writer.full) {
    next();
    await turn();
  }
  assert.equal(budget.used, 0);
  writer.write('x'.repeat(10_000));
  await turn();
  assert.ok(budget.used > 0);
  writer.close();
  assert.equal(budget.used, 0);
});
