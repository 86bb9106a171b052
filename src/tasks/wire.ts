import type { TaskView } from './journal.ts';

/** The name under which clients and servers of 2026-07-28 know tasks. ext-tasks, Extension Identifier. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** What both kinds say of a task in the same words. */
export function commonFields({ id, status, message, createdAt, updatedAt }: TaskView): Record<string, unknown> {
  return {
    taskId: id,
    status,
    // JSON leaves out what is undefined.
    statusMessage: message,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}
