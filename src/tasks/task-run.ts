import { every } from '../bounds/clock.ts';
import type { Clock, Timer } from '../bounds/clock.ts';
import { internalError, toErrorObject } from '../jsonrpc/internal-exports.ts';
import { Cancelled, RpcError } from '../jsonrpc/index.ts';
import type { Notification, Params } from '../jsonrpc/index.ts';
import { findRevision } from '../protocol/internal-exports.ts';
import { revisions } from '../protocol/index.ts';
import type { Revision } from '../protocol/index.ts';
import { readTask } from './journal.ts';
import type { JournalRecord, TaskEnd } from './journal.ts';
import type { TaskLimits } from './limits.ts';
import { isLeaseLost, LeaseLost, LeaseTime } from './store.ts';
import type { Lease, LeasedTask, TaskStore } from './store.ts';
import { TaskExchange } from './task-exchange.ts';

interface Queued {
  readonly text: string;
  readonly written: () => void;
}

/** A `TaskEnd` without its result, which is written separately. */
type EndRecord = Exclude<TaskEnd, { status: 'completed' }> | { readonly status: 'completed'; readonly at: number; readonly message?: string };

/** The parts of a worker that a run uses. */
export interface RunOptions {
  readonly store: TaskStore;
  readonly limits: TaskLimits;
  readonly clock: Clock;
  /** Answers `tools/call`. */
  call(params: Params, exchange: TaskExchange): object | Promise<object>;
  notify(notification: Notification): void;
  /** Reports an error of the store, the handler or its result. */
  report(error: unknown): void;
}

/** One run of one task under one lease. It writes the journal, renews the lease, and ends the task or gives it back. */
export class TaskRun {
  readonly lease: Lease;
  readonly exchange: TaskExchange;
  readonly #options: RunOptions;
  readonly #queue: Queued[] = [];
  /** The number of records in the journal. */
  #written: number;
  #bytes: number;
  #writing: Promise<void> | undefined;
  #status: string | undefined;
  #statusTimer: Timer | undefined;
  #renewing: Timer | undefined;
  #over = false;
  /** The time for which the lease certainly holds. */
  #time: LeaseTime;
  #finish: () => void = () => {};

  /** `time` began when the lease was requested: the process may have been stopped after the store granted it. */
  constructor({ lease, task: stored }: LeasedTask, time: LeaseTime, options: RunOptions) {
    this.lease = lease;
    this.#time = time;
    this.#options = options;
    this.#written = stored.records.length;
    this.#bytes = stored.head.length;
    for (const text of [...stored.records, ...stored.answers.values()]) this.#bytes += text.length;
    const task = readTask(stored);
    this.exchange = new TaskExchange({
      task,
      run: lease.fence,
      // The revision of the client that began the task.
      revision: findRevision(revisions, task.head.revision) ?? revisions[0] as Revision,
      clock: options.clock,
      stallMs: options.limits.stallMs,
      write: (record) => this.#write(record),
      holds: () => this.#holds(),
      status: (message) => this.#note(message),
      notify: options.notify,
    });
  }

  /** Runs the handler. Resolves when the task has ended, was given back, or belongs to another worker. */
  play(): Promise<void> {
    const { limits, clock, call } = this.#options;
    this.#renewing = every(clock, limits.leaseMs / 3, () => void this.#renew(), true);
    return new Promise((finish) => {
      this.#finish = finish;
      this.exchange.play((params) => call(params, this.exchange)).then(
        (outcome) => {
          if ('result' in outcome) return this.#complete(outcome.result);
          if ('changed' in outcome) return this.#fail(internalError(outcome.changed.message));
          const { waiting, questions, asked, overlap } = outcome;
          const news = overlap || Object.keys(asked).length > 0;
          return this.#giveBack(waiting, news
            ? { t: 'ask', questions, asked, overlap: overlap || undefined, ...this.#stamp() }
            : undefined);
        },
        (thrown: unknown) => this.#fail(thrown),
      ).catch((error: unknown) => this.#abandon(error));
    });
  }

  /** Called when the task was cancelled or has ended otherwise. Aborts the handler's signal; its result is ignored. */
  cancel(): void {
    // The store also reports the end that this run has written.
    if (!this.#over) this.#abandon(new Cancelled('The task was cancelled'));
  }

  /** Gives the task back unfinished, for another worker. */
  async leave(): Promise<void> {
    this.exchange.stop();
    this.exchange.inbound.cancel(new Error('the worker is closing'));
    await this.#giveBack([], undefined).catch((error: unknown) => this.#abandon(error));
  }

  #stamp(): { at: number; run: number } {
    return { at: this.#options.clock.now(), run: this.lease.fence };
  }

  #write(record: JournalRecord): Promise<void> {
    return new Promise((written) => {
      this.#push(record, written);
      void this.#flush();
    });
  }

  #push(record: JournalRecord, written: () => void = () => {}): void {
    const text = JSON.stringify(record);
    this.#bytes += text.length;
    this.#queue.push({ text, written });
  }

  /** Writes the queued records. Records that are queued meanwhile go together in the next write. */
  #flush(): Promise<void> {
    return this.#writing ??= (async () => {
      try {
        while (this.#queue.length > 0 && !this.#over) {
          if (this.#bytes > this.#options.limits.maxJournalBytes) {
            await this.#fail(internalError(
              `the task has written ${this.#bytes} characters; the limit is ${this.#options.limits.maxJournalBytes}`,
            ));
            return;
          }
          const batch = this.#queue.splice(0);
          await this.#options.store.append(this.lease, this.#written, batch.map(({ text }) => text));
          this.#written += batch.length;
          if (!this.#over) for (const { written } of batch) written();
        }
      } catch (error) {
        this.#abandon(error);
      } finally {
        this.#writing = undefined;
      }
    })();
  }

  #note(message: string): void {
    if (this.#over) return;
    this.#status = message;
    this.#statusTimer ??= this.#options.clock.after(this.#options.limits.statusIntervalMs, () => {
      this.#statusTimer = undefined;
      this.#pushStatus();
      void this.#flush();
    }, true);
  }

  #pushStatus(): void {
    const message = this.#status;
    this.#status = undefined;
    if (message !== undefined) this.#push({ t: 'status', message, ...this.#stamp() });
  }

  /** Whether the lease still holds. If the process was suspended beyond it, the run must begin nothing more. */
  #holds(): boolean {
    if (!this.#over && this.#time.isOver) this.#abandon(new LeaseLost(this.lease, 'it has expired'));
    return !this.#over;
  }

  async #renew(): Promise<void> {
    const time = new LeaseTime(this.#options.limits.leaseMs, this.#options.clock);
    try {
      await this.#options.store.renew(this.lease, this.#options.limits.leaseMs);
      this.#time = time;
    } catch (error) {
      if (isLeaseLost(error)) return this.#abandon(error);
      // The store may recover before the lease expires: the next renewal tries again.
      if (this.#holds()) this.#options.report(error);
    }
  }

  async #giveBack(waiting: readonly string[], ask: JournalRecord | undefined): Promise<void> {
    await this.#writing;
    if (this.#over) return;
    this.#pushStatus();
    if (ask) this.#push(ask);
    this.#stop();
    const records = this.#queue.splice(0).map(({ text }) => text);
    await this.#options.store.release(this.lease, this.#written, records, waiting);
    this.#finish();
  }

  #complete(result: object): Promise<void> {
    const { maxResultBytes } = this.#options.limits;
    let text: string;
    try {
      text = JSON.stringify(result);
    } catch (error) {
      this.#options.report(error);
      return this.#fail(internalError('the result cannot be written as JSON'));
    }
    if (text.length > maxResultBytes) {
      return this.#fail(internalError(`the result takes ${text.length} characters; the limit is ${maxResultBytes}`));
    }
    return this.#end({ status: 'completed', at: this.#options.clock.now() }, text);
  }

  #fail(thrown: unknown): Promise<void> {
    const error = toErrorObject(thrown);
    // If this is not a protocol error, only the author gets the details; the client gets a general message.
    if (!(thrown instanceof RpcError)) this.#options.report(thrown);
    return this.#end({ status: 'failed', error, message: error.message, at: this.#options.clock.now() });
  }

  /** `result`: the result of a completed task, as JSON. */
  async #end(end: EndRecord, result?: string): Promise<void> {
    if (this.#over) return;
    const message = end.message ?? this.#status;
    this.#stop();
    const rest = JSON.stringify(Object.assign(end, { message }));
    await this.#options.store.end(this.lease.id, result === undefined ? rest : `{"result":${result},${rest.slice(1)}`, this.lease);
    this.#finish();
  }

  /** Ends the run without a further write, and leaves the stored task unchanged. */
  #abandon(error: unknown): void {
    if (!(isLeaseLost(error) || error instanceof Cancelled)) this.#options.report(error);
    this.#stop();
    this.exchange.inbound.cancel(error);
    this.#finish();
  }

  #stop(): void {
    this.#over = true;
    this.exchange.stop();
    this.#renewing?.stop();
    this.#statusTimer?.stop();
  }
}
