import { internalErrorCode, invalidRequestCode } from '../../../jsonrpc/errors.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import { failureText } from '../../../jsonrpc/inbound-request.ts';
import * as revisionTable from '../../../protocol/revisions.ts';
import type { Revision } from '../../../protocol/revisions.ts';
import type { HeaderFields, HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';

/** What a refusal says besides its status and message. */
export interface RefusalDetails {
  /** The id of the request, where one was read. */
  readonly id?: RequestId | null | undefined;
  /** The revision of the session, where there is one: it decides how an error without an id looks. */
  readonly revision?: Revision | undefined;
  /** The error's code. Default: `-32600` where the client is at fault, `-32603` where the server is busy. */
  readonly code?: number | undefined;
  readonly data?: unknown;
  readonly fields?: HeaderFields | undefined;
}

/** What is needed of a request to refuse it. */
export type Refusable = Pick<HttpRequest, 'respond' | 'exchange'>;

/** Answers with an HTTP status and a JSON-RPC error that says why the request is not served. */
export function refuse(
  services: Pick<EndpointServices, 'tracing'>, request: Refusable, status: number, message: string,
  { id = null, revision, code, data, fields }: RefusalDetails = {},
): void {
  const text = failureText(id, {
    code: code ?? (status < 429 ? invalidRequestCode : internalErrorCode), message, data,
  }, revision && revisionTable.nullErrorId(revision));
  // 429, 503: what is too much now may be served later.
  request.respond(status, text, status === 429 || status === 503 ? { 'retry-after': 1, ...fields } : fields);
  services.tracing?.message('sent', text, request);
}

/** Refuses what belongs to a session that is over, or never was. 2025-11-25 basic/transports#session-management: 404. */
export function refuseSession(services: EndpointServices, request: HttpRequest, details?: RefusalDetails): void {
  refuse(services, request, 404, 'Session not found', details);
}

/** Said where a session cannot be opened. */
export const noRoom = 'All sessions are busy, and there may be no more';

/** Said where a request would take more memory than there is. */
export const noMemory = 'The requests that are open take all the memory there is for them';

/** Said where a client, or all of them, have too much in flight. */
export const tooMany = 'Too many requests are open';

/** Refuses what a closing server does not begin any more. */
export function refuseWork(services: Pick<EndpointServices, 'tracing'>, request: Refusable): void {
  refuse(services, request, 503, 'The server is closing');
}
