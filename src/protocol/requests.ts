import type { Connection } from '../jsonrpc/connection.ts';
import { PendingRequests } from '../jsonrpc/pending-requests.ts';
import type { RequestRules } from '../jsonrpc/pending-requests.ts';
import { cancellationOf } from './cancellation.ts';
import { readProgress, withProgressToken } from './progress.ts';

const rules: RequestRules = { cancellationOf, withToken: withProgressToken, progressOf: readProgress };

/** Our requests to the peer of a connection, by the rules of MCP. */
export function requestsOf(connection: Connection): PendingRequests {
  return connection.pending ??= new PendingRequests(connection, rules);
}
