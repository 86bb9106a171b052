import { pause, systemClock } from '../bounds/clock.ts';
import { isLeaseLost, LeaseLost } from './store.ts';
import type { LeasedTask, NewTask, StoredTask, TaskStore } from './store.ts';

// Helpers for the tests of `barewire/tasks/testing`.

/** A store to be tested: empty, and used only by the test. */
export interface OpenedStore {
  readonly store: TaskStore;
  /** Opens the same tasks once more, as another process would; undefined if they cannot be shared. */
  again?(): Promise<TaskStore>;
}

/** One test that each store must pass. */
export interface StoreTest {
  readonly name: string;
  /** Rejects if the store fails the test. */
  run(open: () => Promise<OpenedStore>): Promise<void>;
}

export const long = 60_000;
export const hour = 3_600_000;
let count = 0;

export function newTask(more: Partial<NewTask> = {}): NewTask {
  return { id: `task-${++count}`, owner: 'ann', createdAt: systemClock.now(), expiresAt: null, head: '{"a":"ä\\n"}', ...more };
}

export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

export function same(found: unknown, wanted: unknown, what: string): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  check(one === other, `${what}: ${one} in place of ${other}`);
}

export async function leased(store: TaskStore, id: string, ms: number = long): Promise<LeasedTask> {
  const found = await store.lease(id, ms);
  check(found !== undefined, `the task ${id} cannot be leased`);
  return found;
}

export async function loaded(store: TaskStore, id: string): Promise<StoredTask> {
  const found = await store.load(id);
  check(found !== undefined, `the task ${id} cannot be found`);
  return found;
}

export async function lost(what: string, write: Promise<unknown>): Promise<void> {
  const error: unknown = await write.then(() => undefined, (thrown: unknown) => thrown);
  check(error instanceof LeaseLost, `${what} was not refused with LeaseLost: ${String(error)}`);
}

/** Repeats `ask` until it returns a value: leases end by the clock. */
export async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 4000; tries++) {
    const found = await ask();
    if (found !== undefined) return found;
    await pause(systemClock, 5);
  }
  throw new Error('it did not happen');
}

/**
 * Calls `use` with a short lease time. On a busy machine the lease may expire before its use; then a longer time is
 * tried.
 */
export async function shortly<T>(use: (ms: number) => Promise<T>): Promise<T> {
  for (let ms = 40; ; ms *= 4) {
    try {
      return await use(ms);
    } catch (error) {
      if (!isLeaseLost(error) || ms > 10_000) throw error;
    }
  }
}

/** An answer for each key. */
export const answers = (...keys: string[]): Map<string, string> => new Map(keys.map((key) => [key, `"to ${key}"`]));

/** The stores of a test. */
export interface Prepared {
  readonly store: TaskStore;
  /** The same tasks as another process would open them; the same store if they cannot be shared. */
  readonly other: TaskStore;
}

export const withStore = (run: (prepared: Prepared) => Promise<void>): StoreTest['run'] => async (open) => {
  const { store, again } = await open();
  await run({ store, other: await again?.() ?? store });
};

/** Adds one task, which nobody has leased. */
export const withTask = (run: (prepared: Prepared & { readonly task: NewTask }) => Promise<void>): StoreTest['run'] =>
  withStore(async ({ store, other }) => {
    const task = newTask();
    await store.create(task);
    await run({ store, other, task });
  });
