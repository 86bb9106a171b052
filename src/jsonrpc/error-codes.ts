/**
 * The codes of error objects. JSON-RPC 2.0 section 5.1; the MCP codes are each named by the revision that
 * defines them. A constant each, so that a bundle holds the
 * numbers that it uses and no table.
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
