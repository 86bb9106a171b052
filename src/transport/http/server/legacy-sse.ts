import type { HttpRequest } from './http-request.ts';
import type { Session } from './session.ts';

// 2024-11-05 basic/transports#http-with-sse: one stream for all that the server says, and a place to POST to.

/** Opens the stream of a new session and names the place. `end` is called when the client has left. */
export function openPair(request: HttpRequest, session: Session, messages: string, end: () => void): void {
  const stream = session.listen(request);
  stream.onLost = end;
  stream.writeEvent({ event: 'endpoint', data: `${messages}?sessionId=${session.id}` });
}

/** The id that a POST of the pair names; '' where it names none. */
export function pairId(query: string): string {
  return new URLSearchParams(query).get('sessionId') ?? '';
}
