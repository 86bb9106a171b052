import type { Shape } from '../bounds/options.ts';

/** The limits of a server's tasks. */
export interface TaskLimits {
  /** Stored tasks, including ended ones until they expire. 10,000. */
  maxTasks: number;
  /** Stored tasks of one principal. 1,000. */
  maxTasksPerPrincipal: number;
  /**
   * Requests for tasks of 2025-11-25 (`tasks/get`, `tasks/result`, `tasks/cancel`, `tasks/list`) per second and
   * principal; without authentication, per connection. Enough to poll 1,000 tasks and to fetch their results. 2,000.
   */
  maxRequestsPerSecond: number;
  /** Characters of JSON that one task may write: its arguments, steps, answers and progress. 4 MiB. */
  maxJournalBytes: number;
  /** Characters of JSON in the result of a task, and in each answer to its questions. 4 MiB. */
  maxResultBytes: number;
  /** Milliseconds until a task expires if its creator requests no ttl. 24 hours. */
  ttlMs: number;
  /** The longest ttl that a creator gets, in milliseconds. 7 days. */
  maxTtlMs: number;
  /** The poll interval that is sent to the client, in milliseconds. 1 second. */
  pollIntervalMs: number;
  /** Tasks that one process runs at once. 64. */
  maxRunning: number;
  /** Milliseconds after which another worker may take a task if its worker does not renew the lease. 30 seconds. */
  leaseMs: number;
  /** How often a process looks for due tasks, in milliseconds. 1 second. */
  scanMs: number;
  /** The shortest time between two writes of a task's progress, in milliseconds. 200. */
  statusIntervalMs: number;
  /**
   * When a handler with overlapping steps runs again: milliseconds to wait for a step that an earlier run had. After
   * that, its code counts as changed. 10 seconds.
   */
  stallMs: number;
}

/** The default limits of a server's tasks. */
export const defaultTaskLimits: TaskLimits = {
  maxTasks: 10_000,
  maxTasksPerPrincipal: 1_000,
  maxRequestsPerSecond: 2_000,
  maxJournalBytes: 4_194_304,
  maxResultBytes: 4_194_304,
  ttlMs: 86_400_000,
  maxTtlMs: 604_800_000,
  pollIntervalMs: 1_000,
  maxRunning: 64,
  leaseMs: 30_000,
  scanMs: 1_000,
  statusIntervalMs: 200,
  stallMs: 10_000,
};

/** For `checkOptions`. `ttlMs` and `maxTtlMs` may exceed the longest timer, because no timer waits for them. */
export const taskLimitsShape = (): Shape<TaskLimits> => ({ ...defaultTaskLimits, ttlMs: 'number', maxTtlMs: 'number' });

/** The limits of a server's questions as tasks at 2025-11-25, which the client keeps. */
export interface ReceivedTaskLimits {
  /** Stored tasks, including ended ones until they expire. 1,000. */
  maxReceived: number;
  /** Bytes of memory for the questions and results of all tasks. 16 MiB. */
  maxReceivedBytes: number;
  /** Requests for tasks that the server may make per second. 2,000. */
  maxRequestsPerSecond: number;
  /** Milliseconds until a task expires if the server requests no ttl. 1 hour. */
  ttlMs: number;
  /** The longest ttl that a server gets, in milliseconds. 24 hours. */
  maxTtlMs: number;
  /** The poll interval that is sent to the server, in milliseconds. 1 second. */
  pollIntervalMs: number;
}

/** The default limits of `receiveTasks`. */
export const defaultReceivedTaskLimits: ReceivedTaskLimits = {
  maxReceived: 1_000,
  maxReceivedBytes: 16_777_216,
  maxRequestsPerSecond: 2_000,
  ttlMs: 3_600_000,
  maxTtlMs: 86_400_000,
  pollIntervalMs: 1_000,
};

/** For `checkOptions`. */
export const receivedLimitsShape = (): Shape<ReceivedTaskLimits> =>
  ({ ...defaultReceivedTaskLimits, ttlMs: 'number', maxTtlMs: 'number' });
