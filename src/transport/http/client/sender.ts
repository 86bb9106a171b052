import type { Cancellation } from './cancellation.ts';

/** One HTTP request, for a sender. */
export interface HttpSend {
  readonly method: string;
  readonly url: URL;
  /** Names are lower-case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /**
   * Whether the answer may take long, as that of a JSON-RPC request or a stream may. Answers to the server's
   * requests are quick, and must not wait for a connection behind those that do.
   */
  readonly lasting: boolean;
  /** Ends the request, or the reading of its answer. */
  readonly cancellation: Cancellation;
}

/** The answer to one HTTP request: its head is there, its body comes. */
export interface HttpAnswer {
  readonly status: number;
  /** The value of a header field, by its lower-case name. */
  header(name: string): string | undefined;
  /** All header fields, for a trace. */
  fields(): Iterable<readonly [name: string, value: unknown]>;
  /**
   * Reads the body, once. `onChunk` gets its bytes as they come, without their content encoding; where it returns a
   * promise, no more is read before that resolves. Resolves at the end of the body, rejects where it breaks.
   */
  read(onChunk: (chunk: Uint8Array) => Promise<void> | void): Promise<void>;
  /** The rest of the body is not wanted: `read` ends soon after, if it was called. */
  cancel(): void;
}

/** Sends HTTP requests for the client's transport: `fetch`, or what a platform has that is faster. */
export interface HttpSender {
  /**
   * Sends one request. Follows no redirect and adds no credentials. Repeats a POST only where no byte of it was
   * written. Rejects where no answer comes.
   */
  send(request: HttpSend): Promise<HttpAnswer>;
  /** Lets go of idle connections. */
  close?(): void;
}

/** Fields that say where a request goes and where its body ends: the sender's own, never the caller's. */
export const framingFields: readonly string[] = ['host', 'connection', 'content-length', 'transfer-encoding'];
