import assert from 'node:assert/strict';
import test from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { revisions } from '../../src/protocol/revisions.ts';
import { McpServer } from '../../src/server/mcp-server.ts';
import type { Context } from '../../src/server/context.ts';
import { defaultTaskLimits } from '../../src/tasks/limits.ts';
import type { TaskLimits } from '../../src/tasks/limits.ts';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import type { TaskStore } from '../../src/tasks/store.ts';
import { Worker } from '../../src/tasks/worker.ts';

// One worker with its store and clock: when it looks for tasks, which and how many it takes, and how it closes.

type Handler = (ctx: Context) => unknown;

function made(handler: Handler, { limits = {}, change = () => ({}), others = true, notify }: {
  limits?: Partial<TaskLimits>; change?: (store: TaskStore) => Partial<TaskStore>; others?: boolean; notify?: (id: string, notification: object) => void;
} = {}) {
  const clock = manualClock(1_000_000);
  const errors: string[] = [];
  const server = new McpServer({ name: 's', version: '1' }, { clock, onError: (error) => errors.push(error.message) });
  server.tool('work', { task: 'optional' } as never, (_args: unknown, ctx: Context) => handler(ctx) as string);
  const inner = memoryStore({ clock });
  const store: TaskStore = { ...inner, ...change(inner) };
  const worker = new Worker(server, store, { limits: { ...defaultTaskLimits, ...limits }, others, notify: notify as never });
  let count = 0;
  const create = async (): Promise<string> => {
    const id = `task-${++count}`;
    const head = { tool: 'work', arguments: {}, revision: revisions[0]?.version, capabilities: {}, ttlMs: null, pollIntervalMs: 1, seed: 's' };
    await inner.create({ id, owner: '', createdAt: clock.now(), expiresAt: null, head: JSON.stringify(head) });
    return id;
  };
  /** Runs everything that can run without time passing. */
  const settle = async (): Promise<void> => {
    for (let at = 0; at < 50; at++) await new Promise((resolve) => setImmediate(resolve));
    clock.tick(clock.now());
    for (let at = 0; at < 50; at++) await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = async (ms: number): Promise<void> => {
    clock.tick(clock.now() + ms);
    await settle();
  };
  const status = async (id: string): Promise<unknown> => (JSON.parse((await inner.load(id))?.end ?? '{}') as { status?: string }).status;
  return { clock, errors, store, inner, worker, create, settle, pass, status };
}

/** A handler that waits until the test releases it. */
function gated(): { handler: Handler; running: () => number; go(): void } {
  const waiting: (() => void)[] = [];
  return {
    handler: () => new Promise((resolve) => waiting.push(() => resolve('done'))),
    running: () => waiting.length,
    go: () => waiting.splice(0).forEach((next) => next()),
  };
}

test('worker: what it is told of it takes at once, and it works on at most so many', async () => {
  const { handler, running, go } = gated();
  const { worker, create, settle, status } = made(handler, { limits: { maxRunning: 2 } });
  const ids = [await create(), await create(), await create(), await create()];
  await settle();
  assert.deepEqual([running(), worker.running], [2, 2]);
  // Wake for a running task and for one without a free place: each still runs once.
  worker.wake(ids[0] ?? '');
  worker.wake(ids[2] ?? '');
  await settle();
  assert.deepEqual([running(), worker.running], [2, 2]);
  go();
  await settle();
  assert.deepEqual([running(), worker.running], [2, 2]);
  assert.deepEqual(await Promise.all(ids.map(status)), ['completed', 'completed', undefined, undefined]);
  go();
  await settle();
  assert.deepEqual(await Promise.all(ids.map(status)), ['completed', 'completed', 'completed', 'completed']);
  assert.deepEqual([running(), worker.running], [0, 0]);
  await worker.close();
});

test('worker: what nobody told it of it finds by looking, at the interval, and only where it may be left by others', async () => {
  for (const others of [true, false]) {
    let listener: (() => void) | undefined;
    const { handler, running, go } = gated();
    const due: number[] = [];
    const { worker, create, pass, clock } = made(handler, { others, limits: { scanMs: 100, maxRunning: 3 }, change: (inner) => ({
      watch: () => () => (listener = () => {}),
      due: (limit) => {
        due.push(limit);
        return inner.due(limit);
      },
    }) });
    await create();
    assert.equal(clock.waiting, others ? 1 : 0);
    if (!others) {
      // The first call starts the timer.
      worker.wake('none');
      assert.equal(clock.waiting, 1);
    }
    await pass(99);
    assert.deepEqual([running(), due], [0, []]);
    await pass(1);
    assert.deepEqual([running(), due], [1, [3]]);
    await create();
    await pass(100);
    // Two places are free, and the running task is not taken again.
    assert.deepEqual([running(), due], [2, [3, 2]]);
    await create();
    await pass(100);
    await pass(100);
    assert.deepEqual([running(), due], [3, [3, 2, 1]], 'without room it does not look');
    go();
    await pass(100);
    assert.deepEqual([running(), worker.running], [0, 0]);
    await worker.close();
    assert.ok(listener, 'it watches no more');
  }
});

test('worker: what is over is deleted at its first look and each minute, and a store that fails is reported and looked at again', async () => {
  const expired: number[] = [];
  let fails = false;
  const { worker, pass, errors, clock } = made(() => 'x', { limits: { scanMs: 30_000 }, change: () => ({
    expire: async (now) => {
      expired.push(now);
      return [];
    },
    due: async () => {
      if (fails) throw new Error('the store is away');
      return [];
    },
  }) });
  for (let at = 0; at < 4; at++) await pass(30_000);
  assert.deepEqual(expired, [1_030_000, 1_090_000]);
  fails = true;
  await pass(30_000);
  assert.deepEqual(errors, ['the store is away']);
  assert.equal(clock.waiting, 1);
  fails = false;
  await pass(30_000);
  assert.equal(errors.length, 1);
  await worker.close();
  assert.equal(clock.waiting, 0);
});

test('worker: a task that ends elsewhere is let go, its handler is told why, and its late result is dropped', async () => {
  const reasons: unknown[] = [];
  const { handler, go } = gated();
  const { worker, create, settle, status, inner, errors } = made((ctx) => {
    ctx.signal.addEventListener('abort', () => reasons.push((ctx.signal.reason as Error).message));
    return handler(ctx);
  });
  const id = await create();
  await settle();
  await inner.end(id, '{"status":"cancelled","message":"m","at":1}');
  await settle();
  assert.deepEqual([reasons, worker.running], [['The task was cancelled'], 0]);
  go();
  await settle();
  assert.deepEqual([await status(id), errors], ['cancelled', []]);
  await worker.close();
});

test('worker: a closed worker gives back what it has and takes nothing more, also of what it is just taking', async () => {
  const reasons: string[] = [];
  const { handler, running } = gated();
  let hold: Promise<void> | undefined;
  const { worker, create, settle, inner, clock } = made((ctx) => {
    ctx.signal.addEventListener('abort', () => reasons.push((ctx.signal.reason as Error).message));
    return handler(ctx);
  }, { change: (store) => ({ lease: async (id, ms) => {
    const found = await store.lease(id, ms);
    await hold;
    return found;
  } }) });
  const [runs] = [await create()];
  await settle();
  let release = (): void => {};
  hold = new Promise((resolve) => (release = resolve));
  const taking = await create();
  await settle();
  assert.equal(running(), 1);
  const closing = worker.close();
  worker.wake(taking);
  release();
  await closing;
  await create();
  await settle();
  assert.deepEqual([running(), worker.running, reasons], [1, 0, ['the worker is closing']]);
  assert.equal(clock.waiting, 0);
  // Other workers can take both tasks at once.
  assert.deepEqual([...await inner.due(10)].sort(), [runs, taking, 'task-3']);
});

test('worker: what a handler announces reaches whoever began the task, and where nobody listens nobody is told', async () => {
  for (const listens of [true, false]) {
    const told: unknown[] = [];
    const { worker, create, settle, status, errors, inner } = made((ctx) => {
      ctx.notify?.('notifications/x' as never, { a: 1 } as never);
      return 'done';
    }, listens ? { notify: (id, notification) => told.push([id, notification]) } : {});
    const id = await create();
    await settle();
    assert.equal(await status(id), 'completed', errors.join());
    assert.match((await inner.load(id))?.end ?? '', /"text":"done"/);
    assert.deepEqual(told, listens ? [[id, { jsonrpc: '2.0', method: 'notifications/x', params: { a: 1 } }]] : []);
    await worker.close();
  }
});

test('worker: what a handler says of its progress after its task has ended starts nothing', async () => {
  let said: Context | undefined;
  const it = made((ctx) => {
    said = ctx;
    return 'done';
  });
  const id = await it.create();
  await it.settle();
  assert.equal(await it.status(id), 'completed');
  const before = [it.clock.waiting, (await it.inner.load(id))?.records.length];
  said?.progress(2, 3);
  assert.deepEqual([it.clock.waiting, (await it.inner.load(id))?.records.length], before);
  await it.pass(60_000);
  assert.deepEqual([(await it.inner.load(id))?.records.length, it.errors], [before[1], []]);
  await it.worker.close();
});
