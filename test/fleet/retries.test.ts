import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { systemClock } from '../../src/bounds/clock.ts';
import { Undeliverable } from '../../src/fleet/engine.ts';
import { Retries } from '../../src/fleet/retries.ts';

// The pause timer does not keep the process alive.
const alive = setInterval(() => {}, 60_000);
after(() => clearInterval(alive));

/** An operation that fails `failures` times. `done` resolves when it succeeds. */
function attempt(failures: number, error: Error = new Error('the engine is away')): {
  run(): Promise<void>; readonly done: Promise<void>; count: number;
} {
  let finish = (): void => {};
  const it = {
    count: 0,
    done: new Promise<void>((resolve) => (finish = resolve)),
    async run() {
      if (it.count++ < failures) throw error;
      finish();
    },
  };
  return it;
}

test('retries: an attempt is repeated until it succeeds, one whose process has gone is not', async () => {
  const retries = new Retries(systemClock);
  const [late, gone] = [attempt(2), attempt(Infinity, new Undeliverable('p'))];
  retries.add('gone', gone.run);
  retries.add('late', late.run);
  await late.done;
  assert.deepEqual([late.count, gone.count], [3, 1]);
});

test('retries: so many run at once, what waits under a name runs once, and a failure holds back the others', async () => {
  const retries = new Retries(systemClock, 1);
  const order: string[] = [];
  const [first, second, third] = [attempt(1), attempt(0), attempt(0)];
  const add = (name: string, one: typeof first): void => retries.add(name, () => {
    order.push(name);
    return one.run();
  });
  add('first', first);
  add('second', attempt(0));
  add('second', second);
  add('third', third);
  await Promise.all([first.done, second.done, third.done]);
  assert.deepEqual(order, ['first', 'second', 'third', 'first']);
});

test('retries: during a pause a new attempt begins at once; after the end nothing is repeated', async () => {
  const retries = new Retries(systemClock);
  const failing = attempt(Infinity);
  retries.add('failing', failing.run);
  await new Promise(setImmediate);
  const fresh = attempt(0);
  retries.add('fresh', fresh.run);
  await fresh.done;
  assert.equal(failing.count, 1);
  retries.end();
  const other = attempt(0);
  retries.add('other', other.run);
  assert.deepEqual([failing.count, other.count], [1, 0]);
});

test('retries: what waits is not begun by being added again, neither in a pause nor before its turn', async () => {
  const clock = manualClock();
  const retries = new Retries(clock, 1);
  const [failing, newer, other, last] = [attempt(Infinity), attempt(0), attempt(0), attempt(0)];
  retries.add('a', failing.run);
  retries.add('b', attempt(0).run);
  // All places are taken.
  retries.add('b', other.run);
  assert.deepEqual([failing.count, other.count], [1, 0]);
  await new Promise(setImmediate);
  // The failed attempt and the other one wait for the end of the pause. The newest attempt of a name counts.
  retries.add('a', newer.run);
  retries.add('b', last.run);
  await new Promise(setImmediate);
  assert.deepEqual([failing.count, newer.count, other.count, last.count], [1, 0, 0, 0]);
  clock.tick(250);
  await Promise.all([newer.done, last.done]);
  assert.deepEqual([failing.count, newer.count, other.count, last.count], [1, 1, 0, 1]);
  retries.end();
});

test('retries: an attempt that has begun in a pause does not end it for the others, and each begins once after it', async () => {
  const clock = manualClock();
  const retries = new Retries(clock);
  const order: string[] = [];
  const [failing, fresh] = [attempt(2), attempt(0)];
  const add = (name: string, one: typeof failing): void => retries.add(name, () => {
    order.push(name);
    return one.run();
  });
  add('failing', failing);
  await new Promise(setImmediate);
  add('fresh', fresh);
  await fresh.done;
  await new Promise(setImmediate);
  assert.deepEqual([order, clock.waiting], [['failing', 'fresh'], 1]);
  clock.tick(249);
  await new Promise(setImmediate);
  assert.deepEqual(order, ['failing', 'fresh']);
  clock.tick(250);
  await new Promise(setImmediate);
  assert.deepEqual([order, clock.waiting], [['failing', 'fresh', 'failing'], 1]);
  clock.tick(500);
  await failing.done;
  await new Promise(setImmediate);
  assert.deepEqual([failing.count, clock.waiting], [3, 0]);
});

test('retries: what fails after the end is not repeated, and the pause is over', async () => {
  const clock = manualClock();
  const retries = new Retries(clock, 1);
  const [early, waiting] = [attempt(Infinity), attempt(0)];
  retries.add('early', early.run);
  retries.add('waiting', waiting.run);
  await new Promise(setImmediate);
  assert.equal(clock.waiting, 1);
  retries.end();
  assert.equal(clock.waiting, 0);
  let fail = (): void => {};
  const other = new Retries(clock);
  other.add('late', () => new Promise((_, reject) => (fail = () => reject(new Error('away')))));
  other.end();
  fail();
  await new Promise(setImmediate);
  assert.deepEqual([clock.waiting, early.count, waiting.count], [0, 1, 0]);
});

test('retries: an attempt that has gone leaves its place to the next one at once', async () => {
  const clock = manualClock();
  const retries = new Retries(clock, 1);
  const [gone, next] = [attempt(Infinity, new Undeliverable('p')), attempt(0)];
  retries.add('gone', gone.run);
  retries.add('next', next.run);
  await next.done;
  assert.deepEqual([gone.count, next.count, clock.waiting], [1, 1, 0]);
});

test('retries: of an attempt that fails while a newer one waits, the newer one is repeated; no pause keeps the process alive', async () => {
  const clock = manualClock();
  const { after } = clock;
  clock.after = (ms, run, background) => {
    assert.equal(background, true);
    return after(ms, run, background);
  };
  const retries = new Retries(clock, 1);
  let fail = (): void => {};
  let begun = 0;
  retries.add('a', () => new Promise((_, reject) => {
    begun++;
    fail = () => reject(new Error('away'));
  }));
  const newer = attempt(0);
  retries.add('a', newer.run);
  fail();
  await new Promise(setImmediate);
  clock.tick(250);
  await newer.done;
  await new Promise(setImmediate);
  assert.deepEqual([begun, newer.count, clock.waiting], [1, 1, 0]);
});
