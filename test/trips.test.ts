import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

// The figures and ceilings of npm run trips. The instrumenter needs packages: scripts/trips/instrument.test.mjs.

interface Call { readonly id: number; readonly depth: number; readonly calls: number }
interface Traced { readonly file: string; readonly line: number; readonly name: string; readonly simple: boolean }
interface Frame { readonly depth: number }
interface Recorder {
  enter(id: number): Frame;
  exit(frame: Frame): void;
  suspend<T>(frame: Frame, value?: T): T;
  resume<T>(frame: Frame, value?: T): T;
  called(): void;
  entered(): number;
  record(run: () => unknown): Promise<Call[]>;
}
type Ceilings = Record<string, { ceiling: Record<string, number>; wanted?: Record<string, number> }>;
type Found = Record<string, Record<string, number>>;

const script = (name: string): string => new URL(`../../scripts/${name}`, import.meta.url).href;
const { figuresOf, listing, difference }: {
  figuresOf(calls: readonly Call[], functions: readonly Traced[]): Record<string, number>;
  listing(calls: readonly Call[], functions: readonly Traced[]): string[];
  difference(one: readonly Call[], other: readonly Call[], functions: readonly Traced[]): string | undefined;
} = await import(script('trips/figures.mjs'));
const { createRecorder }: { createRecorder(): Recorder } = await import(script('trips/recorder.mjs'));
const { faultsOf, lowered, readCeilings, writeCeilings }: {
  faultsOf(found: Found, ceilings: Ceilings): string[];
  lowered(found: Found, ceilings: Ceilings): Ceilings;
  readCeilings(url: URL): Ceilings;
  writeCeilings(url: URL, ceilings: Ceilings): void;
} = await import(script('ceilings.mjs'));
const { messages }: { messages: readonly { name: string }[] } = await import(script('trips/messages.mjs'));
const { stopTime }: { stopTime(): () => void } = await import(script('trips/still-time.mjs'));

const functions: readonly Traced[] = [
  { file: 'a.ts', line: 1, name: 'first', simple: false },
  { file: 'b.ts', line: 20, name: 'Box.get', simple: true },
  { file: 'b.ts', line: 3, name: 'second', simple: false },
  { file: 'folder/c.ts', line: 4, name: 'third', simple: true },
];
const call = (id: number, depth: number, calls: number): Call => ({ id, depth, calls });
const trip = [call(0, 2, 3), call(1, 3, 0), call(2, 3, 1), call(3, 4, 1), call(1, 5, 0), call(0, 3, 0)];

test('figures of a trip: leaves apart, hops, returns to a file left before', () => {
  // Files: a b b c b a. A simple function that calls another is not a leaf.
  assert.deepEqual(figuresOf(trip, functions), { all: 6, leaves: 2, calls: 4, functions: 4, files: 3, hops: 4, returns: 2 });
  assert.deepEqual(figuresOf([], functions), { all: 0, leaves: 0, calls: 0, functions: 0, files: 0, hops: 0, returns: 0 });
});

test('the listing has number, place and name, indented from the least depth', () => {
  assert.deepEqual(listing(trip.slice(0, 4), functions), [
    '   1  src/a.ts:1         first',
    '   2  src/b.ts:20          Box.get (leaf)',
    '   3  src/b.ts:3           second',
    '   4  src/folder/c.ts:4      third',
  ]);
});

test('two trips differ at the first other function or depth, or where one ends', () => {
  assert.equal(difference(trip, [...trip], functions), undefined);
  assert.match(difference(trip, trip.slice(0, 2), functions) ?? '', /^call 3 is second in one and nothing in the other$/);
  assert.match(difference(trip.slice(0, 2), trip, functions) ?? '', /^call 3 is nothing in one and second in the other$/);
  assert.match(difference(trip, [call(3, 2, 0), ...trip.slice(1)], functions) ?? '', /^call 1 is first in one and third/);
  assert.match(difference(trip, [call(0, 1, 3), ...trip.slice(1)], functions) ?? '', /^call 1 /);
});

test('the recorder: callees, functions that wait, handlers', async () => {
  const recorder = createRecorder();
  const silent = recorder.enter(9);
  const calls = await recorder.record(() => {
    const outer = recorder.enter(0);
    const slow = recorder.enter(1);
    recorder.suspend(slow);
    recorder.exit(recorder.enter(2));
    recorder.exit(outer);
    // It resumes elsewhere; when it waits or ends, its caller continues.
    const other = recorder.enter(3);
    recorder.resume(slow);
    recorder.resume(slow);
    recorder.called();
    recorder.exit(recorder.enter(4));
    recorder.suspend(slow);
    recorder.suspend(slow);
    const last = recorder.enter(5);
    recorder.exit(slow);
    recorder.exit(recorder.enter(6));
    recorder.exit(last);
    recorder.exit(other);
  });
  assert.deepEqual(calls, [call(0, 1, 2), call(1, 2, 2), call(2, 2, 0), call(3, 1, 1), call(4, 3, 0), call(5, 2, 1), call(6, 3, 0)]);
  recorder.exit(silent);
  assert.equal(recorder.enter(7).depth, 0);
  assert.equal(recorder.entered(), 9);
  await assert.rejects(recorder.record(() => recorder.record(() => {})), /records already/);
});

test('while time stands still no timer comes due, and what asks for the next turn gets it', async () => {
  const real = { setTimeout, setInterval, now: Date.now, monotonic: performance.now };
  const goOn = stopTime();
  try {
    const now = Date.now();
    const at = performance.now();
    let due = 0;
    setTimeout(() => due++, 1);
    setInterval(() => due++, 1);
    await new Promise((resolve) => real.setTimeout(resolve, 5));
    await new Promise<void>((resolve) => setTimeout(resolve));
    assert.deepEqual([due, Date.now(), performance.now()], [0, now, at]);
  } finally {
    goOn();
  }
  assert.deepEqual({ setTimeout, setInterval, now: Date.now, monotonic: performance.now }, real);
});

test('a figure above its ceiling, a name without one, a ceiling of nothing', () => {
  const ceilings: Ceilings = { one: { ceiling: { calls: 5, files: 2 }, wanted: { calls: 3 } }, two: { ceiling: { calls: 1 } } };
  assert.deepEqual(faultsOf({ one: { calls: 5, files: 2, all: 99 }, two: { calls: 1 } }, ceilings), []);
  assert.deepEqual(faultsOf({ three: { calls: 1 }, one: { calls: 6, files: 2 } }, ceilings), [
    'three has no ceiling', 'one: calls 6, above the ceiling of 5', 'two has a ceiling, and was not measured',
  ]);
  assert.deepEqual(faultsOf({ one: { calls: 5 }, two: { calls: 1 } }, ceilings), ['one: files undefined, above the ceiling of 2']);
});

test('ceilings come down and never go up; their file keeps them', () => {
  const ceilings: Ceilings = { one: { ceiling: { calls: 5, files: 2 }, wanted: { calls: 3 } }, two: { ceiling: { calls: 1 } } };
  const down = lowered({ one: { calls: 4, files: 3 } }, ceilings);
  assert.deepEqual(down, { one: { ceiling: { calls: 4, files: 2 }, wanted: { calls: 3 } }, two: { ceiling: { calls: 1 } } });
  const folder = mkdtempSync(join(tmpdir(), 'barewire-ceilings-'));
  try {
    const file = pathToFileURL(join(folder, 'ceilings.json'));
    writeCeilings(file, down);
    assert.deepEqual(readCeilings(file), down);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('each trip has ceilings of calls, files and returns, and a name of its own', () => {
  const ceilings = readCeilings(new URL(script('trips/ceilings.json')));
  assert.deepEqual(Object.keys(ceilings), messages.map(({ name }) => name));
  for (const { ceiling } of Object.values(ceilings)) assert.deepEqual(Object.keys(ceiling), ['calls', 'files', 'returns']);
});
