import { weightOfValues } from '../bounds/weight.ts';
import { isObject } from '../jsonrpc/message.ts';
import { Connection } from '../jsonrpc/connection.ts';
import type { ConnectionHandlers } from '../jsonrpc/connection.ts';
import { invalidParams, invalidRequest, methodNotFound } from '../jsonrpc/errors.ts';
import type { FailureHandler, InboundRequest, Outlet } from '../jsonrpc/inbound-request.ts';
import type { Decoded, Notification, Params, UncheckedResponse } from '../jsonrpc/message.ts';
import { readCancellation } from '../protocol/cancellation.ts';
import * as revisionTable from '../protocol/revisions.ts';
import { mayPass, serverLifecycle } from '../protocol/lifecycle.ts';
import type { ClientCapabilities, Implementation, LifecycleEvent, LifecycleState, Passage } from '../protocol/lifecycle.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { isImplementation, isModern, metaOf, readRequestMeta } from '../protocol/meta.ts';
import { isLoggingLevel } from '../protocol/logging.ts';
import type { Meta } from '../protocol/meta.ts';
import type { Observe } from '../protocol/observe.ts';
import { negotiate, versionsOf } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import { unsupportedVersion } from '../protocol/unsupported-version.ts';
import type { Agreed, PeerOptions, ServedClient } from '../transport/server-port.ts';
import { adaptImplementation } from './older-revisions.ts';
import type { ServerInternals } from './server-core.ts';
import type { LegacyRequester } from './exchange.ts';

/** The level until the client sets one. The specification leaves it to the server. */
const defaultLogLevel: LoggingLevel = 'info';

/** The limit of `initialize`, in bytes of memory: its client information and capabilities are kept. */
const maxHandshakeBytes = 65_536;

/**
 * One client over one lasting channel. `initialize` makes it a legacy client with a revision, capabilities, a log level, and a
 * state from the table `serverLifecycle` (2025-11-25 basic/lifecycle). Over pipes, the channel carries modern requests too, each
 * served independently. An idle client needs only this object and its connection.
 */
export class ConnectedClient implements LegacyRequester, ConnectionHandlers, FailureHandler, ServedClient {
  revision: Revision | undefined;
  client: Implementation | undefined;
  capabilities: ClientCapabilities = {};
  logLevel: LoggingLevel = defaultLogLevel;
  state: LifecycleState = 'new';
  /** The requests that are served in this state. */
  #passage: Passage = serverLifecycle.new.receive;
  listeners: LegacyRequester['listeners'];
  readonly server: ServerInternals;
  readonly connection: Connection;
  readonly options: PeerOptions;
  readonly cancellation: ConnectionHandlers['cancellation'] = readCancellation;
  /** Bytes charged to the client's budget for its `initialize`. */
  #held = 0;

  constructor(server: ServerInternals, outlet: Outlet, options: PeerOptions) {
    this.server = server;
    this.connection = new Connection(outlet, this, server.limits, options.budget, server.clock);
    this.options = options;
    options.shared?.begin(this);
  }

  get inFlight(): number {
    return this.connection.inFlight;
  }

  receive(decoded: Decoded | UncheckedResponse, outlet?: Outlet): void {
    this.connection.receive(decoded, outlet);
  }

  idle(): Promise<void> {
    return this.connection.idle();
  }

  request(inbound: InboundRequest, observe: Observe | null | undefined = this.server.observe): object | Promise<object> {
    const { method, params = {} } = inbound.request;
    const { server, options } = this;
    inbound.failures = this;
    // Read for each request: over HTTP each one is authenticated.
    const { auth } = options;
    if (server.modern && options.modern !== false) {
      const meta = '_meta' in params ? metaOf(params) : undefined;
      if (this.#speaksModern(method, meta)) return server.serveModern(inbound, readRequestMeta(meta, server.revisions), auth);
    }
    if (observe) return observe({ kind: 'server', ...inbound.request, peer: this, auth }, () => this.request(inbound, null));
    if (method === 'initialize') return this.initialize(params, inbound.weight);
    if (this.#passage !== 'operation' && !mayPass(this.#passage, method)) {
      // 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions: a client that probes takes this
      // error as the sign of a legacy server.
      if (isModernMethod(method)) throw methodNotFound(method);
      throw invalidRequest(`${method} before initialize`);
    }
    options.shared?.admit?.(method);
    if (method === 'ping') return {};
    if (method === 'logging/setLevel') return this.setLevel(params);
    return server.dispatch(method, params, new server.exchanges.legacy(inbound, this, auth, server.exchanges));
  }

  /** The error for the caller if a request fails before a feature gets it, for example in `observe`. */
  errorFor(thrown: unknown, inbound: InboundRequest): unknown {
    const { failures, revisions } = this.server;
    return failures.errorFor(thrown, { inbound, revision: this.revision ?? revisions[0] as Revision });
  }

  /**
   * Whether a request is modern: by its metadata, by its method, or because the server has only modern revisions.
   * 2026-07-28 basic/versioning.
   */
  #speaksModern(method: string, meta: Meta | undefined): boolean {
    if (meta && isModern(meta)) return true;
    return this.server.legacy ? this.state === 'new' && isModernMethod(method) : method !== 'initialize';
  }

  notification(notification: Notification): void {
    const { exchanges, failures } = this.server;
    if (notification.method === 'notifications/initialized') this.move('initialized');
    else exchanges.heard?.(notification, failures);
  }

  error(error: Error): void {
    const { failures, info } = this.server;
    failures.report(error, { what: 'connection', name: info.name });
  }

  close(why?: string, cause?: unknown): void {
    this.move('close');
    this.connection.budget.release(this.#held);
    this.#held = 0;
    this.connection.close(why, cause);
  }

  move(event: LifecycleEvent): void {
    const next = serverLifecycle[this.state].on[event];
    if (next === undefined) return;
    this.state = next;
    this.#passage = serverLifecycle[next].receive;
    const { changes, pinging } = this.server;
    changes?.moved(this);
    pinging?.moved(this);
    for (const listener of this.listeners ?? []) listener(next);
  }

  /** 2025-11-25 basic/lifecycle#initialization. */
  initialize({ protocolVersion, capabilities, clientInfo }: Params, weight: number): object {
    const server = this.server;
    if (this.state !== 'new') throw invalidRequest('initialize was already answered');
    const revision = negotiate(server.revisions, protocolVersion);
    if (revision === undefined) {
      // 2026-07-28 basic/versioning: a legacy client can show only this message to its user, so check this first, even if the
      // version is missing.
      const served = versionsOf(server.revisions).join(', ');
      throw unsupportedVersion(server.revisions, protocolVersion, `This server speaks ${served} only, without initialize`);
    }
    if (typeof protocolVersion !== 'string') throw invalidParams('protocolVersion must be a string');
    if (!isObject(capabilities)) throw invalidParams('capabilities must be an object');
    if (!isImplementation(clientInfo)) {
      throw invalidParams('clientInfo must be an object with a name and a version');
    }
    // Both are kept until the connection closes, so their bytes stay charged until then.
    const held = Math.max(weight, weightOfValues([clientInfo, capabilities]));
    if (held > maxHandshakeBytes || !this.connection.budget.charge(held)) {
      throw invalidRequest(`initialize is over the limit of ${maxHandshakeBytes} bytes`);
    }
    this.#held = held;
    const agreed = { version: revision.version, client: clientInfo, capabilities };
    this.agree(revision, agreed);
    const result = {
      protocolVersion: revision.version,
      serverInfo: adaptImplementation(server.info, revision),
      // JSON leaves out undefined members.
      capabilities: server.capabilities(revision, this), instructions: server.instructions,
    };
    const { shared } = this.options;
    if (shared) return shared.agree(agreed, result);
    this.move('initialize');
    return result;
  }

  agree(revision: Revision, { client, capabilities }: Agreed): void {
    this.revision = revision;
    this.client = client;
    this.capabilities = capabilities;
    this.connection.takeBatch = revisionTable.batching(revision) ? this.server.batches : undefined;
    this.connection.nullErrorId = revisionTable.nullErrorId(revision);
  }

  setLevel(params: Params): object {
    const { level } = params;
    if (!isLoggingLevel(level)) throw invalidParams('level is not a logging level');
    this.logLevel = level;
    return {};
  }

  announce(text: string): void {
    if (this.state === 'ready') this.connection.outlet.send(text);
  }
}

/** Whether only modern revisions have this method. A test compares the two methods with the table of methods. */
export const isModernMethod = (method: string): boolean =>
  method === 'server/discover' || method === 'subscriptions/listen';

// Listeners for the states of a legacy connection.

/** Calls the listener at every state change of the client. Returns a function that removes it. */
function onChange(client: LegacyRequester, listener: (state: LifecycleState) => void): () => void {
  const listeners = client.listeners ??= new Set();
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls the listener once the connection closes. */
export function onClose(client: LegacyRequester, listener: () => void): void {
  onChange(client, (state) => {
    if (state === 'closed') listener();
  });
}

/**
 * Calls the listener with `true` when the client has sent `notifications/initialized`, before which it must not be asked, or with
 * `false` when the connection closes. Returns a function that removes the listener; undefined: the client is not initializing, so
 * there is nothing to wait for.
 */
export function onReady(client: LegacyRequester, listener: (ready: boolean) => void): (() => void) | undefined {
  if (client.state !== 'initializing') return undefined;
  const forget = onChange(client, (state) => {
    forget();
    listener(state === 'ready');
  });
  return forget;
}
