import { invalidParams } from '../../jsonrpc/internal-exports.ts';
import type { Bag } from '../../jsonrpc/index.ts';
import { MissingCapabilityError } from '../../protocol/index.ts';
import type { Context, Exchange, Listener, ServerExtension, TellListeners } from '../../server/index.ts';
import type { Auth } from '../../transport/internal-exports.ts';
import { mayHear, ownerOf } from '../tasks.ts';
import type { Tasks } from '../tasks.ts';
import type { TaskView } from '../journal.ts';
import { commonFields, tasksExtension, tasksRevisions } from '../task-form.ts';

/** The most ids in one subscription. */
const maxTaskIds = 1000;

/** A followed task, and its last notification. */
interface ListenedTask {
  readonly controller: AbortController;
  told: { readonly view: TaskView; readonly task: Bag } | undefined;
}

/** The tasks of 2026-07-28: the extension `io.modelcontextprotocol/tasks`. */
export class ExtensionTasks {
  readonly extension: ServerExtension<Context>;
  readonly #tasks: Tasks;
  #tell: TellListeners = () => {};
  /** The followed tasks, by id and owner. A caller without the task has a separate entry, which does not affect the owner's. */
  readonly #heard = new Map<string, ListenedTask>();

  constructor(tasks: Tasks) {
    this.#tasks = tasks;
    this.extension = {
      id: tasksExtension,
      revisions: tasksRevisions,
      resultTypes: ['task'],
      methods: {
        'tasks/get': async ({ taskId }, { auth }) => detailedTask(await tasks.view(auth, taskId)),
        'tasks/update': async ({ taskId, inputResponses }, { auth }) => {
          await tasks.answer(auth, taskId, inputResponses);
          return {};
        },
        'tasks/cancel': async ({ taskId }, { auth }) => {
          await tasks.cancel(auth, taskId);
          return {};
        },
      },
      filters: { taskIds: (wanted, listener) => this.#agree(wanted, listener) },
    };
  }

  /** `tell` sends notifications to the listeners. */
  begin(tell: TellListeners): void {
    this.#tell = tell;
  }

  close(): void {
    for (const { controller } of this.#heard.values()) controller.abort();
  }

  /** The agreed filter does not show whether a task exists: the credentials are checked before each notification. */
  #agree(wanted: unknown, { auth }: Listener): readonly string[] | undefined {
    if (!Array.isArray(wanted) || !wanted.every((id) => typeof id === 'string')) {
      throw invalidParams('notifications.taskIds must be a list of ids');
    }
    if (wanted.length > maxTaskIds) throw invalidParams(`notifications.taskIds: more than ${maxTaskIds}`);
    for (const id of wanted as string[]) void this.#follow(id, auth);
    return wanted.length > 0 ? wanted as string[] : undefined;
  }

  /**
   * Sends notifications of a task until it has ended, or nobody listens. If it is followed already, the last
   * notification is sent again: a stream may name a thousand tasks, and a client opens a new stream for each task that
   * it adds.
   */
  async #follow(id: string, auth: Auth | undefined): Promise<void> {
    const owner = ownerOf(auth);
    const key = `${id} ${owner}`;
    const before = this.#heard.get(key);
    if (before) {
      // After the acknowledgement of the subscription.
      await Promise.resolve();
      if (before.told) this.#tellOf(before.told.view, before.told.task);
      return;
    }
    const followed: ListenedTask = { controller: new AbortController(), told: undefined };
    const { signal } = followed.controller;
    this.#heard.set(key, followed);
    let last = '';
    let known: TaskView | undefined;
    try {
      for (;;) {
        // Before the task is read, so that no change is missed meanwhile.
        const change = this.#tasks.changed(id, signal);
        change.catch(() => {});
        const view = await this.#tasks.look(owner, id, known);
        if (view && view !== known) {
          known = view;
          const task = detailedTask(view);
          const text = JSON.stringify(task);
          followed.told = { view, task };
          if (text !== last && !this.#tellOf(view, task)) break;
          last = text;
          if (view.end) break;
        }
        await change;
      }
    } catch {
      // The task does not exist any more.
    } finally {
      followed.controller.abort();
      this.#heard.delete(key);
    }
  }

  /** Sends a notification of a task. False if nobody listens. */
  #tellOf(view: TaskView, task: Bag): boolean {
    let heard = false;
    this.#tell('taskIds', 'notifications/tasks', task, (agreed, { auth }) => {
      const wants = (agreed as readonly string[]).includes(view.id) && mayHear(view, auth);
      heard ||= wants;
      return wants;
    });
    return heard;
  }
}

/** A task with the result, error or questions of its status: `DetailedTask`. ext-tasks, Task Status. */
export function detailedTask(view: TaskView): Bag {
  const { end, questions, ttlMs, pollIntervalMs } = view;
  const task: Bag = { ...commonFields(view), ttlMs, pollIntervalMs };
  // "exactly what the underlying request would have returned", which at 2026-07-28 includes `resultType`.
  if (end?.status === 'completed') task['result'] = { resultType: 'complete', ...end.result };
  if (end?.status === 'failed') task['error'] = end.error;
  if (questions) task['inputRequests'] = questions;
  return task;
}

/** The response to a call that begins a task: `CreateTaskResult`. ext-tasks, Task Creation. */
export function createdTask(view: TaskView): { resultType: 'task' } & Bag {
  const { ttlMs, pollIntervalMs } = view;
  return Object.assign({ resultType: 'task' as const }, commonFields(view), { ttlMs, pollIntervalMs });
}

/** Whether the client of a request declared the extension with it. ext-tasks, Capability Negotiation. */
export const declaresTasks = ({ capabilities: { extensions } }: Exchange): boolean =>
  extensions !== undefined && Object.hasOwn(extensions, tasksExtension);

/** The error for a call that must be a task, whose client did not declare the extension. */
export const missingExtension = (): MissingCapabilityError =>
  new MissingCapabilityError(`the extension ${tasksExtension}`, { extensions: { [tasksExtension]: {} } });
