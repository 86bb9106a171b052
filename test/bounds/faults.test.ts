import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { mockClock } from '../mock-clock.ts';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { systemClock } from '../../src/bounds/clock.ts';
import { decode } from '../../src/jsonrpc/message.ts';
import { Faults } from '../../src/bounds/faults.ts';

test('faults: ten a second are told in full, of the others their number; an error is made for those that are told', (t) => {
  mockClock(mock, { apis: ['Date'] });
  t.after(() => mock.reset());
  const told: string[] = [];
  let made = 0;
  const faults = new Faults(({ message }) => told.push(message), systemClock);
  const add = (count: number): void => {
    for (let n = 0; n < count; n++) faults.add(() => new Error(`fault ${++made}`));
  };
  add(1000);
  assert.deepEqual([told.length, told[0], told[9], made], [10, 'fault 1', 'fault 10', 10]);
  mock.timers.tick(999);
  add(1);
  assert.equal(told.length, 10);
  mock.timers.tick(1);
  add(1);
  assert.deepEqual(told.slice(10), ['991 more faults within a second', 'fault 11']);
  add(29);
  faults.end();
  assert.equal(told.at(-1), '20 more faults within a second');
  assert.equal(told.length, 22);
});

test('faults: a clock that is set back changes nothing', () => {
  const clock = manualClock(86_400_000);
  const told: string[] = [];
  const faults = new Faults(({ message }) => told.push(message), clock);
  for (let n = 0; n < 20; n++) faults.add(() => new Error('ahead'));
  clock.tick(0);
  clock.tick(1_000);
  faults.add(() => new Error('later'));
  assert.deepEqual(told.slice(10), ['10 more faults within a second', 'later']);
});

test('faults: a fault now and then is told each time, and nothing is counted', () => {
  mockClock(mock, { apis: ['Date'] });
  const told: string[] = [];
  const faults = new Faults(({ message }) => told.push(message), systemClock);
  for (let n = 0; n < 50; n++) {
    faults.add(() => new Error(`fault ${n}`));
    mock.timers.tick(500);
  }
  faults.end();
  mock.reset();
  assert.deepEqual(told, Array.from({ length: 50 }, (_, n) => `fault ${n}`));
});

test('decode: what obviously is no JSON is refused without a throw, and what is JSON by what it is', (t) => {
  const { parse } = JSON;
  let parsed = 0;
  JSON.parse = (text: string) => {
    parsed++;
    return parse(text) as unknown;
  };
  t.after(() => (JSON.parse = parse));
  const codes = (...texts: string[]): number[] => texts.map((text) => {
    const decoded = decode(text);
    return decoded.kind === 'refusal' ? decoded.error.code : 0;
  });
  const logs = ['a log', '2026-11-22 12:00:00 started', 'null and void', 'true-ish', '- item', ' \t x', '}', '', '  '];
  assert.deepEqual(codes(...logs), logs.map(() => -32700));
  assert.equal(parsed, 0);
  const values = ['1', '-1.5e3', ' null', 'true ', 'false', '"text"', '[]', ' {}'];
  assert.deepEqual(codes(...values), values.map(() => -32600));
  assert.deepEqual(codes('1.2.3', '"open', '{open', '[1', '-'), [-32700, -32700, -32700, -32700, -32700]);
});

test('faults: where all were told in full, no number follows', (t) => {
  mockClock(mock, { apis: ['Date'] });
  t.after(() => mock.reset());
  const told: string[] = [];
  const faults = new Faults(({ message }) => told.push(message), systemClock);
  for (let n = 1; n <= 10; n++) faults.add(() => new Error(`fault ${n}`));
  faults.end();
  assert.deepEqual([told.length, told.at(-1)], [10, 'fault 10']);
});
