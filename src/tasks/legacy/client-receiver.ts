import { systemClock } from '../../bounds/clock.ts';
import type { Clock, Timer } from '../../bounds/clock.ts';
import { atTime } from '../../bounds/long-timer.ts';
import { checkOptions } from '../../bounds/options.ts';
import { Abortable, internalError, invalidParams, methodNotFound, toErrorObject } from '../../jsonrpc/internal-exports.ts';
import { Cancelled, RpcError } from '../../jsonrpc/index.ts';
import { weighValue } from '../../bounds/weight.ts';
import type { Bag } from '../../jsonrpc/index.ts';
import type { Answering } from '../../client/index.ts';
import { firstTaskStatus, isTerminal, nextTaskStatus, page, relatedTask } from '../../protocol/internal-exports.ts';
import type { Listed, TaskEvent } from '../../protocol/internal-exports.ts';
import { coreTasks } from '../../protocol/index.ts';
import type { ClientCapabilities, Revision, Task, TaskStatus } from '../../protocol/index.ts';
import { defaultReceivedTaskLimits, receivedLimitsShape } from '../limits.ts';
import type { ReceivedTaskLimits } from '../limits.ts';
import { RequestRate } from '../request-rate.ts';
import { commonFields, ttlOf } from '../task-form.ts';
import { malformedTaskId, newTaskId, unknownTask } from '../task-id.ts';

/** A question of the server that the client works on, or has answered. */
interface ReceivedTask extends Listed {
  readonly id: string;
  readonly createdAt: number;
  readonly ttl: number;
  readonly abortable: Abortable;
  /** Called when the task has ended. */
  readonly waiting: Set<() => void>;
  readonly timer: Timer | undefined;
  status: TaskStatus;
  message: string | undefined;
  updatedAt: number;
  /** The response that the request would have had without a task. */
  outcome: { readonly result: object } | { readonly error: unknown };
  /** The memory of the question, and later of its result, in bytes. */
  weight: number;
}

const pageSize = 100;
const maxMessage = 1000;

/**
 * Lets the server ask the client with tasks of 2025-11-25: `sampling/createMessage` and `elicitation/create` with
 * `task` are answered at once, and the server fetches the result by `tasks/get` and `tasks/result`. Wraps `answering`,
 * and declares tasks for each kind of question that it can answer. The tasks are kept in memory, and belong to the
 * connection: closing the client ends them. 2025-11-25 basic/utilities/tasks.
 */
export function receiveTasks(answering: Answering, limits: Partial<ReceivedTaskLimits> = {}, clock: Clock = systemClock): Answering {
  checkOptions('receiveTasks: limits', limits, receivedLimitsShape());
  const received = new ReceivedTasks(answering, { ...defaultReceivedTaskLimits, ...limits }, clock);
  return {
    ...answering,
    capabilities: (revision) => withTasks(answering.capabilities(revision), revision),
    answer(method, params, revision, abortable) {
      const requests = withTasks(answering.capabilities(revision), revision).tasks?.requests;
      if (!requests) return answering.answer(method, params, revision, abortable);
      if (method.startsWith('tasks/')) return received.serve(method, params, abortable);
      // "Receivers that do not declare the task capability for a request type MUST process requests of that type
      // normally, ignoring any task-augmentation metadata if present."
      const takes = method === 'sampling/createMessage' ? requests.sampling
        : method === 'elicitation/create' ? requests.elicitation : undefined;
      const { task, ...question } = params;
      if (!takes || task === undefined) return answering.answer(method, params, revision, abortable);
      return { task: received.create(method, question, task, revision) };
    },
    begin(tell) {
      answering.begin?.(tell);
      received.tell = tell;
    },
    end() {
      answering.end?.();
      received.end();
    },
  };
}

/** 2025-11-25 basic/utilities/tasks#client-capabilities: declares tasks for each kind of question that can be answered. */
function withTasks(declared: ClientCapabilities, revision: Revision): ClientCapabilities {
  const { sampling, elicitation } = declared;
  if (!coreTasks(revision) || !(sampling || elicitation)) return declared;
  return {
    ...declared,
    tasks: {
      list: {},
      cancel: {},
      requests: {
        ...sampling && { sampling: { createMessage: {} } },
        ...elicitation && { elicitation: { create: {} } },
      },
    },
  };
}

class ReceivedTasks {
  tell: (method: string, params: Bag) => void = () => {};
  readonly #answering: Answering;
  readonly #limits: ReceivedTaskLimits;
  readonly #clock: Clock;
  readonly #tasks = new Map<string, ReceivedTask>();
  readonly #rate: RequestRate;
  #sequence = 0;
  /** The memory of all stored questions and results, in bytes. */
  #weight = 0;

  constructor(answering: Answering, limits: ReceivedTaskLimits, clock: Clock) {
    this.#clock = clock;
    this.#answering = answering;
    this.#limits = limits;
    this.#rate = new RequestRate(limits.maxRequestsPerSecond, clock);
  }

  create(method: string, question: Bag, wanted: unknown, revision: Revision): Task {
    const { maxReceived, maxReceivedBytes, ttlMs, maxTtlMs } = this.#limits;
    const ttl = Math.min(ttlOf(wanted) ?? ttlMs, maxTtlMs);
    this.#expire();
    if (this.#tasks.size >= maxReceived) throw internalError(`Too many tasks: the limit is ${maxReceived}`);
    const weight = weighValue(question);
    if (typeof weight !== 'number' || this.#weight + weight > maxReceivedBytes) {
      throw internalError(`The tasks would take too much memory: the limit is ${maxReceivedBytes} bytes`);
    }
    const now = this.#clock.now();
    const id = newTaskId();
    const timer = atTime(this.#clock, now + ttl, () => this.#drop(task), true);
    const task: ReceivedTask = {
      id, ttl, timer, weight,
      sequence: this.#sequence++,
      createdAt: now,
      updatedAt: now,
      status: firstTaskStatus,
      message: undefined,
      abortable: new Abortable(),
      waiting: new Set(),
      outcome: { error: internalError('The task was cancelled') },
    };
    this.#weight += weight;
    this.#tasks.set(id, task);
    // After the server was told of the task.
    void Promise.resolve().then(() => this.#answering.answer(method, question, revision, task.abortable)).then(
      (result) => this.#complete(task, result),
      (error: unknown) => this.#fail(task, error),
    );
    return this.#wire(task);
  }

  serve(method: string, params: Bag, abortable: Abortable): object | Promise<object> {
    this.#rate.count('the server');
    this.#expire();
    switch (method) {
      case 'tasks/get': return this.#wire(this.#find(params));
      case 'tasks/result': return this.#result(this.#find(params), abortable);
      case 'tasks/cancel': return this.#cancel(this.#find(params));
      case 'tasks/list': {
        const found = page(this.#tasks.values(), params['cursor'], pageSize);
        if (!found) throw invalidParams('cursor is not a cursor of this list');
        const { items, nextCursor } = found;
        return { tasks: items.map((task) => this.#wire(task)), nextCursor };
      }
      default: throw methodNotFound(method);
    }
  }

  /** Called when the connection is over: no result can be fetched any more. */
  end(): void {
    this.tell = () => {};
    for (const task of this.#tasks.values()) this.#drop(task);
  }

  #find({ taskId }: Bag): ReceivedTask {
    if (typeof taskId !== 'string') throw malformedTaskId();
    const task = this.#tasks.get(taskId);
    if (!task) throw unknownTask();
    return task;
  }

  #complete(task: ReceivedTask, result: object): void {
    const weight = weighValue(result);
    const { maxReceivedBytes } = this.#limits;
    if (typeof weight !== 'number' || this.#weight - task.weight + weight > maxReceivedBytes) {
      return this.#fail(task, internalError(`The result does not fit: the limit of all tasks is ${maxReceivedBytes} bytes`));
    }
    this.#move(task, 'complete', undefined, { result }, weight);
  }

  #fail(task: ReceivedTask, error: unknown): void {
    this.#move(task, 'fail', toErrorObject(error).message.slice(0, maxMessage), { error }, 0);
  }

  #cancel(task: ReceivedTask): Task {
    // "Receivers MUST reject cancellation requests for tasks already in a terminal status"
    if (!this.#move(task, 'cancel', undefined, task.outcome, 0)) {
      throw new RpcError(-32602, `taskId: the task cannot be cancelled, it is ${task.status} already`);
    }
    task.abortable.abort(() => new Cancelled('the server cancelled the task'));
    return this.#wire(task);
  }

  /** Changes the status. False if the task has ended or is not stored any more: late events change nothing. */
  #move(task: ReceivedTask, event: TaskEvent, message: string | undefined, outcome: ReceivedTask['outcome'], weight: number): boolean {
    const status = nextTaskStatus(task.status, event);
    if (status === undefined || this.#tasks.get(task.id) !== task) return false;
    this.#weight += weight - task.weight;
    Object.assign(task, { status, message, outcome, weight, updatedAt: this.#clock.now() });
    for (const go of [...task.waiting]) go();
    this.tell('notifications/tasks/status', { ...this.#wire(task) });
    return true;
  }

  /** Blocks until the task has ended. 2025-11-25 basic/utilities/tasks#result-retrieval. */
  async #result(task: ReceivedTask, abortable: Abortable): Promise<object> {
    if (!isTerminal(task.status)) await this.#ended(task, abortable.signal);
    const { outcome, id } = task;
    if ('error' in outcome) throw outcome.error;
    const { result } = outcome as { result: Bag };
    return { ...result, _meta: { ...result['_meta'] as Bag, [relatedTask]: { taskId: id } } };
  }

  #ended({ waiting }: ReceivedTask, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      // The response to a cancelled request is not sent.
      const go = (): void => {
        waiting.delete(go);
        signal.removeEventListener('abort', go);
        resolve();
      };
      waiting.add(go);
      signal.addEventListener('abort', go);
    });
  }

  /** Drops expired tasks, for runtimes without timers. */
  #expire(): void {
    const now = this.#clock.now();
    for (const task of this.#tasks.values()) if (!task.timer && task.createdAt + task.ttl <= now) this.#drop(task);
  }

  /** "After a task's `ttl` lifetime has elapsed, receivers MAY delete the task and its results, regardless of the task status." */
  #drop(task: ReceivedTask): void {
    if (!this.#tasks.delete(task.id)) return;
    task.timer?.stop();
    this.#weight -= task.weight;
    task.abortable.abort(() => new Cancelled('the task has expired'));
    for (const go of [...task.waiting]) go();
  }

  #wire(task: ReceivedTask): Task {
    return { ...commonFields(task), ttl: task.ttl, pollInterval: this.#limits.pollIntervalMs };
  }
}
