import assert from 'node:assert/strict';
import test from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { ManualClock } from '../../src/bounds/manual-clock.ts';
import { memoryEngine } from '../../src/fleet/index.ts';
import type { MemoryEngineOptions, StoringEngine, StreamPart } from '../../src/fleet/index.ts';
import { turn } from './scheduled-engine.ts';

// The limits and times of the engine in memory; the suite of engines has the rest.

const engineAt = (options: MemoryEngineOptions = {}): StoringEngine & { readonly clock: ManualClock; pass(ms: number): void } => {
  const clock = manualClock(1_000_000);
  return { ...memoryEngine({ clock, ...options }), clock, pass: (ms) => clock.tick(clock.now() + ms) };
};

const part = (stream: string, first: number, texts: readonly string[], more: Partial<StreamPart> = {}): StreamPart =>
  ({ session: 's', stream, head: 'h', first, texts, over: false, ttlMs: 1000, ...more });

test('the options of the engine are known', () => {
  for (const [options, message] of [
    [{ maxSession: 1 }, /memoryEngine: options\.maxSession is unknown, did you mean maxSessions/], [{ maxSessions: '1' }, /options\.maxSessions/],
    [{ maxBytesPerStream: '1' }, /options\.maxBytesPerStream/], [{ maxBytes: '1' }, /options\.maxBytes/], [{ clock: 5 }, /options\.clock/],
  ] as const) assert.throws(() => memoryEngine(options as object), message);
});

test('a record ends exactly at its time', async () => {
  const { sessions, pass } = engineAt();
  await sessions.create('a', 'ada', 'x', 100);
  pass(99);
  assert.deepEqual([await sessions.load('a'), await sessions.of('ada')], [{ text: 'x', version: 1 }, ['a']]);
  assert.equal(await sessions.touch('a', 100), true);
  pass(99);
  await assert.rejects(sessions.create('a', 'ada', 'y', 100), { message: 'the session a exists already' });
  await assert.rejects(async () => {
    await sessions.create('b'.repeat(50), undefined, 'y', 100);
    await sessions.create('b'.repeat(50), undefined, 'y', 100);
  }, { message: `the session ${'b'.repeat(40)} exists already` });
  pass(1);
  assert.deepEqual([await sessions.load('a'), await sessions.of('ada')], [undefined, []]);
  assert.deepEqual([await sessions.touch('a', 100), await sessions.replace('a', 1, 'z'), await sessions.delete('a')], [false, false, false]);
  await sessions.create('a', 'ada', 'again', 100);
  assert.deepEqual(await sessions.load('a'), { text: 'again', version: 1 });
  assert.equal(await sessions.replace('a', 1, 'new'), true);
  assert.deepEqual(await sessions.load('a'), { text: 'new', version: 2 });
  assert.equal(await sessions.replace('a', 1, 'old'), false);
});

test('above its most sessions the engine drops the one that was used longest ago: 100,000 by default', async () => {
  const few = engineAt({ maxSessions: 2 }).sessions;
  for (const id of ['a', 'b']) await few.create(id, 'ada', id, 100);
  await few.touch('a', 100);
  await few.create('c', 'ada', 'c', 100);
  assert.deepEqual(await few.of('ada'), ['a', 'c']);
  const { sessions } = engineAt();
  for (let n = 0; n <= 100_000; n++) await sessions.create(`s${n}`, undefined, 'x', 100);
  assert.deepEqual([await sessions.load('s0'), (await sessions.load('s1'))?.text], [undefined, 'x']);
});

/** How often a function was called while `run` ran. */
async function callsOf(clock: ManualClock, run: () => Promise<unknown>): Promise<number> {
  const { now } = clock;
  let calls = 0;
  clock.now = () => (calls++, now());
  await run();
  clock.now = now;
  return calls;
}

test('expired records and names are looked for when there are twice as many as after the last search, at least 1,000', async (t) => {
  const { sessions, spent, clock, pass } = engineAt();
  const create = async (from: number, to: number): Promise<number> => {
    for (let n = from; n < to; n++) await sessions.create(`s${n}`, undefined, 'x', 1000);
    return callsOf(clock, () => sessions.create(`s${to}`, undefined, 'x', 1000));
  };
  assert.equal(await create(0, 999), 1);
  assert.ok(await create(1000, 1000) > 1000, 'the 1,001st record begins a search');
  assert.equal(await create(1001, 2001), 1);
  assert.ok(await create(2002, 2002) > 2000, 'and that which is above twice the 1,001 of the last search');
  const deleted = t.mock.method(Map.prototype, 'delete');
  const spend = (name: number, until: number): Promise<boolean> => spent.spend('state', `n${name}`, clock.now() + until);
  for (let n = 0; n < 1000; n++) assert.equal(await spend(n, 10), true);
  pass(10);
  assert.equal(await spend(0, 10), true, 'at its end it may be used again');
  assert.equal(await spend(0, 10), false);
  pass(9);
  assert.equal(await spend(0, 10), false, 'before its end it may not');
  const searched = (): number => {
    const count = deleted.mock.callCount();
    deleted.mock.resetCalls();
    return count;
  };
  assert.equal(searched(), 0);
  // The 1,001st name begins a search: all but the two that are in use are forgotten.
  await spend(1000, 10);
  assert.equal(searched(), 999);
  for (let n = 2000; n < 2998; n++) await spend(n, 10);
  assert.equal(searched(), 0, 'there are 1,000');
  await spend(3000, 10);
  assert.equal(searched(), 0, 'all are in use');
  pass(10);
  for (let n = 4000; n < 5001; n++) await spend(n, 10);
  assert.equal(searched(), 0, 'there are twice 1,001');
  await spend(6000, 10);
  assert.equal(searched(), 1001);
});

test('of a stream the oldest events are forgotten above its limit, but not the last one', async () => {
  // An event takes 64 bytes besides its text, which takes two bytes per character.
  const { streams } = engineAt({ maxBytesPerStream: 3 * (64 + 2 * 10) });
  const ten = (letter: string): string => letter.repeat(10);
  const after = async (number: number): Promise<readonly string[] | undefined> => (await streams.after('s', 'a-1', number))?.texts;
  await streams.append(part('a-1', 1, ['a', 'b', 'c'].map(ten)));
  assert.deepEqual(await after(0), ['a', 'b', 'c'].map(ten));
  await streams.append(part('a-1', 4, [ten('d')]));
  assert.deepEqual([await after(0), await after(1)], [undefined, ['b', 'c', 'd'].map(ten)]);
  // A part that is sent again brings nothing twice, also behind the forgotten one.
  await streams.append(part('a-1', 3, ['c', 'd', 'e'].map(ten)));
  assert.deepEqual([await after(1), await after(2)], [undefined, ['c', 'd', 'e'].map(ten)]);
  await streams.append(part('a-1', 6, ['x'.repeat(500)]));
  assert.deepEqual([await after(4), await after(5), await after(6)], [undefined, ['x'.repeat(500)], []]);
});

test('above the limit of all streams the one that was written longest ago is forgotten, and one whose time is up', async () => {
  const one = 64 + 2 * 10;
  const { streams, pass } = engineAt({ maxBytes: 3 * one });
  const ten = 'x'.repeat(10);
  const known = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const name of ['a-1', 'b-1', 'c-1', 'd-1']) if (await streams.after('s', name, 0)) found.push(name);
    return found;
  };
  for (const name of ['a-1', 'b-1', 'c-1']) await streams.append(part(name, 1, [ten]));
  assert.deepEqual(await known(), ['a-1', 'b-1', 'c-1']);
  await streams.append(part('a-1', 2, []));
  await streams.append(part('d-1', 1, [ten]));
  assert.deepEqual(await known(), ['a-1', 'c-1', 'd-1']);
  // The stream that is written stays, whatever its size; the others make room until there is enough.
  await streams.append(part('d-1', 2, [ten, ten, ten, ten]));
  assert.deepEqual(await known(), ['d-1']);
  await streams.drop('s');
  assert.deepEqual(await known(), []);
  for (const name of ['a-1', 'b-1', 'c-1']) await streams.append(part(name, 1, [ten]));
  assert.deepEqual(await known(), ['a-1', 'b-1', 'c-1'], 'what is dropped takes no room');
  pass(999);
  assert.deepEqual(await known(), ['a-1', 'b-1', 'c-1']);
  pass(1);
  assert.deepEqual(await known(), []);
  for (const name of ['a-1', 'b-1', 'c-1']) await streams.append(part(name, 1, [ten]));
  assert.deepEqual(await known(), ['a-1', 'b-1', 'c-1'], 'what has expired takes no room');
});

test('streams that have expired are forgotten at the next write, and make room', async () => {
  const one = 64 + 2 * 10;
  const { streams, pass } = engineAt({ maxBytes: 3 * one });
  const ten = 'x'.repeat(10);
  const has = async (session: string, name: string): Promise<boolean> => await streams.after(session, name, 0) !== undefined;
  await streams.append(part('a-1', 1, [ten], { ttlMs: 10 }));
  await streams.append(part('b-1', 1, [ten], { session: 'other session', ttlMs: 10 }));
  await streams.append(part('c-1', 1, [ten], { ttlMs: 1000 }));
  pass(10);
  await streams.append(part('d-1', 1, [ten]));
  await streams.append(part('e-1', 1, [ten]));
  assert.deepEqual([await has('s', 'c-1'), await has('s', 'd-1'), await has('s', 'e-1')], [true, true, true]);
  // Others of its session are dropped, those of another are not.
  await streams.append(part('f-1', 1, [], { session: 'third' }));
  await streams.drop('s');
  assert.deepEqual([await has('s', 'c-1'), await has('s', 'd-1'), await has('third', 'f-1')], [false, false, true]);
});

test('the sizes of streams are 2 MiB each and 64 MiB in all by default', async () => {
  const { streams } = engineAt();
  const half = 'x'.repeat(512 * 1024 - 32);
  const counted = async (name: string): Promise<number | undefined> => (await streams.after('s', name, 1))?.texts.length;
  await streams.append(part('a-1', 1, [half, half]));
  assert.deepEqual((await streams.after('s', 'a-1', 0))?.texts.length, 2);
  await streams.append(part('a-1', 3, ['']));
  assert.deepEqual([await streams.after('s', 'a-1', 0), await counted('a-1')], [undefined, 2]);
  await streams.drop('s');
  for (let n = 0; n < 32; n++) await streams.append(part(`b-${n}`, 1, [half, half]));
  assert.ok(await streams.after('s', 'b-0', 0));
  await streams.append(part('c-1', 1, ['']));
  assert.deepEqual([await streams.after('s', 'b-0', 0), (await streams.after('s', 'b-1', 0))?.texts.length], [undefined, 2]);
});

test('an inbox is read in one go; nobody hears anything after leaving, and another process may have the name', async () => {
  const engine = engineAt();
  const [one, other] = [await engine.join('a'), await engine.join('b')];
  assert.equal(one.leaseMs, 10_000);
  await assert.rejects(engine.join('a'), { message: 'the name a is taken' });
  const heard: string[] = [];
  const handler = { message: (text: string) => heard.push(text), told: (topic: string, text: string) => heard.push(`${topic} ${text}`), gap: () => assert.fail(), lost: () => assert.fail() };
  other.receive(handler);
  await one.send('b', '1');
  await one.tell('t', '2');
  await turn();
  assert.deepEqual(heard.splice(0), ['1', 't 2']);
  void one.send('b', '3');
  void one.tell('t', '4');
  const left = other.leave();
  await left;
  await turn();
  assert.deepEqual(heard.filter((text) => text === '3'), []);
  assert.deepEqual(await one.gone(['a', 'b']), ['b']);
  const again = await engine.join('b');
  // The old process leaves once more: the name is no longer its own.
  await other.leave();
  assert.deepEqual(await one.gone(['a', 'b']), []);
  again.receive(handler);
  heard.length = 0;
  await one.send('b', '5');
  await turn();
  assert.deepEqual(heard, ['5']);
});
