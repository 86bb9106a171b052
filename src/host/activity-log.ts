import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import { canonicalJson, sha256 } from '../skills/digest.ts';
import { redact } from './redaction.ts';

/** The kinds of recorded events. */
export type ActivityKind =
  | 'server' | 'asked' | 'decided' | 'sent' | 'answered' | 'failed' | 'unknown' | 'question' | 'pin' | 'roots' | 'sampling' | 'skill' | 'app';

/** One line of the log. Its other members depend on the kind. */
export interface Activity {
  /** Counts from 1, without a gap. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: ActivityKind;
  /** The digest of the line before; '' in the first line. */
  readonly previous: string;
  readonly [detail: string]: unknown;
}

/** The end of a log, to which the next line is chained. */
export interface LogHead {
  readonly seq: number;
  readonly digest: string;
}

/** The head of a log without lines. */
export const emptyLog: LogHead = { seq: 0, digest: '' };

/** Stores the lines. The host itself has no storage: memory, a file, a service. */
export interface LogSink {
  /**
   * Appends one line: `write` receives the head and returns the line and the new head. If there are several writers,
   * each must have the sink to itself from reading the head until the line is stored.
   */
  append(write: (head: LogHead) => Promise<{ readonly line: string; readonly head: LogHead }>): Promise<void>;
}

/** Keeps the last `maxLines` lines in memory. */
export function memoryLog(maxLines: number = 10_000): LogSink & { readonly lines: readonly string[]; readonly head: LogHead } {
  const lines: string[] = [];
  let head = emptyLog;
  let turn: Promise<void> = Promise.resolve();
  return {
    lines,
    get head() {
      return head;
    },
    append(write) {
      const mine = turn.then(async () => {
        const written = await write(head);
        lines.push(written.line);
        if (lines.length > maxLines) lines.shift();
        head = written.head;
      });
      turn = mine.catch(() => {});
      return mine;
    },
  };
}

/**
 * An append-only log in which each line carries the SHA-256 of the line before it, so that a changed line is found.
 * Values are redacted before they are written.
 */
export class ActivityLog {
  readonly #sink: LogSink;
  readonly #now: () => number;
  readonly #onError: (error: Error) => void;
  #last: Promise<void> = Promise.resolve();

  constructor(sink: LogSink, now: () => number, onError: (error: Error) => void) {
    this.#sink = sink;
    this.#now = now;
    this.#onError = onError;
  }

  /** Records an event, in the order of the calls. Resolves when it is stored; never rejects. */
  record(kind: ActivityKind, details: Readonly<Record<string, unknown>>): Promise<void> {
    const at = this.#now();
    this.#last = this.#last.then(() => this.#sink.append(async (head) => {
      const line = lineOf(details, { seq: head.seq + 1, at, kind, previous: head.digest });
      return { line, head: { seq: head.seq + 1, digest: await sha256(line) } };
    })).catch((thrown: unknown) => {
      this.#onError(new Error(`the activity log could not be written: ${errorMessage(thrown)}`, { cause: thrown }));
    });
    return this.#last;
  }

  /** Resolves when all recorded events are stored. */
  flushed(): Promise<void> {
    return this.#last;
  }
}

/** Always returns a line: if the details cannot be written as JSON, the line says so. */
function lineOf(details: Readonly<Record<string, unknown>>, activity: Activity): string {
  try {
    const clean = redact(details);
    return canonicalJson({ ...isObject(clean) ? clean : {}, ...activity });
  } catch (thrown) {
    return canonicalJson({ ...activity, unwritten: redact(errorMessage(thrown)) });
  }
}

/** The result of a verification. `line` counts from 1. */
export type LogVerdict =
  | { readonly ok: true; readonly lines: number; readonly head: LogHead }
  | { readonly ok: false; readonly line: number; readonly why: string };

/**
 * Checks a log from its first line. With `head`, which is stored separately, it also finds lines that were cut from
 * the end. `from` is the head before the first of these lines: for a log in several files, or one whose beginning was
 * deleted.
 */
export async function verifyLog(
  lines: Iterable<string> | AsyncIterable<string>, head?: LogHead, from: LogHead = emptyLog,
): Promise<LogVerdict> {
  let last = from;
  let count = 0;
  for await (const line of lines) {
    count++;
    const fault = (why: string): LogVerdict => ({ ok: false, line: count, why });
    let activity: unknown;
    try {
      activity = JSON.parse(line);
    } catch {
      return fault('it is not JSON');
    }
    if (!isObject(activity)) return fault('it is not an object');
    if (activity['seq'] !== last.seq + 1) return fault(`its number is ${String(activity['seq'])}, expected ${last.seq + 1}`);
    if (activity['previous'] !== last.digest) return fault('the line before it was changed or replaced');
    last = { seq: last.seq + 1, digest: await sha256(line) };
  }
  if (head && (head.seq !== last.seq || head.digest !== last.digest)) {
    return head.seq > last.seq
      ? { ok: false, line: count + 1, why: `${head.seq - last.seq} lines are missing at the end` }
      : { ok: false, line: count, why: 'the last line was changed, or was not written by this log' };
  }
  return { ok: true, lines: count, head: last };
}
