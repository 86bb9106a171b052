import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';
import type { Clock } from '../../src/bounds/clock.ts';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { ManualClock } from '../../src/bounds/manual-clock.ts';
import { failureDetector } from '../../src/fleet/failure-detector.ts';
import { isUndeliverable, Undeliverable } from '../../src/fleet/engine.ts';
import { memoryEngine } from '../../src/fleet/index.ts';
import type { Bus, BusHandler, FleetEngine } from '../../src/fleet/index.ts';
import { relayEngine } from '../../src/fleet/node/relay-engine.ts';
import type { FromRelay, Port, RelayedEngine, ToRelay } from '../../src/fleet/node/relay-engine.ts';
import { createRelay } from '../../src/fleet/node/relay.ts';
import { pass, steppedClock } from '../mock-clock.ts';
import { startFleet } from './harness.ts';
import { question, read } from './reading.ts';
import { turn } from './scheduled-engine.ts';

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

/** A manual clock whose timers must keep no process alive. */
function backgroundClock(): ManualClock {
  const clock = manualClock();
  const { after } = clock;
  clock.after = (ms, run, background) => {
    assert.equal(background, true);
    return after(ms, run, background);
  };
  return clock;
}

/** A failure detector of a process over a bus whose leases take a second. `changed`: members in the place of the bus's own. */
function detecting(self: string, changed: Partial<Bus> = {}): { clock: ManualClock; it: ReturnType<typeof scriptedBus>; bus: ReturnType<typeof failureDetector> } {
  const clock = backgroundClock();
  const it = scriptedBus(1000);
  return { clock, it, bus: failureDetector({ ...it.bus, ...changed }, self, () => {}, clock) };
}

test('a slow call is trouble from half a lease on, and for a lease after its end; a quick one leaves no timer', async () => {
  let release = (): void => {};
  const slow = (): Promise<void> => new Promise((resolve) => (release = resolve));
  const { clock, it, bus } = detecting('a', { tell: slow });
  it.gone.add('b');
  const quick = bus.tell('t', 'x');
  pass(clock, 499);
  release();
  await quick;
  assert.equal(clock.waiting, 0);
  assert.deepEqual(await bus.gone(['b']), ['b']);
  const told = bus.tell('t', 'x');
  pass(clock, 500);
  assert.deepEqual(await bus.gone(['b']), [], 'before its end');
  pass(clock, 800);
  release();
  await told;
  pass(clock, 999);
  assert.deepEqual(await bus.gone(['b']), []);
  pass(clock, 1);
  assert.deepEqual([await bus.gone(['b']), clock.waiting], [['b'], 0]);
  // An undeliverable message is no trouble.
  assert.equal(await refusal(bus.send('b', 'x')), 'gone');
  assert.equal(clock.waiting, 0);
  await bus.leave();
});

test('a message to a process that has perhaps gone fails with the reason; any other failure stays as it is', async () => {
  const { clock, it, bus } = detecting('a');
  const heard: string[] = [];
  bus.receive({
    message: (text) => heard.push(text), told: (topic, text) => heard.push(`${topic} ${text}`), gap: () => heard.push('gap'), lost: () => heard.push('lost'), left: (process) => heard.push(`left ${process}`),
  });
  it.handler().message('m');
  it.handler().told('t', 'x');
  it.handler().left?.('b');
  it.handler().gap();
  it.handler().lost();
  assert.deepEqual(heard, ['m', 't x', 'left b', 'gap', 'lost']);
  const long = 'b'.repeat(50);
  it.gone.add(long);
  await assert.rejects(bus.send(long, 'x'), (error: Error) =>
    error.message === `the lease of the process ${'b'.repeat(40)} has expired, but the process may still run` && error.cause instanceof Undeliverable);
  it.fail.with = new Error('away');
  await assert.rejects(bus.send(long, 'x'), (error: Error) => error === it.fail.with);
  await assert.rejects(bus.tell('t', 'x'), /away/);
  await assert.rejects(bus.gone(['x']), /away/);
  assert.equal(bus.leaseMs, 1000);
  await bus.leave();
  assert.equal(clock.waiting, 0, 'nothing waits after leaving');
  const text = new Undeliverable(long);
  assert.deepEqual([text.message, text.name, text.code, text.process], [`the process ${'b'.repeat(40)} has left the fleet, or was never in it`, 'Undeliverable', 'undeliverable', long]);
  for (const [thrown, is] of [[text, true], [new Error('x'), false], [{ code: 'undeliverable' }, false], [Object.assign(new Error('x'), { code: 'undeliverable' }), true], [undefined, false]] as const) assert.equal(isUndeliverable(thrown), is);
});

test('watched processes are looked at four times per lease and at least four times a second, while somebody listens', async () => {
  for (const [leaseMs, everyMs] of [[1000, 250], [10_000, 250], [400, 100], [20, 10]] as const) {
    const clock = backgroundClock();
    const it = scriptedBus(leaseMs);
    let asked: (readonly string[])[] = [];
    const reported: string[] = [];
    const bus = failureDetector({ ...it.bus, gone: (names) => (asked.push(names), it.bus.gone(names)) }, 'self', (error) => reported.push(error.message), clock);
    const heard: string[] = [];
    assert.equal(clock.waiting, 0);
    const stops = ['b', 'b', 'c'].map((name, n) => bus.watch(name, () => heard.push(`${name} ${n}`)));
    assert.equal(clock.waiting, 1);
    const next = async (): Promise<void> => {
      pass(clock, everyMs - 1);
      assert.deepEqual(asked, []);
      pass(clock, 1);
      await turn();
    };
    await next();
    assert.deepEqual(asked, [['b', 'c', 'self']]);
    asked = [];
    it.fail.with = new Error('away');
    await next();
    assert.deepEqual([reported.splice(0), heard], [['away'], []]);
    delete it.fail.with;
    asked = [];
    pass(clock, leaseMs + everyMs);
    await turn();
    asked = [];
    it.gone.add('b');
    await next();
    assert.deepEqual(heard.splice(0), ['b 0', 'b 1']);
    stops[0]?.();
    asked = [];
    await next();
    assert.deepEqual([asked, heard], [[['c', 'self']], []]);
    asked = [];
    stops[2]?.();
    await next();
    // Nobody is watched any more: the last check asks for nobody, and no other follows.
    assert.equal(clock.waiting, 0);
    // A process whose listener was removed, and that is watched again.
    const stop = bus.watch('d', () => assert.fail('was removed'));
    const other = bus.watch('d', () => heard.push('d'));
    stop();
    stop();
    bus.failed('d');
    bus.failed('d');
    other();
    assert.deepEqual(heard.splice(0), ['d']);
    bus.watch('e', () => heard.push('e'));
    const late = bus.watch('e', () => heard.push('late'));
    bus.left('e');
    late();
    bus.watch('f', () => assert.fail('was removed'));
    bus.end();
    assert.equal(clock.waiting, 0);
    bus.failed('f');
    assert.deepEqual(heard, ['e', 'late']);
    await bus.leave();
  }
});

test('listeners of a process that are removed after it was watched anew do not remove the new ones', async () => {
  const { clock, it, bus } = detecting('self');
  const heard: string[] = [];
  const stop = bus.watch('b', () => heard.push('old'));
  bus.failed('b');
  bus.watch('b', () => heard.push('new'));
  stop();
  bus.failed('b');
  assert.deepEqual(heard, ['old', 'new']);
  bus.end();
  await bus.leave();
});
