import { pause, systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { checkOptions, longestTimerMs } from '../bounds/options.ts';
import { isObject, methodNotFoundCode } from '../jsonrpc/internal-exports.ts';
import { RpcError } from '../jsonrpc/index.ts';
import type { Bag } from '../jsonrpc/index.ts';
import { callShape, clientShape, McpClient } from '../client/internal-exports.ts';
import type { Structured } from '../client/internal-exports.ts';
import type { Answering, AnyServer, CallOptions, ClientOptions } from '../client/index.ts';
import { coreTasks } from '../protocol/index.ts';
import type { CallToolResult, Implementation, Revision, Tool } from '../protocol/index.ts';
import { encodeHeaderValue } from '../protocol/internal-exports.ts';
import type { ClientTransport } from '../transport/internal-exports.ts';
import { receiveTasks } from './legacy/client-receiver.ts';
import type { ReceivedTaskLimits } from './limits.ts';
import { mayPass } from './passing-fault.ts';
import { detailedResult, isDetailed, outcomeOf, TaskHandle } from './task-handle.ts';
import type { HandlePort } from './task-handle.ts';
import { TaskNews } from './task-news.ts';
import { tasksExtension, tasksRevisions } from './task-form.ts';

/** How many times answers are sent if the request fails, and the pause between, in milliseconds. */
const [maxTries, retryMs] = [10, 1_000];

const mayBeTask = (support: unknown): boolean => support === 'required' || support === 'optional';

/** The options of `TaskClient`. */
export interface TaskClientOptions extends ClientOptions {
  /**
   * The limits of the server's questions as tasks (2025-11-25), or `false`: it may not ask with tasks. Tasks are
   * declared for the kinds of questions that have handlers. Default: `defaultReceivedTaskLimits`.
   */
  receive?: Partial<ReceivedTaskLimits> | false | undefined;
}

/** A call that became a task, or was answered at once. */
export interface Started {
  /** The task; undefined: the server has answered directly. */
  readonly task: TaskHandle | undefined;
  /** The result of the call, with or without a task. */
  result(): Promise<CallToolResult>;
}

/**
 * A client with tasks of both protocols: `callTool` waits for the task by itself, so that its callers need not know of
 * tasks. Questions of a task go to the client's handlers.
 */
export class TaskClient extends McpClient {
  readonly #answering: Answering;
  /** The calls of `startTool`: the callback gets the task, and the result is not waited for. */
  readonly #starting = new WeakMap<CallOptions, (task: Bag) => void>();
  readonly #clock: Clock;
  readonly #news: TaskNews;
  /** The `taskSupport` of each tool at 2025-11-25; undefined: the list was not read. */
  #support: Map<string, unknown> | undefined;

  constructor(info: Implementation, options: TaskClientOptions = {}) {
    checkOptions('TaskClient: options', options, { ...clientShape(), receive: 'object or boolean' });
    const { around, receive = {}, ...rest } = options;
    let own: Answering | undefined;
    super(info, {
      ...rest,
      around(answers) {
        own = around ? around(answers) : answers;
        return receive ? receiveTasks(own, receive, options.clock) : own;
      },
      extensions: {
        ...options.extensions,
        [tasksExtension]: {
          revisions: tasksRevisions,
          resultTypes: {
            task: (task, method, { options: call }) => {
              // ext-tasks, Capability Negotiation: an invalid response to any other request.
              if (method !== 'tools/call') throw new Error(`${method}: the result is a task, which only tools/call may return`);
              const started = this.#starting.get(call);
              if (started) {
                started(task);
                return {};
              }
              return this.#finish(this.#handle(task, call), call);
            },
          },
          notifications: {
            'notifications/tasks': (task) => this.#news.told(task, isDetailed(task)),
            'notifications/tasks/status': (task) => this.#news.told(task, true),
          },
        },
      },
      onListChanged: options.onListChanged && ((list) => {
        if (list === 'tools') this.#support = undefined;
        options.onListChanged?.(list);
      }),
    });
    this.#answering = own as Answering;
    this.#clock = options.clock ?? systemClock;
    this.#news = new TaskNews((ids) => this.#listen(ids), this.#clock);
  }

  override async connect(transport: ClientTransport): Promise<void> {
    await super.connect(transport);
    this.#news.restart();
  }

  override async listTools(options?: CallOptions): Promise<Tool[]> {
    const tools = await super.listTools(options);
    this.#support = new Map(tools.map(({ name, execution }) => [name, execution?.taskSupport]));
    return tools;
  }

  /**
   * Calls a tool, and waits for its task if it becomes one. The timeouts of the call then hold for each request, not
   * for the whole task, which may take until it expires. Aborting `signal` cancels the task; losing the connection does
   * not.
   */
  override async callTool<T = never>(
    name: string, args?: Readonly<Bag>, options: CallOptions = {},
  ): Promise<CallToolResult & { structuredContent?: Structured<AnyServer, string, T> }> {
    const own = this.#own(options);
    if (this.#legacyTasks && (await this.#supportOf(name, options)) === 'required') {
      const handle = await this.#startLegacy(name, args, own);
      return await this.#finish(handle, own) as CallToolResult & Bag & { structuredContent?: Structured<AnyServer, string, T> };
    }
    return super.callTool<T>(name, args, own);
  }

  /**
   * Calls a tool as a task, and does not wait for its result. At 2026-07-28 the server decides whether the call becomes
   * a task; at 2025-11-25 this method does, and rejects with `-32601` if the tool does not support tasks.
   */
  async startTool(name: string, args?: Readonly<Bag>, options: CallOptions = {}): Promise<Started> {
    const own = this.#own(options);
    if (this.#legacyTasks) {
      // 2025-11-25 basic/utilities/tasks#tool-level-negotiation: other tools must not be called as a task, not even to try it.
      if (!mayBeTask(await this.#supportOf(name, options) ?? await this.#supportOf(name, options, true))) {
        throw new RpcError(methodNotFoundCode, `Tool ${JSON.stringify(name)} cannot be called as a task`);
      }
      const task = await this.#startLegacy(name, args, own);
      return { task, result: () => this.#finish(task, own) as Promise<CallToolResult & Bag> };
    }
    let begun: Bag | undefined;
    this.#starting.set(own, (task) => (begun = task));
    const answer = await this.request('tools/call', { name, ...args && { arguments: args } }, own);
    if (!begun) await this.checkToolResult(name, answer);
    if (!begun) return { task: undefined, result: async () => answer as CallToolResult & Bag };
    const task = this.#handle(begun, own, name);
    return { task, result: () => this.#finish(task, own) as Promise<CallToolResult & Bag> };
  }

  /** Returns a handle for a task that was begun earlier, perhaps by another process. */
  task(id: string, options: CallOptions = {}): TaskHandle {
    checkOptions('task: options', options, callShape);
    return new TaskHandle(id, undefined, this.#port(options), options.onProgress);
  }

  get #legacyTasks(): boolean {
    const revision = this.revision as Revision | undefined;
    return revision !== undefined && coreTasks(revision) && this.capabilities?.tasks?.requests?.tools?.call !== undefined;
  }

  /** Resolves with the subscription that the server agreed to; undefined without a subscription: tasks are polled. */
  async #listen(taskIds: readonly string[] | undefined): Promise<unknown> {
    return this.revision?.era === 'modern' ? this.listen('taskIds', taskIds) : undefined;
  }

  /**
   * The options of a call that may become a task. If the call was cancelled, its late task is cancelled too. Each
   * progress is reported once, whether it comes in a notification or in the status message.
   */
  #own(options: CallOptions): CallOptions {
    checkOptions('tools/call: options', options, callShape);
    let last = -Infinity;
    return {
      ...options,
      onProgress: options.onProgress && ((report) => {
        if (report.progress <= last) return;
        last = report.progress;
        options.onProgress?.(report);
      }),
      onLate: (result) => {
        const { task = result } = result;
        const taskId = isObject(task) ? task['taskId'] : undefined;
        if (typeof taskId === 'string') this.#port(options).cancel(taskId).catch(() => {});
        options.onLate?.(result);
      },
    };
  }

  /** `fresh`: reads the list of tools again, because the tool may be new. */
  async #supportOf(name: string, { signal }: CallOptions, fresh: boolean = false): Promise<unknown> {
    if (fresh || !this.#support) await this.listTools({ signal, fresh });
    return this.#support?.get(name);
  }

  async #startLegacy(name: string, args: Readonly<Bag> | undefined, options: CallOptions): Promise<TaskHandle> {
    const { task } = await this.request(
      'tools/call', { name, ...args && { arguments: args }, task: {} }, options,
    );
    if (!isObject(task)) throw new Error('tools/call: requested as a task, but the result has no task');
    return this.#handle(task, options, name);
  }

  /** `tool`: the called tool, if nothing else checks its result. */
  #handle(task: Bag, options: CallOptions, tool?: string): TaskHandle {
    const { taskId } = task;
    if (typeof taskId !== 'string') throw new Error('tools/call: the task has no taskId');
    return new TaskHandle(taskId, task, this.#port(options, tool), options.onProgress);
  }

  /** Waits for the result of a handle. The caller's signal cancels the task. */
  #finish(handle: TaskHandle, { signal }: CallOptions): Promise<Bag> {
    const result = handle.result() as Promise<CallToolResult & Bag>;
    if (!signal) return result;
    const stop = (): void => {
      handle.leave(signal.reason);
      void handle.cancel().catch(() => {});
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    return result.finally(() => signal.removeEventListener('abort', stop));
  }

  /** The requests of a handle, in the methods of the revision. */
  #port({ timeoutMs, maxTimeoutMs, headers, meta }: CallOptions, tool?: string): HandlePort {
    // ext-tasks, Streamable HTTP: "the client MUST set the `Mcp-Name` header to the value of `params.taskId`"
    const about = (id: string): CallOptions => ({
      timeoutMs, maxTimeoutMs, meta, headers: { ...headers, 'Mcp-Name': encodeHeaderValue(id) },
    });
    const modern = (): boolean => this.revision?.era === 'modern';
    const answered = new Set<string>();
    /** The `tasks/result` request, during which a legacy server asks its questions; later its result. */
    let blocked: Promise<Bag> | undefined;
    let there = false;
    const result = (id: string, { ttl }: Bag): Promise<Bag> => blocked ??= this.request('tasks/result', { taskId: id }, {
      // 2025-11-25 basic/lifecycle#timeouts: every request has one. This timeout is as long as the task's ttl.
      ...about(id), timeoutMs: typeof ttl === 'number' && ttl >= 1 ? Math.min(ttl, longestTimerMs) : longestTimerMs, maxTimeoutMs: 0,
    }).then((value) => {
      there = true;
      return value;
    }, (error: unknown) => {
      blocked = undefined;
      throw error;
    });
    return {
      clock: this.#clock,
      get: (id) => this.request('tasks/get', { taskId: id }, about(id)),
      cancel: (id) => this.request('tasks/cancel', { taskId: id }, about(id)),
      outcome: async (id, task) => (modern() ? () => detailedResult(id, task) : outcomeOf(result(id, task), task)),
      check: (result) => (tool === undefined ? undefined : this.checkToolResult(tool, result)),
      follow: (id) => this.#news.follow(id),
      answer: async (id, task) => {
        // 2025-11-25: "the requestor SHOULD preemptively call tasks/result". The request ends with the task.
        if (!modern()) return !there && result(id, task).then(() => true, () => false);
        const open = isObject(task['inputRequests']) ? Object.entries(task['inputRequests']) : [];
        const requests = open.filter(([key]) => !answered.has(key));
        if (requests.length === 0) return false;
        for (const [key] of requests) answered.add(key);
        const inputResponses = await this.#answering.gather('tools/call', Object.fromEntries(requests), {
          revision: this.revision as Revision, clock: this.#clock, signal: undefined, send: () => Promise.reject(new Error('not here')),
        });
        // A person's answer must not be lost with a connection. It may be sent twice: the server takes it once.
        for (let tries = 1; ; tries++) {
          try {
            await this.request('tasks/update', { taskId: id, inputResponses }, about(id));
            return true;
          } catch (error) {
            if (!mayPass(error) || tries >= maxTries) throw error;
            await pause(this.#clock, retryMs);
          }
        }
      },
    };
  }
}
