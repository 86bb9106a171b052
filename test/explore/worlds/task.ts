import type { ManualClock } from '../../../src/bounds/manual-clock.ts';
import { McpServer } from '../../../src/server/index.ts';
import { defaultTaskLimits } from '../../../src/tasks/limits.ts';
import { memoryStore } from '../../../src/tasks/memory-store.ts';
import type { StoredTask, TaskStore } from '../../../src/tasks/store.ts';
import { Tasks } from '../../../src/tasks/tasks.ts';
import { Worker } from '../../../src/tasks/worker.ts';
import { calm, pass, worldClock } from '../explorer.ts';
import type { Kind, Step, World } from '../explorer.ts';
import { Gate } from '../gate.ts';
import { endsOnce, nothingHeld } from '../invariants.ts';

/** An operation that a worker has requested from the store and that the store has not yet performed. */
interface Pending {
  readonly worker: string;
  readonly what: string;
  /** Whether it writes. A full disk refuses writes. */
  readonly writes: boolean;
  run(): void;
  fail(): void;
}

/** An observer. It may wrap the store and each worker's view of it, and is called when a step begins. */
export interface TaskWatch {
  store(store: TaskStore, clock: ManualClock): TaskStore;
  worker(name: string, store: TaskStore): TaskStore;
  begins(worker: string): void;
}

const limits = { ...defaultTaskLimits, leaseMs: 3000, scanMs: 2000 };

/**
 * A task and two workers. Each store call waits until the explorer releases it, so a worker may be suspended for as long as a lease, before
 * or after the lease was granted. The disk may be full, a person answers, the task may be cancelled.
 */
async function make(watch?: TaskWatch): Promise<World> {
  const clock = worldClock();
  const settle = (): Promise<void> => calm(clock);
  const memory = memoryStore({ clock });
  const store = watch?.store(memory, clock) ?? memory;
  const pending: Pending[] = [];
  const errors: string[] = [];
  const gates = { first: new Gate<void>(), second: new Gate<void>() };
  const made = { first: 0, second: 0 };
  /** The values that runs of the handler got from their steps. */
  const seen = { first: new Set<number>(), second: new Set<number>() };
  /** Until when each worker certainly holds its lease, counted from its request. */
  const held = new Map<string, number>();
  let fault: string | undefined;
  const begin = (worker: string, step: string): void => {
    watch?.begins(worker);
    if (clock.monotonic() >= (held.get(worker) ?? 0)) fault ??= `${worker} begins the step ${step} under a lease that is over`;
  };
  const counts = { leases: 0, ends: 0, full: 0, ticks: 0, cancels: 0 };

  function storeOf(worker: string): TaskStore {
    const wait = <A extends unknown[], T>(what: string, writes: boolean, call: (...args: A) => Promise<T>) => (...args: A): Promise<T> =>
      new Promise((resolve, reject) => {
        pending.push({
          worker, what, writes,
          run: () => void call(...args).then(resolve, reject),
          fail: () => reject(new Error('no space left on the device')),
        });
      });
    const own: TaskStore = {
      ...store,
      lease: (id, ms) => {
        const until = clock.monotonic() + ms;
        return wait('lease', false, async () => {
          const leased = await store.lease(id, ms);
          if (leased) {
            counts.leases++;
            held.set(worker, until);
          }
          return leased;
        })();
      },
      renew: (lease, ms) => {
        const until = clock.monotonic() + ms;
        return wait('renew', false, () => store.renew(lease, ms).then(() => void held.set(worker, until)))();
      },
      append: wait('append', true, store.append),
      release: wait('release', true, store.release),
      end: wait('end', true, async (...args: Parameters<TaskStore['end']>) => {
        const ended = await store.end(...args);
        if (ended) counts.ends++;
        return ended;
      }),
    };
    return watch?.worker(worker, own) ?? own;
  }

  function serverOf(worker: string): McpServer {
    const server = new McpServer({ name: 's', version: '1.0.0' }, { clock, onError: (error) => errors.push((error as Error).message) });
    server.tool('job', {}, async (_args, ctx) => {
      const first = await ctx.once('first', () => (begin(worker, 'first'), gates.first.wait().then(() => ++made.first)));
      seen.first.add(first);
      const { action } = await ctx.elicit('Go on?', { sure: { type: 'boolean' } }, { key: 'sure' });
      const second = await ctx.once('second', () => (begin(worker, 'second'), gates.second.wait().then(() => ++made.second)));
      seen.second.add(second);
      return `${first} ${action} ${second}`;
    });
    return server;
  }

  const tasks = new Tasks(store, limits, clock);
  const workers = ['one', 'two'].map((name) => new Worker(serverOf(name), storeOf(name), { limits, others: true }));
  const { id } = await tasks.create('', {
    tool: 'job', arguments: {}, revision: '2026-07-28', client: { name: 'c', version: '1' }, capabilities: { elicitation: { form: {} } },
  } as Parameters<Tasks['create']>[1]);
  await settle();
  let task = await store.load(id) as StoredTask;
  let before = task;
  const look = async (): Promise<void> => {
    await settle();
    before = task;
    task = await store.load(id) as StoredTask;
  };
  const answer = async (): Promise<void> => {
    const keys = task.waiting?.filter((key) => !task.answers.has(key)) ?? [];
    await store.answer(id, new Map(keys.map((key) => [key, JSON.stringify({ at: clock.now(), answer: { action: 'accept', content: { sure: true } } })])));
    await look();
  };
  const isAsking = (): boolean => task.end === undefined && (task.waiting?.some((key) => !task.answers.has(key)) ?? false);
  const through = (one: Pending): void => void pending.splice(pending.indexOf(one), 1);

  const world: World = {
    steps() {
      const steps: Step[] = [];
      for (const worker of ['one', 'two']) {
        const one = pending.find((each) => each.worker === worker);
        if (!one) continue;
        steps.push({ name: `${worker}: ${one.what}`, touches: ['store'], run: () => (through(one), one.run(), look()) });
        if (one.writes && counts.full < 1) steps.push({ name: `${worker}: ${one.what}, the disk is full`, touches: ['store'], run: () => (counts.full++, through(one), one.fail(), look()) });
      }
      for (const name of ['first', 'second'] as const) if (gates[name].waits > 0) steps.push({ name: `the ${name} step is done`, touches: ['store'], run: () => (gates[name].open(), look()) });
      if (isAsking()) steps.push({ name: 'the person answers', touches: ['store'], run: answer });
      // Optional: if the task is not cancelled, it must end by itself.
      if (counts.cancels < 1 && task.end === undefined) {
        steps.push({
          name: 'the task is cancelled', touches: ['store'], optional: true,
          run: async () => {
            counts.cancels++;
            if (await store.end(id, JSON.stringify({ at: clock.now(), status: 'cancelled' }))) counts.ends++;
            await look();
          },
        });
      }
      if (counts.ticks < 5 && clock.due !== undefined && task.end === undefined) steps.push({ name: `time passes ${counts.ticks + 1}`, touches: ['*'], run: () => (counts.ticks++, pass(clock).then(look)) });
      return steps;
    },
    check() {
      if (fault !== undefined) throw new Error(fault);
      if (before.records.some((text, i) => task.records[i] !== text)) throw new Error('a record was changed');
      if (before.end !== undefined && (task.end !== before.end || task.records.length !== before.records.length)) throw new Error('the task was written after its end');
      endsOnce('the task', counts.ends);
      for (const key of ['first', 'second'] as const) {
        const values = task.records.map((text) => JSON.parse(text) as { t: string; key?: string; value?: number }).filter((record) => record.t === 'step' && record.key === key);
        if (values.length > 1) throw new Error(`the step ${key} was recorded ${values.length} times`);
        // docs/tasks.md: only another run, with another lease, begins a step again.
        if (made[key] > counts.leases) throw new Error(`the step ${key} was done ${made[key]} times under ${counts.leases} leases`);
        for (const value of seen[key]) if (value !== values[0]?.value) throw new Error(`a run went on with ${value}, and the journal has ${values[0]?.value}`);
      }
      const { status, result } = JSON.parse(task.end ?? '{}') as { status?: string; result?: { content?: { text?: string }[] } };
      const text = result?.content?.[0]?.text;
      if (status === 'completed' && text !== `${[...seen.first][0]} accept ${[...seen.second][0]}`) throw new Error(`the result says ${text}`);
      if (status === 'failed') throw new Error(`the task failed: ${task.end}`);
    },
    async finish() {
      // From every state the task must end: nothing blocks it for good.
      for (let rounds = 0; task.end === undefined; rounds++) {
        if (rounds > 200) throw new Error('the task never ends');
        const [one] = pending;
        if (one) {
          through(one);
          one.run();
        } else if (gates.first.waits > 0) gates.first.open();
        else if (gates.second.waits > 0) gates.second.open();
        else if (isAsking()) await answer();
        else await pass(clock);
        await look();
        world.check();
      }
      const closing = Promise.all(workers.map((worker) => worker.close()));
      for (let rounds = 0; rounds < 50; rounds++) {
        for (const one of pending.splice(0)) one.run();
        gates.first.open();
        gates.second.open();
        await look();
      }
      await closing;
      tasks.close();
      world.check();
      nothingHeld({ clocks: [clock] });
      return JSON.stringify([made, counts.leases > 2 ? 'several leases' : counts.leases, task.end?.includes('cancelled'), counts.full, [...new Set(errors)]]);
    },
  };
  return world;
}

/** The world with an observer. */
export const taskWith = (watch?: TaskWatch): Kind => ({
  name: 'task', what: 'a task: two workers, a lease that runs out, a suspended worker, a full disk, a cancellation, an answer', make: () => make(watch),
});

export const task: Kind = taskWith();
