import type { Shape } from '../bounds/options.ts';

/** What the tasks of a server may take. */
export interface TaskLimits {
  /** Tasks that are kept, ended ones among them, until their time is over. 10,000. */
  maxTasks: number;
  /** The same, of one principal. 1,000. */
  maxTasksPerPrincipal: number;
  /**
   * Requests for tasks of 2025-11-25 (`tasks/get`, `tasks/result`, `tasks/cancel`, `tasks/list`) in a second, of one
   * principal; without authentication, of one connection. Enough to look at 1,000 tasks and to fetch them. 2,000.
   */
  maxRequestsPerSecond: number;
  /** Characters of JSON that one task may write: its arguments, steps, answers and progress. 4 MiB. */
  maxJournalBytes: number;
  /** Characters of JSON that the result of a task may have. 4 MiB. */
  maxResultBytes: number;
  /** Milliseconds that a task is kept, where its creator asks for nothing else. 24 hours. */
  ttlMs: number;
  /** The longest that a creator may ask for, in milliseconds. 7 days. */
  maxTtlMs: number;
  /** How often the client is told to look, in milliseconds. 1 second. */
  pollIntervalMs: number;
  /** Tasks that one process works on at once. 64. */
  maxRunning: number;
  /** Milliseconds after which another worker may take the task of one that says nothing any more. 30 seconds. */
  leaseMs: number;
  /** How often a process looks for tasks that wait for a worker, in milliseconds. 1 second. */
  scanMs: number;
  /** How often a task's progress is written at most, in milliseconds. 200. */
  statusIntervalMs: number;
  /**
   * Milliseconds that overlapping steps wait, when a handler runs again, for one that an earlier run had; then the code
   * counts as changed. 10 seconds.
   */
  stallMs: number;
}

/** The limits that hold where none is given. */
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

/** For `checkOptions`. No timer waits for the time that a task is kept. */
export const taskLimitsShape = (): Shape<TaskLimits> => ({ ...defaultTaskLimits, ttlMs: 'number', maxTtlMs: 'number' });

/** What the tasks may take that a server asks a client with, at 2025-11-25. */
export interface ReceivedTaskLimits {
  /** Tasks that are kept, ended ones among them, until their time is over. 1,000. */
  maxReceived: number;
  /** Bytes of memory that their questions and results may take together. 16 MiB. */
  maxReceivedBytes: number;
  /** Requests for tasks that the server may make in a second. 2,000. */
  maxRequestsPerSecond: number;
  /** Milliseconds that a task is kept, where the server asks for nothing else. 1 hour. */
  ttlMs: number;
  /** The longest that a server may ask for, in milliseconds. 24 hours. */
  maxTtlMs: number;
  /** How often the server is told to look, in milliseconds. 1 second. */
  pollIntervalMs: number;
}

/** The limits that hold where none is given. */
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
