import { isObject, isRequestId } from '../jsonrpc/message.ts';
import type { Connection } from '../jsonrpc/connection.ts';
import type { Notification, Params, RequestId } from '../jsonrpc/message.ts';
import { PendingRequests } from '../jsonrpc/pending-requests.ts';
import type { Progress, RequestRules } from '../jsonrpc/pending-requests.ts';
import { cancellationOf } from './cancellation.ts';

const rules: RequestRules = { cancellationOf, withToken: withProgressToken, progressOf: readProgress };

/** Our pending requests to the peer of a connection, with the MCP rules for progress and cancellation. */
export function requestsOf(connection: Connection): PendingRequests {
  return connection.pending ??= new PendingRequests(connection, rules);
}

/**
 * Adds a progress token to parameters: the id of the request, because it is unique among the requests in flight, as
 * 2025-11-25 basic/utilities/progress requires.
 */
export function withProgressToken(params: Params | undefined, id: RequestId): Params {
  // Each key is set before the spread, for the hidden class, and again after it: `{ ...x, key }` would create a new
  // hidden class each time (bench/NOTES.md).
  const _meta: Params = { progressToken: id, ...(params?.['_meta'] as object | undefined) };
  _meta['progressToken'] = id;
  const own: Params = { _meta, ...params };
  own['_meta'] = _meta;
  return own;
}

/** Reads a progress notification; undefined for other notifications. `progress` is undefined if it is not a number. */
export function readProgress(
  { method, params }: Notification,
): { token: RequestId; progress: Progress | undefined } | undefined {
  const token = params?.['progressToken'];
  if (method !== 'notifications/progress' || !isRequestId(token)) return undefined;
  return { token, progress: isProgress(params) ? params : undefined };
}

function isProgress(params: Params | undefined): params is Params & Progress {
  return isObject(params) && Number.isFinite(params['progress']);
}
