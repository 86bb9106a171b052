import type { TaskStatus } from './tasks.ts';

/**
 * The states of a task as data: five states, the same in both kinds of tasks, and the events that change them.
 * Source: 2025-11-25 basic/utilities/tasks#task-status-lifecycle; ext-tasks, Task Status.
 */

/**
 * `ask`: the work needs input from the client. `answer`: the last missing input has arrived. `complete`, `fail`:
 * the work ended. `cancel`: the client does not want the result.
 */
export type TaskEvent = 'ask' | 'answer' | 'complete' | 'fail' | 'cancel';

export interface TaskRow {
  /** True: the task keeps this status until it is deleted. */
  readonly terminal: boolean;
  /** The next status for each event; an event without an entry is refused and changes nothing. */
  readonly on: Readonly<Partial<Record<TaskEvent, TaskStatus>>>;
}

const terminal: TaskRow = { terminal: true, on: {} };

export const taskLifecycle: Readonly<Record<TaskStatus, TaskRow>> = {
  working: {
    terminal: false,
    on: { ask: 'input_required', complete: 'completed', fail: 'failed', cancel: 'cancelled' },
  },
  input_required: {
    terminal: false,
    on: { answer: 'working', complete: 'completed', fail: 'failed', cancel: 'cancelled' },
  },
  completed: terminal,
  failed: terminal,
  cancelled: terminal,
};

/** "Tasks MUST begin in the `working` status when created." */
export const firstTaskStatus: TaskStatus = 'working';

/** The status after an event; undefined if the event is refused. */
export function nextTaskStatus(status: TaskStatus, event: TaskEvent): TaskStatus | undefined {
  return taskLifecycle[status].on[event];
}

/** True if a task has ended. */
export function isTerminal(status: TaskStatus): boolean {
  return taskLifecycle[status].terminal;
}

/** True if a value from the wire is a task status. */
export function isTaskStatus(value: unknown): value is TaskStatus {
  return typeof value === 'string' && Object.hasOwn(taskLifecycle, value);
}
