import { systemClock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import type { Clock } from '../bounds/clock.ts';
import { internalError } from '../jsonrpc/internal-exports.ts';
import { isWaiting, LeaseLost, pageOf, Watchers } from './store.ts';
import type { Lease, LeasedTask, NewTask, StoredTask, TaskStore } from './store.ts';

interface MemoryTask extends NewTask {
  records: string[];
  /** Replaced, never changed: copies of the task share it. */
  answers: ReadonlyMap<string, string>;
  waiting: readonly string[] | undefined;
  end: string | undefined;
  fence: number;
  /** When the last lease ends, by the monotonic clock. 0: it was given back. */
  until: number;
}

const none: ReadonlyMap<string, string> = new Map();

/** The options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** The clock. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
  /** Characters of JSON in all tasks together, above which no task is created. 128 Mi. */
  readonly maxBytes?: number | undefined;
}

/**
 * Returns a store that keeps tasks in this process: they end with it. Long function: one object with a method for each
 * call of a store.
 */
export function memoryStore(options: MemoryStoreOptions = {}): TaskStore {
  checkOptions('memoryStore: options', options, { clock: 'object', maxBytes: 0 });
  const { clock = systemClock, maxBytes = 134_217_728 } = options;
  /** Characters in all tasks. */
  let kept = 0;
  const tasks = new Map<string, MemoryTask>();
  const watchers = new Watchers();
  const isFree = (task: MemoryTask): boolean => task.end === undefined && task.until <= clock.monotonic() && !isWaiting(task);
  const copy = ({ id, owner, createdAt, expiresAt, head, records, answers, waiting, end }: MemoryTask): StoredTask => ({
    id, owner, createdAt, expiresAt, head, waiting, end, answers, records: [...records],
  });

  /** Returns the task if this lease holds it. */
  function held(lease: Lease): MemoryTask {
    const task = tasks.get(lease.id);
    if (task === undefined) throw new LeaseLost(lease, 'the task is gone');
    if (task.end !== undefined) throw new LeaseLost(lease, 'the task has ended');
    if (task.fence !== lease.fence) throw new LeaseLost(lease, 'another worker has the task');
    if (task.until <= clock.monotonic()) throw new LeaseLost(lease, 'it has expired');
    return task;
  }

  function add(lease: Lease, after: number, records: readonly string[]): MemoryTask {
    const task = held(lease);
    if (task.records.length !== after) throw new LeaseLost(lease, `there are ${task.records.length} records, not ${after}`);
    // A list that grows by one gets room for 17, but most tasks write only one or two records.
    for (const record of records) kept += record.length;
    if (after === 0) task.records = [...records];
    else task.records.push(...records);
    return task;
  }

  return {
    durable: false,
    async create({ id, owner, createdAt, expiresAt, head }) {
      if (tasks.has(id)) throw new Error(`the task ${id} exists`);
      if (kept + head.length > maxBytes) throw internalError(`Too many characters in tasks: the limit is ${maxBytes}`);
      kept += head.length;
      // Each member by name: from a spread with members after it, V8 makes an object that is slow to make and to read
      // (bench/NOTES.md).
      tasks.set(id, {
        id, owner, createdAt, expiresAt, head, records: [], answers: none, waiting: undefined, end: undefined, fence: 0, until: 0,
      });
      watchers.tell(id, 'due');
    },
    async load(id) {
      const task = tasks.get(id);
      return task && copy(task);
    },
    async lease(id, ms): Promise<LeasedTask | undefined> {
      const task = tasks.get(id);
      if (!task || !isFree(task)) return undefined;
      task.fence++;
      task.until = clock.monotonic() + ms;
      task.waiting = undefined;
      return { lease: { id, fence: task.fence }, task: copy(task) };
    },
    async renew(lease, ms) {
      held(lease).until = clock.monotonic() + ms;
    },
    async append(lease, after, records) {
      add(lease, after, records);
      watchers.tell(lease.id, 'written');
    },
    async release(lease, after, records, waiting) {
      const task = add(lease, after, records);
      task.until = 0;
      task.waiting = [...waiting];
      watchers.tell(lease.id, isWaiting(task) ? 'written' : 'due');
    },
    async answer(id, answers) {
      const task = tasks.get(id);
      if (!task || task.end !== undefined) return [];
      const taken = [...answers.keys()].filter((key) => task.waiting?.includes(key) && !task.answers.has(key));
      if (taken.length === 0) return taken;
      for (const key of taken) kept += answers.get(key)?.length ?? 0;
      task.answers = new Map([...task.answers, ...taken.map((key) => [key, answers.get(key) as string] as const)]);
      watchers.tell(id, isWaiting(task) ? 'written' : 'due');
      return taken;
    },
    async end(id, end, lease) {
      const task = lease ? held(lease) : tasks.get(id);
      if (!task || task.end !== undefined) return false;
      task.end = end;
      kept += end.length;
      task.until = 0;
      watchers.tell(id, 'ended');
      return true;
    },
    async due(limit) {
      const found: string[] = [];
      for (const task of tasks.values()) {
        if (found.length >= limit) break;
        if (isFree(task)) found.push(task.id);
      }
      return found;
    },
    async list(owner, after, limit) {
      const owned = [...tasks.values()].filter((task) => task.owner === owner);
      return pageOf(owned, after, limit);
    },
    async count(owner) {
      if (owner === undefined) return tasks.size;
      let count = 0;
      for (const task of tasks.values()) if (task.owner === owner) count++;
      return count;
    },
    async expire(now) {
      const gone = [...tasks.values()].filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now);
      for (const { id, head, records, answers, end = '' } of gone) {
        for (const text of [head, ...records, ...answers.values(), end]) kept -= text.length;
        tasks.delete(id);
        watchers.tell(id, 'ended');
      }
      return gone.map(({ id }) => id);
    },
    watch: watchers.watch,
    async close() {
      watchers.clear();
    },
  };
}
