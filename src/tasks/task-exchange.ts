import { isObject } from '../jsonrpc/codec.ts';
import { errorMessage } from '../jsonrpc/errors.ts';
import { Inbound } from '../jsonrpc/inbound.ts';
import type { Bag, Notification, Params } from '../jsonrpc/message.ts';
import type { InputRequest } from '../protocol/input-required.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Auth } from '../transport/auth.ts';
import { AskingExchange, defaultMaxAsks, unanswered } from '../server/asking-exchange.ts';
import type { Question } from '../server/question.ts';
import { Attempts } from './attempts.ts';
import type { Context, Step, TaskSteps } from '../server/context.ts';
import { digestOf } from '../server/modern/exchange.ts';
import type { JournalRecord, ReadTask } from './journal.ts';
import { entriesOf, nextTurn, Replay } from './replay.ts';
import type { ChangedCode } from './replay.ts';

/** What a run of a handler needs of the worker. */
export interface RunPort {
  readonly task: ReadTask;
  /** The fence of this run's lease. */
  readonly run: number;
  readonly rules: Revision;
  readonly stallMs: number;
  /** Writes a record; resolves when it counts. Never settles where the lease is lost: the run is over then. */
  write(record: JournalRecord): Promise<void>;
  /** Whether the lease still holds: asked before anything is done that another run could do too. */
  holds(): boolean;
  /** Keeps what the work is at, some time soon. */
  status(message: string): void;
  /** A notification for whoever began the task. */
  notify(notification: Notification): void;
}

/** How a run ended, where its handler has no result yet. */
export type Pause =
  | {
    readonly questions: Record<string, InputRequest>;
    readonly asked: Record<string, [digest: string, name: string]>;
    readonly overlap: boolean;
    readonly waiting: readonly string[];
  }
  | { readonly changed: ChangedCode };

/** The call reached the tool's scopes, whatever of the caller is remembered: its runs do too. */
function reaching(auth: Auth, scopes: readonly string[]): Auth {
  const { scopes: held } = auth;
  return { ...auth, scopes: [...new Set([...Array.isArray(held) ? held as string[] : [], ...scopes])] };
}

const never = <T>(): Promise<T> => new Promise(() => {});

/**
 * One run of a task's handler: it finds what earlier runs have done, and what it does itself is written before the
 * handler sees that it is done. A question without an answer ends the run.
 */
export class TaskExchange extends AskingExchange implements Context, TaskSteps {
  readonly #port: RunPort;
  readonly #replay: Replay;
  readonly #attempts: Attempts;
  /** Questions and answers of all runs. */
  readonly #asked = new Map<string, readonly [digest: string, name: string]>();
  readonly #positions = new Map<string, number>();
  /** Questions that are open at the end of this run: those of earlier runs, and new ones. */
  #waiting: Set<string> | undefined;
  #questions: Record<string, InputRequest> = Object.create(null) as Record<string, InputRequest>;
  #new: Record<string, [string, string]> = Object.create(null) as Record<string, [string, string]>;
  #leave: (() => void)[] = [];
  #pause: (pause: Pause) => void = () => {};
  readonly #versions = new Map<string, number>();
  readonly #claimed = new Set<string>();
  /** Steps, versions and questions that have ended. */
  #ended: number;
  /** Steps were under way while a question was open. */
  #overlap = false;
  /** The run has ended: what is left of the handler begins nothing any more. */
  #over = false;

  constructor(port: RunPort) {
    const { head } = port.task;
    const params: Params = { name: head.tool, arguments: head.arguments };
    if (head._meta) params['_meta'] = head._meta;
    const inbound = new Inbound({ jsonrpc: '2.0', id: port.task.id, method: 'tools/call', params }, {
      send: (text, question) => {
        if (!question) port.notify(JSON.parse(text) as Notification);
      },
      answer: () => {},
    });
    const { client, capabilities, auth, scopes } = head;
    const named = { revision: port.rules, client, capabilities, logLevel: undefined };
    super(inbound, named, auth && scopes ? reaching(auth, scopes) : auth);
    this.#port = port;
    const { records } = port.task;
    this.#replay = new Replay(records, port.stallMs, (changed) => this.#pause({ changed }));
    this.#attempts = new Attempts(records, port.run);
    for (const record of records) {
      if (record.t === 'ask') for (const [key, was] of Object.entries(record.asked)) this.#asked.set(key, was);
    }
    this.#ended = records.reduce((sum, record) => sum + entriesOf(record).length, 0);
    if (head.made) this.made = Object.assign(Object.create(null) as Bag, head.made);
  }

  /**
   * Runs the handler through `call`, which answers `tools/call`. Resolves with its result, or with the reason why
   * there is none yet; rejects with what it threw.
   */
  play(call: (params: Params) => object | Promise<object>): Promise<{ result: object } | Pause> {
    return new Promise((resolve, reject) => {
      this.#pause = (pause) => {
        if (this.#over) return;
        this.stop();
        resolve(pause);
        this.inbound.abort(() => new Error('The run ended with a question to the client; the handler runs again with its answer'));
        for (const leave of this.#leave) leave();
        void this.undo();
      };
      const ended = (settle: () => void, failed = false): void => {
        if (this.#over) return;
        // Refused before the handler ran: there is no such tool any more, or its schema has changed.
        const changed = failed && !this.#replay.begun ? undefined : this.#replay.missing();
        if (changed) return this.#pause({ changed });
        this.stop();
        settle();
      };
      new Promise<object>((begin) => begin(call(this.inbound.request.params ?? {}))).then(
        (result) => ended(() => resolve({ result })),
        (thrown) => ended(() => reject(thrown), true),
      );
    });
  }

  /** The run is over, or its lease is lost. */
  stop(): void {
    this.#over = true;
    this.#replay.stop();
  }

  override onLeave(leave: () => void): void {
    this.#leave.push(leave);
  }

  override once<T>(key: string, make: (step: Step) => T | Promise<T>): Promise<T> {
    if (this.made && Object.hasOwn(this.made, key)) return Promise.resolve(this.made[key] as T);
    const under = (this.making ??= new Map()).get(key);
    if (under) return under as Promise<T>;
    const making = this.#step(key, make).finally(() => this.making?.delete(key));
    this.making.set(key, making);
    return making;
  }

  async #step<T>(key: string, make: (step: Step) => T | Promise<T>): Promise<T> {
    const entry = await this.#replay.claim('step', key);
    if (entry?.t === 'step') {
      if (entry.error !== undefined) throw new Error(entry.error);
      return this.#made(key, entry.value) as T;
    }
    if (this.#over || !this.#port.holds()) return never();
    if (this.#waiting) this.#overlap = true;
    const after = this.#ended;
    const { head } = this.#port.task;
    const attempt = this.#attempts.begin(key, after);
    let outcome: { value?: unknown; error?: string };
    let thrown: unknown;
    try {
      const value = await make({ attempt, idempotencyKey: `${head.seed}-${key}` });
      // Taken through JSON at once, so that it looks the same in the run that makes it and in those that find it.
      outcome = { value: value === undefined ? null : JSON.parse(JSON.stringify(value)) as unknown };
    } catch (error) {
      thrown = error;
      outcome = { error: errorMessage(error) };
    }
    const open = this.#attempts.end(key);
    this.#ended++;
    if (outcome.error !== undefined) this.#attempts.failed(key, attempt);
    await this.#port.write({
      t: 'step', key, value: outcome.value, error: outcome.error, after, open, at: Date.now(), run: this.#port.run,
      attempt: attempt === 1 ? undefined : attempt,
    });
    if (outcome.error !== undefined) throw thrown;
    return this.#made(key, outcome.value) as T;
  }

  #made(key: string, value: unknown): unknown {
    // Object.create(null): a key may be called `__proto__`.
    return (this.made ??= Object.create(null) as Bag)[key] = value;
  }

  async version(key: string, current: number): Promise<number> {
    const known = this.#versions.get(key);
    if (known !== undefined) return known;
    const before = await this.#replay.version(key);
    if (before === 0) return before;
    this.#versions.set(key, before ?? current);
    if (before !== undefined) return before;
    if (this.#over) return never();
    const after = this.#ended++;
    await this.#port.write({ t: 'version', key, value: current, after, at: Date.now(), run: this.#port.run });
    return current;
  }

  status(message: string): void {
    this.#port.status(message);
  }

  /** Both kinds: what the task is at. The older one alone: a notification under the token of the call. */
  override progress(progress: number, total?: number, message?: string): void {
    const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
    this.#port.status(message === undefined ? count : `${count}: ${message}`);
    if (this.rules.era === 'legacy') super.progress(progress, total, message);
  }

  async ask<T>(question: Question<T>): Promise<T> {
    const { method } = question;
    const params = this.put(question);
    const place = (this.#positions.get(method) ?? 0) + 1;
    this.#positions.set(method, place);
    const name = question.key ?? `${method}#${place}`;
    const digest = digestOf(JSON.stringify([method, params]));
    const { answers, head } = this.#port.task;
    let problem: string | undefined;
    let problems = 0;
    /** False: the answer cannot be used. */
    const read = (answer: Bag): { value: T } | undefined => {
      const reading = question.read(answer);
      if ('value' in reading) return reading;
      problem = reading.problem;
      if (++problems >= defaultMaxAsks) throw unanswered(question, problem);
      return undefined;
    };
    const carried = head.answers && Object.hasOwn(head.answers, name) ? head.answers[name] : undefined;
    if (isObject(carried)) {
      const reading = read(carried);
      if (reading) return reading.value;
    }
    if (this.#asked.has(name) && !this.#claimed.has(name)) {
      this.#claimed.add(name);
      await this.#replay.claim('question', name);
    }
    // ext-tasks, Task Update Requests: a key is never used again in one task.
    let key = name;
    for (let n = 1; ; n++) {
      key = n === 1 ? name : `${name}~${n}`;
      const before = this.#asked.get(key) ?? this.#new[key];
      if (!before) {
        // A question that was answered before the task began has used its own name.
        if (n === 1 && carried) continue;
        break;
      }
      if (before[0] !== digest || before[1] !== name) continue;
      const given = answers.get(key);
      if (!given) return this.#open(key);
      const reading = read(given.answer);
      if (reading) return reading.value;
    }
    if (key === name) await this.#replay.claim('question', name);
    if (this.#over) return never();
    this.#new[key] = [digest, name];
    this.#questions[key] = {
      method, params: problem === undefined ? params : this.put(question, problem),
    } as InputRequest;
    return this.#open(key);
  }

  /** Never settles: this run ends here, and the next one finds the answer. */
  #open(key: string): Promise<never> {
    if (this.making?.size) this.#overlap = true;
    if (!this.#waiting) {
      this.#waiting = new Set();
      // What is asked in one turn goes together.
      nextTurn(() => void this.#suspend());
    }
    this.#waiting.add(key);
    return new Promise(() => {});
  }

  async #suspend(): Promise<void> {
    // What `once` is making is for the next run to find.
    while (this.making?.size) await Promise.allSettled(this.making.values());
    const waiting = [...this.#waiting ?? []];
    this.#pause({ questions: this.#questions, asked: this.#new, overlap: this.#overlap, waiting });
  }
}
