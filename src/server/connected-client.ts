import { invalidRequest, methodNotFound } from '../jsonrpc/errors.ts';
import type { Inbound } from '../jsonrpc/inbound.ts';
import type { Decoded, Notification, Request, UnjudgedAnswer } from '../jsonrpc/message.ts';
import type { Outlet } from '../jsonrpc/outlet.ts';
import { isModern, metaOf, readRequestMeta } from '../protocol/meta.ts';
import type { ServerPeer } from '../transport/port.ts';
import type { PlainContext } from './context.ts';
import type { Exchanges } from './eras.ts';
import type { Failures } from './failure.ts';
import { Handshake } from './legacy/handshake.ts';
import type { HandshakeServer } from './legacy/handshake.ts';
import type { ModernAnswers } from './modern/answer.ts';

/** What a connected client needs of the server. */
export interface ConnectedServerSide extends HandshakeServer {
  readonly exchanges: Exchanges<PlainContext>;
  readonly modern: ModernAnswers;
  readonly failures: Failures;
}

/**
 * One client over one lasting channel. Its handshake makes it a legacy client; over pipes, modern requests
 * are served beside it, each for itself. While it is idle there is this object and its connection, no more.
 */
export class ConnectedClient extends Handshake<ConnectedServerSide> implements ServerPeer {
  get inFlight(): number {
    return this.connection.inFlight;
  }

  receive(decoded: Decoded | UnjudgedAnswer, outlet?: Outlet): void {
    this.connection.receive(decoded, outlet);
  }

  idle(): Promise<void> {
    return this.connection.idle();
  }

  request(inbound: Inbound): object | Promise<object> {
    const { method, params = {} } = inbound.request;
    const server = this.server;
    // Read anew for each request: over HTTP each is authenticated on its own.
    const { auth } = this.options;
    if (this.#speaksModern(inbound.request)) {
      return server.modern.answer(inbound, readRequestMeta(metaOf(params), server.revisions), auth);
    }
    if (method === 'initialize') return this.initialize(params, inbound.weight);
    if (!this.admits(method)) {
      // 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions:
      // so a client that probes knows a legacy server.
      if (isModernMethod(method)) throw methodNotFound(method);
      throw invalidRequest(`${method} before initialize`);
    }
    this.options.shared?.admit?.(method);
    if (method === 'ping') return {};
    if (method === 'logging/setLevel') return this.setLevel(params);
    return server.catalogue.handle(method, params, server.exchanges.legacy(this, inbound, auth));
  }

  /**
   * Whether a request is of the modern era: by the metadata that it carries, or because it can be of no other.
   * A server without modern revisions has none. 2026-07-28 basic/versioning.
   */
  #speaksModern(request: Request): boolean {
    // Newest first.
    const { revisions } = this.server;
    if (this.options.modern === false || revisions[0]?.era !== 'modern') return false;
    if (isModern(metaOf(request.params))) return true;
    const { method } = request;
    if (revisions.at(-1)?.era === 'modern') return method !== 'initialize';
    return this.state === 'new' && isModernMethod(method);
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
}

/** Methods that no legacy revision has. A test holds them against the table of methods. */
export const isModernMethod = (method: string): boolean =>
  method === 'server/discover' || method === 'subscriptions/listen';
