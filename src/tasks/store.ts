import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';

/**
 * Where tasks are kept. A store knows tasks as texts: what they say is the journal's (`journal.ts`), and may be
 * sealed. Every promise resolves when what was written would survive, as far as the store claims to (`durable`),
 * so that the caller may acknowledge it.
 *
 * Whoever writes what a run has done holds a *lease*. Each lease of a task has a higher *fence* than the one before,
 * and a write under a lower fence is refused: `LeaseLost`. Answers and ends need no lease: the first one wins.
 * Each promise settles within a bounded time, and rejects where the store cannot be reached: a worker waits for it.
 * `storeTests` of `barewire/tasks/testing` is what every store has to pass.
 */
export interface TaskStore {
  /** Whether tasks outlive this process. */
  readonly durable: boolean;
  /** Writes a new task. Rejects where there is one of this id. */
  create(task: NewTask): Promise<void>;
  /** Everything of one task; undefined: there is no such task. */
  load(id: string): Promise<StoredTask | undefined>;
  /**
   * Takes a task for `ms` milliseconds, whoever had it before; undefined where it has ended or is gone, where somebody
   * has it, and where it waits for answers.
   */
  lease(id: string, ms: number): Promise<LeasedTask | undefined>;
  /** Holds it for `ms` milliseconds from now. Rejects with `LeaseLost`. */
  renew(lease: Lease, ms: number): Promise<void>;
  /**
   * Adds records after the first `after` ones, all or none. Rejects with `LeaseLost`, also where there are more than
   * that: somebody else has written.
   */
  append(lease: Lease, after: number, records: readonly string[]): Promise<void>;
  /**
   * Adds records as `append` does, and gives the task back: it is due again when all answers that it waits for are
   * there, at once where it waits for none.
   */
  release(lease: Lease, after: number, records: readonly string[], waiting: readonly string[]): Promise<void>;
  /**
   * Keeps answers, by the keys that the task waits for; the first to a key wins. Returns the keys that were taken:
   * those that the task does not wait for, and those of a task that has ended or is gone, are not.
   */
  answer(id: string, answers: ReadonlyMap<string, string>): Promise<readonly string[]>;
  /**
   * Ends a task. False: it had ended before, or is gone. With a lease it rejects with `LeaseLost` where that is
   * broken; without one (cancelling) it breaks the lease that there is.
   */
  end(id: string, end: string, lease?: Lease): Promise<boolean>;
  /** Ids of tasks that a worker could take now, those that wait longest first; at most `limit`. */
  due(limit: number): Promise<readonly string[]>;
  /** An owner's tasks in the order of their places (`placeOf`), after the place `after`; at most `limit`. */
  list(owner: string, after: string | undefined, limit: number): Promise<readonly ListedTask[]>;
  /** How many tasks there are; of one owner, where one is named. */
  count(owner?: string): Promise<number>;
  /** Deletes the tasks whose time is over at `now` (milliseconds since the epoch); returns their ids. */
  expire(now: number): Promise<readonly string[]>;
  /** Tells of what happens to tasks; by which processes, is the store's to say. Returns what ends it. */
  watch(listener: (id: string, change: TaskChange) => void): () => void;
  /** Ends what the store holds open. Tasks stay, where the store outlives the process. */
  close(): Promise<void>;
}

/** `due`: a worker may take it. `written`: a run has written. `ended`: it has ended, or was deleted. */
export type TaskChange = 'due' | 'written' | 'ended';

/** What a task is created with. */
export interface NewTask {
  /** Letters, digits and hyphens, in lower case. */
  readonly id: string;
  /** Whose it is. */
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch; null: never. */
  readonly expiresAt: number | null;
  /** What it is to do. */
  readonly head: string;
}

/** A task as a store gives it back. */
export interface StoredTask extends NewTask {
  /** What its runs have written, in order. */
  readonly records: readonly string[];
  /** By the key of the question. */
  readonly answers: ReadonlyMap<string, string>;
  /** The keys that it waits for; undefined while it runs, or is to run. */
  readonly waiting: readonly string[] | undefined;
  readonly end: string | undefined;
}

/** A task in a list, and its place there. */
export interface ListedTask {
  readonly id: string;
  readonly place: string;
}

/** Where a task stands among others: by its creation, in the order of texts. */
export function placeOf({ id, createdAt }: Pick<NewTask, 'id' | 'createdAt'>): string {
  return `${String(createdAt).padStart(15, '0')}-${id}`;
}

/** The tasks after a place, for stores that have them all at hand. */
export function pageOf(
  tasks: readonly Pick<NewTask, 'id' | 'createdAt'>[], after: string | undefined, limit: number,
): readonly ListedTask[] {
  return tasks.map((task) => ({ id: task.id, place: placeOf(task) }))
    .filter(({ place }) => after === undefined || place > after)
    .sort((one, other) => (one.place < other.place ? -1 : 1))
    .slice(0, limit);
}

/** The right to write. */
export interface Lease {
  readonly id: string;
  /** Higher than that of every lease before. 1 is the first. */
  readonly fence: number;
}

/** A task and the right to write it. */
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

/** The lease has run out, or somebody else has the task: nothing was written that counts. */
export class LeaseLost extends Error {
  constructor({ id, fence }: Lease, why: string) {
    super(`task ${id}: the lease ${fence} is lost: ${why}`);
    this.name = 'LeaseLost';
  }
}

/** Whether an error says that a lease is lost: also one of a store that has another copy of this module. */
export const isLeaseLost = (error: unknown): boolean => error instanceof Error && error.name === 'LeaseLost';

/** Tells those who watch. */
export class Watchers {
  readonly #listeners = new Set<(id: string, change: TaskChange) => void>();

  /** Adds a listener; the function that it returns takes it away. */
  readonly watch: TaskStore['watch'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Tells everybody who watches of a change. */
  tell(id: string, change: TaskChange): void {
    for (const listener of this.#listeners) listener(id, change);
  }

  /** Forgets everybody who watches. */
  clear(): void {
    this.#listeners.clear();
  }
}

/** Whether answers are missing that a task waits for. */
export function isWaiting({ waiting, answers }: Pick<StoredTask, 'waiting' | 'answers'>): boolean {
  return waiting !== undefined && waiting.some((key) => !answers.has(key));
}
