import type { Decoded } from '../../../jsonrpc/message.ts';
import type { Outlet } from '../../../jsonrpc/inbound-request.ts';
import type { Auth } from '../../auth.ts';
import type { HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

/** A request for a session that other processes serve too. */
export interface SharedRequest extends HttpRequest {
  /** The session of the request, if a fleet has opened it. */
  opened?: Session | undefined;
}

/** Answers a POST whose message is for another process, wholly or in part. */
export interface Reply {
  readonly request: HttpRequest;
  /** Takes the rest of the message in this process, and answers the POST. */
  take(rest: Decoded): void;
}

/** The behaviour of sessions that several processes serve. */
export interface Shared {
  /** Called before a request is served: calls `next` at once or later, or refuses the request. */
  enter(request: SharedRequest, auth: Auth | undefined, next: () => void): void;
  /** The outlet of the answer, in place of `response`. */
  outlet(session: Session, decoded: Decoded, response: Outlet, request: HttpRequest): Outlet;
  /** GET: opens a stream, or resumes one. Undefined: neither GET nor DELETE is served. */
  listen: ((request: HttpRequest, session: Session) => void) | undefined;
  /** DELETE: ends the session. */
  remove(request: HttpRequest, session: Session): void;
  /** The endpoint begins to close. */
  drain(): void;
  /**
   * Forwards the parts of a message that belong to another process, then answers the POST or calls `reply.take` with the rest.
   * False: the whole message belongs to this process, and nothing was done.
   */
  forward(session: { readonly id: string; readonly auth: Auth | undefined }, decoded: Decoded, reply?: Reply): boolean;
  /** Returns a function that forwards a message to the process with the stream of this pair, and answers the POST. */
  pairElsewhere(request: HttpRequest, pair: string, auth: Auth | undefined): ((decoded: Decoded) => void) | undefined;
  /** Whether HTTP+SSE is served: a stream and a path for POSTs. */
  readonly pairs: boolean;
}

/** A fleet, as an endpoint sees it. `fleet()` of `barewire/fleet` implements it. */
export interface FleetPort {
  /** Whether the engine answers; true without an engine. Never rejects. */
  up(): Promise<boolean>;
  /** Returns the sessions of an endpoint that other processes serve too; `local` has those open here. */
  share(services: EndpointServices, local: Sessions): Sessions;
}
