import type { Decoded } from '../../../jsonrpc/message.ts';
import type { Auth, SharedPeer } from '../../port.ts';
import type { HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';
import type { Sessions } from './sessions.ts';

/** What an endpoint needs of a fleet. `fleet()` of `barewire/fleet` implements it. */
export interface FleetPort {
  /** The sessions of an endpoint, which other processes serve too; `local` holds those that are open here. */
  share(services: EndpointServices, local: Sessions): Sessions;
}

/** A session that is opened under a given id. */
export interface GivenSession {
  readonly id: string;
  /** Undefined: it is served by this process alone. */
  readonly shared?: SharedPeer | undefined;
  /** It was open when its request came: it is opened even where there may be no more. */
  readonly admitted?: boolean | undefined;
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
  enter(request: HttpRequest, auth: Auth | undefined, next: () => void): void;
  /**
   * Passes on what belongs to another process, and then answers the POST, or has what is left taken here. False: all of
   * it belongs here, and nothing was done.
   */
  forward(session: { readonly id: string; readonly auth: Auth | undefined }, decoded: Decoded, reply?: Reply): boolean;
  /** What passes a message on to the process that holds the stream of this pair, and answers the POST. */
  pairElsewhere(request: HttpRequest, pair: string, auth: Auth | undefined): ((decoded: Decoded) => void) | undefined;
}
