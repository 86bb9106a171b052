import assert from 'node:assert/strict';
import test from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { weighValue } from '../../src/bounds/weight.ts';
import type { Answering } from '../../src/client/index.ts';
import { Abortable } from '../../src/jsonrpc/inbound-request.ts';
import type { Bag } from '../../src/jsonrpc/message.ts';
import type { Revision } from '../../src/protocol/revisions.ts';
import { revisions } from '../../src/protocol/revisions.ts';
import type { ClientCapabilities } from '../../src/protocol/lifecycle.ts';
import { receiveTasks } from '../../src/tasks/legacy/client-receiver.ts';
import type { ReceivedTaskLimits } from '../../src/tasks/limits.ts';

// The client's tasks without a connection: their limits, their lifetime, and the notifications to the server.

const revision = (version: string): Revision => revisions.find((one) => one.version === version) as Revision;
const legacy = revision('2025-11-25');

interface Waiting {
  readonly method: string;
  readonly params: Bag;
  readonly abortable: Abortable;
  resolve(result: object): void;
  reject(error: Error): void;
}

function made(limits: Partial<ReceivedTaskLimits> = {}, declared: ClientCapabilities = { sampling: {}, elicitation: { form: {} } }) {
  const clock = manualClock(1_000_000);
  const asked: Waiting[] = [];
  const calls: string[] = [];
  const inner = {
    capabilities: () => declared,
    answer: (method, params, _revision, abortable) => new Promise<object>((resolve, reject) => asked.push({ method, params, abortable, resolve, reject })),
    begin: () => void calls.push('begin'), end: () => void calls.push('end'),
    required: () => {}, completed: () => true, gather: async () => ({}), rounds: async () => ({}),
  } satisfies Answering;
  const answering = receiveTasks(inner, limits, clock);
  const told: [string, Bag][] = [];
  answering.begin?.((method, params) => told.push([method, params]));
  const ask = async (method: string, params: Bag, of = legacy, abortable = new Abortable()): Promise<Bag> => await answering.answer(method, params, of, abortable) as Bag;
  const begin = async (params: Bag = {}, task: unknown = {}): Promise<Bag & { taskId: string }> => (await ask('sampling/createMessage', { ...params, task }))['task'] as Bag & { taskId: string };
  return { clock, asked, calls, answering, told, ask, begin, pass: (ms: number) => clock.tick(clock.now() + ms) };
}

const refused = (code: number, message: RegExp) => (error: unknown): boolean => {
  assert.ok(error instanceof Error && 'code' in error && error.code === code, String(error));
  assert.match(error.message, message);
  return true;
};
const settled = async (): Promise<void> => {
  for (let at = 0; at < 10; at++) await Promise.resolve();
};

test('received tasks: a question is a task where the revision has tasks and the kind of question is declared', async () => {
  const { answering, ask, asked, calls } = made();
  assert.deepEqual(answering.capabilities(legacy).tasks, { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } });
  for (const version of ['2025-06-18', '2026-07-28']) {
    assert.equal(answering.capabilities(revision(version)).tasks, undefined);
    void ask('sampling/createMessage', { task: {}, version }, revision(version));
    void ask('tasks/list', {}, revision(version));
  }
  await settled();
  assert.deepEqual(asked.map(({ method, params }) => [method, params['task'] !== undefined]), [['sampling/createMessage', true], ['tasks/list', false], ['sampling/createMessage', true], ['tasks/list', false]]);
  asked.length = 0;
  // Requests without `task`, and other kinds of questions, are unchanged.
  void ask('sampling/createMessage', { a: 1 });
  void ask('roots/list', { task: {} });
  assert.deepEqual(asked.map(({ params }) => params), [{ a: 1 }, { task: {} }]);
  for (const [declared, kind, other] of [[{ sampling: {} }, 'sampling/createMessage', 'elicitation/create'], [{ elicitation: {} }, 'elicitation/create', 'sampling/createMessage']] as const) {
    const one = made({}, declared);
    assert.deepEqual(Object.keys(one.answering.capabilities(legacy).tasks?.requests ?? {}), [kind.split('/')[0]]);
    assert.ok('task' in await one.ask(kind, { task: {} }));
    void one.ask(other, { task: {} });
    await settled();
    // A kind that is not declared is passed on unchanged.
    assert.deepEqual(one.asked.map(({ method, params }) => [method, params]).sort(), [[other, { task: {} }], [kind, {}]].sort());
  }
  const none = made({}, { roots: {} });
  assert.deepEqual(none.answering.capabilities(legacy), { roots: {} });
  answering.end?.();
  assert.deepEqual(calls, ['begin', 'end']);
});

test('received tasks: the server sees the task, then its states, then its result', async () => {
  const { begin, ask, asked, told, pass } = made({ pollIntervalMs: 7 });
  const task = await begin({ q: 1 }, { ttl: 5_000 });
  const common = { taskId: task.taskId, createdAt: '1970-01-01T00:16:40.000Z', ttl: 5_000, pollInterval: 7 };
  assert.deepEqual(task, { ...common, status: 'working', statusMessage: undefined, lastUpdatedAt: common.createdAt });
  await settled();
  assert.deepEqual(asked.map(({ method, params }) => [method, params]), [['sampling/createMessage', { q: 1 }]]);
  pass(1_000);
  const result = ask('tasks/result', { taskId: task.taskId });
  asked[0]?.resolve({ said: 1, _meta: { own: 2 } });
  assert.deepEqual(await result, { said: 1, _meta: { own: 2, 'io.modelcontextprotocol/related-task': { taskId: task.taskId } } });
  const ended = { ...common, status: 'completed', statusMessage: undefined, lastUpdatedAt: '1970-01-01T00:16:41.000Z' };
  assert.deepEqual(told, [['notifications/tasks/status', ended]]);
  assert.deepEqual(await ask('tasks/get', { taskId: task.taskId }), ended);
  assert.deepEqual(await ask('tasks/list', {}), { tasks: [ended], nextCursor: undefined });
  await assert.rejects(ask('tasks/cancel', { taskId: task.taskId }), refused(-32602, /cannot be cancelled, it is completed already/));
  const failing = await begin();
  await settled();
  asked[1]?.reject(new Error('x'.repeat(2_000)));
  await assert.rejects(ask('tasks/result', { taskId: failing.taskId }), /^Error: x{2000}$/);
  const { status, statusMessage } = await ask('tasks/get', { taskId: failing.taskId });
  assert.deepEqual([status, statusMessage], ['failed', 'x'.repeat(1_000)]);
  // Failure and cancellation are status changes too.
  for (const end of ['fail', 'cancel']) {
    const { taskId } = await begin();
    await settled();
    pass(1_000);
    if (end === 'cancel') await ask('tasks/cancel', { taskId });
    else asked.at(-1)?.reject(new Error(end));
    await settled();
    const { createdAt, lastUpdatedAt } = await ask('tasks/get', { taskId });
    assert.equal(Date.parse(String(lastUpdatedAt)) - Date.parse(String(createdAt)), 1_000, end);
  }
  // A handler's result or error after the cancellation changes nothing and sends nothing.
  for (const late of ['resolve', 'reject'] as const) {
    const { taskId } = await begin();
    await settled();
    assert.equal((await ask('tasks/cancel', { taskId }))['status'], 'cancelled');
    const before: number = told.length;
    if (late === 'resolve') asked.at(-1)?.resolve({ late });
    else asked.at(-1)?.reject(new Error(late));
    await settled();
    assert.deepEqual([(await ask('tasks/get', { taskId }))['status'], told.length], ['cancelled', before]);
    await assert.rejects(ask('tasks/result', { taskId }), refused(-32603, /The task was cancelled/));
  }
  await assert.rejects(ask('tasks/unknown', {}), refused(-32601, /tasks\/unknown/));
  for (const taskId of [undefined, 5]) await assert.rejects(ask('tasks/get', { taskId }), refused(-32602, /taskId must be a string/));
  for (const odd of [5, 'x', null, []]) await assert.rejects(async () => begin({}, odd), refused(-32602, /task must be an object/));
  for (const ttl of [-1, 'x', Number.NaN]) await assert.rejects(async () => begin({}, { ttl }), refused(-32602, /task\.ttl must be a number/));
});

test('received tasks: so many, and so many bytes of questions and results, each to the last byte', async () => {
  const two = made({ maxReceived: 2 });
  await two.begin();
  await two.begin();
  await assert.rejects(async () => two.begin(), refused(-32603, /^Internal error: Too many tasks: the limit is 2$|^Too many tasks: the limit is 2$/));
  const question = { text: 'x'.repeat(100) };
  const weight = Number(weighValue(question));
  const bytes = made({ maxReceivedBytes: 2 * weight });
  const [one] = [await bytes.begin(question), await bytes.begin(question)];
  await assert.rejects(async () => bytes.begin({}), refused(-32603, /too much memory: the limit is/));
  // A result replaces its question: one of the same size fits, a larger one does not.
  bytes.asked[0]?.resolve(question);
  await settled();
  assert.equal((await bytes.ask('tasks/get', { taskId: one.taskId }))['status'], 'completed');
  bytes.asked[1]?.resolve({ text: 'x'.repeat(200) });
  await settled();
  const listed = await bytes.ask('tasks/list', {}) as { tasks: { status: string; statusMessage?: string }[] };
  assert.deepEqual(listed.tasks.map(({ status }) => status), ['completed', 'failed']);
  assert.match(listed.tasks[1]?.statusMessage ?? '', /does not fit: the limit of all tasks is/);
  // A failed task holds no bytes: there is room for one more task, but not for two.
  await bytes.begin(question);
  await assert.rejects(async () => bytes.begin({}), refused(-32603, /too much memory/));
  // A cancelled or expired task releases its bytes.
  const third = (await bytes.ask('tasks/list', {}) as { tasks: { taskId: string }[] }).tasks[2]?.taskId;
  assert.equal((await bytes.ask('tasks/cancel', { taskId: third }))['status'], 'cancelled');
  assert.ok(bytes.asked[2]?.abortable.signal.aborted);
  await bytes.begin(question, { ttl: 10 });
  await assert.rejects(async () => bytes.begin(question), refused(-32603, /too much memory/));
  bytes.pass(10);
  await bytes.begin(question);
});

test('received tasks: they go when their time is over, with a timer or without, and a cancelled wait leaves nothing', async () => {
  const { begin, ask, pass, clock, asked, answering, told } = made({ ttlMs: 100, maxTtlMs: 200 });
  const [plain, long] = [await begin(), await begin({}, { ttl: 1e9 })];
  assert.deepEqual([plain['ttl'], long['ttl'], (await begin({}, { ttl: null }))['ttl']], [100, 200, 100]);
  const waits = ask('tasks/result', { taskId: plain.taskId });
  pass(99);
  assert.equal((await ask('tasks/get', { taskId: plain.taskId }))['status'], 'working');
  pass(1);
  await assert.rejects(waits, refused(-32603, /The task was cancelled/));
  await assert.rejects(ask('tasks/get', { taskId: plain.taskId }).then(() => {}), refused(-32602, /unknown task/));
  await settled();
  assert.match(String(asked[0]?.abortable.signal.reason), /the task has expired/);
  // A late answer changes nothing and sends nothing.
  asked[0]?.resolve({ late: true });
  await settled();
  assert.deepEqual(told, []);
  const given = new Abortable();
  const left = ask('tasks/result', { taskId: long.taskId }, legacy, given);
  given.abort(() => new Error('gone'));
  await assert.rejects(left, refused(-32603, /The task was cancelled/));
  // A cursor is a position: it stays valid when its task has expired.
  for (let at = 0; at < 101; at++) await begin({}, { ttl: at === 98 ? 50 : 200 });
  const { nextCursor: cursor } = await ask('tasks/list', {});
  pass(50);
  const after = await ask('tasks/list', { cursor }) as { tasks: unknown[] };
  assert.deepEqual([typeof cursor, after.tasks.length], ['string', 2]);
  answering.end?.();
  // Let the second of the request counter pass.
  pass(1_000);
  assert.equal(clock.waiting, 0);
  assert.deepEqual(await ask('tasks/list', {}), { tasks: [], nextCursor: undefined });
  // A ttl that is longer than the longest timer.
  const patient = made({ maxTtlMs: 5e9 });
  const { taskId: lasting } = await patient.begin({}, { ttl: 5e9 });
  patient.pass(4_999_999_999);
  assert.equal((await patient.ask('tasks/get', { taskId: lasting }))['status'], 'working');
  patient.pass(1);
  await assert.rejects(patient.ask('tasks/get', { taskId: lasting }).then(() => {}), refused(-32602, /unknown task/));
  // Without timers, expiry is checked at each request.
  const still = manualClock(1_000_000);
  const untimed = receiveTasks({ ...({} as Answering), capabilities: () => ({ sampling: {} }), answer: () => new Promise(() => {}) }, { ttlMs: 100, maxReceived: 1 }, { ...still, after: () => undefined });
  const create = async (): Promise<Bag> => await untimed.answer('sampling/createMessage', { task: {} }, legacy, new Abortable()) as Bag;
  const { taskId } = (await create())['task'] as { taskId: string };
  still.tick(1_000_099);
  await assert.rejects(create(), /Too many tasks/);
  await untimed.answer('tasks/get', { taskId }, legacy, new Abortable());
  still.tick(1_000_100);
  await assert.rejects(async () => untimed.answer('tasks/get', { taskId }, legacy, new Abortable()), refused(-32602, /unknown task/));
  await create();
});

test('received tasks: the server may ask for them so many times in a second', async () => {
  const { ask, pass } = made({ maxRequestsPerSecond: 2 });
  await ask('tasks/list', {});
  await ask('tasks/list', {});
  await assert.rejects(async () => ask('tasks/list', {}), refused(-32603, /Too many requests for tasks: the limit is 2 a second/));
  pass(1_000);
  await ask('tasks/list', {});
});
