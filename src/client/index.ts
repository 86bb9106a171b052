export { McpClient } from './mcp-client.ts';
export type {
  CallOptions, ClientExtension, ClientHandlers, ClientLimits, ClientOptions, ElicitAnswer, ListName, QuestionContext,
} from './options.ts';
export { ConnectionError, errorCodes, RpcError } from '../jsonrpc/errors.ts';
