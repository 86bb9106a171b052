import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { ManualClock } from '../../src/bounds/manual-clock.ts';
import { clusterEngine, clusterRelay, serveWorkers } from '../../src/fleet/node/index.ts';
import type { HttpServer, WorkerContext, Workers, WorkersOptions } from '../../src/fleet/node/index.ts';
import { pass } from '../mock-clock.ts';
import { turn } from './scheduled-engine.ts';

// serveWorkers, clusterRelay and clusterEngine without other processes: the test plays the workers, or the primary process.

/** A worker that only does what the test says. */
class PlayedWorker extends EventEmitter {
  readonly told: unknown[] = [];
  readonly signals: string[] = [];
  readonly process = { kill: (signal: string) => void this.signals.push(signal) };
  dead = false;
  cut = false;

  isDead(): boolean {
    return this.dead;
  }

  isConnected(): boolean {
    return !this.cut;
  }

  send(message: unknown, done: unknown): void {
    assert.equal(typeof done, 'function', 'without a callback a closed channel would be an error event');
    this.told.push(message);
  }

  listen(port: number): void {
    this.emit('message', { label: 'barewire/workers', url: `http://127.0.0.1:${port}/mcp`, port });
  }

  exit(code: number | null, signal?: string): void {
    this.dead = true;
    this.emit('exit', code, signal);
  }
}

/** Replaces a member of an object until the test is over. */
function replace(t: TestContext, object: object, name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
  t.after(() => before ? Object.defineProperty(object, name, before) : Reflect.deleteProperty(object, name));
}

/** Sets the workers of this process until the test is over, and then also removes the listeners that a relay has added. */
function replaceWorkers(t: TestContext, table: Readonly<Record<number, Worker | undefined>>): void {
  replace(t, cluster, 'workers', table);
  const heard = new Set(cluster.listeners('fork'));
  t.after(() => {
    for (const listener of cluster.listeners('fork')) if (!heard.has(listener)) cluster.off('fork', listener as () => void);
  });
}

interface Play {
  readonly workers: PlayedWorker[];
  readonly clock: ManualClock;
  readonly errors: string[];
  readonly pool: Promise<Workers>;
}

/** Starts a pool whose workers the test plays. */
function play(t: TestContext, options: WorkersOptions = { workers: 2 }): Play {
  const workers: PlayedWorker[] = [];
  const table: Record<number, Worker> = {};
  t.mock.method(cluster, 'fork', () => {
    const worker = new PlayedWorker() as PlayedWorker & Worker;
    table[workers.push(worker)] = worker;
    return worker;
  });
  replaceWorkers(t, table);
  const clock = manualClock(1_000_000);
  const errors: string[] = [];
  const pool = serveWorkers(() => assert.fail('the primary process serves nothing'), { clock, onError: ({ message }) => errors.push(message), ...options });
  return { workers, clock, errors, pool };
}


/** Passes the time that a worker has to end; it is killed then, and not before. */
function isKilledAfter(ms: number, worker: PlayedWorker, clock: ManualClock): void {
  pass(clock, ms - 1);
  assert.deepEqual(worker.signals, []);
  pass(clock, 1);
  assert.deepEqual(worker.signals, ['SIGKILL']);
  worker.exit(null, 'SIGKILL');
}

/** A pool of two listening workers. */
async function listening(t: TestContext): Promise<Play & { readonly whole: Workers; readonly first: PlayedWorker; readonly second: PlayedWorker }> {
  const it = play(t);
  const [first, second] = it.workers as [PlayedWorker, PlayedWorker];
  for (const worker of it.workers) worker.listen(8080);
  return { ...it, whole: await it.pool, first, second };
}

test('a pool begins when all its workers listen, and heeds only their own messages', async (t) => {
  const { workers, pool, errors } = play(t);
  assert.equal(workers.length, 2);
  const [first, second] = workers as [PlayedWorker, PlayedWorker];
  let begun = false;
  void pool.then(() => (begun = true));
  first.listen(1);
  for (const other of [null, undefined, 'label', 5, {}, { label: 'barewire/fleet', port: 2 }]) second.emit('message', other);
  await turn();
  assert.equal(begun, false);
  second.listen(8080);
  const whole = await pool;
  assert.deepEqual([whole.url, whole.port, whole.listening], ['http://127.0.0.1:8080/mcp', 8080, 2]);
  // Who listens already says nothing new.
  first.listen(3);
  assert.deepEqual([whole.url, whole.port, whole.listening, errors], ['http://127.0.0.1:8080/mcp', 8080, 2, []]);
});

test('a pool has one worker per core by default', async (t) => {
  const { workers, pool } = play(t, {});
  assert.equal(workers.length, availableParallelism());
  for (const worker of workers) worker.listen(1);
  assert.equal((await pool).listening, workers.length);
});

test('the number of workers is a whole number above 0, and options are known', (t) => {
  t.mock.method(cluster, 'fork', () => assert.fail('no worker begins'));
  const serve = (): Promise<HttpServer> => Promise.reject(new Error('not served'));
  for (const workers of [0, -1, 1.5, Infinity]) {
    assert.throws(() => serveWorkers(serve, { workers }), { name: 'RangeError', message: `serveWorkers: workers must be "all" or a whole number above 0, not ${workers}` });
  }
  for (const [options, message] of [
    [{ workers: 'two' }, /options\.workers/], [{ key: [] }, /options\.key is unknown/], [{ keys: 'x' }, /options\.keys/],
    [{ onError: 1 }, /options\.onError/], [{ clock: 1 }, /options\.clock/],
  ] as const) assert.throws(() => serveWorkers(serve, options as unknown as WorkersOptions), message);
});

test('a worker that ends before it listens ends the beginning: the others are told to end at once', async (t) => {
  const { workers, pool, clock } = play(t);
  const [first, second] = workers as [PlayedWorker, PlayedWorker];
  const refused = pool.then(() => 'begun', (error: Error) => error.message);
  first.exit(7);
  await turn();
  assert.deepEqual([first.told, second.told], [[], [{ label: 'barewire/workers', drainMs: 0 }]]);
  isKilledAfter(5000, second, clock);
  assert.equal(await refused, 'a worker ended with code 7 before it listened');
  assert.deepEqual([workers.length, clock.waiting], [2, 0]);
});

test('a worker that ends is replaced after a pause, which grows while workers are short-lived', async (t) => {
  const { workers, clock, errors, whole, first, second } = await listening(t);
  first.exit(null, 'SIGKILL');
  assert.deepEqual([errors, whole.listening], [['a worker ended with SIGKILL'], 1]);
  const newest = (): PlayedWorker => workers.at(-1) as PlayedWorker;
  /** Passes the pause, and notes that the next worker begins at its end and not before. */
  const replaced = (ms: number): void => {
    const count = workers.length;
    pass(clock, ms - 1);
    assert.equal(workers.length, count, `before ${ms} ms`);
    pass(clock, 1);
    assert.equal(workers.length, count + 1, `after ${ms} ms`);
  };
  replaced(200);
  // One that ends before it listens is replaced too.
  newest().exit(3);
  await turn();
  assert.equal(errors.at(-1), 'a worker ended with code 3 before it listened');
  replaced(400);
  newest().listen(1);
  assert.equal(whole.listening, 2);
  pass(clock, 10_000);
  newest().exit(0);
  assert.equal(errors.at(-1), 'a worker ended with code 0');
  replaced(800);
  newest().listen(1);
  // One that ran for longer counts as lasting.
  pass(clock, 10_001);
  newest().exit(1);
  replaced(100);
  for (const ms of [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]) {
    newest().listen(1);
    newest().exit(1);
    replaced(ms);
  }
  newest().exit(1);
  await turn();
  replaced(30_000);
  assert.deepEqual(second.told, []);
});

test('a close tells all workers to end, kills those that do not, and replaces nobody', async (t) => {
  const { workers, clock, errors, whole, first, second } = await listening(t);
  first.exit(1);
  assert.equal(clock.waiting, 1, 'a worker would begin later');
  const closed = whole.close();
  assert.equal(whole.close({ drainMs: 1 }), closed);
  assert.deepEqual([first.told, second.told], [[], [{ label: 'barewire/workers', drainMs: 5000 }]]);
  isKilledAfter(10_000, second, clock);
  await closed;
  pass(clock, 60_000);
  assert.deepEqual([workers.length, clock.waiting, whole.listening, errors], [2, 0, 0, ['a worker ended with code 1']]);
});

test('a close waits as long as it was told, and not for a worker that has ended; one without a channel is told nothing', async (t) => {
  const { clock, errors, whole, first, second } = await listening(t);
  first.cut = true;
  assert.throws(() => whole.close({ drainMs: -1 }), /close: options\.drainMs/);
  assert.throws(() => whole.close({ drainMS: 1 } as object), /did you mean drainMs/);
  const closed = whole.close({ drainMs: 20 });
  assert.deepEqual([first.told, second.told], [[], [{ label: 'barewire/workers', drainMs: 20 }]]);
  second.exit(0);
  pass(clock, 5019);
  assert.deepEqual([first.signals, second.signals], [[], []]);
  pass(clock, 1);
  assert.deepEqual([first.signals, second.signals], [['SIGKILL'], []]);
  first.exit(null, 'SIGKILL');
  await closed;
  assert.deepEqual([clock.waiting, errors], [0, []]);
});

test('a restart replaces the workers one after another, each once the next one listens', async (t) => {
  const { workers, clock, errors, whole, first, second } = await listening(t);
  const restarted = whole.restart();
  assert.equal(whole.restart(), restarted);
  assert.deepEqual([workers.length, first.told], [3, []]);
  workers[2]?.listen(1);
  await turn();
  assert.deepEqual([first.told, second.told], [[{ label: 'barewire/workers', drainMs: 5000 }], []]);
  assert.equal(workers.length, 3, 'the next one waits');
  first.exit(0);
  await turn();
  assert.equal(workers.length, 4);
  workers[3]?.listen(1);
  await turn();
  second.exit(0);
  await restarted;
  assert.deepEqual([whole.listening, errors, clock.waiting], [2, [], 0]);
  const again = whole.restart();
  assert.notEqual(again, restarted);
  // Whoever has ended meanwhile was replaced, and is not replaced again.
  workers[3]?.exit(1);
  workers[4]?.listen(1);
  await turn();
  workers[2]?.exit(0);
  await again;
  assert.deepEqual([workers.length, workers[3]?.told], [5, []]);
});

test('a restart ends with a close', async (t) => {
  const { workers, whole, first, second } = await listening(t);
  const restarted = whole.restart();
  workers[2]?.listen(1);
  await turn();
  const closed = whole.close();
  first.exit(0);
  await turn();
  for (const worker of [second, workers[2]]) worker?.exit(0);
  await Promise.all([restarted, closed]);
  assert.equal(workers.length, 3);
});

test('a worker that ends before it listens, at a close, is neither reported nor replaced', async (t) => {
  const { workers, clock, errors, whole, first, second } = await listening(t);
  first.exit(1);
  pass(clock, 200);
  workers[2]?.exit(3);
  const closed = whole.close();
  second.exit(0);
  await closed;
  assert.deepEqual([errors, clock.waiting], [['a worker ended with code 1'], 0]);
});

test('one worker is enough; without timers nobody is replaced or killed', async (t) => {
  const clock = { ...manualClock(), after: () => undefined };
  const { workers, pool } = play(t, { workers: 1, clock });
  const [worker] = workers;
  worker?.listen(1);
  const whole = await pool;
  assert.equal(whole.listening, 1);
  const restarted = whole.restart();
  workers[1]?.listen(1);
  await turn();
  worker?.exit(1);
  await restarted;
  workers[1]?.exit(1);
  await whole.close();
  assert.equal(workers.length, 2);
});

test('without `onError` nothing is reported', async (t) => {
  const timed = play(t, { workers: 1, onError: undefined });
  const [first] = timed.workers;
  first?.listen(1);
  const other = await timed.pool;
  first?.exit(1);
  pass(timed.clock, 200);
  timed.workers[1]?.exit(1);
  await turn();
  pass(timed.clock, 400);
  timed.workers[2]?.listen(1);
  const over = other.close();
  timed.workers[2]?.exit(1);
  await over;
});

test('the keys of a pool are those of its relay', async (t) => {
  const { workers: [first], pool } = play(t, { workers: 1, keys: [new Uint8Array(32).fill(3)] });
  cluster.emit('fork', first as PlayedWorker & Worker);
  first?.emit('message', labelled({ kind: 'keys', n: 1 }));
  assert.deepEqual(first?.told, [labelled({ kind: 'done', n: 1, keys: [Buffer.alloc(32, 3).toString('base64')] })]);
  first?.listen(1);
  assert.equal((await pool).listening, 1);
});

const labelled = (message: object): object => ({ label: 'barewire/fleet', message });

interface WorkerPlay {
  /** The context that `serve` got. */
  readonly context: WorkerContext;
  readonly said: unknown[];
  readonly steps: string[];
  readonly errors: string[];
  /** Fires an event of this process. */
  fire(name: 'SIGTERM' | 'SIGINT' | 'message', value?: unknown): void;
  /** Resolves when this process would have ended. */
  readonly ended: Promise<void>;
}

/** Makes this process a worker of a primary process that the test plays. `hear` gets what it sends. */
function beWorker(t: TestContext, hear: (message: { label: string; message: { kind: string; n: number } }) => void): void {
  replace(t, cluster, 'isWorker', true);
  replace(t, cluster, 'isPrimary', false);
  replace(t, process, 'send', (message: never) => (hear(message), true));
  const names = ['message', 'SIGTERM', 'SIGINT'] as const;
  const before = new Map(names.map((name) => [name, new Set(process.listeners(name as 'SIGTERM'))]));
  t.after(() => {
    for (const name of names) for (const one of process.listeners(name as 'SIGTERM')) if (!before.get(name)?.has(one)) process.off(name, one);
  });
}

/** Runs `serveWorkers` as a worker does. `fails`: its server does not close. `quiet`: without `onError`. */
async function work(t: TestContext, fails?: Error, quiet?: boolean): Promise<WorkerPlay> {
  const [said, steps, errors]: [unknown[], string[], string[]] = [[], [], []];
  beWorker(t, (value) => {
    if (value.label !== 'barewire/fleet') return void said.push(value);
    const { kind, n } = value.message;
    const answer = (more: object): void => void process.emit('message', labelled({ kind: 'done', n, ...more }), undefined);
    if (kind === 'leave') steps.push('the fleet is left');
    setImmediate(() => answer(kind === 'keys' ? { keys: [Buffer.alloc(32, 7).toString('base64')] } : { leaseMs: 60_000 }));
  });
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  t.mock.method(process, 'exit', (code?: number) => {
    steps.push(`exit ${code}`);
    end();
  });
  let give = (_: WorkerContext): void => {};
  const given = new Promise<WorkerContext>((resolve) => (give = resolve));
  const server = {
    url: 'http://127.0.0.1:5/mcp', port: 5,
    async close(options?: object) {
      steps.push(`close ${JSON.stringify(options)}`);
      if (fails) throw fails;
    },
  };
  void serveWorkers(async (context) => {
    give(context);
    return server as unknown as HttpServer;
  }, quiet ? {} : { onError: ({ message }) => errors.push(message) });
  const context = await given;
  await turn();
  return { context, said, steps, errors, ended, fire: (name, value) => void process.emit(name as 'message', value, undefined) };
}

test('a worker serves with the keys of the fleet, says where, and ends once when it is told', async (t) => {
  const { context, said, steps, errors, fire, ended } = await work(t);
  assert.deepEqual(context.keys, [new Uint8Array(32).fill(7)]);
  assert.match(context.fleet.process, /^[a-z\d]{10}$/);
  assert.deepEqual(said, [{ label: 'barewire/workers', url: 'http://127.0.0.1:5/mcp', port: 5 }]);
  for (const other of [null, 'x', {}, { label: 'other', drainMs: 1 }]) fire('message', other);
  fire('SIGINT');
  assert.deepEqual(steps, []);
  fire('message', { label: 'barewire/workers', drainMs: 70 });
  fire('SIGTERM');
  await ended;
  assert.deepEqual([steps, errors], [['close {"drainMs":70}', 'the fleet is left', 'exit undefined'], []]);
});

for (const quiet of [false, true]) {
  test(`a worker drains for five seconds on SIGTERM, and ends although its server does not close${quiet ? ', without onError too' : ''}`, async (t) => {
    const { steps, errors, fire, ended } = await work(t, new Error('it does not close'), quiet);
    fire('SIGTERM');
    await ended;
    assert.deepEqual([steps, errors], [['close {"drainMs":5000}', 'exit undefined'], quiet ? [] : ['it does not close']]);
  });
}

test('a relay is for the primary process, an engine for a worker', (t) => {
  assert.throws(() => clusterEngine(), /clusterEngine\(\) is for a worker of node:cluster; its primary process calls clusterRelay\(\)/);
  assert.throws(() => clusterEngine({ answerMS: 1 } as object), /clusterEngine: options\.answerMS is unknown, did you mean answerMs/);
  assert.throws(() => clusterRelay({ leaseMs: -1 }), /clusterRelay: options\.leaseMs/);
  assert.throws(() => clusterRelay({ keys: 'x' } as object), /clusterRelay: options\.keys/);
  replace(t, cluster, 'isWorker', true);
  // A worker without a channel.
  replace(t, process, 'send', undefined);
  assert.throws(() => clusterEngine(), /is for a worker/);
  replace(t, cluster, 'isPrimary', false);
  assert.throws(() => clusterRelay(), /clusterRelay\(\) is for the primary process; a worker calls clusterEngine\(\)/);
});

test('an engine gives up on a primary process that does not answer, after five seconds or as it was told', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const said: unknown[] = [];
  beWorker(t, (message) => said.push(message));
  for (const [options, ms] of [[{}, 5000], [{ answerMs: 40 }, 40]] as const) {
    const engine = clusterEngine(options);
    let refused = '';
    const asked = engine.keys().catch((error: Error) => void (refused = error.message));
    t.mock.timers.tick(ms - 1);
    await turn();
    assert.equal(refused, '');
    t.mock.timers.tick(1);
    await asked;
    assert.equal(refused, `the relay did not answer within ${ms} ms: does the primary process call clusterRelay()?`);
  }
  assert.deepEqual(said, Array.from({ length: 2 }, () => ({ label: 'barewire/fleet', message: { kind: 'keys', n: 1 } })));
});

/** A worker, as the relay of a primary process sees it. */
function member(): { readonly worker: PlayedWorker; ask(message: object): unknown[] } {
  const worker = new PlayedWorker();
  return {
    worker,
    /** Sends a message to the relay. Returns what came back. */
    ask(message) {
      const before = worker.told.length;
      worker.emit('message', { label: 'barewire/fleet', message });
      return worker.told.slice(before);
    },
  };
}

test('a relay serves the workers of now and later, with its keys and leases of ten seconds, until they have gone', async (t) => {
  const [early, late, last] = [member(), member(), member()];
  replaceWorkers(t, { 1: early.worker as PlayedWorker & Worker, 2: undefined });
  clusterRelay({ keys: [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)] });
  for (const { worker } of [late, last]) cluster.emit('fork', worker as PlayedWorker & Worker);
  const keys = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
  assert.deepEqual(early.ask({ kind: 'keys', n: 4 }), [labelled({ kind: 'done', n: 4, keys })]);
  for (const [name, one] of [['a', early], ['b', late], ['c', last]] as const) {
    assert.deepEqual(one.ask({ kind: 'join', n: 1, name }), [labelled({ kind: 'done', n: 1, leaseMs: 10_000 })]);
  }
  for (const other of [null, 'x', {}, { label: 'other', message: { kind: 'leave', n: 9, name: 'a' } }]) early.worker.emit('message', other);
  assert.deepEqual(late.ask({ kind: 'gone', n: 2, names: ['a', 'x'] }), [labelled({ kind: 'done', n: 2, names: ['x'] })]);
  // Each event says that a worker has gone; it is told once.
  late.worker.told.length = 0;
  last.worker.cut = true;
  early.worker.emit('disconnect');
  early.worker.emit('exit', 0, null);
  assert.deepEqual(late.worker.told, [labelled({ kind: 'left', name: 'b', process: 'a' })]);
  last.worker.emit('exit', 0, null);
  assert.deepEqual([late.worker.told.slice(1), last.worker.told.length], [[labelled({ kind: 'left', name: 'b', process: 'c' })], 1]);
});

test('a relay without keys makes one of 32 bytes, each another', (t) => {
  const made = [0, 1].map(() => {
    const { worker, ask } = member();
    replaceWorkers(t, { 1: worker as PlayedWorker & Worker });
    clusterRelay({ leaseMs: 70 });
    assert.deepEqual(ask({ kind: 'join', n: 1, name: 'a' }), [labelled({ kind: 'done', n: 1, leaseMs: 70 })]);
    const [{ message: { keys } }] = ask({ kind: 'keys', n: 2 }) as [{ message: { keys: string[] } }];
    assert.deepEqual(keys.map((key) => Buffer.from(key, 'base64').length), [32]);
    return keys[0];
  });
  assert.notEqual(made[0], made[1]);
});
