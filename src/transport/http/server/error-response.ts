import {
  headerMismatchCode, internalErrorCode, invalidRequestCode, methodNotFoundCode, unsupportedProtocolVersionCode,
} from '../../../jsonrpc/errors.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import { failureText } from '../../../jsonrpc/inbound-request.ts';
import * as revisionTable from '../../../protocol/revisions.ts';
import type { Revision } from '../../../protocol/revisions.ts';
import type { HeaderFields, HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';

/**
 * The HTTP status of an answer without a stream. A stream has begun with 200, even if an error ends it.
 * 2026-07-28 basic/transports/streamable-http, basic/index#error-codes.
 */
export function statusOf(code: number): number {
  if (code === methodNotFoundCode) return 404;
  const bad = (code <= headerMismatchCode && code >= unsupportedProtocolVersionCode)
    || code === invalidRequestCode;
  return bad ? 400 : 200;
}

/** The optional parts of a refusal. */
export interface RefusalDetails {
  /** The id of the request, if it was read. */
  readonly id?: RequestId | null | undefined;
  /** The revision of the session, if there is one: it decides the form of an error without an id. */
  readonly revision?: Revision | undefined;
  /** The error code. Default: `-32600` for a fault of the client, `-32603` if the server is busy. */
  readonly code?: number | undefined;
  readonly data?: unknown;
  readonly fields?: HeaderFields | undefined;
}

/** The members of a request that `refuse` needs. */
export type Refusable = Pick<HttpRequest, 'respond' | 'exchange'>;

/** Answers with an HTTP status and a JSON-RPC error that says why the request is refused. */
export function refuse(
  services: Pick<EndpointServices, 'tracing'>, request: Refusable, status: number, message: string,
  { id = null, revision, code, data, fields }: RefusalDetails = {},
): void {
  const text = failureText(id, {
    code: code ?? (status < 429 ? invalidRequestCode : internalErrorCode), message, data,
  }, revision && revisionTable.nullErrorId(revision));
  // 429, 503: the client may try again later.
  request.respond(status, text, status === 429 || status === 503 ? { 'retry-after': 1, ...fields } : fields);
  services.tracing?.message('sent', text, request);
}

/** Answers 404: the session of the request is over, or never existed. 2025-11-25 basic/transports#session-management. */
export function refuseSession(services: EndpointServices, request: HttpRequest, details?: RefusalDetails): void {
  refuse(services, request, 404, 'Session not found', details);
}

/** Message if no session can be opened. */
export const noRoom = 'Too many sessions are open, and all are busy';

/** Message if a request needs more memory than its budget has left. */
export const noMemory = 'The memory limit of open requests is reached';

/** Message if a client, or all clients together, have too many requests in flight. */
export const tooMany = 'Too many requests are open';

/** Answers 503 to a request that a closing server does not serve. */
export function refuseWork(services: Pick<EndpointServices, 'tracing'>, request: Refusable): void {
  refuse(services, request, 503, 'The server is closing');
}
