/**
 * `barewire/client`: `McpClient`; `ClientCore` and its parts.
 *
 * @module
 */

export { answering } from './answering.ts';
export { resultCache } from './cache.ts';
export { ClientCore, MalformedResult } from './client-core.ts';
export { listening } from './subscriptions.ts';
export { McpClient } from './mcp-client.ts';
export type { Agreement } from './negotiation.ts';
export { defaultAnsweringLimits, defaultCoreClientLimits } from './options.ts';
export type {
  AnsweringLimits, AnsweringOptions, Answers, CallOptions, ClientExtension, ClientHandlers, ClientLimits, ClientOptions,
  CoreClientLimits, CoreClientOptions, ElicitAnswer, QuestionContext, ResultContext, TakeResult,
} from './options.ts';
export type { Answering, AskingCall, Cache, Listening, ListeningPort, Outputs } from './parts.ts';
export type { ListName } from '../protocol/pagination.ts';
export type { Pinging, PingOptions } from '../protocol/pinging.ts';
export type { AnyServer, ServerTypes } from './server-types.ts';
export { toolOutputs } from './tool-output.ts';
export { ConnectionError, errorCodes, RpcError } from '../jsonrpc/errors.ts';
export type { Abortable } from '../jsonrpc/inbound-request.ts';
export type { Stop } from '../jsonrpc/stop.ts';
export { HttpError, SessionExpired } from '../transport/http/http-error.ts';
export type { ClientReceiver, ClientTransport, Outgoing, ToolHeaders } from '../transport/client-port.ts';
