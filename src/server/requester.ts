import type { Connection } from '../jsonrpc/connection.ts';
import type { Params, RequestId } from '../jsonrpc/message.ts';
import type { ClientCapabilities, Implementation } from '../protocol/initialize.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import type { Revision } from '../protocol/revisions.ts';

/** Who sent a request, as a legacy handshake or the metadata of a modern request says it. */
export interface Requester {
  /** Undefined only before a legacy handshake, when no feature is asked yet. */
  readonly revision: Revision | undefined;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The least severe level that the client wants; undefined: no log messages. */
  readonly logLevel: LoggingLevel | undefined;
  /** Nobody knows who it is: it came over HTTP without authentication. Of legacy clients alone. */
  readonly anonymous?: boolean;
  /** Closes the stream that will carry the answer to this request, where there is one. */
  closeStream?(id: RequestId): void;
  /** Sends a notification that belongs to no request. Legacy clients alone; dropped before they are ready. */
  tell?(method: string, params?: Params): void;
}

/** A legacy client, which is asked by requests. */
export interface LegacyRequester extends Requester {
  readonly connection: Connection;
  /** Milliseconds that a question may take. 0: no limit. */
  readonly questionTimeoutMs: number;
  /** Sends a notification, as text, that belongs to no request. Dropped before the client is ready. */
  announce(text: string): void;
  /** Calls the listener once the connection closes. */
  onClose(listener: () => void): void;
  /**
   * Calls the listener once the client has sent `notifications/initialized`, before which it must not be asked, or
   * with `false` once the connection closes. Returns what takes the listener away; undefined: there is nothing to
   * wait for.
   */
  onReady(listener: (ready: boolean) => void): (() => void) | undefined;
}
