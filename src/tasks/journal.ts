import type { ClientCapabilities, Implementation, InputRequests, TaskStatus } from '../protocol/index.ts';
import { firstTaskStatus, nextTaskStatus } from '../protocol/internal-exports.ts';
import type { Bag, ErrorObject } from '../jsonrpc/index.ts';
import type { StoredTask } from './store.ts';

/** What a task is to do, and for whom: written once, when it is created. */
export interface TaskHead {
  readonly tool: string;
  readonly arguments: unknown;
  readonly _meta?: Bag | undefined;
  /** The client's words: questions are put as this revision has them, and only those that it can answer. */
  readonly revision: string;
  readonly client?: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The scopes that the tool had when it was called: whoever asks about the task needs them too. */
  readonly scopes?: readonly string[] | undefined;
  /** What the handler sees as `ctx.auth`. */
  readonly auth?: { readonly principal: string } | undefined;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  /** Idempotency keys begin with it. Random: the task's id is a secret between the server and the client. */
  readonly seed: string;
  /** Answers that were given before the task was made, by the names of their questions. */
  readonly answers?: Readonly<Bag> | undefined;
  /** Values that `once` made before. */
  readonly made?: Readonly<Bag> | undefined;
}

interface Written {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The fence of the run that wrote it. */
  readonly run: number;
}

/** A step of `ctx.once` has ended: with a value, or with the message of what it threw. */
export interface StepRecord extends Written {
  readonly t: 'step';
  readonly key: string;
  readonly value?: unknown;
  readonly error?: string | undefined;
  /** How many steps, versions and questions had ended when this one began. */
  readonly after: number;
  /** The attempt; 1 if the journal has none. */
  readonly attempt?: number | undefined;
  /** Steps that had begun and not ended, with their attempts. */
  readonly open?: Readonly<Record<string, number>> | undefined;
}

/** `ctx.version` was passed for the first time. */
export interface VersionRecord extends Written {
  readonly t: 'version';
  readonly key: string;
  readonly value: number;
  readonly after: number;
}

/** Questions were put; the run ended with them. */
export interface AskRecord extends Written {
  readonly t: 'ask';
  readonly questions: InputRequests;
  /**
   * By key: what was asked (without what was wrong with an earlier answer), and the handler's name of the question,
   * which is the key under which it went out first.
   */
  readonly asked: Readonly<Record<string, readonly [digest: string, name: string]>>;
  /** Steps were under way while a question was open. */
  readonly overlap?: true | undefined;
}

/** Progress, or what `ctx.status` said. */
export interface StatusRecord extends Written {
  readonly t: 'status';
  readonly message: string;
}

export type JournalRecord = StepRecord | VersionRecord | AskRecord | StatusRecord;

/** How a task ended: written once. */
export type TaskEnd = { readonly at: number; readonly message?: string | undefined } & (
  | { readonly status: 'completed'; readonly result: Bag }
  | { readonly status: 'failed'; readonly error: ErrorObject }
  | { readonly status: 'cancelled' }
);

interface KeptAnswer {
  readonly at: number;
  readonly answer: Bag;
}

/** A task, read. */
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

/** What a task looks like from outside, whatever the wire. */
export interface TaskView {
  readonly id: string;
  readonly owner: string;
  /** Whoever asks about it needs these. */
  readonly scopes: readonly string[];
  readonly status: TaskStatus;
  readonly message: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  /** The questions that are open, where it is `input_required`. */
  readonly questions: InputRequests | undefined;
  readonly end: TaskEnd | undefined;
}

/** Reads what a store keeps. `open` is what makes texts of it again, where they are sealed. */
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

/** The state of a task: what its journal and its answers say, by the table of states. */
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
