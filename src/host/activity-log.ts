import { errorMessage } from '../jsonrpc/errors.ts';
import { isObject } from '../jsonrpc/codec.ts';
import { canonicalJson, sha256 } from './digest.ts';
import { redact } from './redaction.ts';

/** What is recorded. */
export type ActivityKind =
  | 'server' | 'asked' | 'decided' | 'sent' | 'answered' | 'failed' | 'unknown' | 'question' | 'pin' | 'roots' | 'sampling';

/** One line of the log. Members beside these are what the kind is about. */
export interface Activity {
  /** Counts from 1, without a gap. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: ActivityKind;
  /** The digest of the line before; '' in the first. */
  readonly previous: string;
  readonly [detail: string]: unknown;
}

/** The end of a log: what the next line follows. */
export interface LogHead {
  readonly seq: number;
  readonly digest: string;
}

/** The head of a log without lines. */
export const emptyLog: LogHead = { seq: 0, digest: '' };

/** Where the lines go. The host has none of its own: memory, a file, a service. */
export interface LogSink {
  /**
   * Appends one line: `write` is given the head and returns the line and the new head. Several writers must take turns
   * from the reading of the head until the line is kept.
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
 * An append-only log in which each line carries the SHA-256 of the line before it, so that a changed line is found. Its
 * values are redacted before they are written.
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

  /** Records something, in the order of the calls. Resolves when it is kept; never rejects. */
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

  /** Resolves when all that was recorded is kept. */
  flushed(): Promise<void> {
    return this.#last;
  }
}

/** A line that is always there: what cannot be written stands in it as that. */
function lineOf(details: Readonly<Record<string, unknown>>, activity: Activity): string {
  try {
    const clean = redact(details);
    return canonicalJson({ ...isObject(clean) ? clean : {}, ...activity });
  } catch (thrown) {
    return canonicalJson({ ...activity, unwritten: redact(errorMessage(thrown)) });
  }
}

/** What came of the verification. `line` counts from 1. */
export type LogVerdict =
  | { readonly ok: true; readonly lines: number; readonly head: LogHead }
  | { readonly ok: false; readonly line: number; readonly why: string };

/**
 * Walks a log from its first line. With `head`, which is kept apart from the lines, lines that were cut from the end are
 * found as well. `from` is where the first of these lines follows on: a log in several files, or one whose beginning was
 * let go.
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
    if (!isObject(activity)) return fault('it is no object');
    if (activity['seq'] !== last.seq + 1) return fault(`its number is ${String(activity['seq'])}, expected ${last.seq + 1}`);
    if (activity['previous'] !== last.digest) return fault('the line before it was changed, or is another');
    last = { seq: last.seq + 1, digest: await sha256(line) };
  }
  if (head && (head.seq !== last.seq || head.digest !== last.digest)) {
    return head.seq > last.seq
      ? { ok: false, line: count + 1, why: `${head.seq - last.seq} lines are missing at the end` }
      : { ok: false, line: count, why: 'the last line was changed, or was not written by this log' };
  }
  return { ok: true, lines: count, head: last };
}
