/**
 * `barewire/tasks/testing`: `storeTests`: what every store of tasks has to pass.
 *
 * @module
 */

import { systemClock } from '../bounds/clock.ts';
import { answers, check, eventually, hour, leased, loaded, long, lost, newTask, same, shortly, withStore, withTask } from './store-test.ts';
import type { StoreTest } from './store-test.ts';
import { placeOf } from './store.ts';
import type { Lease } from './store.ts';

export type { OpenedStore, StoreTest } from './store-test.ts';

/** The tests that every store must pass: `for (const { name, run } of storeTests) test(name, () => run(open))`. */
export const storeTests: readonly StoreTest[] = [
  {
    name: 'a task comes back as it was created, and no other has its id',
    async run(open) {
      const { store, again } = await open();
      const task = newTask({ expiresAt: systemClock.now() + hour });
      await store.create(task);
      const fresh = { ...task, records: [], answers: [], waiting: undefined, end: undefined };
      for (const one of [store, await again?.() ?? store]) {
        const { id, owner, createdAt, expiresAt, head, records, answers: given, waiting, end } = await loaded(one, task.id);
        same({ id, owner, createdAt, expiresAt, head, records, answers: [...given], waiting, end }, fresh, 'the task');
      }
      const error: unknown = await store.create(task).then(() => undefined, (thrown: unknown) => thrown);
      check(error instanceof Error, 'a second task of the same id was created');
      check(await store.load('task-none') === undefined, 'an unknown task was found');
      check(await store.lease('task-none', long) === undefined, 'an unknown task was leased');
    },
  },
  {
    name: 'records are kept in order, and come with the next lease',
    async run(open) {
      const { store, again } = await open();
      const task = newTask();
      await store.create(task);
      const { lease } = await leased(store, task.id);
      same(lease.fence, 1, 'the first fence');
      await store.append(lease, 0, ['"one"', '"two"']);
      await store.append(lease, 2, ['"three"']);
      same((await loaded(await again?.() ?? store, task.id)).records, ['"one"', '"two"', '"three"'], 'records');
      await store.release(lease, 3, ['"four"'], []);
      const next = await leased(await again?.() ?? store, task.id);
      check(next.lease.fence > lease.fence, 'the fence did not grow');
      same(next.task.records, ['"one"', '"two"', '"three"', '"four"'], 'records of the next lease');
    },
  },
  {
    name: 'many appends at once are all kept, or refused',
    run: withStore(async ({ store }) => {
      const tasks = Array.from({ length: 20 }, () => newTask());
      await Promise.all(tasks.map((task) => store.create(task)));
      await Promise.all(tasks.map(async ({ id }) => {
        const { lease } = await leased(store, id);
        for (let i = 0; i < 5; i++) await store.append(lease, i, [`"${id} ${i}"`]);
      }));
      for (const { id } of tasks) {
        same((await loaded(store, id)).records, [0, 1, 2, 3, 4].map((i) => `"${id} ${i}"`), 'records');
      }
    }),
  },
  {
    name: 'one worker has a task at a time',
    run: withTask(async ({ store, other, task }) => {
      const both = await Promise.all([store.lease(task.id, long), other.lease(task.id, long)]);
      same(both.filter((one) => one !== undefined).length, 1, 'leases');
      check(await other.lease(task.id, long) === undefined, 'a leased task was leased');
      same([...await other.due(10)], [], 'due while it is leased');
    }),
  },
  {
    name: 'an expired lease is taken over, and the old one cannot write',
    run: withStore(async ({ store, other }) => {
      const { task, old } = await shortly(async (ms) => {
        const fresh = newTask();
        await store.create(fresh);
        const { lease: short } = await leased(store, fresh.id, ms);
        await store.append(short, 0, ['"old"']);
        return { task: fresh, old: short };
      });
      const { lease, task: found } = await eventually(() => other.lease(task.id, long));
      check(lease.fence > old.fence, 'the fence did not grow');
      same(found.records, ['"old"'], 'what was acknowledged');
      await lost('append', store.append(old, 1, ['"stale"']));
      await lost('release', store.release(old, 1, ['"stale"'], ['a']));
      await lost('renew', store.renew(old, long));
      await lost('end', store.end(task.id, '"stale"', old));
      await other.append(lease, 1, ['"new"']);
      await lost('append', store.append(old, 2, ['"stale"']));
      const { records, end, waiting } = await loaded(store, task.id);
      same({ records, end, waiting }, { records: ['"old"', '"new"'], end: undefined, waiting: undefined }, 'the task');
    }),
  },
  {
    name: 'a lease that is renewed is kept',
    run: withStore(async ({ store }) => {
      const { kept, left, lease } = await shortly(async (ms) => {
        const [one, two] = [newTask(), newTask()];
        await Promise.all([store.create(one), store.create(two)]);
        const { lease: short } = await leased(store, one.id, ms);
        await store.renew(short, long);
        await leased(store, two.id, ms);
        return { kept: one, left: two, lease: short };
      });
      // The task whose lease was not renewed is free again, and could not be leased earlier.
      await eventually(() => store.lease(left.id, long));
      check(await store.lease(kept.id, long) === undefined, 'a lease that was renewed was taken over');
      await store.append(lease, 0, ['"still"']);
    }),
  },
  {
    name: 'an append after the wrong number of records is refused',
    run: withTask(async ({ store, task }) => {
      const { lease } = await leased(store, task.id);
      await store.append(lease, 0, ['"one"']);
      await lost('append', store.append(lease, 0, ['"again"']));
      await lost('append', store.append(lease, 2, ['"gap"']));
      same((await loaded(store, task.id)).records, ['"one"'], 'records');
    }),
  },
  {
    name: 'a task waits for all its answers, and is due with the last',
    run: withTask(async ({ store, other, task }) => {
      same([...await store.due(10)], [task.id], 'due when created');
      const { lease } = await leased(store, task.id);
      same([...await other.answer(task.id, answers('a'))], [], 'answers without a question');
      await store.release(lease, 0, ['"asked"'], ['a', 'b']);
      same([...await other.due(10)], [], 'due while it waits');
      check(await store.lease(task.id, long) === undefined, 'a task that waits was leased');
      same([...await other.answer(task.id, answers('a', 'c'))], ['a'], 'answers taken');
      same([...await store.due(10)], [], 'due while one is missing');
      const between = await loaded(store, task.id);
      same([between.waiting, [...between.answers]], [['a', 'b'], [['a', '"to a"']]], 'the task in between');
      same([...await other.answer(task.id, answers('a', 'b'))], ['b'], 'an answer counts once');
      same([...await store.due(10)], [task.id], 'due with the last answer');
      const { lease: next, task: found } = await leased(store, task.id);
      same([...found.answers].sort(), [['a', '"to a"'], ['b', '"to b"']], 'answers');
      same((await loaded(store, task.id)).waiting, undefined, 'waiting while it runs');
      same([...await store.answer(task.id, answers('a', 'd'))], [], 'answers while it runs');
      await store.release(next, 1, [], ['d']);
      same([...(await loaded(store, task.id)).answers.keys()].sort(), ['a', 'b'], 'earlier answers stay');
    }),
  },
  {
    name: 'of many answers at once the first wins',
    run: withTask(async ({ store, other, task }) => {
      const { lease } = await leased(store, task.id);
      await store.release(lease, 0, [], ['a']);
      const given = await Promise.all(Array.from({ length: 8 }, (_, i) =>
        (i % 2 ? store : other).answer(task.id, new Map([['a', `"${i}"`]]))));
      const winners = given.flatMap((keys, i) => (keys.length > 0 ? [i] : []));
      same(winners.length, 1, 'answers taken');
      same((await loaded(store, task.id)).answers.get('a'), `"${winners[0]}"`, 'the answer');
    }),
  },
  {
    name: 'keys of questions may be any text',
    run: withTask(async ({ store, task }) => {
      const { lease } = await leased(store, task.id);
      const keys = ['__proto__', '../x', 'ä/ö', 'A', 'a', '', 'seat~2', 'x'.repeat(300)];
      await store.release(lease, 0, [], keys);
      same([...await store.answer(task.id, answers(...keys))].sort(), [...keys].sort(), 'answers taken');
      same([...(await loaded(store, task.id)).answers.keys()].sort(), [...keys].sort(), 'answers');
    }),
  },
  {
    name: 'the first end wins, and nothing follows it',
    run: withTask(async ({ store, other, task }) => {
      const { lease } = await leased(store, task.id);
      same(await store.end(task.id, '"done"', lease), true, 'the end');
      same(await other.end(task.id, '"cancelled"'), false, 'a second end');
      await lost('append', store.append(lease, 0, ['"late"']));
      await lost('renew', store.renew(lease, long));
      check(await store.lease(task.id, long) === undefined, 'a task that has ended was leased');
      same([...await other.answer(task.id, answers('a'))], [], 'an answer after the end');
      same([...await store.due(10)], [], 'due after the end');
      const { end, records } = await loaded(other, task.id);
      same({ end, records }, { end: '"done"', records: [] }, 'the task');
      same(await store.end('task-none', '"x"'), false, 'the end of an unknown task');
    }),
  },
  {
    name: 'cancelling needs no lease, and breaks an existing one',
    run: withStore(async ({ store, other }) => {
      for (const state of ['due', 'running', 'waiting']) {
        const task = newTask();
        await store.create(task);
        let lease: Lease | undefined;
        if (state !== 'due') ({ lease } = await leased(store, task.id));
        if (lease && state === 'waiting') await store.release(lease, 0, [], ['a']);
        same(await other.end(task.id, '"cancelled"'), true, `the end of a task that is ${state}`);
        if (lease) await lost(`the end of one that was ${state}`, store.end(task.id, '"done"', lease));
        same((await loaded(store, task.id)).end, '"cancelled"', state);
      }
      const ends = await Promise.all(Array.from({ length: 5 }, async () => {
        const task = newTask();
        await store.create(task);
        const { lease } = await leased(store, task.id);
        const won = await Promise.all([
          store.end(task.id, '"done"', lease).catch(() => false), other.end(task.id, '"cancelled"'),
        ]);
        return [won.filter(Boolean).length, (await loaded(store, task.id)).end === (won[0] ? '"done"' : '"cancelled"')];
      }));
      same(ends, ends.map(() => [1, true]), 'who won');
    }),
  },
  {
    name: 'due lists tasks that a worker could lease, in any order, and at most the limit',
    run: withStore(async ({ store }) => {
      const now = systemClock.now();
      const tasks = [3, 1, 2].map((age) => newTask({ createdAt: now - age * 1000 }));
      for (const task of tasks) await store.create(task);
      same([...await store.due(2)].length, 2, 'how many');
      same([...await store.due(10)].sort(), tasks.map(({ id }) => id).sort(), 'which');
    }),
  },
  {
    name: 'an owner sees only its own tasks, in order of creation, in pages',
    run: withStore(async ({ store }) => {
      const now = systemClock.now();
      const mine = [5, 1, 3, 3, 2].map((at) => newTask({ createdAt: now + at }));
      const other = newTask({ owner: 'bob' });
      await Promise.all([...mine, other].map((task) => store.create(task)));
      const wanted = mine.map(placeOf).sort();
      const seen: string[] = [];
      for (let after: string | undefined; ;) {
        const page = await store.list('ann', after, 2);
        check(page.length <= 2, 'a page is too long');
        seen.push(...page.map(({ place }) => place));
        after = page.at(-1)?.place;
        if (page.length < 2) break;
      }
      same(seen, wanted, 'places');
      same((await store.list('bob', undefined, 10)).map(({ id }) => id), [other.id], 'the tasks of another');
      same([await store.count(), await store.count('ann'), await store.count('bob'), await store.count('eve')], [6, 5, 1, 0], 'counts');
      const gone = await store.list('ann', placeOf({ id: 'task-gone', createdAt: now + 2 }), 10);
      check(gone.every(({ place }) => wanted.includes(place)), 'the place of a deleted task is misread');
    }),
  },
  {
    name: 'expired tasks are deleted, whatever their state',
    run: withStore(async ({ store, other }) => {
      const now = systemClock.now();
      const [over, ended, kept, forever] = [
        newTask({ expiresAt: now - 1 }), newTask({ expiresAt: now - 1 }), newTask({ expiresAt: now + hour }), newTask(),
      ] as const;
      for (const task of [over, ended, kept, forever]) await store.create(task);
      const { lease } = await leased(store, over.id);
      await store.end(ended.id, '"done"');
      same([...await store.expire(now)].sort(), [over.id, ended.id].sort(), 'deleted');
      check(await other.load(over.id) === undefined, 'a task is still there');
      await lost('append', store.append(lease, 0, ['"late"']));
      same([...await store.answer(over.id, answers('a'))], [], 'an answer to a task that is gone');
      same([...await store.due(10)].sort(), [kept.id, forever.id].sort(), 'due');
      same(await store.count(), 2, 'how many');
    }),
  },
  {
    name: 'watchers in this process are notified',
    run: withStore(async ({ store }) => {
      const task = newTask();
      const told: string[] = [];
      const stop = store.watch((id, change) => void (id === task.id && told.push(change)));
      await store.create(task);
      const { lease } = await leased(store, task.id);
      await store.append(lease, 0, ['"x"']);
      await store.release(lease, 1, [], ['a']);
      await store.answer(task.id, answers('a'));
      await store.end(task.id, '"done"');
      const wanted = ['due', 'written', 'written', 'due', 'ended'];
      await eventually(async () => (told.length >= wanted.length ? true : undefined));
      same(told.filter((change, i) => i === 0 || change !== told[i - 1] || change === 'written'), wanted, 'changes');
      stop();
    }),
  },
];
