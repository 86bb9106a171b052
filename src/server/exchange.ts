import type { Inbound, ResultJudge } from '../jsonrpc/inbound.ts';
import type { Params } from '../jsonrpc/message.ts';
import { notificationText } from '../jsonrpc/outlet.ts';
import * as columns from '../protocol/columns.ts';
import type { ClientCapabilities, Implementation } from '../protocol/initialize.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { loggingLevels } from '../protocol/logging.ts';
import { metaOf } from '../protocol/meta.ts';
import { ProgressReports } from '../protocol/progress.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Auth } from '../transport/port.ts';
import type { PlainContext } from './context.ts';
import type { Failures } from './failure.ts';
import type { Need } from './needs.ts';
import type { Outcome } from './outcome.ts';
import type { Requester } from './requester.ts';

/** Hears of what a handler throws. */
export type HandlerFailures = Pick<Failures, 'alarm' | 'judge'>;

/** One request on its way to its answer: who asks, by which rules. To handlers it is their context. */
export class Exchange implements PlainContext, ResultJudge {
  readonly inbound: Inbound;
  readonly auth: Auth | undefined;
  /** The row of the request's revision. */
  readonly rules: Revision;
  readonly requester: Requester;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Set by the server that answers. */
  failures: HandlerFailures | undefined;
  #reports: ProgressReports | undefined;

  constructor(inbound: Inbound, requester: Requester, auth: Auth | undefined) {
    this.inbound = inbound;
    this.auth = auth;
    this.rules = requester.revision as Revision;
    this.requester = requester;
    this.client = requester.client;
    this.capabilities = requester.capabilities;
  }

  get signal(): AbortSignal {
    return this.inbound.signal;
  }

  get meta(): Readonly<Record<string, unknown>> | undefined {
    return metaOf(this.inbound.request.params);
  }

  get revision(): string {
    return this.rules.version;
  }

  closeStream(): void {
    this.requester.options?.closeStream?.(this.inbound.request.id);
  }

  /** Answers the request by `handle`, with what the era has to do before and after. */
  begin(handle: (params: Params) => object | Promise<object>): object | Promise<object> {
    return handle(this.inbound.request.params ?? {});
  }

  /** Throws where the client cannot be asked so. Handlers that ask nothing need nothing. */
  checkNeeds(_needs: readonly Need[]): void {}

  /** What a handler returned, taken to its end. A value that is there at once stays synchronous. */
  settle<R>(outcome: Outcome<R>): R | Promise<R> {
    return outcome as R | Promise<R>;
  }

  /** What the caller is told of a failure; the author hears of it. */
  judge(thrown: unknown): unknown {
    return this.failures?.judge(thrown, this);
  }

  /** Goes on with what a run of the handler has come to, when what the run took has been given back. */
  conclude<V, T>(next: (value: V) => T | Promise<T>, value: V): T | Promise<T> {
    return next(value);
  }

  notify(method: string, params: Record<string, unknown>): void {
    this.inbound.send(notificationText(method, params));
  }

  /** Sends what may be lost: dropped while the client does not read. */
  #mention(text: string): void {
    if (this.inbound.outlet.room?.(text.length, true) !== false) this.inbound.send(text);
  }

  /**
   * 2025-11-25 basic/utilities/progress: only where the client gave a token, and each report above the last.
   */
  progress(progress: number, total?: number, message?: string): void {
    // JSON has no number for them: the client would read null.
    if (!Number.isFinite(progress) || (total !== undefined && !Number.isFinite(total))) {
      throw new RangeError(`progress and total must be finite numbers, not ${progress} of ${total}`);
    }
    this.#reports ??= ProgressReports.of(this.meta);
    const text = this.#reports?.next(progress, total, columns.progressMessage(this.rules) ? message : undefined);
    if (text) this.#mention(text);
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const { logLevel } = this.requester;
    if (logLevel === undefined || loggingLevels.indexOf(level) < loggingLevels.indexOf(logLevel)) return;
    this.#mention(notificationText('notifications/message', { level, logger, data }));
  }
}
