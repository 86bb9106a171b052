import assert from 'node:assert/strict';
import test from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { every, pause, systemClock } from '../../src/bounds/clock.ts';
import { atTime } from '../../src/bounds/long-timer.ts';
import { checkOptions, longestTimerMs } from '../../src/bounds/options.ts';
import { McpClient } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

test('a manual clock runs timers in the order of their times, those of one time as they came, and each once', () => {
  const clock = manualClock(1000);
  const ran: string[] = [];
  clock.after(20, () => ran.push('b'));
  clock.after(10, () => ran.push('a'));
  clock.after(20, () => ran.push('c'));
  clock.after(20, () => ran.push('never'))?.stop();
  clock.soon(() => ran.push('soon'));
  assert.deepEqual([clock.due, clock.waiting], [0, 4]);
  clock.tick(1009);
  assert.deepEqual(ran, ['soon']);
  clock.tick(1030);
  assert.deepEqual([ran, clock.now(), clock.monotonic(), clock.due, clock.waiting], [['soon', 'a', 'b', 'c'], 1030, 30, undefined, 0]);
});

test('a manual clock that is set back: now goes back, and nothing else', () => {
  const clock = manualClock(1000);
  let ran = 0;
  clock.after(10, () => ran++);
  clock.tick(0);
  assert.deepEqual([clock.now(), clock.monotonic(), ran], [0, 0, 0]);
  clock.tick(10);
  assert.deepEqual([clock.now(), clock.monotonic(), ran], [10, 10, 1]);
});

test('every runs again and again until it is stopped; one that stops itself does not run again', () => {
  const clock = manualClock();
  let ran = 0;
  const timer = every(clock, 5, () => {
    if (++ran === 3) timer?.stop();
  });
  for (let now = 5; now <= 50; now += 5) clock.tick(now);
  assert.deepEqual([ran, clock.waiting], [3, 0]);
});

test('a timer stopped by one that runs in the same tick does not run', () => {
  const clock = manualClock();
  const ran: string[] = [];
  clock.after(1, () => second?.stop());
  const second = clock.after(1, () => ran.push('second'));
  clock.tick(1);
  assert.deepEqual(ran, []);
});

test('a client and a server without timers: their program calls tick, and times are over then', async () => {
  const clock = manualClock(1_000_000);
  const server = new McpServer({ name: 's', version: '1.0.0' }, { clock });
  server.tool('slow', {}, () => pause(clock, 30_000).then(() => 'late'));
  server.tool('ask', {}, async (_args, ctx) => (await ctx.elicit('Name?', { name: { type: 'string' } })).action);
  const client = new McpClient({ name: 'c', version: '1.0.0' }, { clock, onElicit: () => ({ action: 'accept', content: { name: 'x' } }) });
  await client.connect(memoryTransport(server));
  const late = client.callTool('slow', {}, { timeoutMs: 10_000 });
  late.catch(() => {});
  clock.tick(1_010_000);
  await assert.rejects(late, { reason: 'timeout' });
  const asked = client.callTool('ask');
  let over = false;
  asked.then(() => (over = true), () => (over = true));
  for (let now = 1_010_001; !over; now++) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.tick(now);
  }
  assert.deepEqual((await asked).content, [{ type: 'text', text: 'accept' }]);
  await client.close();
  clock.tick(2_000_000);
  assert.equal(clock.waiting, 0);
});

test('the system clock: a turn can be stopped, soon comes after the microtasks, and a timer that is stopped does not run', async () => {
  const order: string[] = [];
  systemClock.after(0, () => order.push('stopped'))?.stop();
  systemClock.after(1, () => order.push('stopped'))?.stop();
  await new Promise<void>((resolve) => {
    systemClock.after(0, () => {
      order.push('turn');
      resolve();
    });
    systemClock.soon(() => order.push('soon'));
    void Promise.resolve().then(() => Promise.resolve()).then(() => order.push('microtasks'));
  });
  assert.deepEqual(order, ['microtasks', 'soon', 'turn']);
});

test('a time that is too long for one timer is reached by several, once; a stop ends them', () => {
  for (const [left, timers] of [[-5, 1], [0, 1], [5, 1], [longestTimerMs - 1, 1], [longestTimerMs, 1], [longestTimerMs + 1, 2], [3 * longestTimerMs, 3]] as const) {
    for (const stopped of [false, true]) {
      const clock = manualClock(1000);
      let [ran, ticks] = [0, 0];
      const timer = atTime(clock, 1000 + left, () => ran++);
      for (; clock.waiting > 0; ticks++) {
        if (stopped && ticks === timers - 1) timer?.stop();
        assert.ok((clock.due ?? 0) - clock.monotonic() <= longestTimerMs);
        clock.tick(1000 + (clock.due ?? 0));
      }
      assert.deepEqual([ran, ticks, clock.now()], stopped ? [0, timers, clock.now()] : [1, timers, 1000 + Math.max(0, left)], `${left} ${stopped}`);
    }
  }
});

test('an option in milliseconds is 0 to what a timer can wait; another number is any from 0', () => {
  for (const ms of [0, 0.5, longestTimerMs]) checkOptions('x: limits', { waitMs: ms, most: ms }, { waitMs: 0, most: 0 } as never);
  for (const ms of [-1, -0.5, longestTimerMs + 1, Infinity]) {
    assert.throws(() => checkOptions('x: limits', { waitMs: ms }, { waitMs: 0 } as never), /waitMs.*expected 0 to \d+, not/);
    if (ms > 0) checkOptions('x: limits', { most: ms }, { most: 0 } as never);
    else assert.throws(() => checkOptions('x: limits', { most: ms }, { most: 0 } as never), /most.*expected 0 to Infinity, not/);
  }
  for (const ms of [Number.NaN, '5', null, true]) assert.throws(() => checkOptions('x: limits', { waitMs: ms }, { waitMs: 0 } as never), /waitMs/);
});
