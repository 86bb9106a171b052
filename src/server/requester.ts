import type { Inbound } from '../jsonrpc/inbound.ts';
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
  /**
   * Sends a request to the client on the stream of `inbound`, and gives its result. Waits first for
   * `notifications/initialized`. Rejects with the client's `RpcError`, with a `ConnectionError` when the time
   * is up or the connection closes, or with the reason when `inbound` is cancelled.
   */
  ask(method: string, params: Params, inbound: Inbound): Promise<Record<string, unknown>>;
}
