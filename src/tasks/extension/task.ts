import type { Bag } from '../../jsonrpc/index.ts';
import type { TaskView } from '../journal.ts';
import { commonFields } from '../wire.ts';

/** A task as a call begins it: `CreateTaskResult`. ext-tasks, Task Creation. */
export function createdTask(view: TaskView): { resultType: 'task' } & Bag {
  return seed({ resultType: 'task' as const }, view);
}

function seed<T extends Bag>(task: T, view: TaskView): T & Bag {
  return Object.assign(task, commonFields(view), { ttlMs: view.ttlMs, pollIntervalMs: view.pollIntervalMs });
}

/** A task with all that its status brings: `DetailedTask`. ext-tasks, Task Status. */
export function detailedTask(view: TaskView): Bag {
  const { end, questions } = view;
  const task: Bag = seed({}, view);
  // "exactly what the underlying request would have returned", which says its type at 2026-07-28.
  if (end?.status === 'completed') task['result'] = { resultType: 'complete', ...end.result };
  if (end?.status === 'failed') task['error'] = end.error;
  if (questions) task['inputRequests'] = questions;
  return task;
}
