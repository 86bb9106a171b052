import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import { LeaseLost } from '../../src/tasks/store.ts';
import type { StoredTask, TaskStore } from '../../src/tasks/store.ts';
import { storeTests } from '../../src/tasks/testing.ts';

// The store tests must detect each of these faults, which a real store may have.

type Fault = (store: TaskStore) => Partial<TaskStore>;

const quietly = (run: () => Promise<void>): Promise<void> => run().catch(() => {});

/** The start of a test's name, the fault that this test must detect, and its error message. */
const faults: readonly (readonly [test: string, fault: string, make: Fault, says: RegExp])[] = [
  ['a task comes back', 'another owner', (store) => ({ create: (task) => store.create({ ...task, owner: 'x' }) }), /^the task: .*"owner":"x"/],
  ['a task comes back', 'the time of its end is forgotten', (store) => ({ create: (task) => store.create({ ...task, expiresAt: null }) }), /^the task: .*"expiresAt":null/],
  ['a task comes back', 'its text is changed', (store) => ({ create: (task) => store.create({ ...task, head: task.head.normalize('NFD') }) }), /^the task: /],
  ['a task comes back', 'an id is taken twice', (store) => ({ create: (task) => quietly(() => store.create(task)) }), /^a second task of the same id was created$/],
  ['a task comes back', 'any id is found', (store) => ({ load: async (id) => (await store.load(id)) ?? { id, owner: '', createdAt: 0, expiresAt: null, head: '', records: [], answers: new Map(), waiting: undefined, end: undefined } }), /^an unknown task was found$/],
  ['a task comes back', 'any id is leased', (store) => ({ lease: async (id, ms) => (await store.lease(id, ms)) ?? { lease: { id, fence: 1 }, task: { id, owner: '', createdAt: 0, expiresAt: null, head: '', records: [], answers: new Map(), waiting: undefined, end: undefined } } }), /^an unknown task was leased$/],
  ['records are kept', 'a fence begins with 0', (store) => ({ lease: async (id, ms) => {
    const found = await store.lease(id, ms);
    return found && { ...found, lease: { id, fence: found.lease.fence - 1 } };
  } }), /^the first fence: 0 in place of 1$/],
  ['records are kept', 'records come in another order', (store) => ({ load: async (id) => {
    const found = await store.load(id);
    return found && { ...found, records: found.records.toReversed() };
  } }), /^records: /],
  ['records are kept', 'what is given back with the lease is lost', (store) => ({ release: (lease, after, _records, waiting) => store.release(lease, after, [], waiting) }), /^records of the next lease: /],
  ['many appends', 'one in many is forgotten', (store) => ({ append: (lease, after, records) => (after === 4 ? Promise.resolve() : store.append(lease, after, records)) }), /^records: /],
  ['one worker', 'what is taken is due', (store) => ({ due: async () => ['task'].concat(...await store.due(10)) }), /^due while it is leased: /],
  ['an expired lease', 'a write under an old fence is dropped without a word', (store) => ({ append: (lease, after, records) => quietly(() => store.append(lease, after, records)) }), /^append was not refused with LeaseLost: undefined$/],
  ['an expired lease', 'an old lease may be given back', (store) => ({ release: (lease, after, records, waiting) => quietly(() => store.release(lease, after, records, waiting)) }), /^release was not refused/],
  ['an expired lease', 'an old lease may be renewed', (store) => ({ renew: (lease, ms) => quietly(() => store.renew(lease, ms)) }), /^renew was not refused/],
  ['an expired lease', 'an old lease may end the task', (store) => ({ end: (id, end) => store.end(id, end) }), /^end was not refused/],
  ['an expired lease', 'it is refused with another error', (store) => ({ append: (lease, after, records) => store.append(lease, after, records).catch(() => { throw new Error('lost'); }) }), /^append was not refused with LeaseLost: Error: lost$/],
  ['an append after', 'the same records are taken twice', (store) => ({ append: async (lease, after, records) => {
    if ((await store.load(lease.id))?.records.length === after) await store.append(lease, after, records);
  } }), /^append was not refused/],
  ['a task waits', 'what waits is due', (store) => ({ release: (lease, after, records) => store.release(lease, after, records, []) }), /^due while it waits: /],
  ['a task waits', 'answers are taken that nobody waits for', (store) => ({ answer: async (id, answers) => { await store.answer(id, answers); return [...answers.keys()]; } }), /^answers without a question: /],
  ['a task waits', 'what it waits for is not told', (store) => ({ load: async (id) => {
    const found = await store.load(id);
    return found && { ...found, waiting: undefined };
  } }), /^the task in between: /],
  ['of many answers', 'each believes that it was first', (store) => ({ answer: async (id, answers) => { await store.answer(id, answers); return [...answers.keys()]; } }), /^answers taken: 8 in place of 1$/],
  ['keys of questions', 'keys are names of files', (store) => ({ answer: async (id, answers) => (await store.answer(id, answers)).filter((key) => !key.includes('/')) }), /^answers taken: /],
  ['keys of questions', 'two keys are one without their case', (store) => ({ load: async (id) => {
    const found = await store.load(id);
    return found && { ...found, answers: new Map([...found.answers].map(([key, text]) => [key.toLowerCase(), text])) };
  } }), /^answers: /],
  ['the first end wins', 'each end counts', (store) => ({ end: async (id, end, lease) => { await store.end(id, end, lease); return true; } }), /^a second end: true in place of false$/],
  ['the first end wins', 'an end is only told', () => ({ end: async () => true }), /^a second end: /],
  ['cancelling needs no lease', 'without a lease nothing ends', (store) => ({ end: async (id, end, lease) => lease !== undefined && store.end(id, end, lease) }), /^the end of a task that is due: false in place of true$/],
  ['due lists', 'more than are wanted', (store) => ({ due: () => store.due(10) }), /^how many: 3 in place of 2$/],
  ['due lists', 'the first only', (store) => ({ due: async (limit) => (await store.due(limit)).slice(0, 2) }), /^which: /],
  ['an owner sees', 'everybody\'s tasks', (store) => ({ list: async (_owner, after, limit) => [...await store.list('ann', after, limit), ...await store.list('bob', after, limit)].sort((a, b) => (a.place < b.place ? -1 : 1)).slice(0, limit) }), /^places: /],
  ['an owner sees', 'pages that are too long', (store) => ({ list: (owner, after) => store.list(owner, after, 10) }), /^a page is too long$/],
  ['an owner sees', 'counts of all for each', (store) => ({ count: () => store.count() }), /^counts: \[6,6,6,6\] in place of \[6,5,1,0\]$/],
  ['expired tasks', 'what runs stays', (store) => ({ expire: async (now) => (await store.expire(now)).slice(1) }), /^deleted: /],
  ['expired tasks', 'they are only named', () => ({ expire: async () => [] }), /^deleted: \[\] in place of /],
  ['expired tasks', 'they are still found', (store) => {
    const kept = new Map<string, Awaited<ReturnType<TaskStore['load']>>>();
    return { create: async (task) => { await store.create(task); kept.set(task.id, await store.load(task.id)); }, load: async (id) => (await store.load(id)) ?? kept.get(id) };
  }, /^a task is still there$/],
  ['records are kept', 'a fence that does not grow', (store) => ({
    lease: async (id, ms) => {
      const found = await store.lease(id, ms);
      return found && { ...found, lease: { id, fence: 1 } };
    },
    release: (lease, after, records, waiting) => store.release({ ...lease, fence: 1 }, after, records, waiting),
  }), /^the fence did not grow$/],
  ['records are kept', 'the next lease has fewer records', (store) => ({ lease: async (id, ms) => {
    const found = await store.lease(id, ms);
    return found && { ...found, task: { ...found.task, records: found.task.records.slice(0, 3) } };
  } }), /^records of the next lease: /],
  ['one worker', 'two at once', (store) => ({ lease: async (id, ms) => (await store.lease(id, ms)) ?? { lease: { id, fence: 1 }, task: await store.load(id) as StoredTask } }), /^leases: 2 in place of 1$/],
  ['one worker', 'nobody has it', () => ({ lease: async () => undefined }), /^leases: 0 in place of 1$/],
  ['one worker', 'the next one gets it too', (store) => {
    let asked = 0;
    return { lease: async (id, ms) => (++asked === 3 ? { lease: { id, fence: 1 }, task: await store.load(id) as StoredTask } : store.lease(id, ms)) };
  }, /^a leased task was leased$/],
  ['an append after', 'what is missing between is passed over', (store) => ({ append: async (lease, after, records) => store.append(lease, Math.min(after, (await store.load(lease.id))?.records.length ?? 0), records) }), /^append was not refused with LeaseLost: undefined$/],
  ['an append after', 'what was refused was written', (store) => ({ append: async (lease, after, records) => {
    try {
      await store.append(lease, after, records);
    } catch (error) {
      await store.append(lease, 1, records);
      throw error;
    }
  } }), /^append was not refused with LeaseLost: |^records: /],
  ['a task waits', 'what is created is not due', (store) => {
    let asked = 0;
    return { due: async (limit) => (++asked === 1 ? [] : store.due(limit)) };
  }, /^due when created: \[\] in place of /],
  ['a task waits', 'it is due before the last answer', (store) => {
    let asked = 0;
    return { due: async (limit) => (++asked === 3 ? ['x'] : store.due(limit)) };
  }, /^due while one is missing: /],
  ['a task waits', 'it is not due with the last answer', (store) => {
    let asked = 0;
    return { due: async (limit) => (++asked === 4 ? [] : store.due(limit)) };
  }, /^due with the last answer: \[\] in place of /],
  ['a task waits', 'what waits is leased', (store) => {
    let asked = 0;
    return { lease: async (id, ms) => (++asked === 2 ? { lease: { id, fence: 1 }, task: await store.load(id) as StoredTask } : store.lease(id, ms)) };
  }, /^a task that waits was leased$/],
  ['a task waits', 'an answer counts twice', (store) => {
    let asked = 0;
    return { answer: async (id, answers) => (++asked === 3 ? (await store.answer(id, answers), ['a', 'b']) : store.answer(id, answers)) };
  }, /^an answer counts once: /],
  ['a task waits', 'the lease comes without answers', (store) => ({ lease: async (id, ms) => {
    const found = await store.lease(id, ms);
    return found && { ...found, task: { ...found.task, answers: new Map() } };
  } }), /^answers: \[\] in place of /],
  ['a task waits', 'it waits while it runs', (store) => {
    let asked = 0;
    return { load: async (id) => {
      const found = await store.load(id);
      return found && (++asked === 2 ? { ...found, waiting: ['a'] } : found);
    } };
  }, /^waiting while it runs: /],
  ['a task waits', 'answers are taken while it runs', (store) => {
    let asked = 0;
    return { answer: async (id, answers) => (++asked === 4 ? ['a'] : store.answer(id, answers)) };
  }, /^answers while it runs: /],
  ['a task waits', 'earlier answers go with the next question', (store) => {
    let asked = 0;
    return { load: async (id) => {
      const found = await store.load(id);
      return found && (++asked === 3 ? { ...found, answers: new Map() } : found);
    } };
  }, /^earlier answers stay: /],
  ['of many answers', 'another answer is kept than the first', (store) => ({ load: async (id) => {
    const found = await store.load(id);
    return found && { ...found, answers: new Map([['a', '"x"']]) };
  } }), /^the answer: /],
  ['the first end wins', 'the first does not', () => ({ end: async () => false }), /^the end: false in place of true$/],
  ['the first end wins', 'records come after it', () => ({ append: async () => {} }), /^append was not refused/],
  ['the first end wins', 'its lease may be renewed', () => ({ renew: async () => {} }), /^renew was not refused/],
  ['the first end wins', 'it is leased again', (store) => {
    let asked = 0;
    return { lease: async (id, ms) => (++asked === 2 ? { lease: { id, fence: 1 }, task: await store.load(id) as StoredTask } : store.lease(id, ms)) };
  }, /^a task that has ended was leased$/],
  ['the first end wins', 'it takes answers', () => ({ answer: async () => ['a'] }), /^an answer after the end: /],
  ['the first end wins', 'it is due', () => ({ due: async () => ['x'] }), /^due after the end: /],
  ['the first end wins', 'its end is another', (store) => ({ load: async (id) => {
    const found = await store.load(id);
    return found && { ...found, end: '"x"' };
  } }), /^the task: /],
  ['the first end wins', 'what is not there ends', (store) => ({ end: async (id, end, lease) => id === 'task-none' || store.end(id, end, lease) }), /^the end of an unknown task: true in place of false$/],
  ['cancelling needs no lease', 'the lease that there is holds on', (store) => ({ end: async (id, end, lease) => {
    await store.end(id, end);
    return lease === undefined;
  } }), /^the end of one that was running was not refused/],
  ['cancelling needs no lease', 'nobody wins', (store) => {
    let ends = 0;
    return { end: async (id, end, lease) => (++ends > 5 ? false : store.end(id, end, lease)) };
  }, /^who won: /],
  ['an owner sees', 'the tasks of another are missing', (store) => ({ list: async (owner, after, limit) => (owner === 'bob' ? [] : store.list(owner, after, limit)) }), /^the tasks of another: \[\] in place of /],
  ['an owner sees', 'a place whose task is gone is nowhere', (store) => ({ list: async (owner, after, limit) => (after?.includes('gone') ? [{ id: 'x', place: 'x' }] : store.list(owner, after, limit)) }), /^the place of a deleted task is misread$/],
  ['expired tasks', 'writes to what is gone are taken', () => ({ append: async () => {} }), /^append was not refused/],
  ['expired tasks', 'answers to what is gone are taken', () => ({ answer: async () => ['a'] }), /^an answer to a task that is gone: /],
  ['expired tasks', 'what stays is not due', () => ({ due: async () => [] }), /^due: \[\] in place of /],
  ['expired tasks', 'it is still counted', () => ({ count: async () => 4 }), /^how many: 4 in place of 2$/],
  ['watchers in', 'an end is told as news of a run', (store) => ({ watch: (listener) => store.watch((id, change) => listener(id, change === 'ended' ? 'written' : change)) }), /^changes: /],
];

/** A store with a fault; its other members are unchanged. */
function faulty(store: TaskStore, make: Fault): TaskStore {
  const changed = make(store);
  return new Proxy(store, { get: (target, name) => {
    const own: unknown = Reflect.get(changed, name) ?? Reflect.get(target, name);
    return typeof own === 'function' ? own.bind(target) as unknown : own;
  } });
}

for (const [name, fault, make, says] of faults) {
  test(`a store with a fault (${fault}) does not pass "${name}"`, async () => {
    const one = storeTests.find((candidate) => candidate.name.startsWith(name));
    assert.ok(one, name);
    const store = faulty(memoryStore(), make);
    await assert.rejects(one.run(async () => ({ store, again: async () => store })), { message: says });
  });
}

test('every test for stores notices some fault', () => {
  const unnoticed = storeTests.map(({ name }) => name).filter((name) => !faults.some(([start]) => name.startsWith(start)));
  assert.deepEqual(unnoticed, ['a lease that is renewed is kept'], 'that one waits for leases to run out; test/tasks/folder-clock has it with a clock');
  assert.ok(new LeaseLost({ id: 'a', fence: 3 }, 'gone').message.includes('task a: the lease 3 is lost: gone'));
});
