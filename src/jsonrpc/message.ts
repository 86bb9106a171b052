/** The messages of JSON-RPC 2.0, as MCP narrows them. Source: 2026-07-28 basic/index#messages. */

/** A string or an integer, never null. 2025-06-18 basic/index#requests. */
export type RequestId = string | number;

/** A JSON object whose members nobody has judged yet. */
export type Bag = Record<string, unknown>;

/** Parameters by name: MCP has no others. */
export type Params = Bag;

/** A message that is answered (JSON-RPC 2.0 section 4). */
export interface Request {
  jsonrpc: '2.0';
  id: RequestId;
  method: string;
  params?: Params;
}

/** A message that is not answered (JSON-RPC 2.0 section 4.1). */
export interface Notification {
  jsonrpc: '2.0';
  method: string;
  params?: Params;
}

/** The answer to a request that succeeded. */
export interface Success {
  jsonrpc: '2.0';
  id: RequestId;
  result: Record<string, unknown>;
}

/** Why a request failed (JSON-RPC 2.0 section 5.1). */
export interface ErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

/** `id` is absent or null when the request could not be read far enough to find one. */
export interface Failure {
  jsonrpc: '2.0';
  id?: RequestId | null;
  error: ErrorObject;
}

/** The answer to a request (JSON-RPC 2.0 section 5). */
export type Response = Success | Failure;
/** Any message that is not a batch. */
export type Message = Request | Notification | Response;

/**
 * What `decode` makes of one message: what it is, or why it is refused. `weight` is the memory that it takes, in
 * bytes, of which a peer's budget is charged while it is kept.
 */
export type Decoded =
  | { kind: 'request'; message: Request; weight: number }
  | { kind: 'notification'; message: Notification }
  | { kind: 'success'; message: Success }
  | { kind: 'failure'; message: Failure }
  /** Not judged yet: `classify` says what each value is. */
  | { kind: 'batch'; values: readonly unknown[]; weight: number }
  | Refusal;

/** A message with a result or an error, whose members are not judged yet: `checkResponse` judges them. */
export interface UncheckedResponse {
  kind: 'response';
  message: Bag;
}

/** What `decodeUnchecked` makes of one message. */
export type Unchecked = Exclude<Decoded, { kind: 'success' | 'failure' }> | UncheckedResponse;

/** A message that is not JSON-RPC. `id` is the message's, when it could still be read; otherwise null. */
export interface Refusal {
  kind: 'refusal';
  id: RequestId | null;
  /** The error message for our pending request with this id. Set where the message has no `method`. */
  responseFault?: string;
  /** The message was dropped unread. If its id is unknown and one request of ours waits, it was the response to that. */
  unread?: true;
  error: ErrorObject;
}
