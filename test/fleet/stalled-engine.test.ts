import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';
import type { Clock } from '../../src/bounds/clock.ts';
import { failureDetector } from '../../src/fleet/failure-detector.ts';
import { isUndeliverable, Undeliverable } from '../../src/fleet/engine.ts';
import { memoryEngine } from '../../src/fleet/index.ts';
import type { Bus, BusHandler, FleetEngine } from '../../src/fleet/index.ts';
import { relayEngine } from '../../src/fleet/node/relay-engine.ts';
import type { FromRelay, Port, RelayedEngine, ToRelay } from '../../src/fleet/node/relay-engine.ts';
import { createRelay } from '../../src/fleet/node/relay.ts';
import { steppedClock } from '../mock-clock.ts';
import { startFleet } from './harness.ts';
import { question, read } from './reading.ts';

// An engine that stalls for longer than a lease and then processes everything it received: no caller waits for ever, and no live process is
// treated as dead.

/** A relay whose traffic with the processes can be held back. */
function stallingRelay(leaseMs: number, answerMs: number, clock: Clock): { open(): RelayedEngine; stall(): void; heal(): void } {
  const relay = createRelay([Buffer.alloc(32, 7).toString('base64')], leaseMs, clock);
  let held: (() => void)[] | undefined;
  const pass = (run: () => void): void => {
    if (held) held.push(run);
    else setImmediate(run);
  };
  return {
    open() {
      let [toProcess, toRelay]: [(message: FromRelay) => void, (message: ToRelay) => void] = [() => {}, () => {}];
      const process: Port<FromRelay, ToRelay> = {
        send: (message) => pass(() => toRelay(message)), listen: (listener) => void (toProcess = listener),
      };
      relay.attach({ send: (message) => pass(() => toProcess(message)), listen: (listener) => void (toRelay = listener) });
      return relayEngine(process, answerMs, clock);
    },
    stall: () => void (held = []),
    heal() {
      const waiting = held ?? [];
      held = undefined;
      // In their original order.
      for (const run of waiting) setImmediate(run);
    },
  };
}

test('questions whose answers come while the engine stands still, and after that, are answered', async (t) => {
  const leaseMs = 600;
  const clock = steppedClock();
  const { open, stall, heal } = stallingRelay(leaseMs, 200, clock);
  const bench = await startFleet(t, { version: '2025-11-25', count: 3, clock, engines: () => open() });
  let passed = 0;
  /** Advances time by 20 ms in each round trip over HTTP, so that timers of one step run before the next. */
  const whilePassing = async <T>(wanted: Promise<T>): Promise<T> => {
    let settled = false;
    const end = (): void => void (settled = true);
    wanted.then(end, end);
    while (!settled) {
      clock.pass(20);
      passed += 20;
      if (passed === 2 * leaseMs) heal();
      await (await fetch(`http://127.0.0.1:${bench.members[0]?.http.port}/nothing`)).text();
    }
    return wanted;
  };
  // The person answers after different times: before the stall, during it and after it.
  const waits = [0, 200, 500, 900, 1200, 1600, 2000];
  let next = 0;
  const clients = await Promise.all(waits.map(() => bench.client({
    onElicit: async () => {
      const ms = waits[next++ % waits.length] ?? 0;
      await new Promise<void>((resolve) => clock.after(ms, resolve));
      return { action: 'accept', content: { sure: true } };
    },
  })));
  const calls = clients.map((client) => client.callTool('confirm', {}, { timeoutMs: 0 }));
  stall();
  for (const { content } of await whilePassing(Promise.all(calls))) assert.match(JSON.stringify(content), /accept true/);
  // Each process has its lease again.
  assert.ok(passed > 2 * leaseMs);
  for (const client of clients) assert.match(JSON.stringify((await whilePassing(client.callTool('confirm', {}, { timeoutMs: 0 }))).content), /accept true/);
});

/** A bus whose answers the test provides. */
function scriptedBus(leaseMs: number): { bus: Bus; gone: Set<string>; handler(): BusHandler; fail: { with?: Error } } {
  const gone = new Set<string>();
  const fail: { with?: Error } = {};
  let handler: BusHandler | undefined;
  const answer = async <T>(value: () => T): Promise<T> => {
    if (fail.with) throw fail.with;
    return value();
  };
  return {
    gone, fail, handler: () => handler ?? assert.fail(),
    bus: {
      leaseMs,
      send: (to) => answer(() => {
        if (gone.has(to)) throw new Undeliverable(to);
      }),
      tell: () => answer(() => {}),
      gone: (names) => answer(() => names.filter((name) => gone.has(name))),
      receive: (given) => void (handler = given),
      leave: async () => {},
    },
  };
}

const refusal = (promise: Promise<void>): Promise<'sent' | 'gone' | 'not known'> =>
  promise.then(() => 'sent', (thrown: unknown) => (isUndeliverable(thrown) ? 'gone' : 'not known'));

test('nobody is taken for gone for one lease after trouble with the engine, whatever the trouble was', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const leaseMs = 1000;
  const troubles: Record<string, (it: ReturnType<typeof scriptedBus>, bus: Bus) => Promise<void> | void> = {
    'a message that could not be sent': async (it, bus) => {
      it.fail.with = new Error('away');
      await bus.send('b', 'x').catch(() => {});
      delete it.fail.with;
    },
    'a call that took long': async (it, bus) => {
      const { tell } = it.bus;
      let release = (): void => {};
      (it.bus as { tell: Bus['tell'] }).tell = () => new Promise((resolve) => (release = resolve));
      const told = bus.tell('t', 'x');
      t.mock.timers.tick(leaseMs / 2);
      release();
      await told;
      (it.bus as { tell: Bus['tell'] }).tell = tell;
    },
    'a lease that was out': (it) => it.handler().lost(),
    'a connection that was cut': (it) => it.handler().gap(),
  };
  for (const [what, trouble] of Object.entries(troubles)) {
    const it = scriptedBus(leaseMs);
    const bus = failureDetector(it.bus, 'a', () => {}, systemClock);
    bus.receive({ message() {}, told() {}, gap() {}, lost() {} });
    it.gone.add('b');
    assert.equal(await refusal(bus.send('b', 'x')), 'gone', 'without trouble it is believed');
    assert.deepEqual(await bus.gone(['b', 'c']), ['b']);
    await trouble(it, bus);
    assert.equal(await refusal(bus.send('b', 'x')), 'not known', what);
    assert.deepEqual(await bus.gone(['b', 'c']), [], what);
    bus.left('b');
    assert.equal(await refusal(bus.send('b', 'x')), 'gone', `${what}: it said that it leaves`);
    bus.lives('b');
    assert.equal(await refusal(bus.send('b', 'x')), 'not known', `${what}: it lives after all`);
    t.mock.timers.tick(leaseMs - 1);
    assert.deepEqual(await bus.gone(['b']), [], what);
    t.mock.timers.tick(1);
    assert.deepEqual(await bus.gone(['b']), ['b'], what);
    await bus.leave();
  }
});

test('a process whose own lease is out takes nobody for gone', async () => {
  const it = scriptedBus(1000);
  const bus = failureDetector(it.bus, 'a', () => {}, systemClock);
  for (const name of ['a', 'b']) it.gone.add(name);
  assert.equal(await refusal(bus.send('b', 'x')), 'not known');
  it.gone.delete('a');
  assert.deepEqual(await bus.gone(['b']), []);
  await bus.leave();
});

test('an answer for a process that was taken for gone, and lives, is brought to it after all', async (t) => {
  const whole = memoryEngine();
  const cut = new Set<string>();
  const handlers = new Map<string, BusHandler>();
  const engine: FleetEngine = {
    ...whole,
    async join(name) {
      const bus = await whole.join(name);
      return {
        ...bus,
        async send(to, message) {
          if (cut.has(to)) throw new Undeliverable(to);
          return bus.send(to, message);
        },
        gone: async (names) => names.filter((one) => cut.has(one)),
        receive(handler) {
          handlers.set(name, handler);
          bus.receive(handler);
        },
      };
    },
  };
  const bench = await startFleet(t, { version: '2025-11-25', count: 2, engine });
  const headers = await bench.open(0);
  const live = await bench.call(0, headers, 'confirm');
  const id = await question(live);
  const owner = id.split('-')[0] as string;
  // The process was stopped for longer than its lease: the answer is refused.
  cut.add(owner);
  assert.equal((await bench.post(1, headers, { jsonrpc: '2.0', id, result: { action: 'accept', content: { sure: true } } })).status, 400);
  cut.delete(owner);
  handlers.get(owner)?.lost();
  assert.deepEqual((await read(live)).words, ['result of 1']);
});
