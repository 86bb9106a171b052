import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { shorten } from '../bounds/quote.ts';
import type { ErrorObject } from './message.ts';

/**
 * The codes of error objects. JSON-RPC 2.0 section 5.1; the MCP codes are each named by the revision that
 * defines them. A constant each, so that a bundle holds the numbers that it uses
 * and no table.
 */
export const parseErrorCode = -32700;
export const invalidRequestCode = -32600;
export const methodNotFoundCode = -32601;
export const invalidParamsCode = -32602;
export const internalErrorCode = -32603;
/** 2024-11-05 to 2025-11-25 server/resources#error-handling. */
export const resourceNotFoundCode = -32002;
/** 2025-11-25 client/elicitation#url-elicitation-required-error. */
export const urlElicitationRequiredCode = -32042;
/** 2026-07-28 basic/index#error-codes, and the two below. */
export const headerMismatchCode = -32020;
export const missingClientCapabilityCode = -32021;
export const unsupportedProtocolVersionCode = -32022;

/** The codes of error objects by name, for those who import them from outside. */
export const errorCodes: {
  readonly parseError: typeof parseErrorCode;
  readonly invalidRequest: typeof invalidRequestCode;
  readonly methodNotFound: typeof methodNotFoundCode;
  readonly invalidParams: typeof invalidParamsCode;
  readonly internalError: typeof internalErrorCode;
  readonly resourceNotFound: typeof resourceNotFoundCode;
  readonly urlElicitationRequired: typeof urlElicitationRequiredCode;
  readonly headerMismatch: typeof headerMismatchCode;
  readonly missingClientCapability: typeof missingClientCapabilityCode;
  readonly unsupportedProtocolVersion: typeof unsupportedProtocolVersionCode;
} = {
  parseError: parseErrorCode,
  invalidRequest: invalidRequestCode,
  methodNotFound: methodNotFoundCode,
  invalidParams: invalidParamsCode,
  internalError: internalErrorCode,
  resourceNotFound: resourceNotFoundCode,
  urlElicitationRequired: urlElicitationRequiredCode,
  headerMismatch: headerMismatchCode,
  missingClientCapability: missingClientCapabilityCode,
  unsupportedProtocolVersion: unsupportedProtocolVersionCode,
};

/**
 * An error that travels as a JSON-RPC error object: thrown by a handler it becomes the answer;
 * a call whose peer answered with an error rejects with it.
 */
export class RpcError extends Error {
  /** As the peer sent it. No meaning is read into codes from -32000 to -32019: 2026-07-28 basic/index#error-codes. */
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

/** The error for a parameter that is missing or wrong: `what` begins with its path below `params`. */
export function invalidParams(what: string, data?: unknown): RpcError {
  return new RpcError(invalidParamsCode, `Invalid params: params.${what}`, data);
}

export function invalidRequest(what: string): RpcError {
  return new RpcError(invalidRequestCode, `Invalid request: ${what}`);
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(methodNotFoundCode, `Method not found: ${shorten(method)}`);
}

/** The error for a fault of this side: a handler that broke its word, or a limit that is reached. */
export function internalError(message: string): RpcError {
  return new RpcError(internalErrorCode, message);
}

/**
 * The error object for anything thrown. What is not an `RpcError` is told by its message, never its stack. Each revision,
 * basic: codes are integers.
 */
export function toErrorObject(thrown: unknown): ErrorObject {
  if (thrown instanceof RpcError) {
    const { code: said, message, data } = thrown;
    return { code: Number.isInteger(said) ? said : internalErrorCode, message, ...data !== undefined && { data } };
  }
  return { code: internalErrorCode, message: errorMessage(thrown) };
}

/** The message of anything thrown. Never throws. */
export function errorMessage(thrown: unknown): string {
  return toError(thrown).message;
}

/**
 * Anything thrown, as an error whose message can be read. Never throws: what is thrown may be a proxy, have getters, or be
 * an object that no text can be made of.
 */
export function toError(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error)) return new Error(String(thrown));
    const { message } = thrown;
    const own = Object.getOwnPropertyDescriptor(thrown, 'message');
    // A getter of its own may say something else the next time.
    return typeof message === 'string' && (!own || 'value' in own) ? thrown : new Error(String(message));
  } catch {
    return new Error('what was thrown cannot be read');
  }
}

/** Throws where the runtime lacks a global, naming it and what wanted it. */
export function need(name: string, what: string): void {
  if (!(name in globalThis)) throw new Error(`this runtime has no ${name}, which ${what} needs`);
}

/** Throws where the runtime's own clock has no timers. */
export function needTimers(clock: Clock, what: string): void {
  if (clock === systemClock) need('setTimeout', what);
}

/** Why a local call failed without an answer; never confused with an error that the peer sent. */
export type LocalFailure = 'closed' | 'timeout';

/** A call that ended on this side: the connection closed, or the time was up. */
export class ConnectionError extends Error {
  readonly reason: LocalFailure;

  constructor(reason: LocalFailure, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ConnectionError';
    this.reason = reason;
  }
}
