import { invalidParams, isObject } from '../jsonrpc/internal-exports.ts';
import type { Bag } from '../jsonrpc/index.ts';
import type { Task } from '../protocol/index.ts';
import type { TaskView } from './journal.ts';

/** The name under which clients and servers of 2026-07-28 know tasks. ext-tasks, Extension Identifier. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';
/** The extension is for these: 2025-11-25 has tasks in its core, where the identifier must not be declared. */
export const tasksRevisions: readonly string[] = ['2026-07-28'];

/** What both kinds say of a task in the same words. */
export function commonFields(
  { id, status, message, createdAt, updatedAt }: Pick<TaskView, 'id' | 'status' | 'message' | 'createdAt' | 'updatedAt'>,
): Omit<Task, 'ttl' | 'pollInterval'> {
  return {
    taskId: id,
    status,
    // JSON leaves out what is undefined.
    statusMessage: message,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}

/** A task as 2025-11-25 has it. A tool that failed has failed here: basic/utilities/tasks#task-execution-errors. */
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

/** The first text of a result, for a person. */
function textOf({ content }: Bag): string | undefined {
  const blocks = Array.isArray(content) ? content as { text?: unknown }[] : [];
  const text = blocks.find((block) => typeof block.text === 'string')?.text;
  return typeof text === 'string' ? text.slice(0, 1000) : undefined;
}

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

/** The time that a request with `task` asks for, in milliseconds. 2025-11-25 basic/utilities/tasks#task-parameters. */
export function ttlOf(task: unknown): number | undefined {
  if (!isObject(task)) throw invalidParams('task must be an object');
  const { ttl } = task;
  if (ttl === undefined || ttl === null) return undefined;
  if (typeof ttl !== 'number' || !(ttl >= 0)) throw invalidParams('task.ttl must be a number of milliseconds');
  return ttl;
}

const digits = '0123456789abcdef';
/** Random bytes that nobody has had: asking for few at a time costs more than they do. */
let pool: Uint8Array | undefined;
let used = 0;

/** Random bytes in hexadecimal; at most 64. */
export function random(bytes: number): string {
  if (!pool || used + bytes > pool.length) {
    pool = crypto.getRandomValues(new Uint8Array(1024));
    used = 0;
  }
  let text = '';
  for (const end = used + bytes; used < end; used++) {
    const byte = pool[used] as number;
    text += digits.charAt(byte >> 4) + digits.charAt(byte & 15);
  }
  return text;
}
