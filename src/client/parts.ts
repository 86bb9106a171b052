import type { ConnectionLimits } from '../jsonrpc/connection.ts';
import type { Abortable } from '../jsonrpc/inbound.ts';
import type { RpcError } from '../jsonrpc/errors.ts';
import type { Bag, RequestId } from '../jsonrpc/message.ts';
import type { RequestOptions } from '../jsonrpc/pending-requests.ts';
import type { ClientCapabilities } from '../protocol/initialize.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { CallOptions } from './options.ts';
import type { Agreement } from './negotiation.ts';

// The parts that a client may have. The core knows only these interfaces, so that a bundler leaves out the parts that are
// not handed in. A part is made by a function, and belongs to one client.

/** One call that comes back with questions, as its rounds need it. */
export interface AskingCall {
  readonly revision: Revision;
  readonly signal: AbortSignal | undefined;
  /** Sends the call again, as a new request. */
  send(params: Bag): Promise<Bag>;
}

/** Answers the server's questions: see `answering`. */
export interface Answering {
  /** What it adds to what the client declares in a revision. */
  capabilities(revision: Revision): ClientCapabilities;
  /** Answers one question. Rejects with the `RpcError` that a legacy server gets. */
  answer(method: string, params: Bag, revision: Revision, abortable: Abortable): object | Promise<object>;
  /** After each handshake: `tell` sends the server a notification, which a modern one does not get. */
  begin?(tell: (method: string, params: Bag) => void): void;
  /** The client was closed, and may be connected to another server. */
  end?(): void;
  /** A call was refused until elicitations by URL are complete (`-32042`). */
  required(error: RpcError): void;
  /**
   * Whether `notifications/elicitation/complete` is about an elicitation that is under way. Others MUST be ignored:
   * 2025-11-25 client/elicitation#completion-notifications-for-url-mode-elicitation.
   */
  completed(params: Bag | undefined): boolean;
  /** Answers `inputRequests`, giving `inputResponses`. `method` is that of the call. */
  gather(method: string, requests: unknown, call: AskingCall): Promise<Bag>;
  /** Goes on from a result that is `input_required` until there is another. */
  rounds(method: string, params: Bag | undefined, first: Bag, call: AskingCall): Promise<Bag>;
}

/** What `listening` needs of the client. */
export interface ListeningPort {
  readonly options: { readonly onListChanged?: unknown };
  readonly limits: Pick<ConnectionLimits, 'timeoutMs'>;
  /** Waits for a handshake that is under way; then throws where this request may not be sent. */
  ready(method: string): unknown;
  /** Sends a request, and again after a reconnect where that is safe. */
  send(method: string, params: Bag, options: CallOptions): Promise<Bag>;
  /** Sends one request on the present connection; `sent` is told its id. */
  ask(method: string, params: Bag, options?: RequestOptions, sent?: (id: RequestId) => void): Promise<Bag>;
  /** Fails a request of ours that is still open, and ends its stream. */
  fail(id: RequestId, error: Error): void;
  /** Tells the application's `onError`. */
  report(error: unknown): void;
}

/** Hears of changes: see `listening`. The second half is only for the core. */
export interface Listening {
  /** Asks to be told, through `onResourceUpdated`, when a resource changes. Holds across new sessions. */
  subscribe(uri: string, options?: CallOptions): Promise<void>;
  /** Takes back what `subscribe` asked for. */
  unsubscribe(uri: string, options?: CallOptions): Promise<void>;
  /**
   * Asks to be told of what an extension adds to the filter of `subscriptions/listen`: under its key, this
   * value; undefined: no more. Resolves with what the server agreed to; undefined: nothing. Holds across
   * drops and new streams; one call a key at a time. Since 2026-07-28.
   */
  listen(key: string, value: unknown): Promise<unknown>;

  /** After each handshake, which waits for the promise. */
  begin(port: ListeningPort, agreement: Agreement): Promise<unknown> | undefined;
  /** The server is gone: closes the stream, and opens no other before `begin`. */
  stop(): void;
  /** The client was closed. */
  end(): void;
  /** Whether a notification belongs to the open stream. Notifications of older streams are stale. */
  owns(params: Bag | undefined): boolean;
  /** Whether a notification belongs to a stream that has been closed. */
  late(params: Bag | undefined): boolean;
  /** `notifications/subscriptions/acknowledged` */
  acknowledged(params: Bag | undefined): void;
  /** `notifications/cancelled` from the server. */
  cancelled(params: Bag | undefined): void;
}

/** Keeps results while they are fresh: see `resultCache`. */
export interface Cache {
  /** Grows with every invalidation: a result that was asked for before one must not be kept after it. */
  readonly epoch: number;
  /** Whether results of a method may be kept at all: asked once for each method after a handshake. Without it: yes. */
  keeps?(method: string): boolean;
  /** `context` names the authorization that asks: a private result of another is not found. */
  find(method: string, params: Bag | undefined, context?: string): Bag | undefined;
  /** Keeps a result for as long as it says; `epoch` is the one in which it was asked for. */
  keep(method: string, params: Bag | undefined, result: Bag, epoch: number, context?: string): void;
  /** Drops the results of a method. */
  drop(method: string): void;
  /** Drops what a notification makes stale. */
  invalidate(notification: string, params: Bag | undefined): void;
  /** Forgets everything: to be called when the authorization changes. */
  clear(): void;
}

/** Holds what tools return against their output schemas: see `toolOutputs`. */
export interface Outputs {
  /** Keeps the output schemas of a page of tools. */
  learn(tools: readonly unknown[]): void;
  /** Forgets all output schemas: the list has changed. */
  forget(): void;
  /**
   * Throws or rejects where a result breaks the tool's promise; `warn` is told of schemas that cannot be used. Undefined:
   * there is nothing to wait for, as with nearly every call.
   */
  check(name: string, result: Bag, warn: (error: Error) => void): Promise<void> | undefined;
}
