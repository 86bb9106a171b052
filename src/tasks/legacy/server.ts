import { internalError, invalidParams, methodNotFound, methodNotFoundCode, notificationText } from '../../jsonrpc/internal-exports.ts';
import { RpcError } from '../../jsonrpc/index.ts';
import type { Bag, Notification, Params } from '../../jsonrpc/index.ts';
import { coreTasks } from '../../protocol/index.ts';
import type { CallToolResult, Revision, ServerCapabilities, Task } from '../../protocol/index.ts';
import { isTerminal, relatedTask } from '../../protocol/internal-exports.ts';
import type { Exchange, LegacyExtension, LegacyRequester, Requester } from '../../server/index.ts';
import { adaptToolResult, askClient, RawResult } from '../../server/internal-exports.ts';
import type { Auth } from '../../transport/internal-exports.ts';
import type { TaskView } from '../journal.ts';
import type { TaskLimits } from '../limits.ts';
import { RequestRate } from '../request-rate.ts';
import { mayHear, ownerOf } from '../tasks.ts';
import type { Tasks } from '../tasks.ts';
import { commonFields } from '../task-form.ts';

const pageSize = 100;
const cursorPattern = /^\d{15}-[a-z0-9-]{1,100}$/;

const declared: ServerCapabilities = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };

type Served = NonNullable<LegacyExtension['methods']>[string];

const related = (id: string): Bag => ({ [relatedTask]: { taskId: id } });

/** The client that began a task over a connection of this process; its notifications need this owner and these scopes. */
interface Begun extends Pick<TaskView, 'owner' | 'scopes'> {
  readonly requester: Requester;
  /** The last progress that was sent. */
  progress?: number;
}

/** The tasks of 2025-11-25, where they are an experimental part of the core. */
export class LegacyTasks {
  readonly legacy: LegacyExtension;
  readonly #tasks: Tasks;
  /** By id, until the task ends. */
  readonly #begun = new Map<string, Begun>();
  /** The questions to clients that are under way: no question is sent twice at the same time. */
  readonly #asking = new Map<string, Promise<void>>();

  readonly #askClient: typeof askClient;

  readonly #rate: RequestRate;

  /** `ask` sends the questions of tasks to a client. */
  constructor(tasks: Tasks, { maxRequestsPerSecond }: TaskLimits, ask: typeof askClient = askClient) {
    this.#tasks = tasks;
    this.#askClient = ask;
    this.#rate = new RequestRate(maxRequestsPerSecond, tasks.clock);
    this.legacy = {
      capabilities: (revision) => (revision === '2025-11-25' ? declared : undefined),
      // "receivers that cannot identify requestors SHOULD NOT declare the `tasks.list` capability"
      tailor: ({ tasks: has, ...rest }, requester) => {
        if (!has || !isAnonymous(requester)) return has ? { ...rest, tasks: has } : rest;
        const { list: _list, ...others } = has;
        return { ...rest, tasks: others };
      },
      methods: {
        'tasks/get': this.#counted(async ({ taskId }, { auth }) => legacyTask(await tasks.view(auth, taskId))),
        'tasks/result': this.#counted(({ taskId }, exchange) => this.#result(taskId, exchange)),
        'tasks/cancel': this.#counted(({ taskId }, { auth }) => this.#cancel(auth, taskId)),
        'tasks/list': this.#counted(({ cursor }, exchange) => this.#list(cursor, exchange)),
      },
    };
  }

  /** Adds the rate limit to a method: per principal; without authentication, per connection. */
  #counted(serve: (params: Params, exchange: Exchange) => Promise<object>): Served {
    return (params, ctx) => {
      const exchange = ctx as unknown as Exchange;
      this.#rate.count(exchange.auth ? ownerOf(exchange.auth) : exchange.requester);
      return serve(params, exchange);
    };
  }

  /**
   * Answers a call that its client requested as a task: with the task, as soon as `begin` has stored it. The client gets the
   * notifications of the task's handler, and is notified of its states, as long as it is connected to this process.
   * basic/utilities/tasks#creating-tasks.
   */
  async create(
    { requester, auth }: Exchange, scopes: readonly string[], begin: (named: (id: string) => void) => Promise<TaskView>,
  ): Promise<RawResult> {
    let begun = '';
    try {
      const view = await begin((id) => {
        begun = id;
        this.#begun.set(id, { requester, owner: ownerOf(auth), scopes });
      });
      if (this.#begun.has(begun)) void this.#tell(view).catch(() => {}).finally(() => this.#begun.delete(begun));
      return new RawResult({ task: legacyTask(view) });
    } catch (error) {
      // The task could not be stored.
      this.#begun.delete(begun);
      throw error;
    }
  }

  /** Sends a notification of the task's handler, such as progress under the call's token. */
  notify(id: string, { method, params }: Notification): void {
    const begun = this.#begun.get(id);
    const progress = method === 'notifications/progress' ? params?.['progress'] : undefined;
    if (begun && typeof progress === 'number') {
      // 2025-11-25 basic/utilities/progress#progress-flow: progress MUST increase, but each run of the handler starts anew.
      if (progress <= (begun.progress ?? -Infinity)) return;
      begun.progress = progress;
    }
    this.#announce(id, method, { ...params, _meta: { ...params?.['_meta'] as Bag, ...related(id) } });
  }

  /** Checks the credentials each time: the session may have weaker ones now than the call had. */
  #announce(id: string, method: string, params: Bag): void {
    const begun = this.#begun.get(id);
    const { requester } = begun ?? {};
    if (begun && mayHear(begun, requester?.options?.auth)) requester?.announce?.(notificationText(method, params));
  }

  /** 2025-11-25 basic/utilities/tasks#task-status-notification. */
  async #tell({ id, owner, ...begun }: TaskView): Promise<void> {
    let last = JSON.stringify(legacyTask({ id, owner, ...begun }));
    let before: TaskView | undefined;
    for (;;) {
      const change = this.#tasks.changed(id);
      const view = await this.#tasks.look(owner, id, before);
      if (view && view !== before) {
        before = view;
        const task = legacyTask(view);
        const text = JSON.stringify(task);
        if (text !== last) this.#announce(id, 'notifications/tasks/status', { ...task });
        last = text;
        if (view.end) return;
      }
      await change;
    }
  }

  async #cancel(auth: Auth | undefined, id: unknown): Promise<Task> {
    const tasks = this.#tasks;
    if (!await tasks.cancel(auth, id)) {
      const { status } = legacyTask(await tasks.view(auth, id));
      throw new RpcError(-32602, `taskId: the task cannot be cancelled, it is ${status} already`);
    }
    return legacyTask(await tasks.view(auth, id));
  }

  async #list(cursor: unknown, { auth, requester }: Exchange): Promise<object> {
    if (isAnonymous(requester)) throw methodNotFound('tasks/list');
    const { tasks, nextCursor } = await listTasks(this.#tasks, auth, cursor);
    return { tasks: tasks.map(legacyTask), nextCursor };
  }

  /** Blocks until the task has ended, and asks its questions meanwhile. basic/utilities/tasks#result-retrieval. */
  async #result(id: unknown, exchange: Exchange): Promise<object> {
    const { auth, signal } = exchange;
    let before: TaskView | undefined;
    for (;;) {
      const change = typeof id === 'string' ? this.#tasks.changed(id, signal) : undefined;
      change?.catch(() => {});
      const view = before = await this.#tasks.view(auth, id, before);
      if (view.end) return resultOf(view, exchange);
      const open = Object.entries(view.questions ?? {});
      if (open.length > 0 && isLegacy(exchange.requester)) {
        await Promise.all(open.map(([key, { method, params }]) =>
          this.#ask(view, key, method, { ...params as Bag }, exchange)));
        continue;
      }
      await change;
    }
  }

  /** Sends a question of a task to the client, on the stream of the request that waits for the result. */
  #ask(view: TaskView, key: string, method: string, params: Bag, exchange: Exchange): Promise<void> {
    const { requester, inbound } = exchange;
    const name = `${view.id} ${key}`;
    const under = this.#asking.get(name);
    if (under) return under.catch(() => {});
    const put = { ...params, _meta: { ...params['_meta'] as Bag, ...related(view.id) } };
    const asking = this.#askClient(requester as LegacyRequester, method, put, inbound)
      // An error of the client cannot be used as an answer: a form counts as cancelled, every other question is asked again.
      .catch((thrown: unknown): Bag => {
        if (thrown instanceof RpcError) return { action: 'cancel' };
        throw thrown;
      })
      // The answer needs credentials too: those that the session has now.
      .then(({ _meta, ...answer }) => this.#tasks.answer(requester.options?.auth ?? exchange.auth, view.id, { [key]: answer }))
      .finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    return asking;
  }
}

const isLegacy = (requester: Requester): requester is LegacyRequester => 'announce' in requester;

/** Whether the client cannot be identified: it is not authenticated, and the server may have other clients. */
const isAnonymous = ({ options }: Requester): boolean => options?.auth === undefined && !options?.sole;

/** "exactly what the underlying request would have returned, whether that is a successful result or a JSON-RPC error" */
function resultOf({ id, status, end }: TaskView, { revision }: Exchange): object {
  if (end?.status === 'completed') {
    const result = adaptToolResult(end.result as unknown as CallToolResult, revision);
    return { ...result, _meta: { ...result._meta, ...related(id) } };
  }
  if (end?.status === 'failed') throw new RpcError(end.error.code, end.error.message, end.error.data);
  throw internalError(isTerminal(status) ? 'The task was cancelled' : 'The task has no result yet');
}

export interface TaskPage {
  readonly tasks: readonly TaskView[];
  readonly nextCursor: string | undefined;
}

/**
 * Returns a page of the caller's tasks, without tasks whose scopes the credentials lack. Throws `-32602` for a malformed cursor.
 * basic/utilities/tasks#listing-tasks.
 */
export async function listTasks(all: Tasks, auth: Auth | undefined, cursor: unknown): Promise<TaskPage> {
  if (cursor !== undefined && (typeof cursor !== 'string' || !cursorPattern.test(cursor))) {
    throw invalidParams('cursor is not a cursor of this list');
  }
  const owner = ownerOf(auth);
  const found = await all.store.list(owner, cursor, pageSize + 1);
  const shown = found.slice(0, pageSize);
  const tasks = await Promise.all(shown.map(({ id }) => all.find(owner, id).catch((error: unknown) => {
    // A task may have been deleted meanwhile. If the store fails, the whole list fails, so that no task is missing from it.
    if (!(error instanceof RpcError)) throw error;
    return undefined;
  })));
  return {
    tasks: tasks.filter((task) => task !== undefined && mayHear(task, auth)) as TaskView[],
    nextCursor: found.length > pageSize ? shown.at(-1)?.place : undefined,
  };
}

/** A task as in 2025-11-25. It is `failed` if the result has `isError`: basic/utilities/tasks#task-execution-errors. */
export function legacyTask(view: TaskView): Task {
  const { end, ttlMs, pollIntervalMs } = view;
  const toolFailed = end?.status === 'completed' && end.result['isError'] === true;
  return {
    ...commonFields(view),
    ...toolFailed && { status: 'failed', statusMessage: textOf(end.result) ?? view.message ?? 'The tool has failed' },
    ttl: ttlMs,
    pollInterval: pollIntervalMs,
  } as Task;
}

/** The first text block of a result, for the status message. */
function textOf({ content }: Bag): string | undefined {
  const blocks = Array.isArray(content) ? content as { text?: unknown }[] : [];
  const text = blocks.find((block) => typeof block.text === 'string')?.text;
  return typeof text === 'string' ? text.slice(0, 1000) : undefined;
}

/** The error for a call as a task of a tool that is never one. basic/utilities/tasks#tool-level-negotiation. */
export const needlessTask = (name: string): RpcError =>
  new RpcError(methodNotFoundCode, `Tool ${JSON.stringify(name)} cannot be called as a task`);

/** The error for a plain call of a tool that runs only as a task, in a revision before 2026-07-28. */
export function missingTask(name: string, revision: Revision): RpcError {
  const why = coreTasks(revision) ? 'must be called as a task' : `runs only as a task, which ${revision.version} does not have`;
  return new RpcError(methodNotFoundCode, `Tool ${JSON.stringify(name)} ${why}`);
}
