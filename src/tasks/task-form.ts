import { invalidParams, isObject } from '../jsonrpc/internal-exports.ts';
import type { Task } from '../protocol/index.ts';
import type { TaskView } from './journal.ts';

/** The extension identifier of tasks at 2026-07-28. ext-tasks, Extension Identifier. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';
/** The revisions that have the extension. 2025-11-25 has tasks in its core, where the identifier must not be declared. */
export const tasksRevisions: readonly string[] = ['2026-07-28'];

/** The members of a task that are the same in both protocols. */
export function commonFields(
  { id, status, message, createdAt, updatedAt }: Pick<TaskView, 'id' | 'status' | 'message' | 'createdAt' | 'updatedAt'>,
): Omit<Task, 'ttl' | 'pollInterval'> {
  return {
    taskId: id,
    status,
    // `JSON.stringify` leaves out undefined members.
    statusMessage: message,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}

/** Reads the ttl that `task` requests, in milliseconds. 2025-11-25 basic/utilities/tasks#task-parameters. */
export function ttlOf(task: unknown): number | undefined {
  if (!isObject(task)) throw invalidParams('task must be an object');
  const { ttl } = task;
  if (ttl === undefined || ttl === null) return undefined;
  if (typeof ttl !== 'number' || !(ttl >= 0)) throw invalidParams('task.ttl must be a number of milliseconds');
  return ttl;
}
