import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';

/**
 * Keeps tasks. To a store, the contents of a task are opaque strings: `journal.ts` defines their format, and they may
 * be encrypted. A write resolves when the data is as safe as the store promises (`durable`), so that the caller may
 * acknowledge it.
 *
 * A worker writes the records of a run under a *lease*. Each lease of a task has a higher *fence* than the lease
 * before, and a write under a lower fence rejects with `LeaseLost`. Answers and cancellations need no lease: the first
 * one wins. Each promise settles within a bounded time, and rejects if the store cannot be reached: a worker waits for
 * it. Every store must pass `storeTests` of `barewire/tasks/testing`.
 */
export interface TaskStore {
  /** Whether tasks survive the end of this process. */
  readonly durable: boolean;
  /** Stores a new task. Rejects if a task with this id exists. */
  create(task: NewTask): Promise<void>;
  /** Returns all data of a task; undefined if it does not exist. */
  load(id: string): Promise<StoredTask | undefined>;
  /**
   * Leases a task for `ms` milliseconds. Undefined if the task has ended or does not exist, if another lease of it has
   * not expired, or if the task waits for answers.
   */
  lease(id: string, ms: number): Promise<LeasedTask | undefined>;
  /** Extends the lease to `ms` milliseconds from now. Rejects with `LeaseLost`. */
  renew(lease: Lease, ms: number): Promise<void>;
  /**
   * Appends records, all or none. `after`: how many records the task has so far. Rejects with `LeaseLost`, also if the
   * task has a different number of records.
   */
  append(lease: Lease, after: number, records: readonly string[]): Promise<void>;
  /**
   * Appends records like `append`, and gives up the lease. The task is due again when it has an answer for each key of
   * `waiting`; at once if `waiting` is empty.
   */
  release(lease: Lease, after: number, records: readonly string[], waiting: readonly string[]): Promise<void>;
  /**
   * Stores answers by the keys that the task waits for; the first answer for a key wins. Returns the keys of the stored
   * answers: none if the task has ended or does not exist.
   */
  answer(id: string, answers: ReadonlyMap<string, string>): Promise<readonly string[]>;
  /**
   * Ends a task. False if it has ended before or does not exist. With a lease, rejects with `LeaseLost` if the lease is
   * lost; without one (to cancel), breaks the current lease.
   */
  end(id: string, end: string, lease?: Lease): Promise<boolean>;
  /** Ids of tasks that a worker could lease now; at most `limit`. The order is up to the store. */
  due(limit: number): Promise<readonly string[]>;
  /** The tasks of an owner, sorted by place (`placeOf`), after the place `after`; at most `limit`. */
  list(owner: string, after: string | undefined, limit: number): Promise<readonly ListedTask[]>;
  /** The number of tasks; only those of `owner` if given. */
  count(owner?: string): Promise<number>;
  /** Deletes the tasks that have expired at `now` (milliseconds since the epoch); returns their ids. */
  expire(now: number): Promise<readonly string[]>;
  /**
   * Calls `listener` when a task changes; the store decides whether also for changes by other processes. Returns a
   * function that removes the listener.
   */
  watch(listener: (id: string, change: TaskChange) => void): () => void;
  /** Closes files and connections of the store. A durable store keeps its tasks. */
  close(): Promise<void>;
}

/** `due`: a worker may lease the task. `written`: records or answers were added. `ended`: it has ended, or was deleted. */
export type TaskChange = 'due' | 'written' | 'ended';

/** The data of a new task. */
export interface NewTask {
  /** Letters, digits and hyphens, in lower case. */
  readonly id: string;
  /** The owner; only compared with other owners. */
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch; null: never. */
  readonly expiresAt: number | null;
  /** The call that the task runs: a `TaskHead` as JSON. */
  readonly head: string;
}

/** A task as a store returns it. */
export interface StoredTask extends NewTask {
  /** The records of its runs, in order. */
  readonly records: readonly string[];
  /** By the key of the question. */
  readonly answers: ReadonlyMap<string, string>;
  /** The keys of the last `release`; undefined before the first `release`, and from each `lease` to the next `release`. */
  readonly waiting: readonly string[] | undefined;
  readonly end: string | undefined;
}

/** A task in a list, and its place there. */
export interface ListedTask {
  readonly id: string;
  readonly place: string;
}

/** The sort key of a task in lists: its creation time, then its id. */
export function placeOf({ id, createdAt }: Pick<NewTask, 'id' | 'createdAt'>): string {
  return `${String(createdAt).padStart(15, '0')}-${id}`;
}

/** Returns the tasks after a place, for stores that have all tasks in memory. */
export function pageOf(
  tasks: readonly Pick<NewTask, 'id' | 'createdAt'>[], after: string | undefined, limit: number,
): readonly ListedTask[] {
  return tasks.map((task) => ({ id: task.id, place: placeOf(task) }))
    .filter(({ place }) => after === undefined || place > after)
    .sort((one, other) => (one.place < other.place ? -1 : 1))
    .slice(0, limit);
}

/** The right to write a task. */
export interface Lease {
  readonly id: string;
  /** Higher than the fence of each earlier lease of the task. The first is 1. */
  readonly fence: number;
}

/** A task and its new lease. */
export interface LeasedTask {
  readonly lease: Lease;
  readonly task: StoredTask;
}

/**
 * The time for which a lease certainly holds. Both clocks must say so: the system's clock may be set back, and the
 * monotonic clock stands still while the machine sleeps.
 */
export class LeaseTime {
  readonly #clock: Clock;
  #steady: number;
  #system: number;

  /** A lease that is requested now. Its time begins here, since the process may be paused before the store grants it. */
  constructor(ms: number, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#steady = clock.monotonic() + ms;
    this.#system = clock.now() + ms;
  }

  get isOver(): boolean {
    return this.#clock.monotonic() >= this.#steady || this.#clock.now() >= this.#system;
  }
}

/** Thrown if a lease has expired or another worker has leased the task. What the call has written does not count. */
export class LeaseLost extends Error {
  constructor({ id, fence }: Lease, why: string) {
    super(`task ${id}: the lease ${fence} is lost: ${why}`);
    this.name = 'LeaseLost';
  }
}

/** Whether an error is a `LeaseLost`, also of another copy of this module. */
export const isLeaseLost = (error: unknown): boolean => error instanceof Error && error.name === 'LeaseLost';

/** The listeners of `TaskStore.watch`. */
export class Watchers {
  readonly #listeners = new Set<(id: string, change: TaskChange) => void>();

  /** Adds a listener. Returns a function that removes it. */
  readonly watch: TaskStore['watch'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Calls all listeners. */
  tell(id: string, change: TaskChange): void {
    for (const listener of this.#listeners) listener(id, change);
  }

  /** Removes all listeners. */
  clear(): void {
    this.#listeners.clear();
  }
}

/** Whether the task waits for an answer that is still missing. */
export function isWaiting({ waiting, answers }: Pick<StoredTask, 'waiting' | 'answers'>): boolean {
  return waiting !== undefined && waiting.some((key) => !answers.has(key));
}
