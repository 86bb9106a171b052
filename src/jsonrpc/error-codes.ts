/**
 * The codes of error objects. JSON-RPC 2.0 section 5.1; the MCP codes are each named by the revision that
 * defines them. Imported as a whole (`errorCodes.parseError`),
 * so that a bundle holds the numbers that it uses and no table.
 */

export const parseError = -32700;
export const invalidRequest = -32600;
export const methodNotFound = -32601;
export const invalidParams = -32602;
export const internalError = -32603;
/** 2024-11-05 to 2025-11-25 server/resources#error-handling. */
export const resourceNotFound = -32002;
/** 2025-11-25 client/elicitation#url-elicitation-required-error. */
export const urlElicitationRequired = -32042;
/** 2026-07-28 basic/index#error-codes, and the two below. */
export const headerMismatch = -32020;
export const missingClientCapability = -32021;
export const unsupportedProtocolVersion = -32022;
