import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { shorten } from '../bounds/quote.ts';
import type { ErrorObject } from './message.ts';

/**
 * The codes of error objects: JSON-RPC 2.0 section 5.1, and the MCP codes, each with the revision that defines it.
 * Separate constants, so that a bundle contains only those that it uses.
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

/** The codes of error objects by name, for programs that use this package. */
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
 * An error that is sent as a JSON-RPC error object. If a handler throws it, it becomes the error response; a call
 * rejects with it if the peer sends an error response.
 */
export class RpcError extends Error {
  /** The code as sent. Codes from -32000 to -32019 have no defined meaning: 2026-07-28 basic/index#error-codes. */
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

/** The error for a missing or invalid parameter. `what` begins with the path of the parameter below `params`. */
export function invalidParams(what: string, data?: unknown): RpcError {
  return new RpcError(invalidParamsCode, `Invalid params: params.${what}`, data);
}

export function invalidRequest(what: string): RpcError {
  return new RpcError(invalidRequestCode, `Invalid request: ${what}`);
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(methodNotFoundCode, `Method not found: ${shorten(method)}`);
}

/** The error for a fault of this side: a handler returned an invalid result, or a limit is reached. */
export function internalError(message: string): RpcError {
  return new RpcError(internalErrorCode, message);
}

/**
 * The error object for any thrown value. Values other than `RpcError` give their message, never their stack. Each
 * revision, basic: codes are integers.
 */
export function toErrorObject(thrown: unknown): ErrorObject {
  if (thrown instanceof RpcError) {
    const { code: said, message, data } = thrown;
    return { code: Number.isInteger(said) ? said : internalErrorCode, message, ...data !== undefined && { data } };
  }
  return { code: internalErrorCode, message: errorMessage(thrown) };
}

/** The message of any thrown value. Never throws. */
export function errorMessage(thrown: unknown): string {
  return toError(thrown).message;
}

/**
 * Converts any thrown value to an error with a readable message. Never throws, although the value may be a proxy, have
 * getters, or be an object without a conversion to string.
 */
export function toError(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error)) return new Error(String(thrown));
    const { message } = thrown;
    const own = Object.getOwnPropertyDescriptor(thrown, 'message');
    // An own getter may return another value the next time.
    return typeof message === 'string' && (!own || 'value' in own) ? thrown : new Error(String(message));
  } catch {
    return new Error('the thrown value cannot be read');
  }
}

/** Passes an error to an author's `onError`. Never throws: if `onError` fails, nobody is left to receive the error. */
export function tell(onError: ((error: Error) => void) | undefined, thrown: unknown): void {
  try {
    onError?.(toError(thrown));
  } catch {
    // The work that found the error must go on.
  }
}

/** Throws if the runtime lacks the global `name`. `what`: the feature that needs it. */
export function need(name: string, what: string): void {
  if (!(name in globalThis)) throw new Error(`this runtime has no ${name}, which ${what} needs`);
}

/** Throws if `clock` is the system clock and the runtime has no timers. */
export function needTimers(clock: Clock, what: string): void {
  if (clock === systemClock) need('setTimeout', what);
}

/** Why a call failed without a response. */
export type LocalFailure = 'closed' | 'timeout';

/** The error of a call that got no response: the connection closed, or a timeout passed. */
export class ConnectionError extends Error {
  readonly reason: LocalFailure;

  constructor(reason: LocalFailure, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ConnectionError';
    this.reason = reason;
  }
}
