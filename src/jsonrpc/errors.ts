import type { ErrorObject } from './message.ts';

/** JSON-RPC 2.0 section 5.1; the MCP codes are each named by the revision that defines them. */
export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** 2024-11-05 to 2025-11-25 server/resources#error-handling. */
  resourceNotFound: -32002,
  /** 2025-11-25 client/elicitation#url-elicitation-required-error. */
  urlElicitationRequired: -32042,
  /** 2026-07-28 basic/index#error-codes, and the two below. */
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;

/**
 * An error that travels as a JSON-RPC error object: thrown by a handler it becomes the answer;
 * a call whose peer answered with an error rejects with it.
 */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

/** The error object for anything thrown. What is not an `RpcError` is told by its message, never its stack. */
export function toErrorObject(thrown: unknown): ErrorObject {
  if (thrown instanceof RpcError) {
    const { code, message, data } = thrown;
    return data === undefined ? { code, message } : { code, message, data };
  }
  return { code: errorCodes.internalError, message: errorMessage(thrown) };
}

export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Throws where the runtime lacks a global, naming it and what wanted it. */
export function need(name: string, what: string): void {
  if (!(name in globalThis)) throw new Error(`this runtime has no ${name}, which ${what} needs`);
}

/** Why a local call failed without an answer; never confused with an error that the peer sent. */
export type LocalFailure = 'closed' | 'timeout' | 'cancelled';

/** A call that ended on this side: the connection closed, the time was up, or the caller cancelled. */
export class ConnectionError extends Error {
  readonly reason: LocalFailure;

  constructor(reason: LocalFailure, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ConnectionError';
    this.reason = reason;
  }
}
