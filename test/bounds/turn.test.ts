import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { mockClock } from '../mock-clock.ts';
import { systemClock } from '../../src/bounds/clock.ts';
import { beginReading, othersFirst, readEnough, turnOfOthers } from '../../src/bounds/reading.ts';

/** A clock that stands still, at a time long after the earlier readings. */
let now = 1_000_000;
function clockOf(t: TestContext): TestContext['mock']['timers'] {
  now += 1_000_000;
  mockClock(t.mock, { apis: ['Date', 'setImmediate', 'setTimeout'], now });
  return t.mock.timers;
}

test('a reader that goes on for eight milliseconds has read enough, and not before', (t) => {
  const clock = clockOf(t);
  beginReading(systemClock);
  assert.equal(readEnough(systemClock), false);
  // All readers of the process share the turn, and pauses of a millisecond do not end it.
  for (let ms = 1; ms <= 7; ms++) {
    clock.tick(1);
    beginReading(systemClock);
    assert.equal(readEnough(systemClock), false, `after ${ms} ms`);
  }
  clock.tick(1);
  assert.equal(readEnough(systemClock), true);
});

test('a clock that was set back does not let a reader go on until it has caught up', (t) => {
  const clock = clockOf(t);
  beginReading(systemClock);
  clock.setTime(now - 500_000);
  beginReading(systemClock);
  clock.tick(7);
  assert.equal(readEnough(systemClock), false);
  clock.tick(1);
  assert.equal(readEnough(systemClock), true);
});

test('a pause of two milliseconds is a turn of the others', (t) => {
  const clock = clockOf(t);
  beginReading(systemClock);
  clock.tick(7);
  assert.equal(readEnough(systemClock), false);
  clock.tick(2);
  beginReading(systemClock);
  clock.tick(7);
  assert.equal(readEnough(systemClock), false);
  clock.tick(1);
  assert.equal(readEnough(systemClock), true);
});

test('a reader that has read enough goes on after the others, with a time of its own', async (t) => {
  const clock = clockOf(t);
  beginReading(systemClock);
  assert.equal(turnOfOthers(systemClock), undefined);
  clock.tick(8);
  let turn = 'of others';
  const waits = turnOfOthers(systemClock)?.then(() => turn = 'of the reader');
  assert.ok(waits);
  await Promise.resolve();
  assert.equal(turn, 'of others');
  clock.tick(0);
  await waits;
  assert.equal(turn, 'of the reader');
  assert.equal(turnOfOthers(systemClock), undefined);
  clock.tick(7);
  assert.equal(turnOfOthers(systemClock), undefined);
});

test('where there is no setImmediate, a timer gives the others their turn', (t) => {
  const clock = clockOf(t);
  const immediate = t.mock.method(globalThis, 'setImmediate');
  const timer = t.mock.method(globalThis, 'setTimeout');
  const resumed: string[] = [];
  othersFirst(systemClock, () => resumed.push('by setImmediate'));
  assert.deepEqual([immediate.mock.callCount(), timer.mock.callCount(), resumed.length], [1, 0, 0]);
  clock.tick(0);
  Object.assign(globalThis, { setImmediate: undefined });
  othersFirst(systemClock, () => resumed.push('by setTimeout'));
  assert.deepEqual([immediate.mock.callCount(), timer.mock.callCount()], [1, 1]);
  clock.tick(1);
  assert.deepEqual(resumed, ['by setImmediate', 'by setTimeout']);
});
