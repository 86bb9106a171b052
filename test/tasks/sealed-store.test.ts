import assert from 'node:assert/strict';
import test from 'node:test';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import { sealedStore } from '../../src/tasks/sealed-store.ts';
import type { StoredTask, TaskStore } from '../../src/tasks/store.ts';
import { randomOf } from '../random.ts';

const keys = [new Uint8Array(32).fill(7)];
const text = (owner: string): string => JSON.stringify({ tool: 'work', of: owner });

/** A store whose stored task was changed by somebody who can write to the disk. */
const tampered = (inner: TaskStore, task: StoredTask): TaskStore => sealedStore({ ...inner, load: async () => task }, keys);

/** Tasks of two owners, with records, answers and an end, as the inner store has them. */
async function two(): Promise<{ inner: TaskStore; tasks: readonly [StoredTask, StoredTask] }> {
  const inner = memoryStore();
  const store = sealedStore(inner, keys);
  const made: StoredTask[] = [];
  for (const [id, owner] of [['one', 'principal:alice'], ['two', 'principal:bob']] as const) {
    await store.create({ id, owner, createdAt: 1, expiresAt: null, head: text(owner) });
    const leased = await store.lease(id, 60_000);
    assert.ok(leased);
    await store.release(leased.lease, 0, ['step 1', 'step 2'], ['head', 'a/b', 'end']);
    await store.answer(id, new Map([['head', 'forged'], ['a/b', 'forged'], ['end', 'forged']]));
    await store.end(id, 'result');
    made.push(await inner.load(id) as StoredTask);
  }
  return { inner, tasks: made as [StoredTask, StoredTask] };
}

test('sealed store: whoever changes the owner of a task gets nothing of it', async () => {
  const { inner, tasks: [alices] } = await two();
  const opened = await tampered(inner, alices).load('one');
  assert.deepEqual([opened?.head, opened?.end, opened?.records], [text('principal:alice'), 'result', ['step 1', 'step 2']]);
  for (const owner of ['principal:bob', '', 'principal:alice ', 'principal:Alice']) {
    await assert.rejects(tampered(inner, { ...alices, owner }).load('one'), /task one: the stored text is sealed with another key, or moved/);
  }
  // A worker does not run it for another owner either.
  const leased = { lease: { id: 'one', fence: 2 }, task: { ...alices, owner: 'principal:bob' } };
  await assert.rejects(sealedStore({ ...inner, lease: async () => leased }, keys).lease('one', 1000), /sealed with another key, or moved/);
});

test('sealed store: nothing opens at another place, however the places are called', async () => {
  const { inner, tasks } = await two();
  const random = randomOf(5);
  const of = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  /** All sealed texts of both tasks. */
  const sealed = tasks.flatMap((task) => [
    task.head, task.end as string, ...task.records, ...task.answers.values(),
  ]);
  let moved = 0;
  for (let i = 0; i < 2000; i++) {
    const own = of(tasks);
    const other = of(sealed);
    const id = of([own.id, `${own.id}/answer`, `${own.id}/record`, '']);
    const owner = of([own.owner, of(tasks).owner, `${own.owner}/head`]);
    const answers = new Map(own.answers);
    const changed = of<Partial<StoredTask>>([
      { head: other }, { end: other }, { records: [other, ...own.records.slice(1)] }, { records: [...own.records].reverse() },
      { answers: answers.set(of(['head', 'a/b', 'a', 'answer/head']), other) }, { id }, { owner }, { id, head: other }, { id, owner, end: other },
    ]);
    const task: StoredTask = { ...own, ...changed };
    const same = task.id === own.id && task.owner === own.owner && task.head === own.head && task.end === own.end
      && task.records.every((record, at) => record === own.records[at])
      && [...task.answers].every(([key, answer]) => own.answers.get(key) === answer);
    if (same) continue;
    moved++;
    await assert.rejects(tampered(inner, task).load(task.id), /sealed with another key, or moved/, JSON.stringify(changed));
  }
  assert.ok(moved > 1000);
  // An answer is text chosen by the client: it must never open as the head of a task.
  const [alices] = tasks;
  const forged = { ...alices, id: 'one/answer', head: alices.answers.get('head') as string, records: [], answers: new Map(), end: undefined };
  await assert.rejects(tampered(inner, forged).load('one/answer'), /sealed with another key, or moved/);
});
