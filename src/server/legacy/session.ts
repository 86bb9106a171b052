import { Connection } from '../../jsonrpc/connection.ts';
import type { ConnectionHandlers } from '../../jsonrpc/connection.ts';
import * as errorCodes from '../../jsonrpc/error-codes.ts';
import { internalError, invalidParams, invalidRequest, methodNotFound, RpcError } from '../../jsonrpc/errors.ts';
import type { Inbound } from '../../jsonrpc/inbound.ts';
import type { Decoded, Notification, Params, RequestId } from '../../jsonrpc/message.ts';
import type { Outlet } from '../../jsonrpc/outlet.ts';
import type { ClientCapabilities, Implementation } from '../../protocol/initialize.ts';
import { isObject } from '../../jsonrpc/codec.ts';
import { mayPass, serverLifecycle } from '../../protocol/lifecycle.ts';
import type { LifecycleEvent, LifecycleState } from '../../protocol/lifecycle.ts';
import type { LoggingLevel } from '../../protocol/logging.ts';
import { isImplementation, isLoggingLevel, isModern, readRequestMeta } from '../../protocol/meta.ts';
import { negotiate } from '../../protocol/revisions.ts';
import type { Revision } from '../../protocol/revisions.ts';
import type { PeerOptions, ServerPeer } from '../../transport/port.ts';
import type { Asker } from '../exchange.ts';
import type { ServerCore } from '../server-core.ts';

/** What the client is told of before it has chosen a level. The specification leaves it to the server. */
const defaultLogLevel: LoggingLevel = 'info';

/**
 * One client over one lasting channel. Its handshake makes it a legacy session; over pipes, modern requests
 * are served beside it, each for itself. An idle session is this object and its connection, no more.
 */
export class Session implements ServerPeer, ConnectionHandlers, Asker {
  readonly server: ServerCore;
  readonly options: PeerOptions;
  readonly connection: Connection;
  revision: Revision | undefined;
  client: Implementation | undefined;
  capabilities: ClientCapabilities = {};
  logLevel: LoggingLevel = defaultLogLevel;
  readonly #outlet: Outlet;
  #state: LifecycleState = 'new';
  #subscribed: Set<string> | undefined;
  #whenReady: (() => void)[] | undefined;

  constructor(server: ServerCore, outlet: Outlet, options: PeerOptions) {
    this.server = server;
    this.options = options;
    this.#outlet = outlet;
    this.connection = new Connection(outlet, this, server.limits, options.budget);
  }

  get inFlight(): number {
    return this.connection.inFlight;
  }

  receive(decoded: Decoded, outlet?: Outlet): void {
    this.connection.receive(decoded, outlet);
  }

  idle(): Promise<void> {
    return this.connection.idle();
  }

  closeStream(id: RequestId): void {
    this.options.closeStream?.(id);
  }

  close(why?: string): void {
    this.#move('close');
    this.server.forget(this);
    this.connection.close(why);
  }

  request(inbound: Inbound): object | Promise<object> {
    const { request } = inbound;
    const { method, params } = request;
    const { server, options } = this;
    // 2026-07-28 basic/versioning: what the request carries tells its era.
    const modern = options.modern !== false
      && (isModern(request) || server.isModernOnly(method, this.#state === 'new'));
    if (modern) return server.answerModern(inbound, readRequestMeta(request, server.revisions), options.auth);
    if (method === 'initialize') return this.#initialize(params ?? {});
    if (!mayPass(serverLifecycle[this.#state].receive, method)) {
      throw invalidRequest(`${method} before initialize`);
    }
    switch (method) {
      case 'ping': return {};
      case 'logging/setLevel': return this.#setLevel(params);
      case 'resources/subscribe':
      case 'resources/unsubscribe': return this.#subscribe(method, params);
      default: return server.handle(method, params ?? {}, server.exchanges.legacy(this, inbound));
    }
  }

  notification({ method }: Notification): void {
    if (method === 'notifications/initialized') this.#move('initialized');
    else if (method === 'notifications/roots/list_changed') this.server.options.onRootsChanged?.();
  }

  error(error: Error): void {
    this.server.report(error);
  }

  #move(event: LifecycleEvent): boolean {
    const next = serverLifecycle[this.#state].on[event];
    if (next === undefined) return false;
    this.#state = next;
    if (next === 'ready' || next === 'closed') {
      for (const resolve of this.#whenReady ?? []) resolve();
      this.#whenReady = undefined;
    }
    return true;
  }

  /** 2025-11-25 basic/lifecycle#initialization. */
  #initialize({ protocolVersion, capabilities, clientInfo }: Params): object {
    const { server } = this;
    if (this.#state !== 'new') throw invalidRequest('initialize was answered before');
    if (typeof protocolVersion !== 'string') throw invalidParams('protocolVersion must be a string');
    const revision = negotiate(server.revisions, protocolVersion);
    if (revision === undefined) {
      // 2026-07-28 basic/versioning: a legacy client has only this message to show to its user.
      const supported = server.revisions.map(({ version }) => version);
      throw new RpcError(
        errorCodes.unsupportedProtocolVersion,
        `This server speaks ${supported.join(', ')} only, without initialize`,
        { supported, requested: protocolVersion },
      );
    }
    if (!isObject(capabilities)) throw invalidParams('capabilities must be an object');
    if (!isImplementation(clientInfo)) {
      throw invalidParams('clientInfo must be an object with a name and a version');
    }
    this.#move('initialize');
    this.revision = revision;
    this.client = clientInfo;
    this.capabilities = capabilities;
    this.connection.batching = revision.batching;
    server.remember(this);
    return server.initializeResult(revision);
  }

  #setLevel(params: Params | undefined): object {
    const level = params?.['level'];
    if (!isLoggingLevel(level)) throw invalidParams('level is not a logging level');
    this.logLevel = level;
    return {};
  }

  #subscribe(method: string, params: Params | undefined): object {
    const has = this.server.capabilities(this.revision as Revision);
    if (!has.resources) throw methodNotFound(method);
    const uri = params?.['uri'];
    if (typeof uri !== 'string') throw invalidParams('uri must be a string');
    if (method === 'resources/unsubscribe') {
      this.#subscribed?.delete(uri);
      return {};
    }
    const subscribed = this.#subscribed ??= new Set();
    const { maxSubscriptions } = this.server.limits;
    if (subscribed.size >= maxSubscriptions && !subscribed.has(uri)) {
      throw internalError(`Too many subscriptions: the limit is ${maxSubscriptions}`);
    }
    subscribed.add(uri);
    return {};
  }

  /** Tells the client something that belongs to no request; nothing before it is ready. */
  tell(text: string): void {
    if (this.#state === 'ready') this.#outlet.send(text);
  }

  watches(uri: string): boolean {
    return this.#subscribed?.has(uri) ?? false;
  }

  /** Resolves when questions may be sent. */
  async ready(): Promise<void> {
    if (this.#state === 'initializing') {
      await new Promise<void>((resolve) => (this.#whenReady ??= []).push(resolve));
    }
  }
}
