import { isObject } from '../../jsonrpc/codec.ts';
import { Connection } from '../../jsonrpc/connection.ts';
import type { ConnectionHandlers, TakeBatch } from '../../jsonrpc/connection.ts';
import { invalidParams, invalidRequest } from '../../jsonrpc/errors.ts';
import type { Inbound } from '../../jsonrpc/inbound.ts';
import type { Notification, Params } from '../../jsonrpc/message.ts';
import type { Outlet } from '../../jsonrpc/outlet.ts';
import { readCancellation } from '../../protocol/cancellation.ts';
import * as columns from '../../protocol/columns.ts';
import type { ClientCapabilities, Implementation } from '../../protocol/initialize.ts';
import { mayPass, serverLifecycle } from '../../protocol/lifecycle.ts';
import type { LifecycleEvent, LifecycleState } from '../../protocol/lifecycle.ts';
import type { LoggingLevel } from '../../protocol/logging.ts';
import { isImplementation, isLoggingLevel, unsupportedVersion } from '../../protocol/meta.ts';
import type { Pinging } from '../../protocol/pinging.ts';
import { negotiate, versionsOf } from '../../protocol/revisions.ts';
import type { Revision } from '../../protocol/revisions.ts';
import type { Agreed, PeerOptions } from '../../transport/port.ts';
import { adaptImplementation } from '../adapt.ts';
import type { Catalogue } from '../catalogue.ts';
import type { Changes } from '../changes.ts';
import type { ServerLimits } from '../limits.ts';
import type { LegacyRequester } from '../requester.ts';

/** The level until the client has chosen one. The specification leaves it to the server. */
const defaultLogLevel: LoggingLevel = 'info';

/** What `initialize` may weigh, in bytes of memory: the names and capabilities in it are kept. */
const maxHandshakeBytes = 65_536;

/** What the handshake needs of the server. */
export interface HandshakeServer {
  readonly revisions: readonly Revision[];
  readonly limits: ServerLimits;
  readonly changes?: Changes;
  readonly batches?: TakeBatch;
  readonly pinging?: Pinging;
  readonly info: Implementation;
  readonly catalogue: Catalogue;
  readonly instructions?: string;
}

/**
 * A client at a lasting channel, as far as its handshake goes: what it agreed on by `initialize` and asked for since
 * (revision, capabilities, log level). Its states are a table, `serverLifecycle`. 2025-11-25 basic/lifecycle.
 */
export abstract class Handshake<S extends HandshakeServer> implements LegacyRequester, ConnectionHandlers {
  revision: Revision | undefined;
  client: Implementation | undefined;
  capabilities: ClientCapabilities = {};
  logLevel: LoggingLevel = defaultLogLevel;
  state: LifecycleState = 'new';
  listeners: LegacyRequester['listeners'];
  readonly server: S;
  readonly connection: Connection;
  readonly options: PeerOptions;
  readonly cancellation: ConnectionHandlers['cancellation'] = readCancellation;
  /** Bytes that are charged to the client's budget. */
  #held = 0;

  constructor(server: S, outlet: Outlet, options: PeerOptions) {
    this.server = server;
    this.connection = new Connection(outlet, this, server.limits, options.budget);
    this.options = options;
    options.shared?.begin(this);
  }

  abstract request(inbound: Inbound): object | Promise<object>;
  abstract notification(notification: Notification): void;
  abstract error(error: Error): void;

  /** Whether a request of this method may be answered now. */
  admits(method: string): boolean {
    return mayPass(serverLifecycle[this.state].receive, method);
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
    const { changes, pinging } = this.server;
    changes?.moved(this);
    pinging?.moved(this);
    for (const listener of this.listeners ?? []) listener(next);
  }

  /** 2025-11-25 basic/lifecycle#initialization. */
  initialize({ protocolVersion, capabilities, clientInfo }: Params, weight: number): object {
    const server = this.server;
    if (this.state !== 'new') throw invalidRequest('initialize was answered before');
    if (typeof protocolVersion !== 'string') throw invalidParams('protocolVersion must be a string');
    const revision = negotiate(server.revisions, protocolVersion);
    if (revision === undefined) {
      // 2026-07-28 basic/versioning: a legacy client has only this message to show to its user.
      const served = versionsOf(server.revisions).join(', ');
      throw unsupportedVersion(server.revisions, protocolVersion, `This server speaks ${served} only, without initialize`);
    }
    if (!isObject(capabilities)) throw invalidParams('capabilities must be an object');
    if (!isImplementation(clientInfo)) {
      throw invalidParams('clientInfo must be an object with a name and a version');
    }
    // Both are kept as long as the connection: their bytes are charged as long.
    if (weight > maxHandshakeBytes || !this.connection.budget.charge(weight)) {
      throw invalidRequest(`initialize is over the limit of ${maxHandshakeBytes} bytes`);
    }
    this.#held = weight;
    const agreed = { version: revision.version, client: clientInfo, capabilities };
    this.agree(revision, agreed);
    const result = {
      protocolVersion: revision.version,
      serverInfo: adaptImplementation(server.info, revision),
      // JSON leaves out what is undefined.
      capabilities: server.catalogue.capabilities(revision, this), instructions: server.instructions,
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
    this.connection.takeBatch = columns.batching(revision) ? this.server.batches : undefined;
    this.connection.nullErrorId = columns.nullErrorId(revision);
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
