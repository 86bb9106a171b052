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

/** What of a message belongs to another process. */
export interface Forwarded {
  /** Resolves when the inboxes of those processes hold it; rejects where one cannot take it any more. */
  readonly sent: Promise<void>;
  /** What is to be received here; undefined: nothing. */
  readonly rest: Decoded | undefined;
}

/** What sessions do that several processes serve. */
export interface Shared {
  /** Called with a request before it is served: `next` follows, at once or later, or the request is refused. */
  enter(request: HttpRequest, auth: Auth | undefined, next: () => void): void;
  /** What of a message belongs to another process than this one; undefined: nothing. */
  forward(session: { readonly id: string; readonly auth: Auth | undefined }, decoded: Decoded): Forwarded | undefined;
  /** The process that holds the stream of this pair; undefined: this one, or none. */
  holderOf(pair: string): string | undefined;
  /** Sends what was posted to the pair to the process that holds its stream. */
  post(holder: string, pair: string, decoded: Decoded, auth: Auth | undefined): Promise<void>;
}
