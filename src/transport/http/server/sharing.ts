import type { Decoded } from '../../../jsonrpc/message.ts';
import type { Outlet } from '../../../jsonrpc/inbound-request.ts';
import type { Auth } from '../../auth.ts';
import type { HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

/** A request for a session that other processes serve too. */
export interface SharedRequest extends HttpRequest {
  /** The session that it is for, where a fleet has opened it. */
  opened?: Session | undefined;
}

/** How a POST is answered whose message is for another process, wholly or in part. */
export interface Reply {
  readonly request: HttpRequest;
  /** Takes what is left of the message for this process, and answers the POST. */
  take(rest: Decoded): void;
}

/** What sessions do that several processes serve. */
export interface Shared {
  /** Called with a request before it is served: `next` follows, at once or later, or the request is refused. */
  enter(request: SharedRequest, auth: Auth | undefined, next: () => void): void;
  /** Where the answer goes, in place of `response`. */
  outlet(session: Session, decoded: Decoded, response: Outlet, request: HttpRequest): Outlet;
  /** GET: opens a stream, or carries on one where it was cut. Undefined: there is no GET, and no DELETE. */
  listen: ((request: HttpRequest, session: Session) => void) | undefined;
  /** DELETE. */
  remove(request: HttpRequest, session: Session): void;
  /** The endpoint begins to close. */
  drain(): void;
  /**
   * Passes on what belongs to another process, and then answers the POST, or has what is left taken here. False: all of
   * it belongs here, and nothing was done.
   */
  forward(session: { readonly id: string; readonly auth: Auth | undefined }, decoded: Decoded, reply?: Reply): boolean;
  /** What passes a message on to the process that holds the stream of this pair, and answers the POST. */
  pairElsewhere(request: HttpRequest, pair: string, auth: Auth | undefined): ((decoded: Decoded) => void) | undefined;
  /** Whether pairs of HTTP+SSE are served. */
  readonly pairs: boolean;
}

/** What an endpoint needs of a fleet. `fleet()` of `barewire/fleet` implements it. */
export interface FleetPort {
  /** Whether the engine answers; true without an engine. Never rejects. */
  up(): Promise<boolean>;
  /** The sessions of an endpoint, which other processes serve too; `local` holds those that are open here. */
  share(services: EndpointServices, local: Sessions): Sessions;
}
