/** The messages of JSON-RPC 2.0, as MCP restricts them. Source: 2026-07-28 basic/index#messages. */

/** A string or an integer, never null. 2025-06-18 basic/index#requests. */
export type RequestId = string | number;

/** A JSON object with unchecked members. */
export type Bag = Record<string, unknown>;

/** Parameters by name: MCP has no parameters by position. */
export type Params = Bag;

/** A message that gets a response (JSON-RPC 2.0 section 4). */
export interface Request {
  jsonrpc: '2.0';
  id: RequestId;
  method: string;
  params?: Params;
}

/** A message that gets no response (JSON-RPC 2.0 section 4.1). */
export interface Notification {
  jsonrpc: '2.0';
  method: string;
  params?: Params;
}

/** The response to a request that succeeded. */
export interface Success {
  jsonrpc: '2.0';
  id: RequestId;
  result: Record<string, unknown>;
}

/** The code and message of an error response (JSON-RPC 2.0 section 5.1). */
export interface ErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

/** The response to a request that failed. `id` is absent or null if the id of the request could not be read. */
export interface Failure {
  jsonrpc: '2.0';
  id?: RequestId | null;
  error: ErrorObject;
}

/** The response to a request (JSON-RPC 2.0 section 5). */
export type Response = Success | Failure;
/** Any message that is not a batch. */
export type Message = Request | Notification | Response;

/**
 * The result of `decode`: a classified message, or a refusal. `weight` is the memory of the message in bytes, which the
 * connection charges to the peer's budget.
 */
export type Decoded =
  | { kind: 'request'; message: Request; weight: number }
  | { kind: 'notification'; message: Notification }
  | { kind: 'success'; message: Success }
  | { kind: 'failure'; message: Failure }
  /** The values are unchecked: call `classify` for each. */
  | { kind: 'batch'; values: readonly unknown[]; weight: number }
  | Refusal;

/** A message with a result or an error. Its members are unchecked until `checkResponse`. */
export interface UncheckedResponse {
  kind: 'response';
  message: Bag;
}

/** The result of `decodeUnchecked`. */
export type Unchecked = Exclude<Decoded, { kind: 'success' | 'failure' }> | UncheckedResponse;

/** The error for a message that is not valid JSON-RPC. `id` is the id of the message, or null if it could not be read. */
export interface Refusal {
  kind: 'refusal';
  id: RequestId | null;
  /** The error message for our pending request with this id. Set if the message may be a response: it has no `method`. */
  responseFault?: string;
  /** The message was too large to read. If its id is unknown and only one request of ours is pending, it was the response to that. */
  unread?: true;
  error: ErrorObject;
}
