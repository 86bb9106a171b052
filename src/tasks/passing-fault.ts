import { internalErrorCode } from '../jsonrpc/internal-exports.ts';
import { ConnectionError, RpcError } from '../jsonrpc/index.ts';
import { HttpError, SessionExpired } from '../transport/internal-exports.ts';

/**
 * Whether an error says nothing about the task, because the connection or the server has failed. A later try may
 * succeed.
 */
export function mayPass(error: unknown): boolean {
  if (error instanceof RpcError) return error.code === internalErrorCode;
  if (error instanceof HttpError) return error.status >= 500 || error.status === 429 || error instanceof SessionExpired;
  return error instanceof ConnectionError;
}
