import type { Unread } from './unread.ts';

/** The head of an HTTP request. */
export interface RequestInfo {
  readonly method: string;
  /** The path as sent, without the query. */
  readonly path: string;
  /** The query as sent, without its question mark; '' without a query. */
  readonly query: string;
  /** The value of a header; `name` is lower-case. */
  header(name: string): string | undefined;
}

/** The header fields that MCP and the guard use, each read once. Undefined: the request does not have it. */
export interface McpFields {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`. */
  readonly site: string | undefined;
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  /** `MCP-Protocol-Version`. */
  readonly version: string | undefined;
  /** `Mcp-Session-Id`. */
  readonly session: string | undefined;
  /** `Mcp-Method`. */
  readonly method: string | undefined;
  /** `Mcp-Name`. */
  readonly name: string | undefined;
}

/** Reads the fields of `McpFields` one by one. */
export const mcpFields = (header: RequestInfo['header']): McpFields => ({
  host: header('host'), origin: header('origin'), site: header('sec-fetch-site'), contentType: header('content-type'),
  accept: header('accept'), version: header('mcp-protocol-version'), session: header('mcp-session-id'),
  method: header('mcp-method'), name: header('mcp-name'),
});

/** Header fields of a response, by lower-case name. */
export type HeaderFields = Record<string, string | number>;

/**
 * A request body: bytes or text as received, a value parsed before, or the reason why it is missing ('no room': the
 * memory limit of the process is reached).
 */
export type Body =
  | Uint8Array
  | string
  | { readonly value: unknown }
  | { readonly fault: 'too large' | 'unreadable' | 'no room' };

/** One HTTP request and its response, as the endpoint sees them. Each runtime has its own implementation. */
export interface HttpRequest extends RequestInfo {
  readonly mcp: McpFields;
  /** Whether its connection was opened after the server began to close: answers to questions are taken, new work is refused. */
  readonly late?: boolean;
  /** Told how many bytes of the response wait for the reader. Set before the request is answered. */
  unread: Unread | undefined;
  /** The number of the exchange for `httpServerTrace`; otherwise undefined. */
  exchange: number | undefined;
  /** Called with the head of the response, for `httpServerTrace`. */
  onHead: ((status: number, fields: HeaderFields) => void) | undefined;
  /** All header fields, as received. */
  headers(): Iterable<readonly [name: string, value: unknown]>;
  /** Header fields of every response to this request (CORS). Set before it is answered. */
  common: HeaderFields | undefined;
  /**
   * Reads the body, once. If the client leaves before its end, `done` is not called. A returned promise settles after
   * `done` was called, or when it will never be called.
   */
  read(maxBytes: number, done: (body: Body) => void): Promise<void> | undefined;
  /** Sends a whole response. A body is JSON unless `fields` has another content type. */
  respond(status: number, body: string, fields?: HeaderFields): void;
  /**
   * Begins an event stream with status 200; follow it by `write` and at last `end`. Writes of one turn of the event loop
   * may be sent together at its end. `lasts` is called once if the stream is still open then.
   */
  open(fields: HeaderFields, lasts: () => void): void;
  /** Writes events to the stream that `open` began. */
  write(text: string): void;
  /** Ends the stream. `last`: also closes the connection, so that the client's next request goes to another process. */
  end(last: boolean): void;
  /** Breaks off the connection. */
  destroy(): void;
  /** Written bytes that the client has not read yet; for the writes of this turn, characters. */
  readonly buffered: number;
  /** Sets the listener for a client that leaves before the response is complete. Replaces the previous listener. */
  onGone(listener: () => void): void;
}
