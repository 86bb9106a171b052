import type { ClientCapabilities, Implementation, InputRequests, TaskStatus } from '../protocol/index.ts';
import { firstTaskStatus, nextTaskStatus } from '../protocol/internal-exports.ts';
import type { Bag, ErrorObject } from '../jsonrpc/index.ts';
import type { StoredTask } from './store.ts';

/** The call that a task runs, and its caller. Written once, when the task is created. */
export interface TaskHead {
  readonly tool: string;
  readonly arguments: unknown;
  readonly _meta?: Bag | undefined;
  /** The client's revision, which defines the form of questions. Only kinds that `capabilities` allow are asked. */
  readonly revision: string;
  readonly client?: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The tool's scopes when it was called; requests about the task need them too. */
  readonly scopes?: readonly string[] | undefined;
  /** The handler's `ctx.auth`. */
  readonly auth?: { readonly principal: string } | undefined;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  /** The prefix of idempotency keys. Random, because the task's id is a secret between the server and the client. */
  readonly seed: string;
  /** Answers from before the task was created, by the names of their questions. */
  readonly answers?: Readonly<Bag> | undefined;
  /** Values that `once` made before the task was created. */
  readonly made?: Readonly<Bag> | undefined;
}

interface Written {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The fence of the run that wrote it. */
  readonly run: number;
}

/** A step of `ctx.once` has ended: with a value, or with the message of the error that it threw. */
export interface StepRecord extends Written {
  readonly t: 'step';
  readonly key: string;
  readonly value?: unknown;
  readonly error?: string | undefined;
  /** How many steps, versions and questions had ended when this one began. */
  readonly after: number;
  /** The attempt; 1 if the journal has none. */
  readonly attempt?: number | undefined;
  /** Steps that were still running when this one ended, with their attempts. */
  readonly open?: Readonly<Record<string, number>> | undefined;
}

/** The handler has passed `ctx.version` for the first time. */
export interface VersionRecord extends Written {
  readonly t: 'version';
  readonly key: string;
  readonly value: number;
  readonly after: number;
}

/** Questions were asked; the run ended with them. */
export interface AskRecord extends Written {
  readonly t: 'ask';
  readonly questions: InputRequests;
  /**
   * By key: the digest of the question (without the error of an earlier answer), and the handler's name of the
   * question, which is also the key of its first sending.
   */
  readonly asked: Readonly<Record<string, readonly [digest: string, name: string]>>;
  /** Steps were running while a question was open. */
  readonly overlap?: true | undefined;
}

/** Progress, or a message of `ctx.status`. */
export interface StatusRecord extends Written {
  readonly t: 'status';
  readonly message: string;
}

export type JournalRecord = StepRecord | VersionRecord | AskRecord | StatusRecord;

/** The end of a task. Written once. */
export type TaskEnd = { readonly at: number; readonly message?: string | undefined } & (
  | { readonly status: 'completed'; readonly result: Bag }
  | { readonly status: 'failed'; readonly error: ErrorObject }
  | { readonly status: 'cancelled' }
);

interface KeptAnswer {
  readonly at: number;
  readonly answer: Bag;
}

/** A stored task, parsed. */
export interface ReadTask {
  readonly id: string;
  readonly owner: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly head: TaskHead;
  readonly records: readonly JournalRecord[];
  readonly answers: ReadonlyMap<string, KeptAnswer>;
  readonly waiting: readonly string[] | undefined;
  readonly end: TaskEnd | undefined;
}

/** The public state of a task, the same for both protocols. */
export interface TaskView {
  readonly id: string;
  readonly owner: string;
  /** Requests about the task need these scopes. */
  readonly scopes: readonly string[];
  readonly status: TaskStatus;
  readonly message: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  /** The open questions if the status is `input_required`. */
  readonly questions: InputRequests | undefined;
  readonly end: TaskEnd | undefined;
}

/** Parses a stored task. */
export function readTask(stored: StoredTask): ReadTask {
  const { id, owner, createdAt, expiresAt, waiting } = stored;
  return {
    id, owner, createdAt, expiresAt, waiting,
    head: JSON.parse(stored.head) as TaskHead,
    records: stored.records.map((text) => JSON.parse(text) as JournalRecord),
    answers: new Map([...stored.answers].map(([key, text]) => [key, JSON.parse(text) as KeptAnswer])),
    end: stored.end === undefined ? undefined : JSON.parse(stored.end) as TaskEnd,
  };
}

/** Computes the state of a task from its journal, its answers and its end. */
export function viewOf(task: ReadTask): TaskView {
  const { id, owner, createdAt, head, records, answers, waiting, end } = task;
  let status = firstTaskStatus;
  let updatedAt = createdAt;
  let message: string | undefined;
  for (const record of records) {
    updatedAt = Math.max(updatedAt, record.at);
    if (record.t === 'status') message = record.message;
  }
  for (const { at } of answers.values()) updatedAt = Math.max(updatedAt, at);
  const missing = waiting?.filter((key) => !answers.has(key)) ?? [];
  if (missing.length > 0) status = nextTaskStatus(status, 'ask') ?? status;
  const questions = missing.length > 0 ? questionsOf(records, missing) : undefined;
  if (end) {
    const event = end.status === 'completed' ? 'complete' : end.status === 'failed' ? 'fail' : 'cancel';
    status = nextTaskStatus(status, event) ?? status;
    updatedAt = Math.max(updatedAt, end.at);
    message = end.message ?? message;
  }
  return {
    id, owner, status, message, createdAt, updatedAt, end,
    scopes: head.scopes ?? [],
    ttlMs: head.ttlMs,
    pollIntervalMs: head.pollIntervalMs,
    questions: end ? undefined : questions,
  };
}

function questionsOf(records: readonly JournalRecord[], keys: readonly string[]): InputRequests {
  const questions = Object.create(null) as InputRequests;
  for (const record of records) {
    if (record.t !== 'ask') continue;
    for (const key of keys) {
      const question = Object.hasOwn(record.questions, key) ? record.questions[key] : undefined;
      if (question) questions[key] = question;
    }
  }
  return questions;
}
