import type { Unread } from './unread.ts';

/** What can be known of an HTTP request before its body is read. */
export interface RequestInfo {
  readonly method: string;
  /** The path as it was sent, without the query. */
  readonly path: string;
  /** The query as it was sent, without its question mark; '' without a query. */
  readonly query: string;
  /** The value of a header; `name` in lower case. */
  header(name: string): string | undefined;
}

/** The header fields of a request that MCP and the guard read, each read once. Undefined: the request does not have it. */
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

/** Reads them one by one. */
export const mcpFields = (header: RequestInfo['header']): McpFields => ({
  host: header('host'), origin: header('origin'), site: header('sec-fetch-site'), contentType: header('content-type'),
  accept: header('accept'), version: header('mcp-protocol-version'), session: header('mcp-session-id'),
  method: header('mcp-method'), name: header('mcp-name'),
});

/** Header fields of a response, by lower-case name. */
export type HeaderFields = Record<string, string | number>;

/**
 * A body: bytes or text as it came, a value that somebody has parsed already, or why it is missing ('no room': the
 * process holds too much already).
 */
export type Body =
  | Uint8Array
  | string
  | { readonly value: unknown }
  | { readonly fault: 'too large' | 'unreadable' | 'no room' };

/** One HTTP request and its response: all that the endpoint knows of a runtime. An adapter implements it. */
export interface HttpRequest extends RequestInfo {
  readonly mcp: McpFields;
  /** Whether its connection was made after the server began to close: answers to questions are taken, new work is not. */
  readonly late?: boolean;
  /** Told how much of the response waits for its reader. Set before anything is answered. */
  unread: Unread | undefined;
  /** The number of the exchange where somebody traces; otherwise undefined. */
  exchange: number | undefined;
  /** Told the head of the response, where somebody traces. */
  onHead: ((status: number, fields: HeaderFields) => void) | undefined;
  /** All header fields, as they came. */
  headers(): Iterable<readonly [name: string, value: unknown]>;
  /** Header fields of whatever the response will be (CORS). Set before anything is answered. */
  common: HeaderFields | undefined;
  /**
   * Reads the body, once. `done` is not called when the client leaves before its end. May return what is settled when
   * it was called, or never will be.
   */
  read(maxBytes: number, done: (body: Body) => void): Promise<void> | undefined;
  /** Answers whole; with a body it is JSON unless `fields` says otherwise. */
  respond(status: number, body: string, fields?: HeaderFields): void;
  /**
   * Begins a stream of events with status 200; then `write` and at last `end`. What is written in one turn
   * may go out at its end in one piece. `lasts` is called once if the stream is still open then.
   */
  open(fields: HeaderFields, lasts: () => void): void;
  /** Writes events to the stream that `open` began. */
  write(text: string): void;
  /** Ends the stream, and the connection as well where `last`, so that the client's next request goes elsewhere. */
  end(last: boolean): void;
  /** Breaks the connection off. */
  destroy(): void;
  /** Bytes that were written and that the client has not taken yet; of this turn's writes, characters. */
  readonly buffered: number;
  /**
   * `listener` is called when the client leaves before the answer is complete. It replaces the one before.
   */
  onGone(listener: () => void): void;
}
