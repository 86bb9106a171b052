import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { invalid, isObject, isRequestId } from '../jsonrpc/message.ts';
import type { ConnectionHandlers } from '../jsonrpc/connection.ts';
import type { RequestOptions } from '../jsonrpc/pending-requests.ts';
import {
  headerMismatchCode, invalidRequest, methodNotFound, needTimers, RpcError, tell, urlElicitationRequiredCode,
} from '../jsonrpc/errors.ts';
import type { InboundRequest, Outlet } from '../jsonrpc/inbound-request.ts';
import type { Bag, Notification, Params, RequestId } from '../jsonrpc/message.ts';
import { notify } from '../jsonrpc/inbound-request.ts';
import { shorten } from '../bounds/quote.ts';
import { readCancellation } from '../protocol/cancellation.ts';
import { clientLifecycle, mayPass } from '../protocol/lifecycle.ts';
import type { Implementation } from '../protocol/lifecycle.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { isMetaKey, logLevelKey } from '../protocol/meta.ts';
import { SessionExpired } from '../transport/http/http-error.ts';
import type { ClientReceiver, ClientTransport } from '../transport/client-port.ts';
import { Link } from './lifecycle.ts';
import type { LinkPort } from './lifecycle.ts';
import type { MethodTerms, Terms } from './negotiation.ts';
import { noOptions, onlyProgress } from './options.ts';
import type { CallOptions, CoreClientLimits, CoreClientOptions } from './options.ts';
import type { ListeningPort } from './parts.ts';

/** The events of a connected server that its client handles. */
export interface ServerEvents {
  /** Passes a notification to the client's handlers. */
  notice(notification: Notification): void;
  /** Reads the list of tools again. */
  relist(): Promise<unknown>;
}

/**
 * The server that a client is connected to: sends messages to it, as the agreed revision defines them, and handles its messages.
 * The `Link` holds the connection.
 */
export class ConnectedServer implements ListeningPort, LinkPort {
  readonly info: Implementation;
  readonly options: CoreClientOptions;
  readonly limits: CoreClientLimits;
  readonly clock: Clock;
  readonly #events: ServerEvents;
  readonly #link: Link;

  readonly report = (error: unknown): void => tell(this.options.onError, error);

  constructor(
    info: Implementation, options: CoreClientOptions, limits: CoreClientLimits, events: ServerEvents,
  ) {
    this.info = info;
    this.options = options;
    this.limits = limits;
    this.clock = options.clock ?? systemClock;
    options.cache?.attach?.(this.clock);
    this.#events = events;
    this.#link = new Link(this);
  }

  /** The agreement; undefined before the first handshake or discovery. */
  get terms(): Terms | undefined {
    return this.#link.terms;
  }

  /** Undefined while the client is not connected. */
  get transport(): ClientTransport | undefined {
    return this.#link.transport;
  }

  connect(transport: ClientTransport): Promise<void> {
    if (!this.transport) this.options.answering?.end?.();
    return this.#link.connect(transport);
  }

  async close(): Promise<void> {
    if (this.transport) this.options.listening?.end();
    this.options.answering?.end?.();
    await this.#link.close();
  }

  // ---- the agreement

  begin({ agreement, meta }: Terms): Promise<unknown> | undefined {
    const { answering, listening, pinging } = this.options;
    if (agreement.revision.era === 'legacy') pinging?.watch(this.#link.connection, (error) => this.#lost(error));
    answering?.begin?.((method, params) => this.notify(method, params));
    const listens = listening?.begin(this, agreement);
    const { logLevel: level } = this.#link;
    if (meta || !level || !agreement.capabilities.logging) return listens;
    // A new session repeats the subscriptions and the log level of the old one.
    return Promise.all([listens, this.ask('logging/setLevel', { level }).catch(this.report)]);
  }

  /** The level that each new session sends, and since 2026-07-28 every request. */
  set logLevel(level: LoggingLevel) {
    const { terms } = this;
    this.#link.logLevel = level;
    if (terms?.meta) terms.meta = this.#link.metaFor(terms.agreement.revision);
  }

  /** The server no longer answers. The next request starts it again if the transport can. */
  #lost(error: Error): void {
    const { transport } = this;
    this.receiver.closed(error.message, error);
    if (transport?.kind === 'pipe') void transport.close();
  }

  ask(method: string, params: Bag, options?: RequestOptions, sent?: (id: RequestId) => void): Promise<Bag> {
    return this.#link.ask(method, { ...params, _meta: this.terms?.meta }, options, sent);
  }

  fail(id: RequestId, error: Error): void {
    this.#link.requests.fail(id, error);
    this.transport?.abandon?.(id);
  }

  // ---- receiving

  readonly handlers: ConnectionHandlers = {
    request: (inbound) => this.#answerRequest(inbound),
    notification: (notification) => this.#notice(notification),
    cancellation: readCancellation,
    error: this.report,
    giveUp: (id, method) => {
      const http = this.transport?.kind === 'http';
      if (http) this.transport?.abandon?.(id);
      // 2026-07-28 basic/patterns/cancellation: over HTTP, ending the stream cancels. A probe is not cancelled: a server that does
      // not know `server/discover` does not know its cancellation either.
      return (method === 'server/discover' && this.#link.deciding) || (http && this.terms?.meta !== undefined);
    },
  };

  readonly receiver: ClientReceiver = {
    message: (decoded) => {
      const { connection, requests, terms } = this.#link;
      const { kind } = decoded;
      if (kind === 'refusal') {
        // A malformed request of a legacy server is answered with an error. Nothing else is answered: 2026-07-28
        // basic/transports/stdio.
        if (decoded.responseFault === undefined && decoded.id !== null && terms && !terms.meta) {
          connection.receive(decoded);
        } else if (!requests.refused(decoded)) {
          this.#fault(`the server's message was refused: ${decoded.error.message}`);
        }
      } else if (kind !== 'batch' || connection.takeBatch) connection.receive(decoded);
      else this.#refuseBatch(decoded.values);
    },
    failed: (id, error) => this.#link.requests.fail(id, error),
    error: this.report,
    held: (on) => this.#link.requests.hold(on),
    closed: (why, cause) => {
      this.#link.connection.close(why, cause);
      // The negotiation handles this itself.
      if (!this.transport || !this.terms || this.#link.renewing) return;
      this.options.listening?.stop();
      // 2026-07-28 basic/transports/stdio#unexpected-termination: only requests in flight are lost. A legacy server is
      // started again in the same way, with a new handshake.
      this.#link.lost();
      try {
        this.options.onClose?.(why);
      } catch (thrown) {
        this.report(thrown);
      }
    },
  };

  /** Rejects our requests that the batch answers; if it answers no request, reports the batch. */
  #refuseBatch(values: readonly unknown[]): void {
    const why = "the server's batch was refused by this revision";
    let told = false;
    for (const value of values) {
      if (!isObject(value) || 'method' in value || !isRequestId(value['id'])) continue;
      told = this.#link.requests.refused({ ...invalid(why, value), responseFault: why }) || told;
    }
    if (!told) this.#fault(why);
  }

  #fault(what: string): void {
    this.#link.connection.fault(() => new Error(what));
  }

  #answerRequest(inbound: InboundRequest): object | Promise<object> {
    const { method, params = {} } = inbound.request;
    const { terms, state } = this.#link;
    if (terms?.meta !== undefined) {
      // 2026-07-28 basic/patterns/mrtr: servers no longer send requests, and the client must not answer one.
      inbound.cancel('not in this revision');
      this.#fault(`the server sent the request ${shorten(method)}, which its revision does not allow`);
      return {};
    }
    if (method === 'ping') return {};
    if (!mayPass(clientLifecycle[state].receive, method)) {
      throw invalidRequest(`${method} before the handshake is over`);
    }
    const { answering } = this.options;
    if (!answering) throw methodNotFound(method);
    const { revision, server: client } = this.known().agreement;
    const { observe } = this.options;
    if (!observe) return answering.answer(method, params, revision, inbound);
    return observe({ kind: 'server', ...inbound.request, peer: { revision, client } },
      () => answering.answer(method, params, revision, inbound));
  }

  #notice(notification: Notification): void {
    const { method, params } = notification;
    const { listening } = this.options;
    if (method === 'notifications/cancelled') listening?.cancelled(params);
    else if (method === 'notifications/subscriptions/acknowledged') listening?.acknowledged(params);
    else if (method !== 'notifications/progress') this.#events.notice(notification);
  }

  // ---- sending

  /** The agreement. Throws before the first one. */
  known(): Terms {
    const { terms } = this.#link;
    if (!terms) throw new Error('the client is not connected');
    return terms;
  }

  /** The terms of a method, after an agreement in progress is reached. Throws if such a request may not be sent. */
  ready(method: string): MethodTerms | Promise<MethodTerms> {
    const { stale, terms } = this.#link;
    return stale ? this.#link.renew().then(() => this.known().of(method)) : (terms ?? this.known()).of(method);
  }

  send(method: string, params: Bag | undefined, options: CallOptions, first?: boolean): Promise<Bag> {
    return this.request(this.known().of(method), params, options, first);
  }

  /** Sends one request. If this is the `first` time, sends it once more if the session has expired or the headers of a tool were wrong. */
  request(terms: MethodTerms, params: Bag | undefined, given: CallOptions, first: boolean = true): Promise<Bag> {
    const { method, asks, all: { meta, headers } } = terms;
    const { requests, transport, count } = this.#link;
    const own = given.meta ? { ...params?.['_meta'] as Bag | undefined, ...given.meta } : params?.['_meta'];
    for (const key in own as object) {
      if (!isMetaKey(key)) this.report(new Error(`${method}: _meta has the malformed key ${shorten(key)}`));
    }
    if (given.timeoutMs || given.maxTimeoutMs) needTimers(this.clock, 'timeoutMs');
    const options = !asks || given.onProgress ? given : given === noOptions ? onlyProgress : { ...given, ...onlyProgress };
    let all: Params | undefined = given.meta ? { ...params, _meta: own } : params;
    let outlet: Pick<Outlet, 'send'> | undefined = transport;
    if (meta !== undefined) {
      const { logLevel } = options;
      let _meta = own === undefined ? meta : { ...(own as Bag), ...meta };
      if (logLevel !== undefined) _meta = { ..._meta, [logLevelKey]: logLevel };
      // Not `{ ...params, _meta }`: see `withProgressToken`.
      all = { _meta, ...params };
      all['_meta'] = _meta;
      const mirrored = headers && method === 'tools/call' && params ? headers.of(params) : undefined;
      const fields = (options.headers || mirrored) && { ...options.headers, ...mirrored };
      if (fields) outlet = { send: (text, message) => this.transport?.send(text, { ...message, headers: fields }) };
    }
    const sent = requests.request(method, all, options, outlet);
    return first ? sent.catch((error) => this.#again(terms, params, given, error, count)) : sent;
  }

  /** Handles the refusal of a request; `count` is the number of agreements when it was sent. */
  async #again(terms: MethodTerms, params: Bag | undefined, given: CallOptions, error: unknown, count: number): Promise<Bag> {
    const { method, all: { meta, headers } } = terms;
    if (error instanceof SessionExpired && meta === undefined) {
      // 2025-11-25 basic/transports#session-management. The first request that learns this makes the new session.
      if (count === this.#link.count) await this.#link.renew();
    } else if (error instanceof RpcError && error.code === headerMismatchCode && headers && method === 'tools/call') {
      // 2026-07-28 basic/transports/streamable-http#client-behavior: the tool's schema may have changed.
      await this.#events.relist();
    } else {
      if (error instanceof RpcError && error.code === urlElicitationRequiredCode) {
        this.options.answering?.required(error);
      }
      throw error;
    }
    return this.send(method, params, given, false);
  }

  notify(method: string, params: Bag | undefined): void {
    if (this.terms?.meta === undefined && this.#link.state === 'ready') notify(this.#link.connection, method, params);
  }
}
