import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import test from 'node:test';
import { Inbox, Outbox, Undeliverable, retrying, within } from '../../src/fleet/index.ts';

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
