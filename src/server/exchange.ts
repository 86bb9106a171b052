import { encode } from '../jsonrpc/codec.ts';
import type { Inbound, ResultJudge } from '../jsonrpc/inbound.ts';
import type { Notification, Params } from '../jsonrpc/message.ts';
import type { ClientCapabilities, Implementation } from '../protocol/initialize.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { loggingLevels } from '../protocol/logging.ts';
import { metaOf } from '../protocol/meta.ts';
import { ProgressReports } from '../protocol/progress.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Auth } from '../transport/port.ts';
import type { PlainContext } from './context.ts';
import type { Need } from './needs.ts';
import type { Outcome } from './outcome.ts';
import type { Requester } from './requester.ts';

/** Hears of what a handler, or a release, throws. */
export interface HandlerFailures {
  released(thrown: unknown, exchange: Exchange): void;
  /** What the caller is told. */
  judge(thrown: unknown, exchange: Exchange): Error;
}

/** Undoes what a run of a handler took. */
export type Release = () => unknown;

/** One request on its way to its answer: who asks, by which rules. To handlers it is their context. */
export class Exchange implements PlainContext, ResultJudge {
  readonly inbound: Inbound;
  readonly auth: Auth | undefined;
  /** The row of the request's revision. */
  readonly rules: Revision;
  readonly requester: Requester;
  /** What `once` has made so far, by key. JSON values. */
  protected made: Record<string, unknown> | undefined;
  protected making: Map<string, Promise<unknown>> | undefined;
  /** Set by the server that answers. */
  failures: HandlerFailures | undefined;
  #releases: Release[] | undefined;
  /** The run has ended: what is deferred now is undone at once. */
  #over = false;
  /** null: the client wants no reports. */
  #reports: ProgressReports | null | undefined;

  constructor(inbound: Inbound, requester: Requester, auth: Auth | undefined) {
    this.inbound = inbound;
    this.auth = auth;
    this.rules = requester.revision as Revision;
    this.requester = requester;
  }

  get signal(): AbortSignal {
    return this.inbound.signal;
  }

  get client(): Implementation | undefined {
    return this.requester.client;
  }

  get capabilities(): ClientCapabilities {
    return this.requester.capabilities;
  }

  get meta(): Readonly<Record<string, unknown>> | undefined {
    return metaOf(this.inbound.request.params);
  }

  get revision(): string {
    return this.rules.version;
  }

  closeStream(): void {
    this.requester.closeStream?.(this.inbound.request.id);
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

  /**
   * The value that `make` gave, made once for this request, also across its rounds. It is taken through JSON
   * at once, so that it looks the same in the round that makes it and in those that find it.
   */
  once<T>(key: string, make: () => T | Promise<T>): Promise<T> {
    if (this.made && Object.hasOwn(this.made, key)) return Promise.resolve(this.made[key] as T);
    const under = (this.making ??= new Map()).get(key);
    if (under) return under as Promise<T>;
    const making = Promise.resolve().then(make).then((value) => {
      const kept = value === undefined ? null : JSON.parse(JSON.stringify(value)) as unknown;
      // Object.create(null): a key may be called `__proto__`.
      (this.made ??= Object.create(null) as Record<string, unknown>)[key] = kept;
      return kept as T;
    }).finally(() => this.making?.delete(key));
    this.making.set(key, making);
    return making;
  }

  defer(release: Release): void {
    (this.#releases ??= []).push(release);
    // Work that went on beside a question that ended the run.
    if (this.#over) void this.release();
  }

  judge(thrown: unknown): unknown {
    return this.failures?.judge(thrown, this);
  }

  /** Whether something waits for the end of this run. */
  get deferred(): boolean {
    return this.#releases !== undefined;
  }

  /** Undoes, last first, what this run took. One that throws is reported; the others still run. */
  async release(): Promise<void> {
    const releases = this.#releases;
    this.#over = true;
    this.#releases = undefined;
    for (const release of releases?.reverse() ?? []) {
      try {
        await release();
      } catch (thrown) {
        this.failures?.released(thrown, this);
      }
    }
  }

  notify(method: string, params: Record<string, unknown>): void {
    const message: Notification = { jsonrpc: '2.0', method, params };
    this.inbound.send(encode(message), message);
  }

  /** Sends what may be lost: dropped while the client does not read. */
  #mention(method: string, params: Record<string, unknown>): void {
    const message: Notification = { jsonrpc: '2.0', method, params };
    const text = encode(message);
    if (this.inbound.outlet.room?.(text.length, true) !== false) this.inbound.send(text, message);
  }

  /**
   * 2025-11-25 basic/utilities/progress: only where the client gave a token, and each report above the last.
   */
  progress(progress: number, total?: number, message?: string): void {
    // JSON has no number for them: the client would read null.
    if (!Number.isFinite(progress) || (total !== undefined && !Number.isFinite(total))) {
      throw new RangeError(`progress and total must be finite numbers, not ${progress} of ${total}`);
    }
    if (this.#reports === undefined) this.#reports = ProgressReports.of(this.meta) ?? null;
    const report = this.#reports?.next(progress, total, this.rules.progressMessage ? message : undefined);
    if (report) this.#mention('notifications/progress', { ...report });
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const { logLevel } = this.requester;
    if (logLevel === undefined || loggingLevels.indexOf(level) < loggingLevels.indexOf(logLevel)) return;
    this.#mention('notifications/message', { level, ...logger !== undefined && { logger }, data });
  }
}
