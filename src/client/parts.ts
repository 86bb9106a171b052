import type { Clock } from '../bounds/clock.ts';
import type { ConnectionLimits } from '../jsonrpc/connection.ts';
import type { Abortable } from '../jsonrpc/inbound-request.ts';
import type { RpcError } from '../jsonrpc/errors.ts';
import type { Bag, RequestId } from '../jsonrpc/message.ts';
import type { RequestOptions } from '../jsonrpc/pending-requests.ts';
import type { ClientCapabilities } from '../protocol/lifecycle.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { CallOptions } from './options.ts';
import type { Agreement } from './negotiation.ts';

// The optional parts of a client. The core knows only these interfaces, so that a bundler leaves out unused parts. A
// function makes a part, which belongs to one client.

/** The call whose rounds are played. */
export interface AskingCall {
  readonly revision: Revision;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** Sends the call again, as a new request. */
  send(params: Bag): Promise<Bag>;
}

/** Answers the server's questions: see `answering`. */
export interface Answering {
  /** The capabilities that it adds in a revision. */
  capabilities(revision: Revision): ClientCapabilities;
  /** Answers one question. Rejects with the `RpcError` that a legacy server gets. */
  answer(method: string, params: Bag, revision: Revision, abortable: Abortable): object | Promise<object>;
  /** Called after each handshake: `tell` sends the server a notification, but not to a modern server. */
  begin?(tell: (method: string, params: Bag) => void): void;
  /** Called when the client was closed; it may be connected to another server. */
  end?(): void;
  /** Called when a call was refused until elicitations by URL are complete (`-32042`). */
  required(error: RpcError): void;
  /**
   * Whether `notifications/elicitation/complete` concerns a pending elicitation. Others MUST be ignored: 2025-11-25
   * client/elicitation#completion-notifications-for-url-mode-elicitation.
   */
  completed(params: Bag | undefined): boolean;
  /** Answers `inputRequests`; resolves with `inputResponses`. `method`: the method of the call. */
  gather(method: string, requests: unknown, call: AskingCall): Promise<Bag>;
  /** Answers the questions of an `input_required` result, until the call has another result. */
  rounds(method: string, params: Bag | undefined, first: Bag, call: AskingCall): Promise<Bag>;
}

/** The client, as `listening` needs it. */
export interface ListeningPort {
  readonly options: { readonly onListChanged?: unknown };
  readonly limits: Pick<ConnectionLimits, 'timeoutMs'>;
  readonly clock: Clock;
  /** Waits for a handshake in progress; then throws if this request may not be sent. */
  ready(method: string): unknown;
  /** Sends a request, and repeats it after a reconnect if that is safe. */
  send(method: string, params: Bag, options: CallOptions): Promise<Bag>;
  /** Sends one request on the current connection; `sent` receives its id. */
  ask(method: string, params: Bag, options?: RequestOptions, sent?: (id: RequestId) => void): Promise<Bag>;
  /** Rejects an open request of ours, and ends its stream. */
  fail(id: RequestId, error: Error): void;
  /** Passes an error to the application's `onError`. */
  report(error: unknown): void;
}

/** Receives changes: see `listening`. The second half is only for the core. */
export interface Listening {
  /** See `McpClient.subscribe`. */
  subscribe(uri: string, options?: CallOptions): Promise<void>;
  /** See `McpClient.unsubscribe`. */
  unsubscribe(uri: string, options?: CallOptions): Promise<void>;
  /** See `McpClient.listen`. */
  listen(key: string, value: unknown): Promise<unknown>;

  /** Called after each agreement. The handshake of a legacy server waits for the promise. */
  begin(port: ListeningPort, agreement: Agreement): Promise<unknown> | undefined;
  /** Called when the server is gone: closes the stream, and opens no other before `begin`. */
  stop(): void;
  /** Called when the client was closed. */
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

/** Caches results while they are fresh: see `resultCache`. */
export interface Cache {
  /** Grows with every invalidation: a result that was requested before an invalidation must not be kept after it. */
  readonly epoch: number;
  /** Called when the client is made, with its clock. */
  attach?(clock: Clock): void;
  /** Whether to cache results of a method at all: called once for each method after a handshake. Default: yes. */
  keeps?(method: string): boolean;
  /** A fresh result. `context` identifies the authorization of the request: a private result of another one is not found. */
  find(method: string, params: Bag | undefined, context?: string): Bag | undefined;
  /** Keeps a result for as long as it says; `epoch` is the value at the time of the request. */
  keep(method: string, params: Bag | undefined, result: Bag, epoch: number, context?: string): void;
  /** Drops the results of a method. */
  drop(method: string): void;
  /** Drops the results that a notification makes stale. */
  invalidate(notification: string, params: Bag | undefined): void;
  /** Drops everything: call it when the authorization changes. */
  clear(): void;
}

/** Checks results of tools against their output schemas: see `toolOutputs`. */
export interface Outputs {
  /** Keeps the output schemas of a page of tools. */
  learn(tools: readonly unknown[]): void;
  /** Drops all output schemas: the list has changed. */
  forget(): void;
  /**
   * Throws or rejects if a result breaks the tool's output schema; `warn` is called for unusable schemas. Undefined:
   * there is nothing to wait for, as for nearly every call.
   */
  check(name: string, result: Bag, warn: (error: Error) => void): Promise<void> | undefined;
}
