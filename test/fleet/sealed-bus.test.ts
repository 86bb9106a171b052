import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';
import type { Clock } from '../../src/bounds/clock.ts';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { BusMessageRefused, fleet, memoryEngine } from '../../src/fleet/index.ts';
import type { Bus, BusHandler, FleetEngine } from '../../src/fleet/index.ts';
import { sealedBus } from '../../src/fleet/sealed-bus.ts';
import { randomOf } from '../random.ts';
import { startFleet } from './harness.ts';
import { question, read } from './reading.ts';

// A party that can write to the engine of a fleet, but has no key, cannot send anything to its processes: each message that is forged,
// changed, repeated or delivered to another process is dropped and reported, and the genuine messages arrive.

const key = (n: number): Uint8Array => new Uint8Array(32).fill(n);

interface Place {
  readonly name: string;
  readonly bus: Bus;
  readonly heard: string[];
  readonly refused: Error[];
  /** Delivers a message as any party with access to the engine could. */
  readonly hears: BusHandler;
}

/** Processes on one bus, and all messages on it. */
async function processes(...keys: (readonly Uint8Array[])[]): Promise<{ places: Place[]; wire: { to: string; text: string }[] }> {
  const engine = memoryEngine();
  const wire: { to: string; text: string }[] = [];
  const places = await Promise.all(keys.map(async (own, at) => {
    const name = `p${at}`;
    const raw = await engine.join(name);
    const [heard, refused]: [string[], Error[]] = [[], []];
    const bus = await sealedBus({
      ...raw,
      send: (to, text) => (wire.push({ to: `to ${to}`, text }), raw.send(to, text)),
      tell: (topic, text) => (wire.push({ to: `all ${topic}`, text }), raw.tell(topic, text)),
    }, name, own, (error) => refused.push(error), systemClock);
    const catching: { handler?: BusHandler } = {};
    const inner = await sealedBus({ ...raw, receive: (handler) => void (catching.handler = handler) }, name, own, (error) => refused.push(error), systemClock);
    inner.receive({ message: (text) => heard.push(`message ${text}`), told: (topic, text) => heard.push(`${topic} ${text}`), gap() {}, lost() {} });
    const hears = catching.handler as BusHandler;
    raw.receive(hears);
    return { name, bus, heard, refused, hears };
  }));
  return { places, wire };
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
};

test('messages arrive in their order, whichever key of the fleet seals them', async () => {
  const { places: [one, two, three] } = await processes([key(1)], [key(2), key(1)], [key(1), key(2)]);
  if (!one || !two || !three) return assert.fail();
  const numbers = Array.from({ length: 50 }, (_, at) => String(at));
  await Promise.all(numbers.flatMap((n) => [one.bus.send('p2', n), two.bus.send('p2', `two ${n}`)]));
  await one.bus.tell('t', 'all');
  await settled();
  const own = (from: (text: string) => boolean): string[] => three.heard.filter((text) => text.startsWith('message ') && from(text));
  assert.deepEqual(own((text) => !text.includes('two')), numbers.map((n) => `message ${n}`));
  assert.deepEqual(own((text) => text.includes('two')), numbers.map((n) => `message two ${n}`));
  assert.ok([one, two, three].every(({ heard }) => heard.includes('t all')));
  assert.deepEqual([one, two, three].flatMap(({ refused }) => refused), []);
});

test('what was made up, changed, brought twice or brought elsewhere is refused and reported', async () => {
  const { places: [one, two, other], wire } = await processes([key(1)], [key(1)], [key(9)]);
  if (!one || !two || !other) return assert.fail();
  await one.bus.send('p1', JSON.stringify({ kind: 'message', session: 's', message: { id: 'p1-1', result: { action: 'accept' } } }));
  await one.bus.tell('barewire.fleet', 'told');
  await settled();
  const [message = '', told = ''] = wire.map(({ text }) => text);
  const before = [...two.heard];
  assert.equal(before.length, 2);
  const random = randomOf(5);
  const alphabet = 'abcXYZ019-_ .';
  const bad: [how: string, bring: () => void][] = [
    ['the same again', () => two.hears.message(message)], ['the same told again', () => two.hears.told('barewire.fleet', told)],
    ['what was told, in the inbox', () => two.hears.message(told)], ['what was sent, told', () => two.hears.told('barewire.fleet', message)],
    ['under another topic', () => two.hears.told('other', told)], ['what is for another process', () => one.hears.message(message)],
    ['text', () => two.hears.message('{"kind":"message"}')], ['nothing', () => two.hears.message('')],
    ['JSON of old', () => two.hears.told('barewire.fleet', JSON.stringify({ from: 'p0', told: { kind: 'ended', session: 's', why: 'x' } }))],
  ];
  for (let n = 0; n < 400; n++) {
    const whole = n % 2 ? message : told;
    const at = Math.floor(random() * whole.length);
    const char = alphabet[Math.floor(random() * alphabet.length)] ?? 'x';
    const changed = n % 3 === 0 ? whole.slice(0, at) + whole.slice(at + 1) : n % 3 === 1 ? whole.slice(0, at) + char + whole.slice(at) : whole.slice(0, at) + char + whole.slice(at + 1);
    if (changed === whole) continue;
    bad.push([`changed: ${changed.slice(0, 40)}`, () => n % 2 ? two.hears.message(changed) : two.hears.told('barewire.fleet', changed)]);
  }
  for (const [how, bring] of bad) {
    const count = two.refused.length + one.refused.length;
    bring();
    await settled();
    assert.deepEqual(two.heard, before, how);
    // Ten a second are reported in full; of the others, only the count.
    if (two.refused.length < 10) assert.ok(two.refused.length + one.refused.length > count, how);
  }
  assert.ok([...one.refused, ...two.refused].slice(0, 10).every((error) => error instanceof BusMessageRefused && error.code === 'bus_message_refused'));
  // Sealed with the key of another fleet.
  await other.bus.send('p1', 'x');
  await settled();
  assert.deepEqual(two.heard, before);
  // Genuine messages still arrive.
  await one.bus.send('p1', 'again');
  await settled();
  assert.deepEqual(two.heard.at(-1), 'message again');
  assert.ok(bad.length > 350);
});

test('what is told may overtake, and comes once however it is mixed and repeated', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const random = randomOf(seed);
    const { places: [one, two], wire } = await processes([key(1)], [key(1)]);
    if (!one || !two) return assert.fail();
    const held = two.hears;
    const told: string[] = [];
    for (let n = 0; n < 60; n++) await one.bus.tell('t', String(n));
    await settled();
    const first = two.heard.length;
    assert.equal(first, 60);
    told.push(...wire.map(({ text }) => text).sort(() => random() - 0.5));
    for (const text of [...told, ...told]) held.told('t', text);
    await settled();
    assert.equal(two.heard.length, first, `seed ${seed}: none came twice`);
  }
});

test('a person\'s answer cannot be forged on the bus: the handler goes on waiting, and the right answer ends the call', async (t) => {
  const buses: { name: string; bus: Bus }[] = [];
  const whole = memoryEngine();
  const engine: FleetEngine = {
    ...whole,
    async join(name) {
      const bus = await whole.join(name);
      buses.push({ name, bus });
      return bus;
    },
  };
  const bench = await startFleet(t, { version: '2025-11-25', engine });
  const headers = await bench.open(0);
  const live = await bench.call(0, headers, 'confirm');
  const id = await question(live);
  const owner = id.split('-')[0] as string;
  const session = headers['mcp-session-id'] as string;
  const result = { action: 'accept', content: {} };
  const forged = JSON.stringify({ kind: 'message', session, paired: false, message: { jsonrpc: '2.0', id, result } });
  const stranger = buses.find(({ name }) => name !== owner)?.bus ?? assert.fail();
  await stranger.send(owner, forged);
  await settled();
  assert.ok(bench.errors.some((error) => (error as Error & { code?: string }).code === 'bus_message_refused'), String(bench.errors));
  assert.equal((await bench.post(1, headers, { jsonrpc: '2.0', id, result: { action: 'decline' } })).status, 202);
  assert.deepEqual((await read(live)).words, ['result of 1']);
  // The handler did not continue with the forged answer: the client's answer was the first.
  assert.equal(bench.errors.filter((error) => /a request that was not sent/.test(error.message)).length, 0);
});

test('a process that began while its clock was ahead hears the others once the clock was set back', async (t) => {
  const { now } = Date;
  let ahead = 86_400_000;
  t.mock.method(Date, 'now', () => now() + ahead);
  const { places: [one, two] } = await processes([key(1)], [key(1)]);
  if (!one || !two) return assert.fail();
  ahead = 0;
  await one.bus.tell('t', 'all');
  await settled();
  assert.deepEqual([two.heard, two.refused], [['t all'], []]);
});

test('a fleet whose processes have different keys hears nothing of each other, and says so', async () => {
  const engine = memoryEngine();
  const refused: Error[] = [];
  const one = await fleet({ keys: [key(1)], engine, onError: (error) => refused.push(error) });
  const two = await fleet({ keys: [key(2)], engine });
  await two.close();
  await settled();
  assert.match(refused[0]?.message ?? '', /no key of the fleet decrypts it/);
  await one.close();
});

/** A bus that only seals. `wire` gets what it sends. */
async function sealing(name: string, secret: Uint8Array, clock: Clock = systemClock): Promise<{ bus: Bus; wire: string[] }> {
  const wire: string[] = [];
  const send = async (_: string, text: string): Promise<void> => void wire.push(text);
  const bus = await sealedBus({
    leaseMs: 77, send, tell: send, gone: async () => ['x'], receive: () => assert.fail(), leave: async () => void wire.push('left'),
  }, name, [secret], (error) => assert.fail(error), clock);
  return { bus, wire };
}

/** A bus that only opens. */
async function opening(keys: readonly Uint8Array[], clock: Clock = systemClock, more: Partial<BusHandler> = {}) {
  const heard: string[] = [];
  const refused: string[] = [];
  let hears: BusHandler | undefined;
  const bus = await sealedBus({
    leaseMs: 77, send: () => assert.fail(), tell: () => assert.fail(), gone: async (names) => names, receive: (handler) => void (hears = handler), leave: async () => {},
  }, 'me', keys, (error) => refused.push(error.message), clock);
  bus.receive({
    message: (text) => heard.push(text), told: (topic, text) => heard.push(`${topic} ${text}`), gap: () => heard.push('gap'), lost: () => heard.push('lost'), ...more,
  });
  assert.ok(hears);
  return { bus, heard, refused, hears };
}

const once = 'a message on the bus of the fleet was refused: it is a duplicate or too late';

test('what is told may come up to 1,023 messages late, and once; a message of an inbox only in its order', async () => {
  const { bus, wire } = await sealing('p', key(1));
  for (let n = 1; n <= 2200; n++) await bus.tell('t', String(n));
  const { heard, refused, hears } = await opening([key(1)]);
  const tell = async (n: number): Promise<string> => {
    hears.told('t', wire[n - 1] ?? '');
    await settled();
    return heard.splice(0).join() + refused.splice(0).map((text) => text.slice(once.indexOf('it is'))).join();
  };
  assert.equal(await tell(1100), 't 1100');
  assert.deepEqual([await tell(76), await tell(77), await tell(77), await tell(1100)], ['it is a duplicate or too late (from the process p)', 't 77', 'it is a duplicate or too late (from the process p)', 'it is a duplicate or too late (from the process p)']);
  for (let n = 78; n < 2200; n++) if (n !== 1100 && n !== 1990) hears.told('t', wire[n - 1] ?? '');
  await settled();
  assert.equal(heard.splice(0).length, 2120);
  // What was heard within the window is remembered, and what was not may still come.
  for (const n of [1190, 1989, 2199]) assert.match(await tell(n), /it is a duplicate or too late/);
  assert.equal(await tell(1990), 't 1990');
  assert.equal(await tell(2200), 't 2200');
  // Topics and the inbox are counted apart.
  const inbox = await sealing('q', key(1));
  for (let n = 1; n <= 3; n++) await inbox.bus.send('me', String(n));
  const send = async (n: number): Promise<void> => {
    hears.message(inbox.wire[n - 1] ?? '');
    await settled();
  };
  await send(2);
  await send(1);
  await send(2);
  await send(3);
  assert.deepEqual([heard.splice(0), refused.splice(0)], [['2', '3'], [`${once} (from the process q)`, `${once} (from the process q)`]]);
  await inbox.bus.tell('t', 'first');
  await inbox.bus.tell('u', 'second');
  hears.told('u', inbox.wire[4] ?? '');
  hears.told('t', inbox.wire[3] ?? '');
  await settled();
  assert.deepEqual([heard, refused], [['u second', 't first'], []]);
});

test('what was told more than five minutes before a process began is refused, if it knows nothing of the sender; an inbox may hold it', async () => {
  const [early, late] = [manualClock(1_000_000), manualClock(1_300_000)];
  const messages: string[] = [];
  for (const ms of [999_999, 1_000_000]) {
    early.tick(ms);
    const { bus, wire } = await sealing(`p${ms}`, key(1), early);
    await bus.tell('t', String(ms));
    await bus.send('me', `inbox ${ms}`);
    messages.push(...wire);
  }
  const { heard, refused, hears } = await opening([key(1)], late);
  hears.told('t', messages[0] ?? '');
  hears.told('t', messages[2] ?? '');
  hears.message(messages[1] ?? '');
  // Now it knows the sender.
  await settled();
  hears.told('t', messages[0] ?? '');
  await settled();
  assert.deepEqual(heard, ['t 1000000', 'inbox 999999', 't 999999']);
  assert.deepEqual(refused, ['a message on the bus of the fleet was refused: it was sent minutes before this process started: it was delayed, or the clocks of the machines differ (from the process p999999)']);
});

test('of 1,000 senders the messages are remembered; of those before, none is taken again, and new ones are', async () => {
  const clock = manualClock(5000);
  const { heard, refused, hears } = await opening([key(1)], clock);
  const first = await sealing('first', key(1), clock);
  await first.bus.tell('t', 'old');
  hears.told('t', first.wire[0] ?? '');
  clock.tick(6000);
  for (let n = 0; n < 999; n++) {
    const { bus, wire } = await sealing(`p${n}`, key(1), clock);
    await bus.tell('t', '');
    hears.told('t', wire[0] ?? '');
  }
  await settled();
  assert.equal(heard.splice(0).length, 1000);
  hears.told('t', first.wire[0] ?? '');
  await settled();
  assert.deepEqual(refused.splice(0), [`${once} (from the process first)`], 'it is still known');
  const last = await sealing('last', key(1), clock);
  await last.bus.tell('t', 'last');
  hears.told('t', last.wire[0] ?? '');
  await settled();
  hears.told('t', first.wire[0] ?? '');
  await settled();
  assert.deepEqual([heard.splice(0), refused.splice(0)], [['t last'], ['a message on the bus of the fleet was refused: it may be a duplicate (from the process first)']]);
  await first.bus.tell('t', 'new');
  hears.told('t', first.wire[1] ?? '');
  await settled();
  assert.deepEqual([heard, refused], [['t new'], []]);
});

test('a sender with a new key goes on counting, and the text of what is refused says why', async () => {
  const clock = manualClock(5000);
  const { bus, heard, refused, hears } = await opening([key(1), key(2)], clock);
  assert.deepEqual([bus.leaseMs, await bus.gone(['a'])], [77, ['a']]);
  const [one, two] = [await sealing('p', key(1), clock), await sealing('p', key(2), clock)];
  await one.bus.tell('t', 'one');
  for (const text of ['two', 'three']) await two.bus.tell('t', text);
  for (const text of [one.wire[0], two.wire[0], two.wire[1]]) hears.told('t', text ?? '');
  await settled();
  assert.deepEqual([heard.splice(0), refused.splice(0)], [['t one', 't three'], [`${once} (from the process p)`]]);
  const [from, count, at, body] = (one.wire[0] ?? '').split(' ') as [string, string, string, string];
  const no = 'a message on the bus of the fleet was refused: ';
  for (const text of [
    '', 'x', `${from} ${count} ${at}`, `${from} ${count} ${at} `, `${from} ${count} ${at} ${body} `, ` ${from} ${count} ${at} ${body}`, `P ${count} ${at} ${body}`,
    `${'p'.repeat(41)} ${count} ${at} ${body}`,
  ]) hears.told('t', text);
  await settled();
  assert.deepEqual(refused.splice(0), Array.from({ length: 8 }, () => `${no}it is not encrypted`));
  clock.tick(6000);
  for (const text of [`${from} ${'1'.repeat(12)} ${at} ${body}`, `${from} ${count} ${'1'.repeat(12)} ${body}`, `${from} ${count} ${at} A`]) hears.told('t', text);
  hears.told('u', one.wire[0] ?? '');
  hears.told('t', `${'p'.repeat(40)} ${'1'.repeat(11)} ${'1'.repeat(11)} ${body}`);
  await settled();
  const unopened = (place: string): string => `${no}no key of the fleet decrypts it (${place}): it was forged or changed, is for another process, or its sender has other keys`;
  assert.deepEqual(refused.splice(0), [...Array.from({ length: 3 }, () => `${no}it is not encrypted`), unopened('all u'), unopened('all t')]);
  // Ten a second are told in full, and the number of the others when it leaves.
  for (let n = 0; n < 12; n++) hears.told('t', '');
  await settled();
  assert.equal(refused.splice(0).length, 5);
  await bus.leave();
  assert.deepEqual(refused, ['7 more faults within a second']);
  assert.deepEqual(heard, []);
});

test('events of the bus come after the messages before them; what a handler throws is reported, and the next message comes', async () => {
  const { bus, wire } = await sealing('p', key(1));
  await bus.send('me', 'first');
  await bus.send('me', 'bad');
  await bus.send('me', 'last');
  const { heard, refused, hears } = await opening([key(1)], systemClock, {
    message(text) {
      if (text === 'bad') throw new Error('a fault of the handler');
      heard.push(text);
    },
  });
  hears.message(wire[0] ?? '');
  hears.gap();
  hears.message(wire[1] ?? '');
  hears.lost();
  hears.left?.('x');
  hears.message(wire[2] ?? '');
  await settled();
  assert.deepEqual([heard, refused], [['first', 'gap', 'lost', 'last'], ['a fault of the handler']]);
  const other = await opening([key(1)], systemClock, { left: (process) => void gone.push(process) });
  const gone: string[] = [];
  other.hears.left?.('x');
  await settled();
  assert.deepEqual(gone, ['x']);
  await bus.leave();
  assert.deepEqual([wire.at(-1), await bus.gone([])], ['left', ['x']]);
});

test('the keys of a process are the same where the runtime has only WebCrypto', async (t) => {
  const { bus, wire } = await sealing('p', key(1));
  await bus.send('me', 'of the module');
  const there = await opening([key(1)]);
  for (const name of ['getBuiltinModule', 'process'] as const) {
    const [object, found] = name === 'process' ? [globalThis, globalThis.process] as const : [process, process.getBuiltinModule] as const;
    const without = async <T>(run: () => Promise<T>): Promise<T> => {
      Reflect.set(object, name, undefined);
      try {
        return await run();
      } finally {
        Reflect.set(object, name, found);
      }
    };
    t.after(() => Reflect.set(object, name, found));
    const [here, other] = await without(async () => [await sealing(name.toLowerCase(), key(1)), await opening([key(1)])] as const);
    await here.bus.send('me', `of WebCrypto ${name}`);
    const [text = ''] = here.wire;
    there.hears.message(text);
    await without(async () => {
      other.hears.message(wire[0] ?? '');
      while (other.heard.length === 0 && other.refused.length === 0) await new Promise((resolve) => setImmediate(resolve));
    });
    assert.deepEqual([other.heard, other.refused], [['of the module'], []]);
  }
  await settled();
  assert.deepEqual([there.heard, there.refused], [['of WebCrypto getBuiltinModule', 'of WebCrypto process'], []]);
});
