import { internalErrorCode } from '../jsonrpc/internal-exports.ts';
import { ConnectionError, RpcError } from '../jsonrpc/index.ts';
import { HttpError, SessionExpired } from '../transport/internal-exports.ts';

/**
 * Whether an error says nothing of the task: the connection has failed, or the server, whose store may be back soon.
 */
export function mayPass(error: unknown): boolean {
  if (error instanceof RpcError) return error.code === internalErrorCode;
  if (error instanceof HttpError) return error.status >= 500 || error.status === 429 || error instanceof SessionExpired;
  return error instanceof ConnectionError;
}
