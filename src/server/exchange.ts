import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import type { Connection } from '../jsonrpc/connection.ts';
import type { InboundRequest, FailureHandler } from '../jsonrpc/inbound-request.ts';
import type { Notification } from '../jsonrpc/message.ts';
import { notificationText } from '../jsonrpc/inbound-request.ts';
import * as revisionTable from '../protocol/revisions.ts';
import type { ClientCapabilities, Implementation, LifecycleState } from '../protocol/lifecycle.ts';
import { isWanted } from '../protocol/logging.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { metaOf } from '../protocol/meta.ts';
import type { RequestMeta } from '../protocol/meta.ts';
import type { Observe } from '../protocol/observe.ts';
import { ProgressReports } from '../protocol/progress.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Auth } from '../transport/auth.ts';
import type { OpenQuestions, PeerOptions } from '../transport/server-port.ts';
import type { PlainContext, Outcome } from './context.ts';
import type { ErrorPlace, Failures } from './errors.ts';
import type { ServerInternals, ServerLimits } from './server-core.ts';
import type { RequestStateSealer } from './modern/request-state.ts';
import type { Need } from './registry.ts';

/** The sender of a request, as given by a legacy handshake or the metadata of a modern request. */
export interface Requester {
  /** Undefined only before a legacy handshake, when no feature is called yet. */
  readonly revision: Revision | undefined;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The least severe level that the client wants; undefined: no log messages. */
  readonly logLevel: LoggingLevel | undefined;
  /** How the transport serves it. Only for legacy clients. */
  readonly options?: PeerOptions;
  /** Sends a notification that belongs to no request, as text. Only for legacy clients; dropped before they are ready. */
  announce?(text: string): void;
}

/** A legacy client. Questions to it are requests. */
export interface LegacyRequester extends Requester {
  readonly connection: Connection;
  readonly server: { readonly limits: ServerLimits; readonly clock: Clock; readonly observe?: Observe | undefined };
  readonly state: LifecycleState;
  /** Called with each new state: see `onReady` and `onClose`. */
  listeners: Set<(state: LifecycleState) => void> | undefined;
  announce(text: string): void;
}

/** Handles the errors that handlers throw. */
export type HandlerFailures = Pick<Failures, 'alarm' | 'errorFor' | 'report'>;

/** One request until its response, with its sender and revision. Handlers get it as their context. */
export class Exchange implements PlainContext, FailureHandler {
  readonly inbound: InboundRequest;
  readonly auth: Auth | undefined;
  readonly revision: Revision;
  readonly requester: Requester;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Set by the server that dispatches the request. */
  failures: HandlerFailures | undefined;
  /** The clock of that server. */
  clock: Clock = systemClock;
  /** Calls the functions given to `ctx.defer`; undefined without such functions. Never rejects. */
  runDeferred: (() => Promise<void>) | undefined;
  #reports: ProgressReports | undefined;

  constructor(inbound: InboundRequest, requester: Requester, auth: Auth | undefined) {
    this.inbound = inbound;
    this.auth = auth;
    this.revision = requester.revision as Revision;
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

  closeStream(): void {
    this.requester.options?.closeStream?.(this.inbound.request.id);
  }

  /** Answers a request of the modern era. `ModernExchange` adds work before and after. A session calls `server.dispatch` itself. */
  answerModern(server: ServerInternals): object | Promise<object> {
    const { method, params = {} } = this.inbound.request;
    return server.dispatch(method, params, this);
  }

  /** Throws if the client lacks a capability for one of the needs. Without `asking()` nothing is checked. */
  checkNeeds(_needs: readonly Need[]): void {}

  /** The final value of a handler. An immediate value stays synchronous. */
  resolveOutcome<R>(outcome: Outcome<R>): R | Promise<R> {
    return outcome as R | Promise<R>;
  }

  /** Reports an error to the author, and returns the error for the caller. */
  errorFor(thrown: unknown): unknown {
    return this.failures?.errorFor(thrown, this);
  }

  notify(method: string, params: Record<string, unknown>): void {
    this.inbound.send(notificationText(method, params));
  }

  /** Sends a notification that may be lost: it is dropped while the client does not read. */
  #mention(text: string): void {
    if (this.inbound.outlet.room?.(text.length, true) !== false) this.inbound.send(text);
  }

  /** 2025-11-25 basic/utilities/progress: only if the client gave a token, and each report above the last. */
  progress(progress: number, total?: number, message?: string): void {
    // JSON has no such numbers: the client would read null.
    if (!Number.isFinite(progress) || (total !== undefined && !Number.isFinite(total))) {
      throw new RangeError(`progress and total must be finite numbers, not ${progress} of ${total}`);
    }
    this.#reports ??= ProgressReports.of(this.meta, this.clock);
    const text = this.#reports?.next(progress, total, revisionTable.progressMessage(this.revision) ? message : undefined);
    if (text) this.#mention(text);
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    if (isWanted(level, this.requester.logLevel)) this.#mention(notificationText('notifications/message', { level, logger, data }));
  }
}

/** The exchange classes of a server, one for each era. Their constructors get this object too. With `asking()` their handlers may ask. */
export interface ExchangeClasses<C extends PlainContext> {
  /** Called when the server is made, with its clock. */
  attach?(clock: Clock): void;
  /** For a request of a session. */
  readonly legacy: new (
    inbound: InboundRequest, requester: LegacyRequester, auth: Auth | undefined, exchanges: ExchangeClasses<PlainContext>,
  ) => Exchange & C;
  /** For a request that belongs to no session. */
  readonly modern: new (inbound: InboundRequest, meta: RequestMeta, auth: Auth | undefined, exchanges: ExchangeClasses<PlainContext>) => Exchange & C;
  /** The open questions to clients, if handlers may ask. */
  readonly questions?: (OpenQuestions & { asked: boolean }) | undefined;
  /** Seals `requestState` in the modern era. */
  readonly sealer?: RequestStateSealer | undefined;
  /** Called with each notification that comes over a lasting connection, except `notifications/initialized`. */
  heard?(notification: Notification, failures: { alarm(thrown: unknown, where: ErrorPlace): void }): void;
}

/** Exchanges whose handlers do not ask. */
export const plainExchanges: ExchangeClasses<PlainContext> = { legacy: Exchange, modern: Exchange };
