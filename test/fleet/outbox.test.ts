import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import test from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { ManualClock } from '../../src/bounds/manual-clock.ts';
import { Inbox, Outbox, Undeliverable, retrying, within } from '../../src/fleet/index.ts';
import { turn } from './scheduled-engine.ts';

test('messages come once and in order over a connection that loses answers and repeats what it carried', async () => {
  const messages: string[] = [];
  const inbox = new Inbox((message) => messages.push(message));
  let turn = 0;
  const outbox = new Outbox(async (_, texts) => {
    turn++;
    if (turn % 3 === 1) throw new Error('not carried');
    for (const text of texts) inbox.take(text);
    if (turn % 3 === 2) throw new Error('carried, and the answer was lost');
  }, 5000);
  const sent = ['', ' ', ' a b', ...Array.from({ length: 300 }, (_, i) => `m ${i}`), 'x'.repeat(400_000), 'end'];
  await Promise.all(sent.map((text) => outbox.send('p', text)));
  assert.deepEqual(messages, sent);
});

test('what nobody answers is given up in time, and what comes after it is sent', async () => {
  const messages: string[] = [];
  const inbox = new Inbox((message) => messages.push(message));
  let late = (): void => {};
  let hangs = true;
  const outbox = new Outbox((_, texts) => {
    if (!hangs) {
      for (const text of texts) inbox.take(text);
      return Promise.resolve();
    }
    hangs = false;
    return new Promise((resolve) => {
      late = () => {
        for (const text of texts) inbox.take(text);
        resolve();
      };
    });
  }, 1000);
  await assert.rejects(outbox.send('p', 'lost'), /not answered in time/);
  await outbox.send('p', 'next');
  // The late message arrives after all: nobody waits for it, and it would be out of order.
  late();
  await outbox.send('p', 'last');
  assert.deepEqual(messages, ['next', 'last']);
});

test('a process that is gone is said at once, and holds up nobody else', async () => {
  const outbox = new Outbox(async (process) => {
    if (process === 'gone') throw new Undeliverable(process);
  }, 5000);
  const [one, two, three] = await Promise.allSettled([
    outbox.send('gone', 'a'), outbox.send('gone', 'b'), outbox.send('here', 'c'),
  ]);
  assert.deepEqual([one.status, two.status, three.status], ['rejected', 'rejected', 'fulfilled']);
  assert.ok(one.status === 'rejected' && one.reason instanceof Undeliverable);
});

test('an attempt is repeated for so long, and the last error is told', async () => {
  let tries = 0;
  assert.equal(await retrying(5000, async () => {
    if (++tries < 3) throw new Error('not yet');
    return tries;
  }), 3);
  await assert.rejects(retrying(60, async () => {
    throw new Error('never');
  }), /never/);
  await assert.rejects(retrying(20, () => new Promise(() => {})), /not answered in time/);
});

test('an answer that came while the process stood still counts, although its time is over', async () => {
  const answered = within(1, stat(new URL(import.meta.url)));
  // The file system answers during this pause. Afterwards the timer is due too, and fires before the answer is processed.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  assert.ok((await answered).isFile());
});

/** Passes time from one timer to the next. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  const end = clock.monotonic() + ms;
  for (await turn(); clock.due !== undefined && clock.due <= end; await turn()) clock.tick(clock.now() + clock.due - clock.monotonic());
  clock.tick(clock.now() + end - clock.monotonic());
  await turn();
}

test('a batch has at most 100 messages and 262,144 characters, but always one message; each goes by the order of its process', async () => {
  const batches: (readonly string[])[] = [];
  let go: (() => void)[] = [];
  const outbox = new Outbox((process, texts) => {
    batches.push([process, ...texts]);
    return new Promise((resolve) => go.push(resolve));
  }, 5000, manualClock());
  const sizes = (): number[] => batches.splice(0).map(({ length }) => length - 1);
  const next = async (): Promise<void> => {
    const ready = go;
    go = [];
    for (const one of ready) one();
    await turn();
  };
  const sent = Array.from({ length: 250 }, (_, n) => outbox.send('p', String(n)));
  await turn();
  // The first one goes at once, and the others meanwhile wait.
  assert.deepEqual(batches[0]?.map((text) => text.split(' ').slice(1).join(' ')), ['', '1 0']);
  assert.deepEqual(sizes(), [1]);
  await next();
  assert.deepEqual(batches[0]?.[1]?.split(' ').slice(1), ['2', '1']);
  assert.deepEqual(sizes(), [100]);
  await next();
  assert.deepEqual(sizes(), [100]);
  await next();
  assert.deepEqual(sizes(), [49]);
  await next();
  await Promise.all(sent);
  // 38 characters: the name of the sender, a space, the number and a space.
  const characters = (length: number): string => 'x'.repeat(length - 36 - 1 - 2 - 1);
  const big = [1, 131_072, 131_072, 300_000, 131_072, 131_073].map((length) => outbox.send('p', length === 1 ? '' : characters(length)));
  const other = outbox.send('q', '');
  await turn();
  assert.deepEqual(batches.map(([process]) => process), ['p', 'q']);
  const seen = [sizes()];
  for (let n = 0; n < 4; n++) {
    await next();
    seen.push(sizes());
  }
  assert.deepEqual(seen, [[1, 1], [2], [1], [1], [1]]);
  await next();
  await Promise.all([...big, other]);
});

test('a batch without an answer is sent again after 10 ms, 20 ms and at most 100 ms, and fails when its first message is over', async () => {
  const clock = manualClock();
  const times: number[] = [];
  let fails = true;
  const outbox = new Outbox(async () => {
    times.push(clock.monotonic());
    if (fails) throw new Error('not carried');
  }, 1000, clock);
  const refused = assert.rejects(outbox.send('p', 'a'), /not carried/);
  await pass(clock, 500);
  const second = outbox.send('p', 'b');
  await pass(clock, 600);
  await refused;
  assert.deepEqual(times, [0, 10, 30, 60, 100, 150, 210, 280, 360, 450, 550, 650, 750, 850, 950, 1050]);
  fails = false;
  await pass(clock, 100);
  await second;
  // The next message does not inherit the long pauses, and the queue is empty.
  times.length = 0;
  fails = true;
  const third = outbox.send('p', 'c');
  await pass(clock, 15);
  fails = false;
  await pass(clock, 50);
  await third;
  assert.deepEqual(times, [1200, 1210, 1230]);
  assert.equal(clock.waiting, 0);
});

test('after a success the pauses begin anew', async () => {
  const clock = manualClock();
  const times: number[] = [];
  const fails = [true, true, true, false, true, false];
  const outbox = new Outbox(async () => {
    times.push(clock.monotonic());
    if (fails.shift()) throw new Error('not carried');
  }, 1000, clock);
  const sent = [outbox.send('p', 'a'), outbox.send('p', 'b')];
  // Both are one batch from the second attempt on; the third message is another batch.
  await pass(clock, 55);
  const more = Array.from({ length: 100 }, (_, n) => outbox.send('p', String(n)));
  await pass(clock, 200);
  await Promise.all([...sent, ...more]);
  assert.deepEqual(times, [0, 10, 30, 60, 60, 70]);
});

test('of a queue only the messages whose time is over fail; without an answer in its time the first one does', async () => {
  const clock = manualClock();
  let answer = (): void => {};
  const outbox = new Outbox(() => new Promise((resolve) => (answer = resolve)), 100, clock);
  const settled: string[] = [];
  const note = (name: string): void => void outbox.send('p', name).then(() => settled.push(`${name} sent`), (error: Error) => settled.push(`${name} ${error.message}`));
  note('a');
  await pass(clock, 60);
  note('b');
  await pass(clock, 39);
  assert.deepEqual(settled, []);
  await pass(clock, 20);
  assert.deepEqual(settled, ['a the engine has not answered in time']);
  note('c');
  answer();
  await pass(clock, 5);
  assert.deepEqual(settled, ['a the engine has not answered in time', 'b sent']);
  // By the time of `c`, which was sent at 119.
  await pass(clock, 94);
  assert.equal(settled.length, 2);
  await pass(clock, 1);
  assert.deepEqual([settled.at(-1), clock.waiting], ['c the engine has not answered in time', 0]);
});

test('a process that has gone fails only the messages of the batch', async () => {
  const clock = manualClock();
  let gone = true;
  let go: (() => void) | undefined;
  const outbox = new Outbox(async (process) => {
    await new Promise<void>((resolve) => (go = resolve));
    if (gone) throw new Undeliverable(process);
  }, 1000, clock);
  const first = assert.rejects(outbox.send('p', 'a'), Undeliverable);
  const second = outbox.send('p', 'b');
  await turn();
  go?.();
  await first;
  gone = false;
  await turn();
  go?.();
  await second;
  assert.equal(clock.waiting, 0, 'without a pause');
});

test('an inbox takes what it has not taken, of the 1,000 senders that wrote last', () => {
  const taken: string[] = [];
  const inbox = new Inbox((message) => taken.push(message));
  for (const text of ['a 1 x', 'a 1 x', 'a 3 y z', 'a 2 late', 'a a ten', 'a 9 late', 'b 1 ', 'c 0 zero', 'c ? none']) inbox.take(text);
  assert.deepEqual(taken.splice(0), ['x', 'y z', 'ten', '']);
  for (let n = 0; n < 998; n++) inbox.take(`s${n} 1 m`);
  inbox.take('a b more');
  taken.length = 0;
  // There are 1,000: the next one drops `b`, whose message came first.
  inbox.take('new 1 n');
  inbox.take('a b again');
  inbox.take('b 1 again');
  assert.deepEqual(taken, ['n', 'again']);
});

test('an attempt is repeated after 10 ms, 20 ms and at most 100 ms, as long as there is time for the pause', async () => {
  const clock = manualClock();
  const times: number[] = [];
  const failed = assert.rejects(retrying(700, async () => {
    times.push(clock.monotonic());
    throw new Error(`at ${times.length}`);
  }, clock), /at 12/);
  await pass(clock, 1000);
  await failed;
  assert.deepEqual(times, [0, 10, 30, 60, 100, 150, 210, 280, 360, 450, 550, 650]);
  // A pause that would end exactly at the end is not begun.
  times.length = 0;
  const short = assert.rejects(retrying(30, async () => {
    times.push(clock.monotonic());
    throw new Error('no');
  }, clock), /no/);
  await pass(clock, 100);
  await short;
  assert.deepEqual(times, [650, 660].map((ms) => ms + (times[0] ?? 0) - 650));
  assert.equal(clock.waiting, 0);
});

test('a promise in time settles as it is, and leaves no timer', async () => {
  const clock = manualClock();
  assert.equal(await within(50, Promise.resolve(7), clock), 7);
  assert.equal(await within(50, Promise.resolve(7), { ...clock, after: () => undefined }), 7);
  await assert.rejects(within(50, Promise.reject(new Error('no')), clock), /no/);
  assert.equal(clock.waiting, 0);
  let late = '';
  const hangs = within(50, new Promise(() => {}), clock).catch((error: Error) => void (late = error.message));
  clock.tick(clock.now() + 49);
  await turn();
  assert.equal(late, '');
  await pass(clock, 1);
  await hangs;
  assert.equal(late, 'the engine has not answered in time');
});
