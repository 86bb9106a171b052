import type { Clock } from '../bounds/clock.ts';
import { ConnectionError, RpcError } from '../jsonrpc/index.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';
import { isTaskStatus, isTerminal } from '../protocol/internal-exports.ts';
import type { CallToolResult, TaskStatus } from '../protocol/index.ts';
import { mayPass } from './passing-fault.ts';
import type { Bag, Progress } from '../jsonrpc/index.ts';
import type { Follower } from './task-news.ts';

/** The last known state of a task. */
export interface TaskState {
  readonly id: string;
  readonly status: TaskStatus;
  readonly message: string | undefined;
}

/** Thrown if the task was cancelled: there will be no result. */
export class TaskCancelled extends Error {
  constructor(id: string, message: string | undefined) {
    super(`the task ${id} was cancelled${message === undefined ? '' : `: ${message}`}`);
    this.name = 'TaskCancelled';
  }
}

/** The requests of a handle. The client sends them in the methods of the revision. */
export interface HandlePort {
  readonly clock: Clock;
  get(id: string): Promise<Bag>;
  /** Resolves with a function that returns the task's result, or throws as the call would. Rejects if the request fails. */
  outcome(id: string, task: Bag): Promise<() => Bag>;
  /** Throws or rejects if the called tool may not have this result. */
  check(result: Bag): Promise<void> | undefined;
  cancel(id: string): Promise<unknown>;
  /**
   * Starts to answer the task's questions before it returns. Resolves when the server has the answers; false if there
   * was no new question. A rejection ends the waiting for the result.
   */
  answer(id: string, task: Bag): Promise<boolean>;
  /** Follows the server's notifications about the task, from now on. */
  follow(id: string): Follower;
}

/** 2025-11-25 and ext-tasks: clients SHOULD honour the poll interval. Values of the server outside these bounds are clamped. */
const [minPollMs, maxPollMs, defaultPollMs] = [100, 60_000, 1_000];
/** How many times a request is tried if it fails. With the default interval, a fault of the server may last five minutes. */
const maxFailures = 10;
/** Changes that are kept for those that read them late, and characters of their messages. */
const [maxChanges, maxChangesLength] = [1_000, 1_048_576];

/** A task of a server: its status, its result, and a way to cancel it. */
export class TaskHandle {
  /**
   * The id, with which `client.task(id)` finds the task again, also after a restart. Without authentication, the id
   * gives access to the task.
   */
  readonly id: string;
  readonly #port: HandlePort;
  readonly #onProgress: ((progress: Progress) => void) | undefined;
  readonly #result: Promise<CallToolResult>;
  readonly #changes: TaskState[] = [];
  /** How many changes were dropped from the beginning of `#changes`, and the characters of the messages of the others. */
  #dropped = 0;
  #length = 0;
  readonly #listeners = new Set<() => void>();
  #state: TaskState;
  #ended = false;
  #stop: (reason: unknown) => void = () => {};
  #follower: Follower | undefined;
  #pollMs = defaultPollMs;

  /** `task`: the task as the server has created it; undefined: it is requested first. */
  constructor(id: string, task: Bag | undefined, port: HandlePort, onProgress?: (progress: Progress) => void) {
    this.id = id;
    this.#port = port;
    this.#onProgress = onProgress;
    this.#state = { id, status: 'working', message: undefined };
    this.#result = new Promise<CallToolResult>((resolve, reject) => {
      this.#stop = reject;
      void this.#follow(task).then(async (result) => {
        await port.check(result);
        resolve(result as unknown as CallToolResult);
      }).catch(reject);
    }).finally(() => {
      this.#ended = true;
      this.#follower?.leave();
      this.#tell();
    });
    // If nobody asks for the result, its failure is not an unhandled rejection.
    this.#result.catch(() => {});
  }

  get status(): TaskStatus {
    return this.#state.status;
  }

  /** The server's message about the status. */
  get message(): string | undefined {
    return this.#state.message;
  }

  /** The result of the call. Rejects as the call would, or with `TaskCancelled`. */
  result(): Promise<CallToolResult> {
    return this.#result;
  }

  /** Asks the server to cancel the task. The task may still end in another way. */
  async cancel(): Promise<void> {
    await this.#port.cancel(this.id);
  }

  /** Stops waiting; the task itself goes on. */
  leave(reason: unknown): void {
    this.#ended = true;
    this.#stop(reason);
    this.#follower?.leave();
  }

  /** Yields each change of the status or the message, from the first to the last; to a late reader only the last 1,000. */
  async *[Symbol.asyncIterator](): AsyncGenerator<TaskState, void, undefined> {
    for (let at = 0; ;) {
      at = Math.max(at, this.#dropped);
      const change = this.#changes[at - this.#dropped];
      if (change) {
        at++;
        yield change;
      } else if (this.#ended) return;
      else await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  async #follow(first: Bag | undefined): Promise<Bag> {
    const { id } = this;
    const begun = this.#port.clock.monotonic();
    const get = (): Promise<Bag> => this.#port.get(id);
    let task = first ?? await this.#patiently(get);
    let failed: { error: unknown } | undefined;
    while (!this.#ended) {
      const status = this.#note(task);
      if (isTerminal(status)) return (await this.#outcome(status, task))();
      if (status === 'input_required') {
        this.#port.answer(id, task).then(
          (sent) => sent && this.#news.wake(),
          (error: unknown) => {
            failed = { error };
            this.#news.wake();
          },
        );
      }
      const ttl = task['ttlMs'] ?? task['ttl'];
      if (typeof ttl === 'number' && this.#port.clock.monotonic() - begun > ttl) {
        throw new Error(`the task ${id} has not ended within its ${ttl} ms`);
      }
      const told = await this.#news.wait(this.#pollMs);
      if (failed) throw failed.error;
      if (this.#ended) break;
      task = told && timeOf(told) >= timeOf(task) ? told : await this.#patiently(get);
    }
    throw new Error(`the task ${id} is no longer waited for`);
  }

  #outcome(status: TaskStatus, task: Bag): Promise<() => Bag> {
    const { id } = this;
    if (status === 'cancelled') throw new TaskCancelled(id, this.message);
    // At 2025-11-25 the error of a failed task looks like a fault of the server. It is requested again: a task's error stays.
    return this.#patiently(() => this.#port.outcome(id, task), status === 'failed' ? 3 : maxFailures);
  }

  get #news(): Follower {
    return this.#follower ??= this.#port.follow(this.id);
  }

  /**
   * Repeats a request after a fault that may pass. A lost connection is tried again at each poll interval; after each
   * error of the server the wait doubles.
   */
  async #patiently<T>(ask: () => Promise<T>, most: number = maxFailures): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await ask();
      } catch (error) {
        if (this.#ended || failures >= most || !mayPass(error)) throw error;
        const factor = error instanceof ConnectionError ? 1 : 2 ** failures;
        await this.#news.wait(Math.min(this.#pollMs * factor, maxPollMs));
      }
    }
  }

  #note(task: Bag): TaskStatus {
    const { status } = task;
    this.#pollMs = pollOf(task);
    if (!isTaskStatus(status)) throw new Error(`the task ${this.id} has an unknown status`);
    const message = typeof task['statusMessage'] === 'string' ? task['statusMessage'] : undefined;
    if (this.#dropped + this.#changes.length === 0 || status !== this.#state.status || message !== this.#state.message) {
      const news = message !== this.#state.message;
      this.#state = { id: this.id, status, message };
      this.#keep(this.#state);
      const progress = news && message !== undefined ? progressOf(message) : undefined;
      if (progress) this.#onProgress?.(progress);
      this.#tell();
    }
    return status;
  }

  #keep(state: TaskState): void {
    const changes = this.#changes;
    const lengthOf = ({ message = '' }: TaskState): number => message.length;
    changes.push(state);
    this.#length += lengthOf(state);
    while (changes.length > 1 && (changes.length > maxChanges || this.#length > maxChangesLength)) {
      this.#length -= lengthOf(changes.shift() as TaskState);
      this.#dropped++;
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}

function pollOf(task: Bag): number {
  const said = task['pollIntervalMs'] ?? task['pollInterval'];
  return Math.min(Math.max(typeof said === 'number' ? said : defaultPollMs, minPollMs), maxPollMs);
}

/** When a task last changed. Another connection may deliver an older notification later. */
const timeOf = ({ lastUpdatedAt }: Bag): number => (typeof lastUpdatedAt === 'string' ? Date.parse(lastUpdatedAt) || 0 : 0);

/** Parses a progress message of a barewire server: "3 of 10: baking". */
function progressOf(message: string): Progress | undefined {
  const match = /^(\d+(?:\.\d+)?)(?: of (\d+(?:\.\d+)?))?(?:: ([^]*))?$/.exec(message);
  if (!match) return undefined;
  const [, progress, total, text] = match;
  return { progress: Number(progress), ...total !== undefined && { total: Number(total) }, ...text !== undefined && { message: text } };
}

/** Returns the result that a task of 2026-07-28 contains, or throws its error. */
export function detailedResult(id: string, { status, result, error }: Bag): Bag {
  if (status === 'completed' && isObject(result)) return result;
  if (status === 'failed' && isObject(error)) {
    const { code, message, data } = error;
    throw new RpcError(typeof code === 'number' ? code : -32603, String(message), data);
  }
  throw new Error(`the task ${id} is ${String(status)} and has no ${status === 'failed' ? 'error' : 'result'}`);
}

/**
 * Returns the outcome in a `tasks/result` response of 2025-11-25. An error may be the task's or a fault of the server:
 * it is the task's if the status message says the same.
 */
export async function outcomeOf(asked: Promise<Bag>, { status, statusMessage }: Bag): Promise<() => Bag> {
  try {
    const result = await asked;
    return () => result;
  } catch (error) {
    if (mayPass(error) && !(status === 'failed' && error instanceof RpcError && error.message === statusMessage)) throw error;
    return () => {
      throw error;
    };
  }
}

/**
 * Whether a task of 2026-07-28 has all that `tasks/get` would return. ext-tasks requires this of notifications too, but
 * some servers send only the status.
 */
export function isDetailed(task: Bag): boolean {
  const { status } = task;
  if (status === 'completed') return isObject(task['result']);
  if (status === 'failed') return isObject(task['error']);
  return status !== 'input_required' || isObject(task['inputRequests']);
}
