import assert from 'node:assert/strict';
import test, { mock } from 'node:test';
import type { TestContext } from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { ConnectionError, RpcError } from '../../src/jsonrpc/errors.ts';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import { mayPass } from '../../src/tasks/passing-fault.ts';
import type { TaskStore } from '../../src/tasks/store.ts';
import { TaskClient } from '../../src/tasks/task-client.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { HttpError, SessionExpired } from '../../src/transport/http/http-error.ts';
import { everyNth } from '../every-nth.ts';
import { everything, legacy, modern, RpcFault, Scripted } from '../client/scripted.ts';
import type { Bag } from '../server/peer.ts';
import { made, tasksExtension } from './harness.ts';

const operations = ['create', 'load', 'lease', 'renew', 'append', 'release', 'answer', 'end', 'due', 'list', 'count', 'expire'] as const;
type Operation = (typeof operations)[number];

/** A store in which `times` calls of an operation fail, beginning with call `from`, before they change anything. */
function faulty(store: TaskStore, operation: Operation, from: number, times: number): { store: TaskStore; failed: () => number } {
  let [calls, failed] = [0, 0];
  const real = store[operation] as (...args: unknown[]) => Promise<unknown>;
  return {
    failed: () => failed,
    store: {
      ...store,
      [operation]: async (...args: unknown[]) => {
        calls++;
        if (calls < from || calls >= from + times) return real.apply(store, args);
        failed++;
        throw new Error('the store is away');
      },
    },
  };
}

/** One order by a patient client. Resolves with its result. */
async function order(t: TestContext, era: 'modern' | 'legacy', store: TaskStore, listens: boolean): Promise<string> {
  const { server } = made(t, {
    store, limits: { pollIntervalMs: 100, statusIntervalMs: 1, scanMs: 5, leaseMs: 500 },
  });
  server.tool('order', { task: 'required' }, async (_args, ctx) => {
    const charged = await ctx.once('charge', () => 'charged');
    const { content } = await ctx.elicit('Where to?', { city: { type: 'string' } }, { key: 'city' });
    return `${charged}, sent to ${content?.city}`;
  });
  const client = new TaskClient({ name: 'test', version: '1' }, {
    era, onElicit: () => ({ action: 'accept', content: { city: 'Oslo' } }),
  });
  // Without the stream the client must poll.
  if (!listens) client.listen = async () => undefined;
  await client.connect(memoryTransport(server));
  t.after(() => client.close());
  for (;;) {
    // The caller repeats a failed call: the client cannot know whether a task was created.
    const { task } = await client.startTool('order').catch(() => ({ task: undefined }));
    if (task) return ((await task.result()).content[0] as { text: string }).text;
  }
}

for (const era of ['modern', 'legacy'] as const) {
  test(`${era}: a store that is away for a moment, at any call of any operation, costs nobody the result`, async (t) => {
    const cases: Promise<number>[] = [];
    let orders = 0;
    for (const operation of operations) {
      for (const from of [1, 2, 3, 5, 8]) {
        for (const times of [1, 3]) {
          if (orders++ % everyNth(3) !== 0) continue;
          const { store, failed } = faulty(memoryStore(), operation, from, times);
          cases.push(order(t, era, store, (from + times) % 2 === 0).then((text) => {
            assert.equal(text, 'charged, sent to Oslo', `${operation}, ${times} times from call ${from} on`);
            return failed();
          }));
        }
      }
    }
    const faults = (await Promise.all(cases)).reduce((sum, one) => sum + one, 0);
    assert.ok(faults > (everyNth(3) === 1 ? 50 : 8), `${faults} faults`);
  });
}

const info = { name: 'test', version: '1' };
const task = (status: string, more: Bag = {}): Bag => ({
  resultType: 'task', taskId: 'one', status, createdAt: '2026-07-28T00:00:00.000Z', lastUpdatedAt: '2026-07-28T00:00:01.000Z',
  ttlMs: 3_600_000_000, pollIntervalMs: 1000, ...more,
});

/** The delays between the looks of a handle whose server responds with these errors in turn. */
async function looks(t: TestContext, errors: readonly object[]): Promise<{ waits: number[]; outcome: string }> {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let [now, last, at] = [0, 0, 0];
    const waits: number[] = [];
    const wire = new Scripted('http', modern(({ method }) => {
      if (method === 'tools/call') return task('working');
      if (method !== 'tasks/get') return new RpcFault(-32601);
      waits.push(now - last);
      last = now;
      return errors[at++] ?? task('completed', { resultType: 'complete', result: { content: [{ type: 'text', text: 'done' }] } });
    }, { ...everything, extensions: { [tasksExtension]: {} } }));
    const client = new TaskClient(info);
    await client.connect(wire);
    t.after(() => client.close());
    let outcome = '';
    client.callTool('job').then(
      ({ content }) => (outcome = (content[0] as { text: string }).text), (error: unknown) => (outcome = String(error)),
    );
    while (outcome === '' && now < 3_600_000) {
      for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate);
      mock.timers.tick(500);
      now += 500;
    }
    return { waits: waits.map((ms) => Math.round(ms / 1000)), outcome };
  } finally {
    mock.timers.reset();
  }
}

test('a server with a fault gets more time with each look, a connection is looked for at each interval', async (t) => {
  const fault = new RpcFault(-32603, 'the store is away');
  const cut = new ConnectionError('closed', 'cut');
  assert.deepEqual(await looks(t, Array<object>(9).fill(fault)), { waits: [1, 2, 4, 8, 16, 32, 60, 60, 60, 60], outcome: 'done' });
  assert.deepEqual(await looks(t, [fault, fault, task('working', { resultType: 'complete' }), fault]), { waits: [1, 2, 4, 1, 2], outcome: 'done' });
  assert.deepEqual(await looks(t, [cut, cut, cut]), { waits: [1, 1, 1, 1], outcome: 'done' });
  assert.deepEqual(await looks(t, [new HttpError(503, '')]), { waits: [1, 2], outcome: 'done' });
  const { waits, outcome } = await looks(t, Array<object>(10).fill(fault));
  assert.equal(waits.length, 10);
  assert.match(outcome, /the store is away/);
  assert.match((await looks(t, [new RpcFault(-32602, 'no such task')])).outcome, /no such task/);
});

test('what an error says of the task is not asked again', () => {
  const passing = [new ConnectionError('closed', 'x'), new ConnectionError('timeout', 'x'), new RpcError(-32603, 'x'), new HttpError(500, ''), new HttpError(503, ''), new HttpError(429, ''), new SessionExpired('')];
  const lasting = [new RpcError(-32602, 'x'), new RpcError(-32601, 'x'), new RpcError(-32600, 'x'), new RpcError(4711, 'x'), new HttpError(401, ''), new HttpError(403, ''), new HttpError(404, ''), new TypeError('x'), 'x', undefined];
  assert.deepEqual(passing.map(mayPass), passing.map(() => true));
  assert.deepEqual(lasting.map(mayPass), lasting.map(() => false));
});

test('legacy: the error of a task that failed with -32603 is its result, and not asked for again and again', async (t) => {
  const { server } = made(t, { limits: { pollIntervalMs: 100, maxResultBytes: 1000 } });
  let asked = 0;
  server.tool('long', { task: 'required' }, () => 'x'.repeat(2000));
  const client = new TaskClient(info, { era: 'legacy' });
  await client.connect(memoryTransport(server));
  t.after(() => client.close());
  const { request } = client;
  client.request = ((method: string, ...rest: []) => {
    if (method === 'tasks/result') asked++;
    return request.call(client, method, ...rest);
  }) as typeof request;
  await assert.rejects(client.callTool('long'), /the limit is 1000/);
  assert.equal(asked, 1);
});

// 2025-11-25 basic/lifecycle#timeouts: every request that is sent has a timeout.
test('legacy: the request for a result waits as long as the task may take, and is then given up', async (t) => {
  const clock = manualClock(0);
  const capabilities = { ...everything, tasks: { requests: { tools: { call: {} } }, cancel: {} } };
  const wire = new Scripted('pipe', legacy(({ method }) => {
    const waits = { ...task('input_required'), ttl: 5000, pollInterval: 60_000 };
    if (method === 'tools/list') return { tools: [{ name: 'job', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }] };
    if (method === 'tools/call') return { task: waits };
    return method === 'tasks/get' ? waits : undefined;
  }, '2025-11-25', capabilities));
  const client = new TaskClient(info, { era: 'legacy', clock });
  await client.connect(wire);
  t.after(() => client.close());
  const asked = wire.until('tasks/result');
  const { task: begun } = await client.startTool('job');
  const { id } = await asked;
  clock.tick(4999);
  assert.equal(wire.sent.at(-1)?.id, id);
  clock.tick(5000);
  assert.deepEqual([wire.sent.at(-1)?.method, wire.sent.at(-1)?.params?.['requestId']], ['notifications/cancelled', id]);
  begun?.leave(new Error('over'));
});
