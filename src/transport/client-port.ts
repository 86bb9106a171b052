import type { Decoded, RequestId } from '../jsonrpc/message.ts';
import type { Revision } from '../protocol/revisions.ts';

/** The transport of a client. */
export interface ClientTransport {
  /** HTTP differs from a pipe: headers mirror the body, closing a stream cancels, a 4xx tells the server's era. */
  readonly kind: 'pipe' | 'http';
  /** Opens the channel. Rejects if that fails (no such program, no such host). */
  open(receiver: ClientReceiver): Promise<void>;
  /** Sends one message. A failed delivery is reported to `receiver.failed`. */
  send(text: string, message?: Outgoing): void;
  /** The caller no longer waits for the answer to this request: the transport may close its stream. */
  abandon?(id: RequestId): void;
  /** Tells the revision that the handshake or the discovery found. HTTP sends it as a header, and needs it to open a GET stream. */
  agreed?(revision: Revision): void;
  /**
   * Starts afresh after the server has gone: a program is spawned again, an HTTP session is forgotten.
   * Resolves when messages can be sent again.
   */
  reopen?(): Promise<void>;
  /**
   * Names the credentials of the next request, so that results cached for one user are not given to another.
   * Undefined: they never change.
   */
  readonly context?: (() => string | Promise<string>) | undefined;
  /** Returns the finder of headers that mirror tool arguments (HTTP since 2026-07-28). `warn` is told of each tool left out. */
  readonly toolHeaders?: ((warn: (error: Error) => void) => ToolHeaders) | undefined;
  /** Ends the channel in an orderly way. Never rejects. */
  close(): Promise<void>;
}

/** The headers that mirror tool arguments, for one connection. */
export interface ToolHeaders {
  /** Reads one page of `tools/list`, and returns it without the tools whose `x-mcp-header` annotations are invalid. */
  learn(tools: unknown[]): unknown[];
  /** The headers of a `tools/call`; undefined if it has none. */
  of(params: Readonly<Record<string, unknown>>): Record<string, string> | undefined;
}

/** The parts of a message that a transport may read. `headers` go with it over HTTP (`Mcp-Param-…`). */
export interface Outgoing {
  readonly id?: RequestId | undefined;
  readonly method?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The client's side, as a transport calls it. */
export interface ClientReceiver {
  /** Takes one decoded message from the server. */
  message(decoded: Decoded): void;
  /**
   * The request could not be delivered, or its answer can no longer come. `error` is a `ConnectionError`, an
   * `HttpError` (`status`), or a `SessionExpired` if the server has forgotten the session (HTTP 404).
   */
  failed(id: RequestId, error: Error): void;
  /** The channel is gone: no more messages will come. `why` is for a person. */
  closed(why: string, cause?: unknown): void;
  /** Reports an error that concerns no pending request. */
  error(error: Error): void;
  /** Tells whether messages are held on their way. While they are, the timeouts of requests do not run. */
  held?(on: boolean): void;
}
