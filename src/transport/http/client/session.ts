import { SessionExpired } from '../http-error.ts';
import { readText } from './body.ts';
import type { PostedRequest } from './posted-request.ts';
import type { HttpRequester } from './authorization.ts';
import type { Cancellation, HttpAnswer } from './sender.ts';

/** The session of a legacy server. 2025-11-25 basic/transports#session-management. */
export interface HttpSession {
  readonly id: string;
  /** Set when the server has answered that it no longer knows the session. */
  expired: boolean;
}

/** The session that the answer to `initialize` names. 2025-11-25 basic/transports#session-management. */
export function sessionOf(answer: HttpAnswer): HttpSession | undefined {
  const id = answer.header('mcp-session-id');
  return id === undefined ? undefined : { id, expired: false };
}

/** Throws if the answer says that the server no longer knows the session of the request. */
export function checkSession(status: number, posted: PostedRequest, body: string): void {
  if (status !== 404 || posted.session === undefined) return;
  // Keep sending the old id until there is a new one: a request without an id would get a 400.
  posted.session.expired = true;
  throw new SessionExpired(body);
}

/** Ends a session. 2025-11-25 basic/transports#session-management: a server may answer 405. */
export const endSession = (
  request: HttpRequester, base: URL, sent: { session: HttpSession; cancellation: Cancellation },
): Promise<string> => request.send('DELETE', base, sent, { own: {} }).then(readText);
