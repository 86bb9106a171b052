import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { newName, same } from '../../src/fleet/engine-tests.ts';
import { memoryEngine, Undeliverable } from '../../src/fleet/index.ts';
import type { Bus, BusHandler, FleetEngine, SessionStore, SpentStore, StoringEngine, StreamStore } from '../../src/fleet/index.ts';
import { engineTests, storeTests } from '../../src/fleet/testing.ts';
import type { OpenedEngine } from '../../src/fleet/testing.ts';
import { turn } from './scheduled-engine.ts';

// Whether the suites for engines find what they look for: each check must notice an engine that has exactly its fault.

/** Runs a function whose timers are due as soon as nothing else happens. */
async function quickly<T>(t: TestContext, run: () => Promise<T>): Promise<T> {
  const clock = manualClock(1_000_000);
  const mocked = (['now', 'monotonic', 'after'] as const).map((name) => t.mock.method(systemClock, name, clock[name] as typeof systemClock.after));
  let over = false;
  const ended = run().finally(() => (over = true));
  ended.catch(() => {});
  while (!over) {
    for (let turns = 0; turns < 4; turns++) await turn();
    if (clock.due !== undefined) clock.tick(clock.now() + clock.due - clock.monotonic());
  }
  for (const { mock } of mocked) mock.restore();
  assert.equal(clock.waiting, 0, 'no timer is left');
  return ended;
}

/** A process that has joined. */
interface Handle {
  /** It joined by `engine` (0) or by the engine that the nth call of `again` returned. */
  readonly nth: number;
  readonly name: string;
  readonly bus: Bus;
  /** The handler of `receive`. */
  readonly handler: () => BusHandler | undefined;
  /** The state that all processes on one engine share. */
  readonly all: { killed: boolean; restarts: number; left: number; readonly handles: Handle[] };
}

/** A change of a bus that makes a fault. */
type BusFault = (handle: Handle) => Partial<Bus>;

/** An engine that can be killed and restarted, with a fault. */
async function open(
  fault: BusFault, join?: (hub: StoringEngine, name: string, nth: number) => Promise<Bus>, leaseMs: number = 900,
): Promise<OpenedEngine & { readonly all: Handle['all'] }> {
  const hub = memoryEngine();
  const all: Handle['all'] = { killed: false, restarts: 0, left: 0, handles: [] };
  const leaves: (() => Promise<void>)[] = [];
  let away = false;
  let count = 0;
  const make = (): FleetEngine => {
    const nth = count++;
    return {
      async join(name) {
        const bus = join ? await join(hub, name, nth) : await hub.join(name);
        let given: BusHandler | undefined;
        const handle: Handle = { nth, name, bus, all, handler: () => given };
        const able = async <T>(call: () => Promise<T>): Promise<T> => {
          if (away) throw new Error('the engine is away');
          return call();
        };
        all.handles.push(handle);
        const whole = { ...bus, ...fault(handle) };
        leaves.push(whole.leave);
        return {
          ...whole,
          send: (to, text) => able(() => whole.send(to, text)),
          tell: (topic, text) => able(() => whole.tell(topic, text)),
          receive(handler) {
            given = handler;
            whole.receive(handler);
          },
          leave() {
            all.left++;
            return whole.leave();
          },
        };
      },
    };
  };
  return {
    all, engine: make(), again: async () => make(), leaseMs: 1000,
    kill() {
      all.killed = true;
      systemClock.after(leaseMs, () => void leaves.at(-1)?.());
    },
    async restart() {
      away = true;
      await new Promise<void>((resolve) => systemClock.after(100, resolve));
      away = false;
      all.restarts++;
      for (const { handler } of all.handles) handler()?.gap();
    },
  };
}

const none: BusFault = () => ({});
/** Passes the messages of an inbox through a function, which returns what arrives in the place of each. */
const arriving = (change: (text: string, handle: Handle) => readonly string[]): BusFault => (handle) => ({
  receive: (handler) => handle.bus.receive({ ...handler, message: (text) => change(text, handle).forEach((one) => handler.message(one)) }),
});
/** Holds each message that fits back until a `later` one has arrived, by default the next one. */
const swapped = (fits: (text: string) => boolean, later: (held: string, text: string) => boolean = () => true): BusFault => {
  let held: string | undefined;
  return arriving((text) => {
    if (held === undefined) {
      if (!fits(text)) return [text];
      held = text;
      return [];
    }
    if (!later(held, text)) return [text];
    const both = [text, held];
    held = undefined;
    return both;
  });
};
const ofSame = (held: string, text: string): boolean => held.split(' ')[0] === text.split(' ')[0];
const telling = (change: (topic: string, text: string, handle: Handle) => boolean | [string, string]): BusFault => (handle) => ({
  receive: (handler) => handle.bus.receive({
    ...handler,
    told(topic, text) {
      const found = change(topic, text, handle);
      if (found === true) handler.told(topic, text);
      else if (found) handler.told(...found);
    },
  }),
});
/** Everything arrives 10 ms late. */
const slow: BusFault = ({ bus }) => ({
  receive: (handler) => bus.receive({
    ...handler,
    message: (text) => systemClock.after(10, () => handler.message(text)), told: (topic, text) => systemClock.after(10, () => handler.told(topic, text)),
  }),
});
const another = Object.assign(new Error('of another kind'), { code: 'undeliverable' });

/** By the name of a test: what it says of which fault. */
const busFaults: Readonly<Record<string, readonly (readonly [says: string, ...how: Parameters<typeof open>])[]>> = {
  'messages of one sender arrive once and in order': [
    ['the messages of sender 0: ', swapped((text) => text === '0 7', ofSame)],
    ['the messages of sender 1: ', swapped((text) => text === '1 198', ofSame)],
    ['the messages of sender 1: ', arriving((text) => [text === '1 9' ? '1 90' : text])],
    ['399 of 400 messages have arrived within 10000 ms', arriving((text) => text === '1 9' ? [] : [text])],
    ['the number of messages: 403 ', (handle) => ({ leave: async () => handle.all.handles.at(-1)?.handler()?.message('one more') })],
  ],
  'many messages sent at the same time arrive once each': [
    ['messages: ', arriving((text) => [text === '299' ? '298' : text])],
    ['299 of 300 messages', arriving((text) => text === '8' ? [] : [text])],
  ],
  'the inbox holds messages until they are read': [
    ['0 of 3 messages', (handle) => ({ send: (to, text) => handle.all.handles.find(({ name }) => name === to)?.handler() ? handle.bus.send(to, text) : Promise.resolve() })],
    ['messages: ["b","a","c"] in place of ["a","b","c"]', swapped((text) => text === 'a')],
  ],
  'any text arrives unchanged, even if a process sends it to itself': [
    ...['', ' ', '\n\r\t', '\0', '"\\', 'ä 語 😀', '{"a":[1]}', '\u2028'].map((text) => ['messages: ', arriving((one) => [one === text ? 'another' : one])] as const),
    ['8 of 9 messages', arriving((text) => text.length > 999_999 ? [] : [text])],
  ],
  '`tell` reaches every process that has joined, once': [
    ['1 of 2 told', telling((topic, _, { nth }) => nth !== 0 || topic === 'a')],
    ['1 of 2 told', telling((topic, _, { nth }) => nth === 0 || topic === 'b')],
    ['told: ["a 1","c 2\\n"] ', telling((topic, text) => topic === 'a' || ['c', text])],
    ['told: ["a 1","b 2"] ', telling((topic, text) => [topic, text.trim()])],
    ['the number of messages of `tell`: 3 ', (handle) => ({ receive: (handler) => handle.bus.receive({ ...handler, message: (text) => (handler.told('a', '1'), handler.message(text)) }) })],
    ['0 of 1 messages', arriving(() => [])],
  ],
  'a message to an unknown process, or to one that has left, is undeliverable': [
    ['undeliverable: a name that never existed: false ', (handle) => ({ send: (to, text) => handle.bus.send(to, text).catch(() => {}) })],
    ['a message that cannot be delivered was refused with Error: x, expected Undeliverable', () => ({ send: () => Promise.reject(new Error('x')), gone: async (names) => names })],
    ['a message that cannot be delivered was refused with Error: of another kind', () => ({ send: () => Promise.reject(another), gone: async (names) => names })],
    ['a message that cannot be delivered was refused with Undeliverable', ({ name }) => ({
      send: () => Promise.reject(Object.assign(new Undeliverable(name), { code: 'other' })), gone: async (names) => names,
    })],
    ['the processes that have gone, after an undeliverable message: [] ', () => ({ gone: async () => [] })],
    ['undeliverable: a process that has joined: true ', () => ({ send: (to) => Promise.reject(new Undeliverable(to)), gone: async (names) => names })],
    ['gone: two processes that have joined: ', (handle) => ({ gone: async (names) => names.length > 1 ? names : handle.bus.gone(names) })],
    ['undeliverable: a process that has left: false ', () => ({ leave: async () => {} })],
  ],
  'a name belongs to one process only, and is free again when it leaves': [
    ['a name that is taken is refused: false ', none, (hub, name, nth) => hub.join(nth === 0 ? name : `${name}-${nth}`)],
    ['a name that is taken is refused: false ', none, (() => {
      const joined = new Set<string>();
      return (hub, name, nth) => {
        const again = nth === 0 && joined.has(name);
        joined.add(name);
        return hub.join(again ? `${name}-again` : name);
      };
    })()],
    ['the name is taken', none, (() => {
      const joined = new Set<string>();
      return (hub, name) => {
        if (joined.has(name)) throw new Error('the name is taken');
        joined.add(name);
        return hub.join(name);
      };
    })()],
    ['the inbox of a reused name: ["old","fresh"] ', (handle) => handle.nth === 0 ? {} : { receive(handler) {
      handler.message('old');
      handle.bus.receive(handler);
    } }],
  ],
  'the lease of a killed process expires, and the lease of a running one does not': [
    ['the lease has not expired', ({ bus, all }) => ({ leave: async () => all.killed ? undefined : bus.leave() })],
    ['the lease has not expired', none, undefined, 5200],
    ['undeliverable: an idle process: true ', (handle) => ({
      send: (to, text) => handle.all.handles[0]?.name === to ? Promise.reject(new Undeliverable(to)) : handle.bus.send(to, text),
      gone: async (names) => names,
    })],
    ['0 of 1 messages', arriving((_, { all }) => all.killed ? [] : ['x'])],
    ['the messages of the idle process: ["y"] ', arriving(() => ['y'])],
    ['0 of 1 told', telling(() => false)],
    ['told: ["t away"] ', telling((topic) => [topic, 'away'])],
  ],
  'between many processes each message arrives once, and the messages of one sender in order': [
    ['the messages from one process to another: ', swapped((text) => text.endsWith(' 12'), ofSame)],
    ['the messages from one process to another: ', arriving((text) => [text.replace(/ 3$/, ' 4')])],
    ['159 of 160 messages', arriving((text, { all, name }) => all.handles[7]?.name === name && text === `${name} 19` ? [] : [text])],
  ],
  'messages sent without waiting arrive in order': [
    ['messages: ', swapped((text) => text === '98')],
    ['messages: ', swapped((text) => text.length === 400_000)],
    ['99 of 100 messages', arriving((text) => text.length > 399_999 ? [] : [text])],
  ],
  'acknowledged messages survive a restart of the engine, and the bus goes on': [
    ['nothing can be sent after a restart', ({ bus, all }) => ({ send: (to, text) => all.restarts > 0 ? Promise.reject(new Error('no')) : bus.send(to, text) })],
    ['an inbox that was not read before the restart: ', arriving((text) => [text === 'b' ? 'd' : text])],
    ['0 of 3 messages', arriving((text) => /[abc]/.test(text) ? [] : [text])],
    ['the number of different messages: ', arriving((text) => text === '4' ? ['4', '4'] : [text])],
    ['the acknowledged messages: ', arriving((text) => text === '19' ? [] : [text])],
    ['the acknowledged messages: ', swapped((text) => text === '30')],
    ['no message of `tell` arrives after a restart', telling(() => false)],
    ['a gap was noticed: false ', (handle) => ({ receive: (handler) => handle.bus.receive(Object.assign(handler, { gap() {} })) })],
  ],
};

test('each check of the suite of the bus passes a good engine, and finds its fault in another', async (t) => {
  assert.deepEqual(Object.keys(busFaults), engineTests.map(({ name }) => name));
  const wrong: string[] = [];
  for (const { name, run } of engineTests) {
    for (const [fault, leaseMs] of [[none, 900], [slow, 4900]] as const) {
      let opened: Awaited<ReturnType<typeof open>> | undefined;
      await quickly(t, () => run(async () => opened = await open(fault, undefined, leaseMs)));
      const { left, killed, handles } = opened?.all ?? assert.fail();
      assert.equal(left, handles.length - Number(killed), `${name}: all have left that live`);
    }
    for (const [says, ...how] of busFaults[name] ?? []) {
      const said = await quickly(t, () => run(() => open(...how)).then(() => 'nothing', (error: Error) => error.message));
      if (!said.startsWith(says)) wrong.push(`${name}: ${JSON.stringify(says)}, not ${JSON.stringify(said.slice(0, 200))}`);
    }
  }
  assert.deepEqual(wrong, []);
});

interface Stores {
  readonly sessions: SessionStore;
  readonly streams: StreamStore;
  readonly spent: SpentStore;
}

/** A change of stores that makes a fault: of `engine` (0) or of an engine that `again` returned. */
type StoreFault = (stores: Stores, nth: number) => { readonly [K in keyof Stores]?: Partial<Stores[K]> };

async function openStores(fault: StoreFault): Promise<OpenedEngine> {
  const hub = memoryEngine();
  let count = 0;
  const make = (): FleetEngine => {
    const { sessions, streams, spent } = fault(hub, count++);
    return {
      join: hub.join, sessions: { ...hub.sessions, ...sessions }, streams: { ...hub.streams, ...streams }, spent: { ...hub.spent, ...spent },
    };
  };
  return { engine: make(), again: async () => make() };
}

/** Changes what one function of the sessions returns, in the calls from number `from` to number `to`. */
function sessionsSay<M extends keyof SessionStore>(
  method: M, change: (found: Awaited<ReturnType<SessionStore[M]>>) => Awaited<ReturnType<SessionStore[M]>>, from = 1, to = Infinity,
): StoreFault {
  let calls = 0;
  return ({ sessions }) => ({ sessions: {
    async [method](...args: never[]) {
      const found = await (sessions[method] as (...all: never[]) => Promise<never>)(...args);
      return ++calls >= from && calls <= to ? change(found) : found;
    },
  } as Partial<SessionStore> });
}

function streamsSay(change: (found: Awaited<ReturnType<StreamStore['after']>>) => typeof found, from = 1, to = Infinity): StoreFault {
  let calls = 0;
  return ({ streams }) => ({ streams: {
    async after(...args) {
      const found = await streams.after(...args);
      return ++calls >= from && calls <= to ? change(found) : found;
    },
  } });
}

function spentSays(change: (found: boolean) => boolean, from: number, to: number): StoreFault {
  let calls = 0;
  return ({ spent }) => ({ spent: {
    async spend(...args) {
      const found = await spent.spend(...args);
      return ++calls >= from && calls <= to ? change(found) : found;
    },
  } });
}

const not = (found: boolean): boolean => !found;
const kept = { head: '{"owner":"p1"}', texts: ['a'], over: false };
const unknown = (): undefined => undefined;

/** By the name of a test: what it says of which fault. */
const storeFaults: Readonly<Record<string, readonly (readonly [says: string, fault: StoreFault])[]>> = {
  'every process finds a record until it is deleted': [
    ['a record that was never created: ', sessionsSay('load', () => ({ text: '', version: 1 }), 1, 1)],
    ['the text: undefined ', sessionsSay('load', unknown)],
    ['the text: ', sessionsSay('load', (found) => found && { ...found, text: found.text.replace('\n', '') })],
    ['created twice: rejected: false ', ({ sessions }) => ({ sessions: { create: (...args) => sessions.create(...args).catch(() => {}) } })],
    ['deleted: false ', sessionsSay('delete', not, 1, 1)],
    ['deleted twice: true ', sessionsSay('delete', not, 2, 2)],
    ['a record that was deleted: ', sessionsSay('load', () => ({ text: '', version: 1 }), 3, 3)],
    ['touched after its end: true ', sessionsSay('touch', not)],
    ['replaced after its end: true ', sessionsSay('replace', not)],
  ],
  'of several replacements of one version of a record, one succeeds': [
    ['replacements: 20 ', sessionsSay('replace', () => true)],
    ['replacements: 2 ', sessionsSay('replace', () => true, 5, 5)],
    ['replacements: 0 ', sessionsSay('replace', () => false)],
    ['replacements: 0 ', sessionsSay('load', unknown, 1, 1)],
    ['replacements: 2 ', ({ sessions }) => {
      let done = false;
      return { sessions: { async replace(...args) {
        if (done) return false;
        done = true;
        await sessions.replace(...args);
        return true;
      } } };
    }],
    ['the text: "old" ', ({ sessions }) => ({ sessions: { replace: async (id, version) => sessions.replace(id, version, 'old') } })],
    ['the version is still the old one: true ', sessionsSay('load', (found) => found && { ...found, version: 1 })],
    ['an old version was replaced: true ', sessionsSay('replace', not, 21, 21)],
    ['the new version was replaced: false ', sessionsSay('replace', not, 22, 22)],
    ['the text: "new 0" ', sessionsSay('load', (found) => found && { ...found, text: 'new 0' })],
  ],
  'a record expires after its time, but not while it is touched': [
    ['touched: false ', sessionsSay('touch', not, 1, 1)],
    ['replaced: false ', sessionsSay('replace', not)],
    ['replaced: false ', sessionsSay('load', unknown, 1, 1)],
    ['touched in time: false ', sessionsSay('touch', not, 3, 3)],
    ['touched in time: false ', ({ sessions }) => ({ sessions: { touch: (id) => sessions.touch(id, 0) } })],
    ['an expired record: ', ({ sessions }) => ({ sessions: { create: (id, owner, text) => sessions.create(id, owner, text, 60_000) } })],
    ['an expired record: ', ({ sessions }) => ({ sessions: { replace: async (...args) => sessions.touch(args[0], 60_000).then(() => sessions.replace(...args)) } })],
    ['touched too late: true ', sessionsSay('touch', not, 7, 7)],
    ['ids of the owner: ', sessionsSay('of', (found) => found.toReversed())],
    ['a record that was no longer touched: ', ({ sessions }) => ({ sessions: { touch: (id) => sessions.touch(id, 60_000) } })],
    ['the text of a record with more time: "y" ', sessionsSay('load', (found) => found && { ...found, text: 'y' })],
    ['there is a session', ({ sessions }) => {
      let calls = 0;
      return { sessions: { create: (...args) => ++calls === 4 ? Promise.reject(new Error('there is a session')) : sessions.create(...args) } };
    }],
    ['the text: "x" ', sessionsSay('load', (found) => found && { ...found, text: 'x' })],
  ],
  'the sessions of an owner are listed in the order of their last use': [
    ['ids: ["x"] in place of []', sessionsSay('of', () => ['x'], 1, 1)],
    ['ids: ', sessionsSay('of', (found) => found.toReversed(), 2, 2)],
    ['ids: ', ({ sessions }) => ({ sessions: { create: (id, owner, ...rest) => sessions.create(id, owner?.replace(/2$/, ''), ...rest) } })],
    ['ids: ', ({ sessions }) => ({ sessions: { of: async (owner) => (await sessions.of(owner)).toSorted() } })],
    ['ids: ', ({ sessions }) => ({ sessions: { delete: async () => true } })],
    ['ids: ', sessionsSay('of', (found) => found.toReversed(), 4, 4)],
  ],
  'events are stored once and in order, and every process reads those after a given number': [
    ['a stream that never existed: ', streamsSay(() => ({ ...kept, texts: [] }), 1, 1)],
    ...[0, 1, 2, 3, 4, 5].map((number) => [`events after ${number}: `, streamsSay((found) => found && { ...found, texts: [...found.texts, 'more'] }, number + 2, number + 2)] as const),
    // Of a part that was sent again, nothing is kept, or all.
    ['events after 0: ', ({ streams }) => {
      let count = 0;
      return { streams: { append(part) {
        if (part.first <= count) return;
        count = part.first + part.texts.length - 1;
        return streams.append(part);
      } } };
    }],
    ['events after 0: ', ({ streams }) => {
      let next = 1;
      return { streams: { append(part) {
        const first = next;
        next += part.texts.length;
        return streams.append({ ...part, first });
      } } };
    }],
    ['events after 0: ', streamsSay((found) => found && { ...found, texts: found.texts.map((text) => text.slice(0, 65_536)) })],
    ['events after one that was never stored: undefined ', streamsSay(unknown, 8, 8)],
    ['the stream of another session: ', streamsSay(() => ({ ...kept, texts: [] }), 9, 9)],
  ],
  'a stream keeps its head, and takes no event after its end': [
    ['an open stream: ', streamsSay((found) => found && { ...found, head: 'é' }, 1, 1)],
    ['an open stream: ', streamsSay((found) => found && { ...found, over: true })],
    ['an ended stream: ', ({ streams }) => ({ streams: { append: (part) => streams.append({ ...part, over: false }) } })],
    ['an ended stream: ', streamsSay((found) => found && { ...found, texts: [...found.texts, 'c'] }, 2, 2)],
    ['an ended stream: ', streamsSay((found) => found && { ...found, head: 'é' }, 2, 2)],
    ['an empty stream: undefined ', ({ streams }) => ({ streams: { append: (part) => part.texts.length > 0 ? streams.append(part) : undefined } })],
    ['an empty stream: ', streamsSay((found) => found && { ...found, over: false }, 3, 3)],
  ],
  'if two processes end one stream, only the first end counts': [
    ['the number of events, and whether the stream is over: [3,true] ', streamsSay((found) => found && { ...found, texts: [...found.texts, 'end 1'] })],
    ['the number of events, and whether the stream is over: [1,true] ', streamsSay((found) => found && { ...found, texts: ['a'] })],
    ['the number of events, and whether the stream is over: [2,false] ', streamsSay((found) => found && { ...found, over: false })],
  ],
  'streams are forgotten with their session, and after their time': [
    ['the forgotten streams: [false,false,false] ', () => ({ streams: { drop: async () => {} } })],
    ['the forgotten streams: [false,true,false] ', streamsSay(() => kept, 1, 1)],
    ['the forgotten streams: [true,false,false] ', streamsSay(() => kept, 2, 2)],
    ['the forgotten streams: [true,true,true] ', streamsSay(unknown, 3, 3)],
    ['forgotten after its time: false ', ({ streams }) => ({ streams: { append: (part) => streams.append({ ...part, ttlMs: 60_000 }) } })],
  ],
  'a used name cannot be used again by any process until it is forgotten': [
    ['uses of one name: 20 ', () => ({ spent: { spend: async () => true } })],
    ['uses of one name: 0 ', () => ({ spent: { spend: async () => false } })],
    ['uses of one name: 2 ', ({ spent }, nth) => ({ spent: { spend: (kind, name, at) => spent.spend(kind, `${nth} ${name}`, at) } })],
    ['used again: true ', spentSays(not, 21, 21)],
    ['the same name of another kind: false ', ({ spent }) => ({ spent: { spend: (_, name, at) => spent.spend('state', name, at) } })],
    ['used: false ', spentSays(not, 23, 23)],
    ['used again: true ', spentSays(not, 24, 24)],
    ['used after it was forgotten: false ', ({ spent }) => ({ spent: { spend: (kind, name, at) => spent.spend(kind, name, at + 60_000) } })],
    // It forgets too early.
    ['used again: true ', ({ spent }) => ({ spent: { spend: (kind, name) => spent.spend(kind, name, kind === 'proof' ? 0 : Infinity) } })],
  ],
};

test('messages of several senders, and those that were sent at once, may come in any order', async (t) => {
  for (const { name, run } of engineTests) {
    if (/at the same time|messages of one sender arrive/.test(name)) await quickly(t, () => run(() => open(swapped((text) => /^(0 7|8)$/.test(text)))));
  }
});

test('a store that was so slow that a record expired before it was touched again is tried with twice the time', async (t) => {
  const times: number[] = [];
  let touches = 0;
  const late: StoreFault = ({ sessions }) => ({ sessions: {
    create(...args) {
      times.push(args[3]);
      return sessions.create(...args);
    },
    async touch(...args) {
      if (++touches === 3) await new Promise<void>((resolve) => systemClock.after(2000, resolve));
      return sessions.touch(...args);
    },
  } });
  const { run } = storeTests.find(({ name }) => name.includes('not while it is touched')) ?? assert.fail();
  await quickly(t, () => run(() => openStores(late)));
  assert.deepEqual(times, [1500, 1500, 1500, 3000, 3000, 3000, 60_000]);
});

test('each check of the suite of the stores passes good stores, and finds its fault in others', async (t) => {
  assert.deepEqual(Object.keys(storeFaults), storeTests.map(({ name }) => name));
  const wrong: string[] = [];
  for (const { name, run } of storeTests) {
    await quickly(t, () => run(() => openStores(() => ({}))));
    for (const [says, fault] of storeFaults[name] ?? []) {
      const said = await quickly(t, () => run(() => openStores(fault)).then(() => 'nothing', (error: Error) => error.message));
      if (!said.startsWith(says)) wrong.push(`${name}: ${JSON.stringify(says)}, not ${JSON.stringify(said.slice(0, 200))}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('the suite of the stores fails without one of the stores', async () => {
  const { join, ...stores } = memoryEngine();
  for (const name of ['sessions', 'streams', 'spent'] as const) {
    const engine: FleetEngine = { join, ...stores, [name]: undefined };
    for (const { run } of storeTests) {
      await assert.rejects(run(async () => ({ engine, again: async () => engine })), /^Error: the engine lacks `sessions`, `streams` or `spent`$/);
    }
  }
});

test('the suites compare as JSON does, in any order of members, and say both', () => {
  const alike: readonly (readonly [unknown, unknown])[] = [
    [1, 1], ['a', 'a'], [null, null], [undefined, undefined], [[1, [2]], [1, [2]]], [{ c: 1, a: { e: 2, d: [{ g: 1, f: 2 }] }, b: 3 }, { a: { d: [{ f: 2, g: 1 }], e: 2 }, b: 3, c: 1 }],
    [{ a: null }, { a: null }], [{ a: undefined }, {}],
  ];
  for (const [one, other] of alike) same(one, other, 'x');
  const unlike: readonly (readonly [unknown, unknown, string])[] = [
    [1, 2, '1 in place of 2'], ['1', 1, '"1" in place of 1'], [undefined, null, 'undefined in place of null'], [1, undefined, '1 in place of undefined'],
    [[1, 2], [2, 1], '[1,2] in place of [2,1]'], [[], {}, '[] in place of {}'], [{ b: 1, a: 2 }, { a: 1, b: 2 }, '{"a":2,"b":1} in place of {"a":1,"b":2}'],
    [null, {}, 'null in place of {}'], [['a'], { 0: 'a' }, '["a"] in place of {"0":"a"}'],
    ['x'.repeat(600), 'y'.repeat(600), `"${'x'.repeat(499)} in place of "${'y'.repeat(499)}`],
  ];
  for (const [one, other, says] of unlike) assert.throws(() => same(one, other, 'it'), { message: `it: ${says}` });
});

test('each new name is another, in other processes too', () => {
  const names = Array.from({ length: 50 }, newName).map((name) => /^p(\d+)x([\da-z]{2,6})$/.exec(name) ?? assert.fail(name));
  for (const part of [1, 2]) assert.equal(new Set(names.map((found) => found[part])).size, 50);
});
