import type { Connection } from '../jsonrpc/connection.ts';
import type { ClientCapabilities, Implementation } from '../protocol/initialize.ts';
import type { LifecycleState } from '../protocol/lifecycle.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { PeerOptions } from '../transport/port.ts';
import type { ServerLimits } from './limits.ts';

/** Who sent a request, as a legacy handshake or the metadata of a modern request says it. */
export interface Requester {
  /** Undefined only before a legacy handshake, when no feature is asked yet. */
  readonly revision: Revision | undefined;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The least severe level that the client wants; undefined: no log messages. */
  readonly logLevel: LoggingLevel | undefined;
  /** How it is served. Of legacy clients alone. */
  readonly options?: PeerOptions;
  /** Sends a notification that belongs to no request, as text. Legacy clients alone; dropped before they are ready. */
  announce?(text: string): void;
}

/** A legacy client, which is asked by requests. */
export interface LegacyRequester extends Requester {
  readonly connection: Connection;
  readonly server: { readonly limits: ServerLimits };
  readonly state: LifecycleState;
  /** Called with each state that it comes to: see `onReady` and `onClose`. */
  listeners: Set<(state: LifecycleState) => void> | undefined;
  announce(text: string): void;
}
