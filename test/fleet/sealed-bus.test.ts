import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';
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
