import { Connection } from '../jsonrpc/connection.ts';
import type { RequestOptions } from '../jsonrpc/connection.ts';
import * as errorCodes from '../jsonrpc/error-codes.ts';
import { invalidRequest, methodNotFound, need, RpcError, toError } from '../jsonrpc/errors.ts';
import type { Inbound } from '../jsonrpc/inbound.ts';
import type { Notification, RequestId } from '../jsonrpc/message.ts';
import { pipeOutlet } from '../jsonrpc/outlet.ts';
import { serverSupports } from '../protocol/capabilities.ts';
import type { Implementation } from '../protocol/initialize.ts';
import { clientLifecycle, mayPass } from '../protocol/lifecycle.ts';
import type { LifecycleEvent, LifecycleState } from '../protocol/lifecycle.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { metaKeys } from '../protocol/meta.ts';
import { findRevision, selectRevisions } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import { SessionExpired } from '../transport/port.ts';
import type { ClientReceiver, ClientTransport } from '../transport/port.ts';
import { declaredCapabilities, declaredInfo } from './capabilities.ts';
import { negotiate } from './negotiation.ts';
import type { Agreement } from './negotiation.ts';
import type { CallOptions, CoreClientLimits, CoreClientOptions } from './options.ts';
import type { ListeningPort } from './parts.ts';
import { ToolHeaders } from './tool-headers.ts';

type Bag = Record<string, unknown>;

/** What a session tells the client. */
export interface SessionEvents {
  /** A notification that is not the session's own matter. */
  notice(notification: Notification): void;
  /** The far side is not the one that it was: what was learned from it is void. */
  forget(): void;
  /** Reads the list of the tools anew. */
  relist(): Promise<unknown>;
}

/**
 * The way to one server: the handshake, what is sent in the words of the revision, what arrives, and a new
 * handshake where the far side has forgotten the old one.
 */
export class Session implements ListeningPort {
  readonly options: CoreClientOptions;
  readonly limits: CoreClientLimits;
  agreement: Agreement | undefined;
  /** Of modern requests, made once; undefined in the legacy era. */
  meta: Bag | undefined;
  logLevel: LoggingLevel | undefined;
  headers: ToolHeaders | undefined;
  readonly #info: Implementation;
  readonly #events: SessionEvents;
  readonly #revisions: readonly Revision[];
  #transport: ClientTransport | undefined;
  #connection: Connection;
  #state: LifecycleState = 'new';
  /** Which handshake this is. */
  #count = 0;
  #renewing: Promise<void> | undefined;
  /** The far side is gone, and there will be another for the next request. */
  #down = false;

  readonly report = (error: unknown): void => {
    try {
      this.options.onError?.(toError(error));
    } catch {
      // A handler of errors that fails has nobody left to tell.
    }
  };

  constructor(
    info: Implementation, options: CoreClientOptions, limits: CoreClientLimits, events: SessionEvents,
  ) {
    this.#info = info;
    this.options = options;
    this.limits = limits;
    this.#events = events;
    const { era = 'auto' } = options;
    this.#revisions = selectRevisions(options.revisions).filter(
      (revision) => era === 'auto' || revision.era === era,
    );
    if (this.#revisions.length === 0) throw new RangeError(`no protocol revision is left in the era ${era}`);
    this.logLevel = options.logLevel;
    this.#connection = this.#newConnection();
  }

  async connect(transport: ClientTransport): Promise<void> {
    if (this.#transport) throw new Error('the client is connected already');
    this.#transport = transport;
    this.agreement = this.meta = this.headers = undefined;
    this.#anew();
    try {
      await transport.open(this.#receiver);
      await this.#begin(transport, findRevision(this.#revisions, this.options.remembered));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const transport = this.#transport;
    if (!transport) return;
    this.options.listening?.end();
    this.#step('close');
    this.#connection.close('the client was closed');
    this.#transport = undefined;
    this.#events.forget();
    await transport.close();
  }

  // ---- the handshake

  async #begin(transport: ClientTransport, remembered: Revision | undefined): Promise<void> {
    const agreement = await negotiate({
      revisions: this.#revisions,
      remembered,
      discover: (revision, probing) => {
        const params = { _meta: this.metaFor(revision) };
        const wait = probing && transport.kind === 'pipe'
          ? { timeoutMs: this.limits.probeTimeoutMs }
          : undefined;
        return this.#connection.request('server/discover', params, wait);
      },
      initialize: (revision) => this.#initialize(revision),
      restart: transport.kind === 'pipe' && transport.reopen ? () => this.#restart(transport) : undefined,
    });
    const { revision } = agreement;
    const modern = revision.era === 'modern';
    this.agreement = agreement;
    this.meta = modern ? this.metaFor(revision) : undefined;
    this.headers = modern && transport.kind === 'http' ? new ToolHeaders(this.report) : undefined;
    this.#connection.batching = revision.batching;
    transport.agreed?.(revision);
    this.#count++;
    if (modern) {
      // Every request stands alone: there is nothing to wait for.
      this.#state = 'ready';
      this.options.listening?.begin(this, agreement);
      return;
    }
    this.#connection.notify('notifications/initialized');
    this.#step('initialized');
    // A new session is told of the wishes of the old one.
    const { logLevel: level } = this;
    await Promise.all([
      this.options.listening?.begin(this, agreement),
      level && agreement.capabilities.logging && this.ask('logging/setLevel', { level }).catch(this.report),
    ]);
  }

  #initialize(revision: Revision): Promise<Bag> {
    // A handshake that failed leaves nothing behind.
    if (this.#state === 'initializing') this.#state = 'new';
    this.#step('initialize');
    return this.#connection.request('initialize', {
      protocolVersion: revision.version,
      capabilities: declaredCapabilities(this.options, revision),
      clientInfo: declaredInfo(this.#info, revision),
    });
  }

  #step(event: LifecycleEvent): void {
    const next = clientLifecycle[this.#state].on[event];
    if (next === undefined) throw new Error(`${event}: not while the connection is ${this.#state}`);
    this.#state = next;
  }

  /** What every modern request says of this client. 2026-07-28 basic/index#meta. */
  metaFor(revision: Revision): Bag {
    const meta: Bag = {
      [metaKeys.protocolVersion]: revision.version,
      [metaKeys.clientInfo]: declaredInfo(this.#info, revision),
      [metaKeys.clientCapabilities]: declaredCapabilities(this.options, revision),
    };
    const level = this.logLevel ?? (this.options.onLog && 'info');
    if (level) meta[metaKeys.logLevel] = level;
    return meta;
  }

  ask(method: string, params: Bag, options?: RequestOptions, sent?: (id: RequestId) => void): Promise<Bag> {
    return this.#connection.request(method, { ...params, _meta: this.meta }, options, {
      send: (text, message) => {
        if (message && 'id' in message) sent?.(message.id);
        this.#transport?.send(text, message);
      },
    });
  }

  fail(id: RequestId, error: Error): void {
    this.#connection.fail(id, error);
    this.#transport?.abandon?.(id);
  }

  async #restart(transport: ClientTransport): Promise<void> {
    await transport.reopen?.();
    this.#connection.close('the server was started again');
    this.#anew();
  }

  #anew(): void {
    this.#connection = this.#newConnection();
    this.#state = 'new';
    this.#down = false;
  }

  /** A new handshake for everybody who found the old one void. */
  #renew(): Promise<void> {
    return this.#renewing ??= (async () => {
      const transport = this.#transport;
      try {
        if (!transport) return;
        if (transport.kind === 'pipe' || this.#down) await this.#restart(transport);
        else await transport.reopen?.();
        this.#events.forget();
        await this.#begin(transport, this.agreement?.revision);
      } catch (error) {
        // The next request tries again.
        this.#down = true;
        throw error;
      } finally {
        this.#renewing = undefined;
      }
    })();
  }

  // ---- what arrives

  #newConnection(): Connection {
    return new Connection(pipeOutlet((text, message) => this.#transport?.send(text, message)), {
      request: (inbound) => this.#answerRequest(inbound),
      notification: (notification) => this.#notice(notification),
      error: this.report,
      giveUp: (id, method) => {
        const http = this.#transport?.kind === 'http';
        if (http) this.#transport?.abandon?.(id);
        // 2026-07-28 basic/patterns/cancellation: over HTTP the stream's end says it. A probe is not
        // cancelled: a server that did not know it would not know the cancellation either.
        return method === 'server/discover' || (http && this.meta !== undefined);
      },
    }, this.limits);
  }

  readonly #receiver: ClientReceiver = {
    message: (decoded) => {
      const { kind } = decoded;
      // 2026-07-28 basic/transports/stdio: a client answers nothing but questions.
      if (kind === 'refusal') {
        if (!this.#connection.refused(decoded)) {
          this.report(new Error(`the server's message was refused: ${decoded.error.message}`));
        }
      } else if (kind !== 'batch' || this.#connection.batching) this.#connection.receive(decoded);
      else this.report(new Error("the server's batch was refused: this revision has none"));
    },
    failed: (id, error) => this.#connection.fail(id, error),
    error: this.report,
    closed: (why, cause) => {
      this.#connection.close(why, cause);
      // Handshakes find out by themselves.
      if (!this.#transport || !this.agreement || this.#renewing) return;
      this.options.listening?.stop();
      this.#events.forget();
      // 2026-07-28 basic/transports/stdio#unexpected-termination: nothing is lost but what was in flight.
      this.#down = this.meta !== undefined && this.#transport.reopen !== undefined;
      this.options.onClose?.(why);
    },
  };

  #answerRequest(inbound: Inbound): object | Promise<object> {
    const { method, params = {} } = inbound.request;
    if (this.meta !== undefined) {
      // 2026-07-28 basic/patterns/mrtr: servers no longer send requests; and no answer may be sent to one.
      inbound.cancel('not in this revision');
      this.report(new Error(`the server sent the request ${method}, which its revision does not allow`));
      return {};
    }
    if (method === 'ping') return {};
    if (!mayPass(clientLifecycle[this.#state].receive, method)) {
      throw invalidRequest(`${method} before the handshake is over`);
    }
    const { answering } = this.options;
    if (!answering) throw methodNotFound(method);
    return answering.answer(method, params, this.agreed().revision, inbound);
  }

  #notice(notification: Notification): void {
    const { method, params } = notification;
    const { listening } = this.options;
    if (method === 'notifications/cancelled') listening?.cancelled(params);
    else if (method === 'notifications/subscriptions/acknowledged') listening?.acknowledged(params);
    else if (method !== 'notifications/progress') this.#events.notice(notification);
  }

  // ---- what is sent

  agreed(): Agreement {
    if (!this.agreement) throw new Error('the client is not connected');
    return this.agreement;
  }

  /** Waits for a handshake that is under way; then throws where this request may not be sent. */
  ready(method: string): Agreement | Promise<Agreement> {
    return this.#renewing || this.#down ? this.#renew().then(() => this.#check(method)) : this.#check(method);
  }

  #check(method: string): Agreement {
    const agreement = this.agreed();
    // The connection knows best why it is closed.
    if (this.#state !== 'closed' && !mayPass(clientLifecycle[this.#state].send, method)) {
      throw new Error(`${method}: not while the connection is ${this.#state}`);
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
  async send(method: string, params: Bag | undefined, options: CallOptions): Promise<Bag> {
    if (options.timeoutMs || options.maxTimeoutMs) need('setTimeout', 'timeoutMs');
    const count = this.#count;
    try {
      return await this.#dispatch(method, params, options);
    } catch (error) {
      if (error instanceof SessionExpired && this.meta === undefined) {
        // 2025-11-25 basic/transports#session-management. Whoever comes first makes the new session.
        if (count === this.#count) await this.#renew();
      } else if (error instanceof RpcError && error.code === errorCodes.headerMismatch
        && this.headers && method === 'tools/call') {
        // 2026-07-28 basic/transports/streamable-http#client-behavior: the tool's schema may have changed.
        await this.#events.relist();
      } else {
        throw error;
      }
    }
    return this.#dispatch(method, params, options);
  }

  #dispatch(method: string, params: Bag | undefined, options: CallOptions): Promise<Bag> {
    const { meta } = this;
    if (meta === undefined) return this.#connection.request(method, params, options);
    const { logLevel } = options;
    const own = params?.['_meta'];
    let _meta = own === undefined ? meta : { ...(own as Bag), ...meta };
    if (logLevel !== undefined) _meta = { ..._meta, [metaKeys.logLevel]: logLevel };
    const mirrored = method === 'tools/call' && params ? this.headers?.of(params) : undefined;
    const headers = (options.headers || mirrored) && { ...options.headers, ...mirrored };
    return this.#connection.request(method, { ...params, _meta }, options, headers && {
      send: (text, message) => this.#transport?.send(text, { ...message, headers }),
    });
  }

  notify(method: string, params: Bag | undefined): void {
    if (this.meta === undefined && this.#state === 'ready') this.#connection.notify(method, params);
  }
}
