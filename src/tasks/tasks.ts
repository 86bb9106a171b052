import type { Clock, Timer } from '../bounds/clock.ts';
import { internalError, invalidParams, isObject } from '../jsonrpc/internal-exports.ts';
import { RpcError } from '../jsonrpc/index.ts';
import { firstTaskStatus } from '../protocol/internal-exports.ts';
import { checkScopes } from '../server/internal-exports.ts';
import { AccessDenied } from '../transport/internal-exports.ts';
import type { Auth } from '../transport/internal-exports.ts';
import { readTask, viewOf } from './journal.ts';
import type { TaskEnd, TaskHead, TaskView } from './journal.ts';
import type { TaskLimits } from './limits.ts';
import type { TaskStore } from './store.ts';
import { malformedTaskId, newTaskId, random, unknownTask } from './task-id.ts';

/**
 * The owner of a task: the caller's principal. Without authentication, each caller that knows the id, which cannot be
 * guessed, may use the task. 2025-11-25 basic/utilities/tasks#task-isolation-and-access-control.
 */
export const ownerOf = (auth: Auth | undefined): string => (auth ? `principal:${auth.principal}` : '');

/** Whether a caller with these credentials may see a task: it is the owner, and has the task's scopes. */
export function mayHear({ owner, scopes }: Pick<TaskView, 'owner' | 'scopes'>, auth: Auth | undefined): boolean {
  if (ownerOf(auth) !== owner) return false;
  try {
    checkScopes({ scopes }, { auth });
    return true;
  } catch (error) {
    if (error instanceof AccessDenied) return false;
    throw error;
  }
}

/** The data of a new task; `Tasks` adds the rest. */
export type TaskOrder = Omit<TaskHead, 'seed' | 'ttlMs' | 'pollIntervalMs'>;

/** How often a task that somebody waits for is read from the store, in milliseconds: another process may have changed it. */
const lookMs = 500;
/** The most tasks that are read per second; with more waiting tasks, the reads are less frequent. */
const maxLooks = 500;
/** The most characters that these reads take per second, and that are parsed in one turn of the event loop, besides one task. */
const [maxLookCharacters, longParse] = [16_777_216, 1_048_576];
/** How long a count of tasks is valid, in milliseconds, and for how many owners counts are kept. */
const [countedMs, maxCounts] = [1_000, 1_000];
/** The random bytes of the seed of a task's idempotency keys. */
const seedBytes = 8;

/**
 * The operations on tasks that both protocols share. They check that the task belongs to the caller and, except `find`
 * and `look`, that the caller has the scopes of the task's tool.
 */
export class Tasks {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly #limits: TaskLimits;
  readonly #waiting = new Map<string, Set<() => void>>();
  /** How many tasks the timer has woken the last time. */
  #looked = 0;
  /** Characters of tasks that were read since then, and between the time before and then. */
  #read = 0;
  #readBefore = 0;
  /** Characters of tasks that were parsed in this turn of the event loop, about, and the promise of the next one. */
  #parsed = 0;
  #turn: Promise<void> | undefined;
  /** What a view was made of. */
  readonly #versions = new WeakMap<TaskView, string>();
  /** By owner; under `undefined`, of all tasks. */
  readonly #counts = new Map<string | undefined, { n: number; readonly at: number }>();
  /** The counts that are under way, by owner; concurrent callers share them. */
  readonly #counting = new Map<string | undefined, Promise<void>>();
  readonly #unwatch: () => void;
  #timer: Timer | undefined;

  constructor(store: TaskStore, limits: TaskLimits, clock: Clock) {
    this.clock = clock;
    this.store = store;
    this.#limits = limits;
    this.#unwatch = store.watch((id) => this.#wake(id));
  }

  /**
   * Creates a task; resolves when it is stored. Throws `-32603` if there are too many, and `-32602` if its arguments are too long.
   * `ttlMs`: the requested ttl.
   * `named` is called with the id before a worker can take the task.
   */
  async create(owner: string, order: TaskOrder, ttlMs?: number, named?: (id: string) => void): Promise<TaskView> {
    const { maxJournalBytes, maxTtlMs, pollIntervalMs } = this.#limits;
    const kept = Math.min(ttlMs ?? this.#limits.ttlMs, maxTtlMs);
    const bounded = Number.isFinite(kept);
    const id = newTaskId();
    const ttl = bounded ? kept : null;
    // Each member by name: a spread of so many members costs more than the rest of this method.
    const { tool, arguments: args, _meta, revision, client, capabilities, scopes, auth, answers, made } = order;
    const head: TaskHead = {
      tool, arguments: args, _meta, revision, client, capabilities, auth, answers, made,
      scopes: scopes?.length ? scopes : undefined,
      seed: random(seedBytes), ttlMs: ttl, pollIntervalMs,
    };
    const text = JSON.stringify(head);
    const given = text.length > maxJournalBytes ? JSON.stringify([args, _meta, answers, made]).length : 0;
    if (given > maxJournalBytes) throw invalidParams(`arguments take ${given} characters in a task; the limit is ${maxJournalBytes}`);
    if (!this.#counted(undefined) || !this.#counted(owner)) await Promise.all([this.#count(undefined), this.#count(owner)]);
    this.#add(owner);
    const createdAt = this.clock.now();
    named?.(id);
    await this.store.create({ id, owner, createdAt, expiresAt: ttl === null ? null : createdAt + ttl, head: text });
    return {
      id, owner, scopes: scopes ?? [], createdAt, ttlMs: ttl, pollIntervalMs,
      status: firstTaskStatus, updatedAt: createdAt, message: undefined, questions: undefined, end: undefined,
    };
  }

  /** Counts one more task, or throws. It reads the counts again: other calls may have created tasks during the wait. */
  #add(owner: string): void {
    const { maxTasks, maxTasksPerPrincipal } = this.#limits;
    const all = this.#counts.get(undefined);
    const own = this.#counts.get(owner);
    if (all && all.n >= maxTasks) throw internalError(`Too many tasks: the limit is ${maxTasks}`);
    if (own && own.n >= maxTasksPerPrincipal) {
      throw internalError(`Too many tasks of one principal: the limit is ${maxTasksPerPrincipal}`);
    }
    if (all) all.n++;
    if (own) own.n++;
  }

  /** Whether the count for an owner, or of all tasks, is still valid. Other processes' tasks may be missing for a second. */
  #counted(owner: string | undefined): boolean {
    const known = this.#counts.get(owner);
    return known !== undefined && this.clock.monotonic() - known.at < countedMs;
  }

  #count(owner: string | undefined): Promise<void> | undefined {
    if (this.#counted(owner)) return undefined;
    const counting = this.#counting.get(owner) ?? this.#countAnew(owner).finally(() => this.#counting.delete(owner));
    this.#counting.set(owner, counting);
    return counting;
  }

  async #countAnew(owner: string | undefined): Promise<void> {
    const n = await this.store.count(owner);
    this.#counts.delete(owner);
    this.#counts.set(owner, { n, at: this.clock.monotonic() });
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= maxCounts) break;
      if (oldest !== undefined) this.#counts.delete(oldest);
    }
  }

  /**
   * Returns a task. Throws `-32602` if the caller has no such task, and `AccessDenied` if the credentials lack its scopes. `before`: see
   * `find`.
   */
  async view(auth: Auth | undefined, id: unknown, before?: TaskView): Promise<TaskView> {
    const view = await this.find(ownerOf(auth), id, before);
    checkScopes(view, { auth });
    return view;
  }

  /**
   * Returns a task of this owner, without a check of its scopes: use `mayHear` before anything of it is sent. Throws
   * `-32602` if the owner has no such task. `before`: an earlier view of it, which is returned again if nothing has changed: a task may
   * be long, and many may be waited for.
   */
  async find(owner: string, id: unknown, before?: TaskView): Promise<TaskView> {
    if (typeof id !== 'string') throw malformedTaskId();
    const stored = await this.store.load(id);
    const over = stored?.expiresAt !== undefined && stored.expiresAt !== null && stored.expiresAt <= this.clock.now();
    if (!stored || stored.owner !== owner || over) {
      throw unknownTask();
    }
    // The head never changes, and records and answers are only added.
    const { head, records, answers, waiting, end = '' } = stored;
    const version = `${records.length} ${answers.size} ${end.length} ${waiting?.join() ?? '-'}`;
    const lengths = [...records, ...answers.values()].reduce((sum, { length }) => sum + length, head.length + end.length);
    this.#read += lengths;
    if (before && this.#versions.get(before) === version) return before;
    while (this.#parsed > longParse) await this.#nextTurn();
    this.#parsed += lengths;
    const view = viewOf(readTask(stored));
    this.#versions.set(view, version);
    return view;
  }

  /** Resolves in the next turn of the event loop, so that one caller with many long tasks does not hold up the others. */
  #nextTurn(): Promise<void> {
    return this.#turn ??= new Promise((resolve) => {
      const go = (): void => {
        this.#turn = undefined;
        this.#parsed = 0;
        resolve();
      };
      if (!this.clock.after(0, go)) go();
    });
  }

  /** Like `find`; undefined if the store has failed, perhaps only for a moment: the caller tries again. */
  look(owner: string, id: string, before?: TaskView): Promise<TaskView | undefined> {
    return this.find(owner, id, before).catch((error: unknown) => {
      if (error instanceof RpcError) throw error;
      return undefined;
    });
  }

  /**
   * Stores answers to open questions; other answers are ignored, as ext-tasks says. Throws `-32602` if an answer, or
   * `responses` itself, is not an object, and throws as `view` does.
   */
  async answer(auth: Auth | undefined, id: unknown, responses: unknown): Promise<void> {
    if (!isObject(responses)) throw invalidParams('inputResponses must be an object');
    const view = await this.view(auth, id);
    const open = view.questions ?? {};
    const texts = new Map<string, string>();
    for (const [key, answer] of Object.entries(responses)) {
      if (!Object.hasOwn(open, key)) continue;
      if (!isObject(answer)) throw invalidParams(`inputResponses: each answer must be an object`);
      const text = JSON.stringify({ at: this.clock.now(), answer });
      if (text.length > this.#limits.maxResultBytes) {
        throw invalidParams(`inputResponses: an answer takes ${text.length} characters; the limit is ${this.#limits.maxResultBytes}`);
      }
      texts.set(key, text);
    }
    if (texts.size > 0) await this.store.answer(view.id, texts);
  }

  /** Cancels a task. False if it has ended before. Throws as `view` does. */
  async cancel(auth: Auth | undefined, id: unknown): Promise<boolean> {
    const view = await this.view(auth, id);
    if (view.end) return false;
    const end: TaskEnd = { status: 'cancelled', message: 'The task was cancelled by request.', at: this.clock.now() };
    return this.store.end(view.id, JSON.stringify(end));
  }

  /** Resolves when a task may have changed, in this process or another. Rejects with the signal's reason. */
  changed(id: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, waiting);
      const end = (): void => {
        waiting.delete(go);
        if (waiting.size === 0) this.#waiting.delete(id);
        signal?.removeEventListener('abort', stop);
      };
      const go = (): void => {
        end();
        resolve();
      };
      const stop = (): void => {
        end();
        reject(signal?.reason as Error);
      };
      waiting.add(go);
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
      this.#look();
    });
  }

  close(): void {
    this.#unwatch();
    this.#timer?.stop();
    for (const id of [...this.#waiting.keys()]) this.#wake(id);
  }

  #wake(id: string): void {
    for (const go of [...this.#waiting.get(id) ?? []]) go();
  }

  /** Wakes all waiting calls after a while: not every store reports the writes of other processes. */
  #look(): void {
    if (this.#timer !== undefined) return;
    const pause = Math.max(lookMs, this.#looked * 1000 / maxLooks, Math.max(this.#read, this.#readBefore) * 1000 / maxLookCharacters);
    this.#timer = this.clock.after(pause, () => {
      this.#timer = undefined;
      [this.#readBefore, this.#read] = [this.#read, 0];
      const ids = [...this.#waiting.keys()];
      // The first call that waits again starts the timer for all.
      this.#looked = ids.length;
      for (const id of ids) this.#wake(id);
    }, true);
  }
}
