import assert from 'node:assert/strict';
import test from 'node:test';
import type { KeptSession, SessionStore } from '../../src/fleet/engine.ts';
import { isListening, listeningName, processIn, randomName, readEventId } from '../../src/fleet/names.ts';
import { readRecord, recordCache, writeRecord } from '../../src/fleet/session-records.ts';
import type { Known, RecordCache, StoredRecord } from '../../src/fleet/session-records.ts';
import { memoryEngine } from '../../src/fleet/memory-engine.ts';

const empty: StoredRecord = {
  agreed: { version: '2025-11-25', client: { name: 'c', version: '1' }, capabilities: {} },
  principal: undefined, level: undefined, watched: [], opened: 0, listener: undefined,
};
const watching = (...watched: string[]): StoredRecord => ({ ...empty, watched });

interface Bench {
  readonly cache: RecordCache;
  readonly sessions: SessionStore;
  readonly told: [id: string, kept: KeptSession][];
  readonly wanted: Set<string>;
  /** Runs before each `load` and `replace` of the store. */
  before: { load?: () => Promise<void> | void; replace?: () => Promise<void> | void };
  readonly calls: string[];
}

function bench(max: number = 10): Bench {
  const { sessions } = memoryEngine();
  const told: Bench['told'] = [];
  const wanted = new Set<string>();
  const before: Bench['before'] = {};
  const calls: string[] = [];
  const cache = recordCache({
    max, wanted: (id) => wanted.has(id),
    tell: async (id, kept) => void told.push([id, kept]),
    sessions: {
      ...sessions,
      async load(id) {
        calls.push(`load ${id}`);
        await before.load?.();
        return sessions.load(id);
      },
      async replace(id, version, text) {
        calls.push(`replace ${id} ${version}`);
        await before.replace?.();
        return sessions.replace(id, version, text);
      },
    },
  });
  return { cache, sessions, told, wanted, before, calls };
}

const watchedOf = (known: Known | undefined): readonly string[] | undefined => known?.record.watched;

test('a record is loaded, kept and forgotten; the one that was used longest ago makes room', async () => {
  const { cache, sessions, calls } = bench(2);
  for (const id of ['a', 'b', 'c']) await sessions.create(id, undefined, writeRecord(watching(id)), 1e6);
  assert.equal(cache.get('a'), undefined);
  assert.equal(await cache.load('x'), undefined);
  assert.deepEqual(await cache.load('a'), { record: watching('a'), version: 1, touched: -Infinity });
  await cache.load('b');
  // A use makes it the newest.
  assert.deepEqual(watchedOf(cache.get('a')), ['a']);
  await cache.load('c');
  assert.deepEqual(['a', 'b', 'c'].map((id) => watchedOf(cache.get(id))), [['a'], undefined, ['c']]);
  cache.forget('a');
  assert.equal(cache.get('a'), undefined);
  cache.clear();
  assert.equal(cache.get('c'), undefined);
  assert.deepEqual(calls, ['load x', 'load a', 'load b', 'load c']);
});

test('a newer record replaces an older one, and keeps the time of its last use; an older one does not', async () => {
  const { cache, sessions } = bench();
  await sessions.create('a', undefined, writeRecord(empty), 1e6);
  const known = await cache.load('a') ?? assert.fail();
  known.touched = 77;
  assert.equal(cache.hear('a', 1, writeRecord(watching('same'))), undefined);
  assert.deepEqual(cache.hear('a', 3, writeRecord(watching('three'))), { record: watching('three'), version: 3, touched: 77 });
  assert.equal(cache.hear('a', 2, writeRecord(watching('two'))), undefined);
  // The store still has an older one.
  assert.deepEqual(watchedOf(await cache.load('a')), ['three']);
  assert.deepEqual(cache.get('a'), { record: watching('three'), version: 3, touched: 77 });
});

test('a record of a session that is not used here is not taken; one that is wanted, or is being read, is', async () => {
  const { cache, sessions, wanted, before } = bench();
  assert.equal(cache.hear('a', 5, writeRecord(empty)), undefined);
  assert.equal(cache.get('a'), undefined);
  wanted.add('b');
  assert.deepEqual(watchedOf(cache.hear('b', 5, writeRecord(watching('b')))), ['b']);
  await sessions.create('c', undefined, writeRecord(watching('old')), 1e6);
  const heard: unknown[] = [];
  before.load = () => {
    before.load = () => {};
    heard.push(watchedOf(cache.hear('c', 2, writeRecord(watching('new')))));
  };
  // What was heard while the store was read is newer.
  assert.deepEqual(watchedOf(await cache.load('c')), ['new']);
  cache.forget('c');
  // Of two readings one has ended, then both.
  let go = (): void => {};
  before.load = () => new Promise<void>((resolve) => (go = resolve));
  const slow = cache.load('c');
  const goSlow = go;
  before.load = () => {};
  await cache.load('c');
  cache.forget('c');
  heard.push(watchedOf(cache.hear('c', 4, writeRecord(watching('four')))));
  cache.forget('c');
  goSlow();
  await slow;
  cache.forget('c');
  heard.push(cache.hear('c', 5, writeRecord(watching('five'))));
  assert.deepEqual(heard, [['new'], ['four'], undefined]);
  // A reading that fails has ended too.
  before.load = () => Promise.reject(new Error('away'));
  await assert.rejects(cache.load('c'), /away/);
  assert.equal(cache.hear('c', 6, writeRecord(watching('six'))), undefined);
});

test('a change is written, read again and told; without a change nothing is; an ended session is not changed', async () => {
  const { cache, sessions, told, calls, before } = bench();
  assert.equal(await cache.change('x', () => assert.fail()), undefined);
  await sessions.create('a', undefined, writeRecord(watching('a')), 1e6);
  calls.length = 0;
  assert.deepEqual(await cache.change('a', () => undefined), { record: watching('a'), version: 1, touched: -Infinity });
  assert.deepEqual([calls.splice(0), told], [['load a'], []]);
  const changed = await cache.change('a', ({ watched }) => watching(...watched, 'b'));
  assert.deepEqual([watchedOf(changed), changed?.version], [['a', 'b'], 2]);
  // The record was known: it is not loaded before it is replaced.
  assert.deepEqual(calls.splice(0), ['replace a 1', 'load a']);
  assert.deepEqual(told.splice(0), [['a', { text: writeRecord(watching('a', 'b')), version: 2 }]]);
  // Another process was faster: the change is applied to its record.
  before.replace = async () => {
    before.replace = () => {};
    await sessions.replace('a', 2, writeRecord(watching('other')));
  };
  assert.deepEqual(watchedOf(await cache.change('a', ({ watched }) => watching(...watched, 'c'))), ['other', 'c']);
  assert.deepEqual(calls.splice(0), ['replace a 2', 'load a', 'replace a 3', 'load a']);
  assert.deepEqual(watchedOf(cache.get('a')), ['other', 'c']);
  told.length = 0;
  // It ends after it was replaced, and before it is read again.
  before.load = async () => void await sessions.delete('a');
  assert.equal(await cache.change('a', () => empty), undefined);
  assert.deepEqual(told, []);
  assert.equal(await cache.change('a', () => empty), undefined);
});

test('a text with something else in the place of a session is refused, wherever it is', () => {
  for (const record of [watching(), watching('a', 'b')]) assert.deepEqual(readRecord(writeRecord(record)), record);
  for (const watched of [['a', 5], [5, 'a']]) {
    assert.throws(() => readRecord(JSON.stringify({ ...empty, watched })), { message: 'the record of a session in the store is malformed' });
    const listener = { process: 'p', stream: 's', replaced: watched };
    assert.throws(() => readRecord(JSON.stringify({ ...empty, listener })), /is malformed/);
  }
});

test('names: the ids of a process show it, a GET stream shows its kind, and an event id its stream and number', () => {
  const names = Array.from({ length: 200 }, randomName);
  for (const name of names) assert.match(name, /^[a-v\d]{10}$/);
  assert.equal(new Set(names).size, 200);
  assert.equal(new Set(names.join('')).size, 32, 'each letter occurs');
  const long = 'a'.repeat(40);
  for (const [id, process] of [
    ['p1-a', 'p1'], [`${long}-zz9`, long], [`${long}a-1`, undefined], ['p1', undefined], ['-1', undefined], ['p1-', undefined], ['P1-a', undefined],
    ['p1-A', undefined], ['p1-a-b', undefined], [' p1-a', undefined], ['p1-a ', undefined], ['p1-a\n', undefined], [5, undefined], [undefined, undefined], [null, undefined],
    [['p1-a'], undefined],
  ] as const) assert.equal(processIn(id), process, String(id));
  assert.equal(listeningName('p1-a'), 'p1-0a');
  assert.deepEqual(['p1-0a', 'p1-a', 'p0-a0', 'p1-10'].map(isListening), [true, false, false, false]);
  for (const [id, found] of [
    ['p1-a-7', ['p1-a', 7]], ['p1-a-0', ['p1-a', 0]], [`${long}-${long}-123456789012345`, [`${long}-${long}`, 123456789012345]],
    ['p1-a-1234567890123456', undefined], [`${long}a-1-1`, undefined], [`p-${long}a-1`, undefined], ['p1-a', undefined], ['p1-a-', undefined], ['p1-a-x', undefined],
    ['-a-1', undefined], ['p--1', undefined], ['', undefined], ['xp1-a-7 ', undefined], [' p1-a-7', undefined], ['p1-a-7\n', undefined],
  ] as const) assert.deepEqual(readEventId(id), found, id);
});

test('a changed record is the known one before the others are told, so that nothing older takes its place meanwhile', async () => {
  const { sessions } = memoryEngine();
  await sessions.create('a', undefined, writeRecord(watching('x')), 1e6);
  const seen: unknown[] = [];
  const cache = recordCache({
    max: 10, sessions, wanted: () => true,
    tell: async (id, { version }) => {
      seen.push([watchedOf(cache.get(id)), cache.get(id)?.version === version, cache.hear(id, version - 1, writeRecord(watching('old')))]);
    },
  });
  const changed = await cache.change('a', (record) => ({ ...record, watched: ['y'] }));
  assert.deepEqual([seen, watchedOf(changed)], [[[['y'], true, undefined]], ['y']]);
});
