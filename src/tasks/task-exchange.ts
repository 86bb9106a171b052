import type { Clock } from '../bounds/clock.ts';
import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import { InboundRequest } from '../jsonrpc/index.ts';
import type { Bag, Notification, Params } from '../jsonrpc/index.ts';
import type { InputRequest, InputRequests, Revision } from '../protocol/index.ts';
import type { Auth } from '../transport/internal-exports.ts';
import { dictionary, RepeatedExchange } from '../server/internal-exports.ts';
import type { AnswerStore, AskedBefore } from '../server/internal-exports.ts';
import type { Context, Step, TaskSteps } from '../server/index.ts';
import type { JournalRecord, ReadTask } from './journal.ts';
import { Attempts, entriesOf, JournalReplay } from './replay.ts';
import type { ChangedCode } from './replay.ts';

/** The parts of a worker that a `TaskExchange` uses. */
export interface RunPort {
  readonly task: ReadTask;
  /** The fence of this run's lease. */
  readonly run: number;
  readonly revision: Revision;
  readonly clock: Clock;
  readonly stallMs: number;
  /** Writes a record; resolves when it is stored. Never settles if the lease is lost: the run is over then. */
  write(record: JournalRecord): Promise<void>;
  /** Whether the lease still holds. Asked before each action that another run could do too. */
  holds(): boolean;
  /** Stores the status message after a short while. */
  status(message: string): void;
  /** Sends a notification to the client that began the task. */
  notify(notification: Notification): void;
}

/** Why a run ended before its handler had a result. */
export type Pause =
  | {
    readonly questions: InputRequests;
    readonly asked: Readonly<Record<string, QuestionName>>;
    readonly overlap: boolean;
    readonly waiting: readonly string[];
  }
  | { readonly changed: ChangedCode };

/** The digest of a question, and the handler's name of it, which is the key of its first sending. */
type QuestionName = readonly [digest: string, name: string];

/** Adds the tool's scopes to the stored credentials: the call had these scopes, so its runs have them too. */
function reaching(auth: Auth, scopes: readonly string[]): Auth {
  const { scopes: held } = auth;
  return { ...auth, scopes: [...new Set([...Array.isArray(held) ? held as string[] : [], ...scopes])] };
}

const never = <T>(): Promise<T> => new Promise(() => {});

/** The parts of a run that its questions use. */
interface JournalPort {
  readonly task: ReadTask;
  /** Resolves when the handler has repeated all that it did before this question. */
  claim(name: string): Promise<unknown>;
  /** Whether the run has ended: then no more questions are asked. */
  over(): boolean;
}

/** The questions and answers in a task's journal. Each key is used only once in a task. */
class JournalAnswers implements AnswerStore {
  readonly numbersKeyed = true;
  /** The questions that this run asks, by key. */
  readonly asked = dictionary() as Record<string, QuestionName>;
  readonly #port: JournalPort;
  /** The questions of earlier runs, by key. */
  readonly #before = new Map<string, QuestionName>();
  readonly #claimed = new Set<string>();

  constructor(port: JournalPort) {
    this.#port = port;
    for (const record of port.task.records) {
      if (record.t === 'ask') for (const [key, name] of Object.entries(record.asked)) this.#before.set(key, name);
    }
  }

  find(name: string, digest: string): AskedBefore | Promise<AskedBefore> {
    if (!this.#before.has(name) || this.#claimed.has(name)) return this.#found(name, digest);
    this.#claimed.add(name);
    return this.#port.claim(name).then(() => this.#found(name, digest));
  }

  #found(name: string, digest: string): AskedBefore {
    const carried = this.#carried(name);
    const given = carried ? [carried] : [];
    for (const key of this.#usedKeys(name)) {
      const [before, asker] = this.#nameOf(key) ?? [];
      if (before !== digest || asker !== name) continue;
      const kept = this.#port.task.answers.get(key);
      if (!kept) return { given, times: given.length, open: key };
      given.push(kept.answer);
    }
    return { given, times: given.length };
  }

  put(name: string, digest: string): string | Promise<string> {
    const key = keyOf(name, this.#usedKeys(name).length + 1);
    const write = (): string | Promise<never> => {
      if (this.#port.over()) return new Promise(() => {});
      this.asked[key] = [digest, name];
      return key;
    };
    return key === name ? this.#port.claim(name).then(write) : write();
  }

  /** The answer that was given before the task began. */
  #carried(name: string): Bag | undefined {
    const { answers } = this.#port.task.head;
    const answer = answers && Object.hasOwn(answers, name) ? answers[name] : undefined;
    return isObject(answer) ? answer : undefined;
  }

  #nameOf(key: string): QuestionName | undefined {
    return this.#before.get(key) ?? this.asked[key];
  }

  /** The keys that questions of this name have used, in order. An answer from before the task has used the name itself. */
  #usedKeys(name: string): string[] {
    const keys: string[] = [];
    for (let n = 1; ; n++) {
      const key = keyOf(name, n);
      if (!this.#nameOf(key) && !(n === 1 && this.#carried(name))) return keys;
      keys.push(key);
    }
  }
}

/** The key of a question that is asked for the `n`th time. */
const keyOf = (name: string, n: number): string => (n === 1 ? name : `${name}~${n}`);

/**
 * One run of a task's handler. It finds the steps and answers of earlier runs; each new step is written to the journal
 * before the handler sees that it is done. A question without an answer ends the run.
 */
export class TaskExchange extends RepeatedExchange implements Context, TaskSteps {
  #answers: JournalAnswers | undefined;
  readonly #port: RunPort;
  readonly #replay: JournalReplay;
  readonly #attempts: Attempts;
  #pause: (pause: Pause) => void = () => {};
  readonly #versions = new Map<string, number>();
  /** The number of steps, versions and questions that have ended. */
  #ended: number;
  /** Whether steps were running while a question was open. */
  #overlap = false;
  /** The run has ended. A handler that is still running begins nothing more. */
  #over = false;

  constructor(port: RunPort) {
    const { head } = port.task;
    const params: Params = { name: head.tool, arguments: head.arguments };
    if (head._meta) params['_meta'] = head._meta;
    const inbound = new InboundRequest({ jsonrpc: '2.0', id: port.task.id, method: 'tools/call', params }, {
      send: (text, question) => {
        if (!question) port.notify(JSON.parse(text) as Notification);
      },
      answer: () => {},
    });
    const { client, capabilities, auth, scopes } = head;
    const named = { revision: port.revision, client, capabilities, logLevel: undefined };
    super(inbound, named, auth && scopes ? reaching(auth, scopes) : auth);
    this.#port = port;
    const { records } = port.task;
    this.#replay = new JournalReplay(records, port.stallMs, port.clock, (changed) => this.#pause({ changed }));
    this.#attempts = new Attempts(records, port.run);
    this.#ended = records.reduce((sum, record) => sum + entriesOf(record).length, 0);
    if (head.made) this.made = Object.assign(Object.create(null) as Bag, head.made);
  }

  protected override get answers(): JournalAnswers {
    return this.#answers ??= new JournalAnswers({
      task: this.#port.task, claim: (name) => this.#replay.claim('question', name), over: () => this.#over,
    });
  }

  /**
   * Runs the handler through `call`, which answers `tools/call`. Resolves with its result, or with the reason why it
   * has none yet; rejects with the error that it threw.
   */
  play(call: (params: Params) => object | Promise<object>): Promise<{ result: object } | Pause> {
    return new Promise((resolve, reject) => {
      this.#pause = (pause) => {
        if (this.#over) return;
        this.stop();
        resolve(pause);
        void this.leaveBehind();
      };
      const ended = (settle: () => void, failed = false): void => {
        if (this.#over) return;
        // The call failed before the handler ran: the tool no longer exists, or its schema has changed.
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

  /** Called when the run is over or its lease is lost. */
  stop(): void {
    this.#over = true;
    this.#replay.stop();
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
    if (this.waiting) this.#overlap = true;
    const after = this.#ended;
    const { head } = this.#port.task;
    const attempt = this.#attempts.begin(key, after);
    let outcome: { value?: unknown; error?: string };
    let thrown: unknown;
    try {
      const value = await make({ attempt, idempotencyKey: `${head.seed}-${key}` });
      // Converted to JSON and back at once, so that this run sees the same value as later runs.
      outcome = { value: value === undefined ? null : JSON.parse(JSON.stringify(value)) as unknown };
    } catch (error) {
      thrown = error;
      outcome = { error: errorMessage(error) };
    }
    const open = this.#attempts.end(key);
    this.#ended++;
    if (outcome.error !== undefined) this.#attempts.failed(key, attempt);
    await this.#port.write({
      t: 'step', key, value: outcome.value, error: outcome.error, after, open, at: this.#port.clock.now(), run: this.#port.run,
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
    await this.#port.write({ t: 'version', key, value: current, after, at: this.#port.clock.now(), run: this.#port.run });
    return current;
  }

  status(message: string): void {
    this.#port.status(message);
  }

  /**
   * Sets the status message of the task. In a legacy revision the client also gets a notification, under the token of
   * the call.
   */
  override progress(progress: number, total?: number, message?: string): void {
    const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
    this.#port.status(message === undefined ? count : `${count}: ${message}`);
    if (this.revision.era === 'legacy') super.progress(progress, total, message);
  }

  protected override wait(key: string, request?: InputRequest): Promise<never> {
    if (this.making?.size) this.#overlap = true;
    return super.wait(key, request);
  }

  /** Waits for a turn of the event loop, not a microtask: if steps overlapped, the replay delivers one per turn. */
  protected override nextTurn(run: () => void): unknown {
    return this.#port.clock.after(0, run);
  }

  protected override async suspend(): Promise<void> {
    this.#pause({ questions: this.questions ?? {}, asked: this.answers.asked, overlap: this.#overlap, waiting: [...this.waiting ?? []] });
  }
}
