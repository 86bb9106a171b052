import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { ManualClock } from '../../src/bounds/manual-clock.ts';
import { ConnectionError, RpcError } from '../../src/jsonrpc/index.ts';
import type { Bag } from '../../src/jsonrpc/index.ts';
import { answerName, goneName, isAnswer, isGone, isId, isNew, isTaskFile, newName, segmentName, segmentNumber, unfinishedName } from '../../src/tasks/node/names.ts';
import { Sightings } from '../../src/tasks/node/sightings.ts';
import { mayPass } from '../../src/tasks/passing-fault.ts';
import { RequestRate } from '../../src/tasks/request-rate.ts';
import { isLeaseLost, isWaiting, LeaseLost, LeaseTime, pageOf, placeOf } from '../../src/tasks/store.ts';
import { detailedResult, isDetailed, outcomeOf, TaskHandle } from '../../src/tasks/task-handle.ts';
import type { HandlePort, TaskState } from '../../src/tasks/task-handle.ts';
import { HttpError, SessionExpired } from '../../src/transport/internal-exports.ts';

const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

interface Watched {
  readonly handle: TaskHandle;
  readonly clock: ManualClock;
  /** The delay in milliseconds before the handle's next look. */
  readonly waits: number[];
  /** Delivers a notification, or lets the delay pass. */
  news(task?: Bag): Promise<void>;
  readonly reports: unknown[];
  left: boolean;
}

/** A handle whose server gives these states, one at each look. */
function handleOf(said: (Bag | Error)[], first?: Bag, own: Partial<HandlePort> = {}): Watched {
  const clock = manualClock();
  const waits: number[] = [];
  let resolve: (task: Bag | undefined) => void = () => {};
  const reports: unknown[] = [];
  const port: HandlePort = {
    clock,
    async get() {
      const next = said.shift();
      if (next instanceof Error) throw next;
      return next ?? assert.fail('looked once too often');
    },
    outcome: async (id, task) => () => detailedResult(id, task),
    check: () => undefined,
    cancel: async () => {},
    answer: async () => false,
    follow: () => ({
      wait: (ms: number) => {
        waits.push(ms);
        return new Promise<Bag | undefined>((told) => (resolve = told));
      },
      wake: () => resolve(undefined),
      leave: () => {
        watched.left = true;
        resolve(undefined);
      },
    }),
    ...own,
  };
  const watched: Watched = {
    clock, waits, reports, left: false,
    handle: new TaskHandle('t1', first, port, (progress) => void reports.push(progress)),
    async news(task) {
      resolve(task);
      await turns();
    },
  };
  return watched;
}

const done = { status: 'completed', result: { content: [] } };

test('a handle looks at the interval that the server names, within bounds', async () => {
  const of = async (task: Bag): Promise<number | undefined> => {
    const { waits, handle } = handleOf([], { status: 'working', ...task });
    await turns();
    handle.leave(new Error('enough'));
    await assert.rejects(handle.result(), /enough/);
    return waits[0];
  };
  for (const [task, ms] of [
    [{}, 1000], [{ pollIntervalMs: 5 }, 100], [{ pollIntervalMs: 100 }, 100], [{ pollIntervalMs: 1e9 }, 60_000], [{ pollIntervalMs: 250, pollInterval: 9000 }, 250], [{ pollInterval: 300 }, 300], [{ pollInterval: '300' }, 1000],
  ] as const) assert.equal(await of(task), ms, JSON.stringify(task));
  // ext-tasks, Task Polling: it "MAY change over the lifetime of a task". Each look gives the delay before the next.
  const changing = handleOf([{ status: 'working', pollIntervalMs: 400 }, { status: 'working', pollInterval: 5 }, { status: 'working' }, done], { status: 'working', pollIntervalMs: 250 });
  for (let looks = 0; looks < 4; looks++) await changing.news();
  await changing.handle.result();
  assert.deepEqual(changing.waits, [250, 400, 100, 1000]);
});

test('a handle tells each change once, with the progress that a message says, and its end', async () => {
  const watched = handleOf([{ status: 'working', statusMessage: '3 of 10: baking' }, { status: 'working', statusMessage: '3 of 10: baking' }, { status: 'working', statusMessage: '4.5' }, { status: 'working', statusMessage: 'cooling' }, done], { status: 'working' });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { status, message } of watched.handle) seen.push(`${status} ${message}`);
  })();
  for (let i = 0; i < 5; i++) await watched.news();
  assert.deepEqual(await watched.handle.result(), { content: [] });
  await reading;
  assert.deepEqual(seen, ['working undefined', 'working 3 of 10: baking', 'working 4.5', 'working cooling', 'completed undefined']);
  assert.deepEqual(watched.reports, [{ progress: 3, total: 10, message: 'baking' }, { progress: 4.5 }]);
  assert.deepEqual([watched.handle.status, watched.handle.message, watched.left], ['completed', undefined, true]);
});

test('a handle keeps the last thousand changes, and a million characters of them, for who reads them late', async () => {
  for (const [count, message, kept] of [[1050, 'x', 1000], [15, 'x'.repeat(100_000), 11]] as const) {
    const states = Array.from({ length: count }, (_, i) => ({ status: 'working', statusMessage: `${message}${i}` }));
    const watched = handleOf([...states, done], { status: 'working' });
    for (let i = 0; i <= count; i++) await watched.news();
    await watched.handle.result();
    const seen: TaskState[] = [];
    for await (const state of watched.handle) seen.push(state);
    assert.equal(seen.length, kept, message.slice(0, 5));
    assert.deepEqual(seen.slice(-2).map((state) => state.message ?? state.status), [`${message}${count - 1}`, 'completed']);
  }
});

test('news that is older than what is known is not believed: the server is asked', async () => {
  const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;
  const watched = handleOf([{ ...done, lastUpdatedAt: at(6) }], { status: 'working', lastUpdatedAt: at(5) });
  await turns();
  await watched.news({ status: 'working', statusMessage: 'new', lastUpdatedAt: at(5) });
  assert.equal(watched.handle.message, 'new', 'of the same time is news');
  await watched.news({ status: 'working', statusMessage: 'old', lastUpdatedAt: at(4) });
  assert.equal(watched.handle.status, 'completed');
  await watched.handle.result();
});

test('a handle asks again after faults that may pass, later each time, and no more than ten times', async () => {
  const fault = new RpcError(-32603, 'store is down');
  const watched = handleOf([...Array<Error>(3).fill(fault), new ConnectionError('closed', 'gone'), done], { status: 'working', pollIntervalMs: 1000 });
  for (let i = 0; i < 5; i++) await watched.news();
  await watched.handle.result();
  assert.deepEqual(watched.waits, [1000, 2000, 4000, 8000, 1000]);
  const hopeless = handleOf(Array<Error>(10).fill(fault), { status: 'working', pollIntervalMs: 60_000 });
  for (let i = 0; i < 12; i++) await hopeless.news();
  await assert.rejects(hopeless.handle.result(), { code: -32603 });
  assert.deepEqual([hopeless.waits.length, Math.max(...hopeless.waits)], [10, 60_000], 'a wait is never longer than a minute');
  const other = handleOf([new RpcError(-32602, 'no such task')], { status: 'working' });
  await turns();
  await other.news();
  await assert.rejects(other.handle.result(), { code: -32602 });
});

test('a handle ends: cancelled, without a status, after its time, with an answer that fails', async () => {
  const cancelled = handleOf([], { status: 'cancelled', statusMessage: 'by the user' });
  await assert.rejects(cancelled.handle.result(), { name: 'TaskCancelled', message: 'the task t1 was cancelled: by the user' });
  await assert.rejects(handleOf([], { status: 'cancelled' }).handle.result(), { message: 'the task t1 was cancelled' });
  await assert.rejects(handleOf([], { status: 'lost' }).handle.result(), { message: 'the task t1 has an unknown status' });
  for (const ttl of ['ttl', 'ttlMs']) {
    const late = handleOf([{ status: 'working', [ttl]: 5000 }, { status: 'working', [ttl]: 5000 }], { status: 'working', [ttl]: 5000 });
    await turns();
    late.clock.tick(late.clock.now() + 5000);
    await late.news();
    assert.equal(late.waits.length, 2, 'until it has expired it is waited for');
    late.clock.tick(late.clock.now() + 1);
    await late.news();
    await assert.rejects(late.handle.result(), { message: 'the task t1 has not ended within its 5000 ms' });
  }
  const asked: string[] = [];
  const unanswered = handleOf([], { status: 'input_required' }, { answer: async (id) => {
    asked.push(id);
    throw new Error('nobody is there');
  } });
  await assert.rejects(unanswered.handle.result(), /nobody is there/);
  assert.deepEqual(asked, ['t1']);
  const answered = handleOf([done], { status: 'input_required' }, { answer: async () => true });
  await turns();
  assert.equal(answered.handle.status, 'completed', 'once it is answered the task is looked at');
});

test('outcomes in the words of both revisions', async () => {
  assert.deepEqual(detailedResult('t', { status: 'completed', result: { a: 1 } }), { a: 1 });
  assert.throws(() => detailedResult('t', { status: 'failed', error: { code: 5, message: 'm', data: 'd' } }), { code: 5, message: 'm', data: 'd' });
  assert.throws(() => detailedResult('t', { status: 'failed', error: { message: 'm' } }), { code: -32603 });
  assert.throws(() => detailedResult('t', { status: 'failed', result: {} }), { message: 'the task t is failed and has no error' });
  assert.throws(() => detailedResult('t', { status: 'completed', error: { code: 1 } }), { message: 'the task t is completed and has no result' });
  assert.throws(() => detailedResult('t', { status: 'working', result: {}, error: {} }), { message: 'the task t is working and has no result' });
  const outcome = (error: Error, task: Bag): Promise<string> => outcomeOf(Promise.reject(error), task).then((get) => {
    try {
      get();
    } catch (thrown) {
      return thrown === error ? 'the task\'s' : 'another';
    }
    return 'none';
  }, () => 'a fault');
  const internal = new RpcError(-32603, 'broke');
  assert.deepEqual((await outcomeOf(Promise.resolve({ a: 1 }), {}))(), { a: 1 });
  assert.equal(await outcome(internal, { status: 'failed', statusMessage: 'broke' }), 'the task\'s');
  assert.equal(await outcome(internal, { status: 'failed', statusMessage: 'other' }), 'a fault');
  assert.equal(await outcome(internal, { status: 'completed', statusMessage: 'broke' }), 'a fault');
  assert.equal(await outcome(new RpcError(-32602, 'x'), { status: 'completed' }), 'the task\'s');
  assert.equal(await outcome(new ConnectionError('closed', 'broke'), { status: 'failed', statusMessage: 'broke' }), 'a fault');
  for (const [task, detailed] of [
    [{ status: 'working' }, true], [{ status: 'completed' }, false], [{ status: 'completed', result: {} }, true], [{ status: 'failed' }, false], [{ status: 'failed', error: {} }, true],
    [{ status: 'input_required' }, false], [{ status: 'input_required', inputRequests: {} }, true], [{ status: 'cancelled' }, true],
  ] as const) assert.equal(isDetailed(task), detailed, JSON.stringify(task));
});

test('which faults may pass', () => {
  const http = (status: number): HttpError => new HttpError(status, 'x');
  for (const [error, passes] of [
    [new RpcError(-32603, 'x'), true], [new RpcError(-32602, 'x'), false], [http(500), true], [http(503), true], [http(499), false], [http(429), true], [http(404), false],
    [new SessionExpired('x'), true], [new ConnectionError('closed', 'x'), true], [new Error('x'), false], ['x', false],
  ] as const) assert.equal(mayPass(error), passes, String(error));
});

test('how many requests for tasks in a second: each requester for itself, and nothing is kept longer', () => {
  const clock = manualClock();
  clock.tick(clock.now() + 1000 - clock.monotonic() % 1000);
  const rate = new RequestRate(2, clock);
  rate.count('a');
  rate.count('a');
  assert.throws(() => rate.count('a'), { code: -32603, message: /the limit is 2 a second/ });
  rate.count('b');
  assert.equal(rate.size, 2);
  clock.tick(clock.now() + 999);
  assert.throws(() => rate.count('a'));
  clock.tick(clock.now() + 1);
  rate.count('a');
  assert.equal(rate.size, 1);
  clock.tick(clock.now() + 2000);
  assert.equal(rate.size, 0);
  assert.equal(clock.waiting, 0, 'no timer is left');
});

test('leases, places and pages', () => {
  const clock = manualClock();
  const time = new LeaseTime(100, clock);
  clock.tick(clock.now() + 99);
  assert.equal(time.isOver, false);
  clock.tick(clock.now() + 1);
  assert.equal(time.isOver, true);
  assert.equal(isLeaseLost(new LeaseLost({ id: 'a', fence: 1 }, 'x')), true);
  assert.equal(isLeaseLost(Object.assign(new Error('of another copy'), { name: 'LeaseLost' })), true);
  assert.equal(isLeaseLost(new Error('LeaseLost')), false);
  assert.equal(isLeaseLost({ name: 'LeaseLost' }), false);
  assert.equal(placeOf({ id: 'x', createdAt: 5 }), '000000000000005-x');
  const tasks = [{ id: 'c', createdAt: 2 }, { id: 'a', createdAt: 2 }, { id: 'b', createdAt: 1 }];
  assert.deepEqual(pageOf(tasks, undefined, 2).map(({ id }) => id), ['b', 'a']);
  assert.deepEqual(pageOf(tasks, placeOf({ id: 'a', createdAt: 2 }), 5).map(({ id }) => id), ['c']);
  assert.equal(isWaiting({ waiting: undefined, answers: new Map() }), false);
  assert.equal(isWaiting({ waiting: [], answers: new Map() }), false);
  assert.equal(isWaiting({ waiting: ['a', 'b'], answers: new Map([['a', '']]) }), true);
  assert.equal(isWaiting({ waiting: ['a'], answers: new Map([['a', '']]) }), false);
});

test('names in a folder of tasks: only those that the store makes', () => {
  for (const id of ['a', 'task-1', 'x'.repeat(100)]) assert.equal(isId(id), true, id);
  for (const id of ['', 'A', '..', 'a/b', 'a\n', 'x'.repeat(101), 'a_b']) assert.equal(isId(id), false, id);
  assert.equal(segmentName(7), '00000007.log');
  for (const [name, number] of [['00000007.log', 7], ['123456789012345.log', 123456789012345], ['0000007.log', undefined], ['1234567890123456.log', undefined], ['00000007.log2', undefined], ['x00000007.log', undefined], ['00000007xlog', undefined]] as const) assert.equal(segmentNumber(name), number, name);
  const hex = '0123456789abcdef';
  for (const [is, made, others] of [
    [isNew, newName(), [`.new-${hex}0`, `x.new-${hex}`, 'new-x', `.new-${hex.slice(1)}`]], [isGone, goneName(), [`.gone-${hex}0`, `x.gone-${hex}`, '.gone-']],
    [isAnswer, answerName('key'), [`answer-${'a'.repeat(39)}`, `answer-${'a'.repeat(41)}`, `x${answerName('key')}`]],
    [isTaskFile, unfinishedName(), ['other', `.${hex}0`, `x.${hex}`, 'ended2']],
  ] as const) {
    assert.equal(is(made), true, made);
    for (const other of others) assert.equal(is(other), false, other);
  }
  for (const name of ['ended', '00000001.log', answerName(''), unfinishedName()]) assert.equal(isTaskFile(name), true, name);
  assert.equal(isGone(`.gone-${'a'.repeat(40)}`), true, 'of earlier versions');
  assert.notEqual(answerName('a'), answerName('A'));
});

test('how long a lease of another process is believed: by its file, and from then on by the own clock', () => {
  const clock = manualClock();
  const start = (clock.tick(1_000_000_000_500), clock.now());
  const sightings = new Sightings(clock);
  assert.equal(sightings.left('a', 1, start - 400, 1000), 600);
  clock.tick(start + 100);
  assert.equal(sightings.left('a', 1, start - 400, 1000), 500, 'seen before');
  assert.equal(sightings.left('b', 1, start - 400, 1000), 500);
  assert.equal(sightings.left('b', 1, start - 400, 2000), 2000, 'a longer lease');
  assert.equal(sightings.left('b', 1, start - 400, 1000), 1000);
  assert.equal(sightings.left('c', 1, start - 5000, 1000), 0, 'long over');
  assert.equal(sightings.left('d', 1, start + 60_000, 1000), 1000, 'a file of the future is believed no longer than a lease lasts');
  // A file system with a resolution of whole seconds has cut the fraction.
  assert.equal(sightings.left('e', 1, start - 500, 1000), 1000);
  // Written again with a clock that was set back: it was renewed after the last look.
  assert.equal(sightings.left('a', 1, start - 90_400, 1000), 1000);
  clock.tick(start + 300);
  assert.equal(sightings.left('a', 1, start - 90_300, 1000), 800);
  assert.equal(sightings.left('a', 2, start - 90_300, 1000), 0, 'another segment was not seen before');
  clock.tick(start + 10_000);
  assert.equal(sightings.left('b', 1, start - 400, 1000), 0);
});
