import type { Decoded, RequestId } from '../jsonrpc/message.ts';
import type { Revision } from '../protocol/revisions.ts';

/** What a client needs of a transport. */
export interface ClientTransport {
  /** HTTP differs: headers mirror the body, cancelling closes a stream, a 4xx tells the server's era. */
  readonly kind: 'pipe' | 'http';
  /** Opens the channel. Rejects where it cannot be had (no such program, no such host). */
  open(receiver: ClientReceiver): Promise<void>;
  /** Sends one message. A message that cannot be delivered is told through `receiver.failed`. */
  send(text: string, message?: Outgoing): void;
  /** The caller no longer waits for the answer to this request: its stream may be closed. */
  abandon?(id: RequestId): void;
  /**
   * What the handshake or the discovery found:
   * the HTTP transport sends it as a header and opens its GET stream.
   */
  agreed?(revision: Revision): void;
  /**
   * Starts afresh after the far side has gone: a program is spawned again, an HTTP session is forgotten.
   * Resolves when messages can be sent again.
   */
  reopen?(): Promise<void>;
  /**
   * Names the authorization that a request would have now, so that what was kept for one is not given to another.
   * Undefined: it does not change.
   */
  readonly context?: (() => string | Promise<string>) | undefined;
  /** Over HTTP since 2026-07-28 headers mirror arguments of tools: makes what finds them. `warn` hears of tools left out. */
  readonly toolHeaders?: ((warn: (error: Error) => void) => ToolHeaders) | undefined;
  /** Ends the channel in an orderly way. Never rejects. */
  close(): Promise<void>;
}

/** The headers that mirror arguments of tools, for one connection. */
export interface ToolHeaders {
  /** Learns from one page of a list, and returns it without the tools whose annotations are not valid. */
  learn(tools: unknown[]): unknown[];
  /** The headers of a call; undefined where it has none. */
  of(params: Readonly<Record<string, unknown>>): Record<string, string> | undefined;
}

/** What is sent, for a transport that looks inside. `headers` go with it over HTTP (`Mcp-Param-…`). */
export interface Outgoing {
  readonly id?: RequestId | undefined;
  readonly method?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a transport tells a client. */
export interface ClientReceiver {
  /** One message of the server, decoded. */
  message(decoded: Decoded): void;
  /**
   * The request could not be delivered, or its answer can no longer come. Its error is a `ConnectionError`,
   * or an `HttpError` (`status`), or a `SessionExpired` when the server has forgotten the session (HTTP 404).
   */
  failed(id: RequestId, error: Error): void;
  /** The channel is gone: nothing more will come. `why` says it for a person. */
  closed(why: string, cause?: unknown): void;
  /** Something went wrong that no request waits for. */
  error(error: Error): void;
  /** A message is held on its way, or none any more: meanwhile the clocks of requests stand still. */
  held?(on: boolean): void;
}
