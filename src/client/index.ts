export { McpClient } from './mcp-client.ts';
export type {
  Answers, CallOptions, ClientExtension, ClientHandlers, ClientLimits, ClientOptions, ElicitAnswer, ListName,
  QuestionContext, ResultContext, TakeResult,
} from './options.ts';
export { ConnectionError, errorCodes, RpcError } from '../jsonrpc/errors.ts';
