import assert from 'node:assert/strict';
import test from 'node:test';
import { queryObjects } from 'node:v8';
import { memoryEngine } from '../../src/fleet/index.ts';
import type { BusHandler, FleetEngine } from '../../src/fleet/index.ts';
import { SharedStream } from '../../src/fleet/shared-stream.ts';
import { liveAt, modern } from '../transport/http/harness.ts';
import { steppedClock } from '../mock-clock.ts';
import { startFleet } from './harness.ts';
import { read } from './reading.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const version = '2025-11-25';
const byUser = (request: { header(name: string): string | undefined }) => ({
  principal: request.header('authorization') ?? 'nobody',
});

test('the sessions of a principal are counted over all processes, and the one that was used longest ago ends', async (t) => {
  const bench = await startFleet(t, {
    version, engine: memoryEngine(), http: { auth: byUser, limits: { maxSessionsPerPrincipal: 2 } },
  });
  const ann = { authorization: 'ann' };
  const sessions = [];
  for (let i = 0; i < 4; i++) sessions.push(await bench.open(i % 3, version, ann));
  const bob = await bench.open(0, version, { authorization: 'bob' });
  const alive = await Promise.all([...sessions, bob].map(async (headers, i) =>
    (await bench.post((i + 1) % 3, headers, ping)).status));
  assert.deepEqual(alive, [404, 404, 200, 200, 200]);
  // Another principal's session is as unknown as one that does not exist.
  assert.equal((await bench.post(0, { ...bob, authorization: 'ann' }, ping)).status, 404);
  // A session with a connected client stays, and the other one is removed.
  const live = await bench.get(0, sessions[2] ?? {});
  const late = await bench.open(0, version, ann);
  assert.deepEqual(
    await Promise.all([sessions[2], sessions[3], late].map(async (headers = {}) =>
      (await bench.post(1, headers, ping)).status)),
    [200, 404, 200],
  );
  live.cut();
});

test('a session that nobody uses ends in all processes, and one that is used or connected does not', async (t) => {
  const sessionIdleMs = 1500;
  const clock = steppedClock();
  const bench = await startFleet(t, { version, clock, engine: memoryEngine({ clock }), http: { limits: { sessionIdleMs } } });
  const [idle, used, connected, changed] = [await bench.open(0), await bench.open(1), await bench.open(2), await bench.open(0)];
  const live = await bench.get(0, connected);
  for (let i = 0; i < 20; i++) {
    clock.pass(2 * sessionIdleMs / 20);
    assert.equal((await bench.post(i % 3, used, ping)).status, 200);
    // A request that changes the record counts as use too.
    const level = { ...ping, method: 'logging/setLevel', params: { level: i % 2 ? 'info' : 'debug' } };
    assert.equal((await bench.post(0, changed, level)).status, 200);
  }
  for (const member of [0, 1, 2]) {
    assert.equal((await bench.post(member, idle, ping)).status, 404);
    assert.equal((await bench.post(member, connected, ping)).status, 200);
  }
  live.cut();
});

/** The number of `SharedStream` objects in this process. */
const left = (): number => Number(queryObjects(SharedStream, { format: 'count' }));

test('of a client that has left for good nothing is kept', async (t) => {
  const bench = await startFleet(t, { version, engine: memoryEngine(), http: { limits: { sessionIdleMs: 400 } } });
  for (let i = 0; i < 30; i++) {
    const headers = await bench.open(i % 3);
    const live = await bench.get((i + 1) % 3, headers);
    // Searching the heap takes a quarter of a second.
    if (i === 0) assert.ok(left() > 0);
    live.cut();
  }
  // Node's HTTP parsers keep a reference to the last request of each process.
  do await new Promise((resolve) => setTimeout(resolve, 600)); while (left() > 3);
});

/** An engine, with the bus handler of each process. */
function heard(engine: FleetEngine): { engine: FleetEngine; handlers: BusHandler[] } {
  const handlers: BusHandler[] = [];
  return {
    handlers,
    engine: {
      ...engine,
      async join(name) {
        const bus = await engine.join(name);
        return {
          ...bus,
          receive(handler) {
            handlers.push(handler);
            bus.receive(handler);
          },
        };
      },
    },
  };
}

test('after a gap of the bus a process tells its own clients that all lists and what they watch may have changed', async (t) => {
  const { engine, handlers } = heard(memoryEngine());
  const bench = await startFleet(t, { engine });
  const headers = await bench.open(0);
  await bench.post(1, headers, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'note:a' } });
  const legacy = await bench.get(0, headers);
  // The watched resource may have changed before the client listened.
  assert.deepEqual((await read(legacy, 1)).words, ['notifications/resources/updated note:a']);
  const port = bench.members[0]?.http.port ?? 0;
  const listening = await liveAt(port, modern('subscriptions/listen', {
    notifications: { toolsListChanged: true, resourceSubscriptions: ['note:b'] },
  }));
  assert.deepEqual((await read(listening, 1)).words, ['notifications/subscriptions/acknowledged']);
  handlers[0]?.gap();
  assert.deepEqual((await read(legacy, 3)).words.sort(), [
    'notifications/resources/list_changed', 'notifications/resources/updated note:a', 'notifications/tools/list_changed',
  ]);
  assert.deepEqual((await read(listening, 2)).words.sort(), [
    'notifications/resources/updated note:b', 'notifications/tools/list_changed',
  ]);
  for (const live of [legacy, listening]) live.cut();
  assert.deepEqual(bench.errors, []);
});

test('after a gap of the bus a stream that another process writes is given back, and its client comes again', async (t) => {
  const { engine, handlers } = heard(memoryEngine());
  const bench = await startFleet(t, { version, engine });
  const headers = await bench.open(0);
  const first = await bench.get(0, headers);
  const known = (await first.next())?.id;
  first.cut();
  bench.members[0]?.server.tool('late', {}, () => '');
  const carried = await bench.get(1, headers, known);
  await read(carried, 1);
  (handlers[1] as BusHandler).gap();
  // Reads to the end of the stream.
  await read(carried);
});

test('a record that was changed during a gap is read again after it', async (t) => {
  const { engine, handlers } = heard(memoryEngine());
  const bench = await startFleet(t, { version, engine });
  const headers = await bench.open(0);
  const live = await bench.get(0, headers);
  // The process misses broadcasts for a moment.
  const handler = handlers[0] as BusHandler;
  const { told } = handler;
  handler.told = () => {};
  await bench.post(1, headers, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'note:a' } });
  handler.told = told;
  handler.gap();
  assert.ok((await read(live, 3)).words.includes('notifications/resources/updated note:a'));
  live.cut();
});

test('a process that has read a record again tells the store at the next request that the session is in use', async (t) => {
  const whole = memoryEngine();
  const { sessions } = whole;
  assert.ok(sessions);
  let touched = 0;
  let reread = (): void => {};
  const { engine, handlers } = heard({
    ...whole,
    sessions: {
      ...sessions,
      async load(id) {
        const found = await sessions.load(id);
        reread();
        return found;
      },
      touch(...which) {
        touched++;
        return sessions.touch(...which);
      },
    },
  });
  // Its monotonic clock stays at 0.
  const bench = await startFleet(t, { version, engine, count: 1, clock: steppedClock() });
  const headers = await bench.open(0);
  const live = await bench.get(0, headers);
  const told = async (): Promise<number> => {
    const before = touched;
    assert.equal((await bench.post(0, headers, ping)).status, 200);
    return touched - before;
  };
  assert.equal(await told(), 0, 'the GET has told it');
  const again = new Promise<void>((resolve) => (reread = resolve));
  handlers[0]?.gap();
  await again;
  assert.equal(await told(), 1);
  assert.equal(await told(), 0);
  live.cut();
});

test('where the store does not answer, sessions get 503, and an answer that has begun is told all the same', async (t) => {
  const whole = memoryEngine();
  const { sessions, streams } = whole;
  assert.ok(sessions && streams);
  let broken = false;
  const failing = <A extends unknown[], R>(call: (...args: A) => R) => (...args: A): R => {
    if (broken) throw new Error('no connection');
    return call(...args);
  };
  const bench = await startFleet(t, {
    version,
    engine: {
      ...whole,
      sessions: {
        ...sessions,
        load: async (id) => failing(sessions.load)(id), touch: async (...which) => failing(sessions.touch)(...which),
        create: async (...which) => failing(sessions.create)(...which),
      },
      streams: { ...streams, append: failing(streams.append) },
    },
  });
  const headers = await bench.open(0);
  bench.step();
  const live = await bench.call(0, headers, 'steps', { n: 2 });
  assert.equal((await live.next())?.data, '');
  const begun = await live.next();
  broken = true;
  // A process that has the session open serves it; another one cannot.
  assert.equal((await bench.post(0, headers, { ...ping, id: 9 })).status, 200);
  assert.equal((await bench.post(1, headers, { ...ping, id: 9 })).status, 503);
  const refused = await bench.post(0, {}, {
    jsonrpc: '2.0', id: 0, method: 'initialize',
    params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  });
  assert.equal(refused.status, 503);
  const { error } = await refused.json() as { error: { message: string; data: unknown } };
  assert.deepEqual([error.message, error.data], ['The sessions cannot be reached', { code: 'fleet_unreachable' }]);
  for (let i = 0; i < 2; i++) bench.step();
  // The event has no id, because nobody could resume after it.
  const [second, answer] = [await live.next(), await live.next()];
  assert.deepEqual([second?.id, answer?.id], [begun?.id, begun?.id]);
  assert.match(answer?.data ?? '', /arrived/);
  assert.equal(await live.next(), undefined);
  assert.ok(bench.errors.every(({ message }) => message === 'no connection'));
  assert.ok(bench.errors.length > 0);
});

for (const [where, member] of [['the process that writes it', 0], ['another process', 1]] as const) {
  test(`a GET stream of which an event could not be kept begins anew in ${where}, and all may have changed`, async (t) => {
    const whole = memoryEngine();
    const { streams } = whole;
    assert.ok(streams);
    let broken = false;
    const bench = await startFleet(t, {
      version,
      engine: {
        ...whole,
        streams: {
          ...streams,
          append: (part) => {
            if (broken) throw new Error('no connection');
            return streams.append(part);
          },
        },
      },
    });
    const headers = await bench.open(0);
    await bench.post(0, headers, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'note:a' } });
    const live = await bench.get(0, headers);
    await live.next();
    const { last } = await read(live, 1);
    broken = true;
    bench.members[0]?.server.resourceUpdated('note:a');
    assert.deepEqual((await read(live, 1)).words, ['notifications/resources/updated note:a']);
    live.cut();
    broken = false;
    const again = await bench.get(member, headers, last);
    let word: string | undefined;
    while (!word?.includes('note:a')) [word] = (await read(again, 1)).words;
    assert.equal(word, 'notifications/resources/updated note:a');
    // The stream carries later notifications.
    bench.members[2]?.server.resourceUpdated('note:a');
    assert.deepEqual((await read(again, 1)).words, ['notifications/resources/updated note:a']);
    again.cut();
  });
}
