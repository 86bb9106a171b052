import { Connection } from '../jsonrpc/connection.ts';
import type { PendingRequests, RequestOptions } from '../jsonrpc/pending-requests.ts';
import * as errorCodes from '../jsonrpc/error-codes.ts';
import { invalidRequest, methodNotFound, need, RpcError, toError } from '../jsonrpc/errors.ts';
import type { Inbound } from '../jsonrpc/inbound.ts';
import type { Bag, Notification, Params, RequestId } from '../jsonrpc/message.ts';
import { notify, pipeOutlet } from '../jsonrpc/outlet.ts';
import { shorten } from '../jsonrpc/quote.ts';
import { readCancellation } from '../protocol/cancellation.ts';
import { serverSupports } from '../protocol/capabilities.ts';
import type { Implementation } from '../protocol/initialize.ts';
import { clientLifecycle, mayPass } from '../protocol/lifecycle.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import * as metaKeys from '../protocol/meta-keys.ts';
import { isMetaKey } from '../protocol/meta.ts';
import { mayAsk } from '../protocol/methods.ts';
import { requestsOf } from '../protocol/requests.ts';
import type { Revision } from '../protocol/revisions.ts';
import { SessionExpired } from '../transport/port.ts';
import type { ClientReceiver, ClientTransport } from '../transport/port.ts';
import { declaredCapabilities, declaredInfo } from './capabilities.ts';
import { Handshake } from './handshake.ts';
import type { HandshakePort } from './handshake.ts';
import type { Agreement } from './negotiation.ts';
import type { CallOptions } from './call-options.ts';
import type { CoreClientLimits, CoreClientOptions } from './options.ts';
import type { ListeningPort } from './parts.ts';
import { ToolHeaders } from './tool-headers.ts';

const ignore = (): void => {};
export const noOptions: CallOptions = {};
const onlyProgress: CallOptions = { onProgress: ignore };

/** What a server tells the client that is connected to it. */
export interface ServerEvents {
  /** A notification that is not this layer's own matter. */
  notice(notification: Notification): void;
  /** The far side is not the one that it was: what was learned from it is void. */
  forget(): void;
  /** Reads the list of the tools anew. */
  relist(): Promise<unknown>;
}

/**
 * The server that a client is connected to: what is sent to it, in the words of the agreed revision, and what
 * arrives. How the two meet is the `Handshake`'s.
 */
export class ConnectedServer implements ListeningPort, HandshakePort {
  readonly info: Implementation;
  readonly options: CoreClientOptions;
  readonly limits: CoreClientLimits;
  /** Of modern requests, made once; undefined in the legacy era. */
  meta: Bag | undefined;
  logLevel: LoggingLevel | undefined;
  headers: ToolHeaders | undefined;
  readonly #events: ServerEvents;
  readonly #handshake: Handshake;

  readonly report = (error: unknown): void => {
    try {
      this.options.onError?.(toError(error));
    } catch {
      // A handler of errors that fails has nobody left to tell.
    }
  };

  constructor(
    info: Implementation, options: CoreClientOptions, limits: CoreClientLimits, events: ServerEvents,
  ) {
    this.info = info;
    this.options = options;
    this.limits = limits;
    this.#events = events;
    this.logLevel = options.logLevel;
    this.#handshake = new Handshake(this);
  }

  get agreement(): Agreement | undefined {
    return this.#handshake.agreement;
  }

  get transport(): ClientTransport | undefined {
    return this.#handshake.transport;
  }

  connect(transport: ClientTransport): Promise<void> {
    if (!this.transport) {
      this.meta = this.headers = undefined;
      this.options.answering?.end?.();
    }
    return this.#handshake.connect(transport);
  }

  async close(): Promise<void> {
    if (this.transport) this.options.listening?.end();
    this.options.answering?.end?.();
    await this.#handshake.close();
  }

  // ---- the handshake

  agreed(agreement: Agreement): void {
    const { revision } = agreement;
    const modern = revision.era === 'modern';
    this.meta = modern ? this.metaFor(revision) : undefined;
    this.headers = modern && this.transport?.kind === 'http' ? new ToolHeaders(this.report) : undefined;
  }

  begin(agreement: Agreement): Promise<unknown> | undefined {
    const { answering, listening, pinging } = this.options;
    if (agreement.revision.era === 'legacy') pinging?.watch(this.#handshake.connection, (error) => this.#lost(error));
    answering?.begin?.((method, params) => this.notify(method, params));
    const listens = listening?.begin(this, agreement);
    const { logLevel: level } = this;
    if (this.meta || !level || !agreement.capabilities.logging) return listens;
    // A new session is told of the wishes of the old one.
    return Promise.all([listens, this.ask('logging/setLevel', { level }).catch(this.report)]);
  }

  forget(): void {
    this.#events.forget();
  }

  /** The server says nothing more. The next request starts it again where the transport can. */
  #lost(error: Error): void {
    const { transport } = this;
    this.receiver.closed(error.message, error);
    if (transport?.kind === 'pipe') void transport.close();
  }

  /** What every modern request says of this client. 2026-07-28 basic/index#_meta. */
  metaFor(revision: Revision): Bag {
    const meta: Bag = {
      [metaKeys.protocolVersion]: revision.version,
      [metaKeys.clientInfo]: declaredInfo(this.info, revision),
      [metaKeys.clientCapabilities]: declaredCapabilities(this.options, revision),
    };
    const level = this.logLevel ?? (this.options.onLog && 'info');
    if (level) meta[metaKeys.logLevel] = level;
    return meta;
  }

  ask(method: string, params: Bag, options?: RequestOptions, sent?: (id: RequestId) => void): Promise<Bag> {
    return this.#handshake.ask(method, { ...params, _meta: this.meta }, options, sent);
  }

  fail(id: RequestId, error: Error): void {
    this.#requests.fail(id, error);
    this.transport?.abandon?.(id);
  }

  get #requests(): PendingRequests {
    return requestsOf(this.#handshake.connection);
  }

  // ---- what arrives

  newConnection(): Connection {
    return new Connection(pipeOutlet((text, message) => this.transport?.send(text, message)), {
      request: (inbound) => this.#answerRequest(inbound),
      notification: (notification) => this.#notice(notification),
      cancellation: readCancellation,
      error: this.report,
      giveUp: (id, method) => {
        const http = this.transport?.kind === 'http';
        if (http) this.transport?.abandon?.(id);
        // 2026-07-28 basic/patterns/cancellation: over HTTP the stream's end says it. A probe is not
        // cancelled: a server that did not know it would not know the cancellation either.
        return (method === 'server/discover' && this.#handshake.deciding) || (http && this.meta !== undefined);
      },
    }, this.limits);
  }

  readonly receiver: ClientReceiver = {
    message: (decoded) => {
      const { kind } = decoded;
      if (kind === 'refusal') {
        // A legacy server's request that is malformed is answered with an error. Nothing else is answered:
        // 2026-07-28 basic/transports/stdio.
        if (decoded.answer === undefined && decoded.id !== null && this.agreement && !this.meta) {
          this.#handshake.connection.receive(decoded);
        } else if (!this.#requests.refused(decoded)) {
          this.#fault(`the server's message was refused: ${decoded.error.message}`);
        }
      } else if (kind !== 'batch' || this.#handshake.connection.takeBatch) this.#handshake.connection.receive(decoded);
      else this.#fault("the server's batch was refused: this revision has none");
    },
    failed: (id, error) => this.#requests.fail(id, error),
    error: this.report,
    held: (on) => this.#requests.hold(on),
    closed: (why, cause) => {
      this.#handshake.connection.close(why, cause);
      // Handshakes find out by themselves.
      if (!this.transport || !this.agreement || this.#handshake.renewing) return;
      this.options.listening?.stop();
      this.#events.forget();
      // 2026-07-28 basic/transports/stdio#unexpected-termination: nothing is lost but what was in flight. A legacy
      // server is started again in the same way, with a new handshake.
      this.#handshake.down = this.transport.reopen !== undefined;
      this.options.onClose?.(why);
    },
  };

  #fault(what: string): void {
    this.#handshake.connection.fault(() => new Error(what));
  }

  #answerRequest(inbound: Inbound): object | Promise<object> {
    const { method, params = {} } = inbound.request;
    if (this.meta !== undefined) {
      // 2026-07-28 basic/patterns/mrtr: servers no longer send requests; and no answer may be sent to one.
      inbound.cancel('not in this revision');
      this.#fault(`the server sent the request ${shorten(method)}, which its revision does not allow`);
      return {};
    }
    if (method === 'ping') return {};
    if (!mayPass(clientLifecycle[this.#handshake.state].receive, method)) {
      throw invalidRequest(`${method} before the handshake is over`);
    }
    const { answering } = this.options;
    if (!answering) throw methodNotFound(method);
    return answering.answer(method, params, this.known().revision, inbound);
  }

  #notice(notification: Notification): void {
    const { method, params } = notification;
    const { listening } = this.options;
    if (method === 'notifications/cancelled') listening?.cancelled(params);
    else if (method === 'notifications/subscriptions/acknowledged') listening?.acknowledged(params);
    else if (method !== 'notifications/progress') this.#events.notice(notification);
  }

  // ---- what is sent

  /** Throws where there is no agreement. */
  known(): Agreement {
    if (!this.agreement) throw new Error('the client is not connected');
    return this.agreement;
  }

  /** Waits for a handshake that is under way; then throws where this request may not be sent. */
  ready(method: string): Agreement | Promise<Agreement> {
    return this.#handshake.renewing || this.#handshake.down ? this.#handshake.renew().then(() => this.#check(method)) : this.#check(method);
  }

  #check(method: string): Agreement {
    const agreement = this.known();
    // The connection knows best why it is closed.
    if (this.#handshake.state !== 'closed' && !mayPass(clientLifecycle[this.#handshake.state].send, method)) {
      throw new Error(`${method}: not while the connection is ${this.#handshake.state}`);
    }
    // 2026-07-28 basic/patterns/subscriptions: there is no such request any more.
    if (this.meta && !this.options.listening && method.endsWith('subscribe')) {
      throw new Error(
        `${method}: this server tells those who listen, and this client was made without \`listening\``,
      );
    }
    if (!serverSupports(method, agreement.capabilities, agreement.revision)) {
      throw new Error(`${method}: the server did not declare that it supports this`);
    }
    return agreement;
  }

  /** One request; once more where the server says that it did not take it. */
  send(method: string, params: Bag | undefined, options: CallOptions): Promise<Bag> {
    if (options.timeoutMs || options.maxTimeoutMs) need('setTimeout', 'timeoutMs');
    const { count } = this.#handshake;
    return this.#dispatch(method, params, options).catch(async (error: unknown) => {
      if (error instanceof SessionExpired && this.meta === undefined) {
        // 2025-11-25 basic/transports#session-management. Whoever comes first makes the new session.
        if (count === this.#handshake.count) await this.#handshake.renew();
      } else if (error instanceof RpcError && error.code === errorCodes.headerMismatch
        && this.headers && method === 'tools/call') {
        // 2026-07-28 basic/transports/streamable-http#client-behavior: the tool's schema may have changed.
        await this.#events.relist();
      } else {
        if (error instanceof RpcError && error.code === errorCodes.urlElicitationRequired) {
          this.options.answering?.required(error);
        }
        throw error;
      }
      return this.#dispatch(method, params, options);
    });
  }

  #dispatch(method: string, params: Bag | undefined, given: CallOptions): Promise<Bag> {
    const { meta } = this;
    for (const key in params?.['_meta'] as object) {
      if (!isMetaKey(key)) this.report(new Error(`${method}: _meta has the malformed key ${shorten(key)}`));
    }
    // What may ask is the author's work, which may take long: a progress token goes with it, so that the server's
    // progress renews the time.
    const options = given.onProgress || !mayAsk(method) ? given
      : given === noOptions ? onlyProgress : { ...given, onProgress: ignore };
    if (meta === undefined) return this.#requests.request(method, params, options);
    const { logLevel } = options;
    const own = params?.['_meta'];
    let _meta = own === undefined ? meta : { ...(own as Bag), ...meta };
    if (logLevel !== undefined) _meta = { ..._meta, [metaKeys.logLevel]: logLevel };
    const mirrored = method === 'tools/call' && params ? this.headers?.of(params) : undefined;
    const headers = (options.headers || mirrored) && { ...options.headers, ...mirrored };
    // Not `{ ...params, _meta }`: see `withProgressToken`.
    const all: Params = { _meta, ...params };
    all['_meta'] = _meta;
    return this.#requests.request(method, all, options, headers && {
      send: (text, message) => this.transport?.send(text, { ...message, headers }),
    });
  }

  notify(method: string, params: Bag | undefined): void {
    if (this.meta === undefined && this.#handshake.state === 'ready') notify(this.#handshake.connection, method, params);
  }
}
