import { systemClock } from '../bounds/clock.ts';
import type { FleetEngine, SessionStore, SpentStore, StreamPart, StreamStore } from './engine.ts';
import { newName, pause, same } from './engine-tests.ts';
import type { EngineTest, OpenedEngine } from './engine-tests.ts';

interface Stores {
  readonly sessions: SessionStore;
  readonly streams: StreamStore;
  readonly spent: SpentStore;
}

function storesOf({ sessions, streams, spent }: FleetEngine): Stores {
  if (!sessions || !streams || !spent) throw new Error('the engine lacks `sessions`, `streams` or `spent`');
  return { sessions, streams, spent };
}

/** The stores of one engine, opened by two processes. */
async function two(open: () => Promise<OpenedEngine>): Promise<[Stores, Stores]> {
  const { engine, again } = await open();
  return [storesOf(engine), storesOf(await again())];
}

const long = 60_000;
/** Milliseconds for which a test waits. */
const short = 300;
/** Milliseconds that suffice for one step on a busy machine. */
const roomy = 1500;

const rejects = (promise: Promise<unknown>): Promise<boolean> => promise.then(() => false, () => true);

/** Makes a part of a stream, with defaults for the members that do not matter to the test. */
const part = (stream: { session: string; stream: string }, first: number, ...texts: string[]): StreamPart =>
  ({ ...stream, head: '{"owner":"p1"}', first, texts, over: false, ttlMs: long });

const newStream = (): { session: string; stream: string } => ({ session: newName(), stream: `${newName()}-1` });

/** The tests that an engine with stores must pass besides `engineTests`. They are used like those. */
export const storeTests: readonly EngineTest[] = [
  {
    name: 'every process finds a record until it is deleted',
    async run(open) {
      const [{ sessions }, other] = await two(open);
      const [id, text] = [newName(), '{"é":"\\u0000 \u{1F600}\n"}'];
      same(await sessions.load(id), undefined, 'a record that was never created');
      await sessions.create(id, undefined, text, long);
      same((await other.sessions.load(id))?.text, text, 'the text');
      same(await rejects(other.sessions.create(id, 'x', 'other', long)), true, 'created twice: rejected');
      same(await other.sessions.delete(id), true, 'deleted');
      same(await sessions.delete(id), false, 'deleted twice');
      same(await sessions.load(id), undefined, 'a record that was deleted');
      same(await sessions.touch(id, long), false, 'touched after its end');
      same(await sessions.replace(id, 1, 'x'), false, 'replaced after its end');
    },
  },
  {
    name: 'of several replacements of one version of a record, one succeeds',
    async run(open) {
      const [{ sessions }, other] = await two(open);
      const id = newName();
      await sessions.create(id, 'somebody', 'old', long);
      const version = (await sessions.load(id))?.version ?? -1;
      const tries = await Promise.all(Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? sessions : other.sessions).replace(id, version, `new ${i}`)));
      same(tries.filter((done) => done).length, 1, 'replacements');
      const kept = await other.sessions.load(id);
      same(kept?.text, `new ${tries.indexOf(true)}`, 'the text');
      same(kept?.version === version, false, 'the version is still the old one');
      same(await sessions.replace(id, version, 'late'), false, 'an old version was replaced');
      same(await sessions.replace(id, kept?.version ?? -1, 'next'), true, 'the new version was replaced');
      same((await sessions.load(id))?.text, 'next', 'the text');
    },
  },
  {
    name: 'a record expires after its time, but not while it is touched',
    async run(open) {
      const [{ sessions }, other] = await two(open);
      const [idle, used, longer, owner] = [newName(), newName(), newName(), newName()];
      // On a busy machine the record may expire before it is touched again: then the test repeats this with twice the time.
      let time = roomy;
      const begin = async (): Promise<void> => {
        for (const id of [idle, used, longer]) {
          await sessions.delete(id);
          await sessions.create(id, owner, 'x', time);
        }
      };
      await begin();
      same(await other.sessions.touch(longer, long), true, 'touched');
      const version = (await sessions.load(idle))?.version ?? -1;
      // Neither `replace` nor `load` extends its time.
      same(await sessions.replace(idle, version, 'y'), true, 'replaced');
      for (let i = 0, touched = systemClock.monotonic(); i < 5; i++) {
        await pause(time / 4);
        const found = await other.sessions.touch(used, time);
        const late = systemClock.monotonic() - touched > time;
        touched = systemClock.monotonic();
        if (!late) {
          same(found, true, 'touched in time');
          continue;
        }
        time *= 2;
        await begin();
        await other.sessions.touch(longer, long);
        i = -1;
      }
      same(await sessions.load(idle), undefined, 'an expired record');
      same(await sessions.touch(idle, long), false, 'touched too late');
      same(await sessions.of(owner), [longer, used], 'ids of the owner');
      await sessions.touch(used, short);
      await pause(2 * short);
      same(await sessions.load(used), undefined, 'a record that was no longer touched');
      same((await other.sessions.load(longer))?.text, 'x', 'the text of a record with more time');
      // The id of an expired record may be used again.
      await sessions.create(idle, owner, 'again', long);
      same((await other.sessions.load(idle))?.text, 'again', 'the text');
    },
  },
  {
    name: 'the sessions of an owner are listed in the order of their last use',
    async run(open) {
      const [{ sessions }, other] = await two(open);
      const [owner, a, b, c, foreign] = [newName(), newName(), newName(), newName(), newName()];
      same(await sessions.of(owner), [], 'ids');
      for (const [i, id] of [a, b, c].entries()) {
        await [sessions, other.sessions][i % 2]?.create(id, owner, 'x', long);
        await pause(3);
      }
      await sessions.create(foreign, `${owner}2`, 'x', long);
      same(await other.sessions.of(owner), [a, b, c], 'ids');
      await other.sessions.touch(a, long);
      same(await sessions.of(owner), [b, c, a], 'ids');
      await sessions.delete(c);
      same(await other.sessions.of(owner), [b, a], 'ids');
    },
  },
  {
    name: 'events are stored once and in order, and every process reads those after a given number',
    async run(open) {
      const [{ streams }, other] = await two(open);
      const stream = newStream();
      const after = async (number: number): Promise<readonly string[] | undefined> =>
        (await other.streams.after(stream.session, stream.stream, number))?.texts;
      same(await after(0), undefined, 'a stream that never existed');
      const texts = ['{"a":"é"}', '\u{1F600}', 'x'.repeat(70_000), ' 4', '5'];
      await streams.append(part(stream, 1, texts[0] as string));
      await streams.append(part(stream, 2, ...texts.slice(1, 3)));
      // The acknowledgement was lost, and the part is sent again.
      await streams.append(part(stream, 2, ...texts.slice(1, 3)));
      await streams.append(part(stream, 3, 'another', ...texts.slice(3)));
      for (let number = 0; number <= 5; number++) same(await after(number), texts.slice(number), `events after ${number}`);
      same(await after(9), [], 'events after one that was never stored');
      const elsewhere = { ...stream, session: newName() };
      same(await other.streams.after(elsewhere.session, stream.stream, 0), undefined, 'the stream of another session');
    },
  },
  {
    name: 'a stream keeps its head, and takes no event after its end',
    async run(open) {
      const [{ streams }, other] = await two(open);
      const [one, empty] = [newStream(), newStream()];
      const head = '{"owner":"p1","request":"é"}';
      await streams.append({ ...part(one, 1, 'a'), head });
      const load = (number: number): ReturnType<StreamStore['after']> =>
        other.streams.after(one.session, one.stream, number);
      same(await load(0), { head, texts: ['a'], over: false }, 'an open stream');
      await other.streams.append({ ...part(one, 2, 'b'), head, over: true });
      await streams.append({ ...part(one, 3, 'c'), head });
      same(await load(1), { head, texts: ['b'], over: true }, 'an ended stream');
      await streams.append({ ...part(empty, 1), head, over: true });
      same(await other.streams.after(empty.session, empty.stream, 0), { head, texts: [], over: true }, 'an empty stream');
    },
  },
  {
    name: 'if two processes end one stream, only the first end counts',
    async run(open) {
      const [{ streams }, other] = await two(open);
      const stream = newStream();
      await streams.append(part(stream, 1, 'a'));
      await Promise.all([streams, other.streams].map(async (each, i) =>
        each.append({ ...part(stream, 2, `end ${i}`), over: true })));
      const kept = await streams.after(stream.session, stream.stream, 0);
      same([kept?.texts.length, kept?.over], [2, true], 'the number of events, and whether the stream is over');
    },
  },
  {
    name: 'streams are forgotten with their session, and after their time',
    async run(open) {
      const [{ streams }, other] = await two(open);
      const [one, rest] = [newStream(), newStream()];
      const sibling = { session: one.session, stream: newStream().stream };
      for (const each of [one, sibling, rest]) await streams.append(part(each, 1, 'a'));
      const lost = async (stream: typeof one): Promise<boolean> =>
        await other.streams.after(stream.session, stream.stream, 0) === undefined;
      await other.streams.drop(one.session);
      same([await lost(one), await lost(sibling), await lost(rest)], [true, true, false], 'the forgotten streams');
      await streams.append({ ...part(rest, 2, 'b'), ttlMs: short });
      await pause(2 * short);
      same(await lost(rest), true, 'forgotten after its time');
    },
  },
  {
    name: 'a used name cannot be used again by any process until it is forgotten',
    async run(open) {
      const [{ spent }, other] = await two(open);
      const name = newName();
      const at = systemClock.now() + long;
      const tries = await Promise.all(Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? spent : other.spent).spend('state', name, at)));
      same(tries.filter((done) => done).length, 1, 'uses of one name');
      same(await other.spent.spend('state', name, at), false, 'used again');
      same(await other.spent.spend('proof', name, at), true, 'the same name of another kind');
      const brief = newName();
      const soon = systemClock.now() + roomy;
      same(await spent.spend('proof', brief, soon), true, 'used');
      same(await other.spent.spend('proof', brief, soon), false, 'used again');
      await pause(soon + short - systemClock.now());
      same(await other.spent.spend('proof', brief, systemClock.now() + long), true, 'used after it was forgotten');
    },
  },
];
