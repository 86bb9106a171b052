import { ConnectionError } from '../../../jsonrpc/errors.ts';

/** One HTTP request, for a sender. */
export interface HttpSend {
  readonly method: string;
  readonly url: URL;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /**
   * Whether the response may take long: true for a JSON-RPC request and a stream. Answers to the server's
   * requests are quick, and must not wait for a connection behind those.
   */
  readonly lasting: boolean;
  /** Cancels the request, or the reading of its response. */
  readonly cancellation: Cancellation;
}

/** The response to one HTTP request: its head has arrived, its body is still to be read. */
export interface HttpAnswer {
  readonly status: number;
  /** The value of a header field, by its lower-case name. */
  header(name: string): string | undefined;
  /** All header fields, for a trace. */
  fields(): Iterable<readonly [name: string, value: unknown]>;
  /**
   * Reads the body, once. `onChunk` gets the bytes as they come, without their content encoding. If it returns a
   * promise, reading pauses until that resolves. Resolves at the end of the body, rejects if the body breaks off.
   */
  read(onChunk: (chunk: Uint8Array) => Promise<void> | void): Promise<void>;
  /** Drops the rest of the body: a pending `read` ends soon after. */
  cancel(): void;
}

/** Sends HTTP requests for the client's transport: with `fetch`, or a faster API of the platform. */
export interface HttpSender {
  /**
   * Sends one request. Follows no redirect and adds no credentials. Repeats a POST only if no byte of it was
   * written. Rejects if no response comes.
   */
  send(request: HttpSend): Promise<HttpAnswer>;
  /** Closes idle connections. */
  close?(): void;
}

/** Fields for the target of a request and the length of its body: only the sender sets them, never the caller. */
export const framingFields: readonly string[] = ['host', 'connection', 'content-length', 'transfer-encoding'];

/**
 * Cancels one HTTP request and the reading of its response. An AbortController is made only when a sender reads `signal`;
 * other senders set `onCancel`.
 */
export class Cancellation {
  cancelled = false;
  /** Called once, on cancellation. There is only one listener: the sender of the current request. */
  onCancel: (() => void) | undefined;
  #controller: AbortController | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.cancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Cancels the request, once. */
  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.onCancel?.();
    this.#controller?.abort();
  }

  /**
   * Removes the listeners of a finished request. A Map's old table, from before it grew, keeps its entries reachable until
   * it is collected, which takes long: an entry of a finished request must not keep the whole request in memory.
   */
  release(): void {
    this.onCancel = this.#controller = undefined;
  }

  /** Throws if the request was cancelled. */
  check(): void {
    if (this.cancelled) throw new ConnectionError('closed', 'the request was cancelled');
  }
}
