import assert from 'node:assert/strict';
import test from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { revisions } from '../../src/protocol/revisions.ts';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import { listTasks } from '../../src/tasks/legacy/server.ts';
import { defaultTaskLimits } from '../../src/tasks/limits.ts';
import type { TaskLimits } from '../../src/tasks/limits.ts';
import type { TaskStore } from '../../src/tasks/store.ts';
import type { TaskView } from '../../src/tasks/journal.ts';
import { mayHear, ownerOf, Tasks } from '../../src/tasks/tasks.ts';
import type { TaskOrder } from '../../src/tasks/tasks.ts';

// The parts that both kinds of tasks share, without a connection.

const order: TaskOrder = { tool: 't', arguments: { a: 1 }, revision: revisions[0]?.version ?? '', capabilities: {} };
const ann = { principal: 'ann', scopes: ['read'] };

function made(limits: Partial<TaskLimits> = {}, change: (store: TaskStore) => Partial<TaskStore> = () => ({})) {
  const clock = manualClock(1_000_000);
  const inner = memoryStore({ clock });
  const store: TaskStore = { ...inner, ...change(inner) };
  const tasks = new Tasks(store, { ...defaultTaskLimits, ...limits }, clock);
  return { clock, store, tasks, pass: (ms: number) => clock.tick(clock.now() + ms) };
}

const refused = (code: number, message: RegExp) => (error: unknown): boolean => {
  assert.ok(error instanceof Error && 'code' in error && error.code === code, String(error));
  assert.match(error.message, message);
  return true;
};

test('tasks: a task is kept as it was ordered, for the time that was asked for, within the limit', async () => {
  const { tasks, store, clock } = made({ ttlMs: 50, maxTtlMs: 100, pollIntervalMs: 7 });
  let named = '';
  const view = await tasks.create('o', { ...order, scopes: ['read'], made: { k: 1 }, answers: { q: 2 } }, undefined, (id) => (named = id));
  assert.match(view.id, /^[0-9a-f]{40}$/);
  assert.equal(named, view.id);
  const { id, ...rest } = view;
  assert.deepEqual(rest, {
    owner: 'o', scopes: ['read'], createdAt: 1_000_000, ttlMs: 50, pollIntervalMs: 7, status: 'working', updatedAt: 1_000_000, message: undefined, questions: undefined, end: undefined,
  });
  const stored = await store.load(id);
  assert.deepEqual([stored?.owner, stored?.createdAt, stored?.expiresAt], ['o', 1_000_000, 1_000_050]);
  const { seed, ...head } = JSON.parse(stored?.head ?? '') as { seed: string };
  assert.match(seed, /^[0-9a-f]{16}$/);
  assert.ok(!id.includes(seed));
  assert.deepEqual(head, { ...order, scopes: ['read'], made: { k: 1 }, answers: { q: 2 }, ttlMs: 50, pollIntervalMs: 7 });
  for (const [wanted, ttlMs] of [[0, 0], [99, 99], [101, 100], [Infinity, 100]] as const) {
    const one = await tasks.create('o', order, wanted);
    assert.deepEqual([one.ttlMs, (await store.load(one.id))?.expiresAt], [ttlMs, 1_000_000 + ttlMs]);
  }
  const forever = made({ maxTtlMs: Infinity, ttlMs: Infinity });
  const kept = await forever.tasks.create('o', { ...order, scopes: [] });
  assert.deepEqual([kept.ttlMs, kept.scopes, (await forever.store.load(kept.id))?.expiresAt], [null, [], null]);
  assert.ok(!(await forever.store.load(kept.id))?.head.includes('scopes'));
  clock.tick(1_000_049);
  assert.equal((await tasks.find('o', id)).id, id);
  clock.tick(1_000_050);
  await assert.rejects(tasks.find('o', id), refused(-32602, /unknown task/));
});

test('tasks: so many in all and so many of one owner; what others create is counted a second later', async () => {
  let counts = 0;
  const { tasks, store, pass } = made({ maxTasks: 4, maxTasksPerPrincipal: 2 }, (inner) => ({
    count: (owner) => {
      counts++;
      return inner.count(owner);
    },
  }));
  await tasks.create('a', order);
  assert.equal(counts, 2);
  await tasks.create('a', order);
  assert.equal(counts, 2);
  await assert.rejects(tasks.create('a', order), refused(-32603, /^Too many tasks of one principal: the limit is 2$/));
  await tasks.create('b', order);
  // The total count is still fresh: only the other owner's count was requested.
  assert.equal(counts, 3);
  // Another process creates a task.
  await store.create({ id: 'elsewhere', owner: 'c', createdAt: 0, expiresAt: null, head: '{}' });
  await tasks.create('b', order);
  pass(999);
  await assert.rejects(tasks.create('d', order), refused(-32603, /^Too many tasks: the limit is 4$/));
  pass(1);
  await assert.rejects(tasks.create('a', order), refused(-32603, /^Too many tasks: the limit is 4$/));
  for (const { id } of await store.list('a', undefined, 10)) await store.end(id, '"x"');
  await store.expire(Number.MAX_SAFE_INTEGER);
  pass(999);
  await assert.rejects(tasks.create('a', order), refused(-32603, /Too many tasks/));
  pass(1);
  await tasks.create('a', order);
});

test('tasks: those that are created at once ask for one count, and each counts', async () => {
  let counts = 0;
  const { tasks, pass } = made({ maxTasks: 8, maxTasksPerPrincipal: 5 }, (inner) => ({
    count: async (owner) => {
      counts++;
      await Promise.resolve();
      return inner.count(owner);
    },
  }));
  const create = (owner: string, n: number): Promise<string[]> =>
    Promise.all(Array.from({ length: n }, () => tasks.create(owner, order).then(() => 'kept', (error: Error) => error.message)));
  const [a, b] = await Promise.all([create('a', 7), create('b', 6)]);
  assert.deepEqual([counts, a.filter((one) => one === 'kept').length, b.filter((one) => one === 'kept').length], [3, 5, 3]);
  pass(1000);
  assert.deepEqual([await create('a', 3), counts], [Array(3).fill('Too many tasks: the limit is 8'), 5]);
});

test('tasks: the counts of a thousand owners are kept, the oldest go first, and that of all stays', async () => {
  const asked: (string | undefined)[] = [];
  const { tasks } = made({ maxTasks: 1e6 }, () => ({
    create: async () => {},
    count: async (owner) => {
      asked.push(owner);
      return 0;
    },
  }));
  for (let at = 0; at < 1_000; at++) await tasks.create(`o${at}`, order);
  asked.length = 0;
  await tasks.create('o1', order);
  assert.deepEqual(asked, []);
  // The total takes one of the thousand cached counts, so the oldest owner was dropped.
  await tasks.create('o0', order);
  assert.deepEqual(asked, ['o0']);
  await tasks.create('o999', order);
  await tasks.create('o2', order);
  assert.deepEqual(asked, ['o0'], 'of the others only the oldest has gone');
  await tasks.create('o1', order);
  assert.deepEqual(asked, ['o0', 'o1']);
});

test('tasks: an owner finds the own tasks only, by an id that is text; credentials without the scopes are refused', async () => {
  const { tasks } = made();
  assert.deepEqual([ownerOf(undefined), ownerOf(ann)], ['', 'principal:ann']);
  const { id } = await tasks.create(ownerOf(ann), { ...order, scopes: ['read'] });
  assert.equal((await tasks.view(ann, id)).id, id);
  await assert.rejects(tasks.view({ principal: 'ann', scopes: ['write'] }, id), { name: 'AccessDenied' });
  for (const other of [undefined, { principal: 'bob', scopes: ['read'] }]) await assert.rejects(tasks.view(other, id), refused(-32602, /unknown task/));
  for (const odd of [undefined, null, 5, [id]]) await assert.rejects(tasks.view(ann, odd), refused(-32602, /params\.taskId must be a string$/));
  const view = await tasks.find(ownerOf(ann), id);
  const open = await tasks.create('', order);
  assert.deepEqual([mayHear(view, ann), mayHear(view, { principal: 'ann', scopes: [] }), mayHear(await tasks.find('', open.id), undefined)], [true, false, true]);
});

test('tasks: a look is told what the task is and that there is none; a store that fails says nothing', async () => {
  let fails = false;
  const { tasks } = made({}, (inner) => ({ load: async (id) => {
    if (fails) throw new Error('away');
    return inner.load(id);
  } }));
  const { id } = await tasks.create('o', order);
  assert.equal((await tasks.look('o', id))?.id, id);
  await assert.rejects(tasks.look('p', id), refused(-32602, /unknown task/));
  fails = true;
  assert.equal(await tasks.look('o', id), undefined);
  await assert.rejects(tasks.find('o', id), /^Error: away$/);
  await assert.rejects(listTasks(tasks, undefined, undefined).then(async () => {
    fails = false;
    await tasks.create('', order);
    fails = true;
    await listTasks(tasks, undefined, undefined);
  }), /^Error: away$/);
});

/** Releases the task with questions. */
async function asks(store: TaskStore, id: string, ...keys: string[]): Promise<void> {
  const leased = await store.lease(id, 1_000);
  assert.ok(leased);
  const questions = Object.fromEntries(keys.map((key) => [key, { method: 'elicitation/create', params: {} }]));
  const record = { t: 'ask', questions, asked: Object.fromEntries(keys.map((key) => [key, { digest: 'd', times: 1 }])), at: 1, run: 1 };
  await store.release(leased.lease, 0, [JSON.stringify(record)], keys);
}

test('tasks: answers are objects, to open questions, and not too long; others are ignored', async () => {
  let given: [string, string][][] = [];
  const { tasks, store, clock } = made({ maxResultBytes: 60 }, (inner) => ({ answer: (id, answers) => {
    given.push([...answers]);
    return inner.answer(id, answers);
  } }));
  const { id } = await tasks.create('', order);
  await tasks.answer(undefined, id, { a: 5 });
  assert.deepEqual(given, [], 'nothing is asked');
  await asks(store, id, 'a', '__proto__');
  for (const odd of [undefined, null, 5, 'x', []]) await assert.rejects(tasks.answer(undefined, id, odd), refused(-32602, /params\.inputResponses must be an object$/));
  for (const odd of [null, 5, 'x', []]) await assert.rejects(tasks.answer(undefined, id, { a: odd }), refused(-32602, /each answer must be an object/));
  await assert.rejects(tasks.answer({ principal: 'x', scopes: [] }, id, {}), refused(-32602, /unknown task/));
  await tasks.answer(undefined, id, { toString: 5, b: {} });
  assert.deepEqual(given, []);
  const fits = { x: 'y'.repeat(60 - JSON.stringify({ at: clock.now(), answer: { x: '' } }).length) };
  await assert.rejects(tasks.answer(undefined, id, { a: { x: `${fits.x}y` } }), refused(-32602, /an answer takes 61 characters; the limit is 60/));
  await tasks.answer(undefined, id, JSON.parse(`{"a":${JSON.stringify(fits)},"__proto__":{},"b":{}}`));
  assert.deepEqual(given, [[['a', JSON.stringify({ at: clock.now(), answer: fits })], ['__proto__', `{"at":${clock.now()},"answer":{}}`]]]);
  given = [];
});

test('tasks: cancelling ends a task once', async () => {
  const { tasks, store, clock } = made();
  const { id } = await tasks.create('', order);
  assert.equal(await tasks.cancel(undefined, id), true);
  assert.deepEqual(JSON.parse((await store.load(id))?.end ?? ''), { status: 'cancelled', message: 'The task was cancelled by request.', at: clock.now() });
  assert.equal(await tasks.cancel(undefined, id), false);
  await assert.rejects(tasks.cancel(undefined, 'none'), refused(-32602, /unknown task/));
});

test('tasks: a list has a hundred of the own tasks a page, without those whose scopes are missing', async () => {
  const { tasks, pass } = made();
  const ids: string[] = [];
  for (let at = 0; at < 201; at++) {
    ids.push((await tasks.create(ownerOf(ann), at === 1 ? { ...order, scopes: ['admin'] } : order)).id);
    pass(1);
  }
  await tasks.create('', order);
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await listTasks(tasks, ann, cursor);
    pages.push(page.tasks.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.deepEqual(pages.map(({ length }) => length), [99, 100, 1]);
  assert.deepEqual(pages.flat(), ids.filter((_, at) => at !== 1));
  for (const odd of [null, 5, '', 'x', `${'0'.repeat(15)}-`, `${'0'.repeat(14)}-a`, `x${'0'.repeat(15)}-a`, `${'0'.repeat(15)}-a!`, `${'0'.repeat(15)}-${'a'.repeat(101)}`]) {
    await assert.rejects(listTasks(tasks, ann, odd), refused(-32602, /params\.cursor is not a cursor of this list$/), String(odd));
  }
  assert.equal((await listTasks(tasks, ann, `${'0'.repeat(15)}-${'a'.repeat(100)}`)).tasks.length, 99);
  // Exactly a hundred tasks: there is no next page.
  const { tasks: hundred } = made();
  for (let at = 0; at < 100; at++) await hundred.create('', order);
  assert.deepEqual([(await listTasks(hundred, undefined, undefined)).tasks.length, (await listTasks(hundred, undefined, undefined)).nextCursor], [100, undefined]);
});

test('tasks: who waits for a change is told of it, of what nobody heard after a while, and of the close', async () => {
  const { tasks, store, clock, pass } = made();
  const [{ id }, other] = [await tasks.create('', order), await tasks.create('', order)];
  const told: string[] = [];
  const wait = (what: string, of: string, signal?: AbortSignal): Promise<unknown> =>
    tasks.changed(of, signal).then(() => told.push(what), (reason: unknown) => told.push(`${what}: ${String(reason)}`));
  const all = [wait('one', id), wait('two', id), wait('other', other.id)];
  await store.end(id, '{"status":"cancelled","message":"","at":1}');
  await Promise.all(all.slice(0, 2));
  assert.deepEqual(told, ['one', 'two']);
  assert.equal(clock.waiting, 1);
  pass(499);
  await Promise.resolve();
  assert.equal(told.length, 2);
  pass(1);
  await all[2];
  assert.deepEqual(told.splice(0), ['one', 'two', 'other']);
  assert.equal(clock.waiting, 0);
  // A signal ends the wait, whether it was aborted before or later, and no listener is left.
  const controller = new AbortController();
  const gone = wait('gone', id, AbortSignal.abort('no'));
  const stays = wait('stays', id);
  const stopped = wait('stopped', id, controller.signal);
  controller.abort('enough');
  await Promise.all([gone, stopped]);
  assert.deepEqual(told.splice(0), ['gone: no', 'stopped: enough']);
  tasks.close();
  await stays;
  assert.deepEqual([told, clock.waiting], [['stays'], 0]);
});

test('tasks: where many wait, five hundred of them are looked at in a second', async () => {
  const { tasks, clock, pass } = made();
  let told = 0;
  const wait = (at: number): Promise<unknown> => tasks.changed(`t${at}`).then(() => told++);
  let waiting = Array.from({ length: 1_000 }, (_, at) => wait(at));
  pass(500);
  await Promise.all(waiting);
  waiting = Array.from({ length: 1_000 }, (_, at) => wait(at));
  assert.deepEqual([told, clock.due], [1_000, 2_500]);
  pass(1_999);
  await Promise.resolve();
  assert.equal(told, 1_000);
  pass(1);
  await Promise.all(waiting);
  // With few waiting tasks, the next look comes sooner.
  waiting = [wait(0)];
  pass(2_000);
  await Promise.all(waiting);
  void wait(0);
  assert.equal(clock.due, 5_000);
  tasks.close();
});

test('tasks: what a call is given is bounded, in one task and in all tasks of a memory store', async () => {
  const { tasks } = made({ maxJournalBytes: 1000 });
  const given = (length: number): TaskOrder => ({ ...order, arguments: { text: 'x'.repeat(length) } });
  await tasks.create('a', given(900));
  await assert.rejects(tasks.create('a', given(1000)), refused(-32602, /arguments take 10\d\d characters in a task; the limit is 1000$/));
  // What is not of the call does not count.
  await tasks.create('a', { ...given(0), client: { name: 'x'.repeat(2000), version: '1' } });
  const clock = manualClock(1_000_000);
  const store = memoryStore({ clock, maxBytes: 1000 });
  const add = (id: string, length: number): Promise<void> =>
    store.create({ id, owner: 'a', createdAt: 0, expiresAt: 1_000_001, head: 'x'.repeat(length) });
  await add('one', 400);
  const leased = await store.lease('one', 1000);
  assert.ok(leased);
  await store.release(leased.lease, 0, ['x'.repeat(200)], ['q']);
  await store.answer('one', new Map([['q', 'x'.repeat(200)]]));
  await assert.rejects(add('two', 201), refused(-32603, /^Too many characters in tasks: the limit is 1000$/));
  await add('two', 200);
  // A task that runs may still end.
  assert.ok(await store.end('two', 'x'.repeat(500)));
  await assert.rejects(add('three', 1), refused(-32603, /Too many characters/));
  await store.expire(1_000_001);
  await add('three', 1000);
});

test('tasks: who waits for long tasks does not hold up others: what has not changed is not parsed again, and the rest in turns', async () => {
  const inner = memoryStore();
  const tasks = new Tasks(inner, defaultTaskLimits, systemClock);
  const views = [];
  for (let i = 0; i < 8; i++) views.push(await tasks.create('a', { ...order, arguments: { text: 'x'.repeat(600_000) } }));
  let turns = 0;
  const count = (): void => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const found = await Promise.all(views.map(({ id }) => tasks.look('a', id)));
  assert.ok(turns >= 2, `${turns} turns of the event loop`);
  clearImmediate(next);
  for (const view of found) assert.equal(await tasks.look('a', view?.id ?? '', view), view);
  // A change is seen: a record, a question, an answer, an end.
  const [{ id }] = found as [TaskView];
  let before = found[0];
  const changes = async (): Promise<void> => {
    const view = await tasks.look('a', id, before);
    assert.ok(view && view !== before);
    assert.deepEqual(view, await tasks.find('a', id));
    before = view;
  };
  const leased = await inner.lease(id, 1000);
  assert.ok(leased);
  const record = (message: string): string => JSON.stringify({ t: 'status', at: 1, run: 1, message });
  await inner.append(leased.lease, 0, [record('one')]);
  await changes();
  assert.equal(before?.message, 'one');
  await inner.release(leased.lease, 1, [], ['q']);
  await changes();
  await inner.answer(id, new Map([['q', '{"at":1,"answer":{}}']]));
  await changes();
  await inner.end(id, '{"at":1,"status":"cancelled"}');
  await changes();
  assert.equal(before?.status, 'cancelled');
});
