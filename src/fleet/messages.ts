import type { RequestId } from '../jsonrpc/index.ts';
import type { ListName } from '../server/index.ts';
import type { Auth } from '../transport/internal-exports.ts';

/** A message of the client's for a session that the other process has open. */
export interface CarriedMessage {
  readonly kind: 'message';
  /** The name of the session, or the id of a pair. */
  readonly session: string;
  readonly paired: boolean;
  /** The credentials that it came with, without their functions. */
  readonly auth: Auth | undefined;
  readonly message: unknown;
}

/** The client has come back to process `by` for a stream of yours: send `by` its events. `by` is answered by `Handed`. */
export interface Take {
  readonly kind: 'take';
  readonly session: string;
  readonly stream: string;
  readonly by: string;
  /** Names the connection at the process that carries. */
  readonly ticket: string;
  /** Only if the stream has no connection: then it is over, since the client says that it does not know this stream. */
  readonly idle?: boolean | undefined;
}

/** The answer to `Take`: later events come as `Part`. */
export interface Handed {
  readonly kind: 'handed';
  readonly session: string;
  readonly ticket: string;
  /** The number of the event that was kept last; undefined: the process writes no such stream. */
  readonly kept: number | undefined;
}

/** Events of a stream, for the process that carries it. They are in the store, unless `unkept`. */
export interface Part {
  readonly kind: 'part';
  readonly session: string;
  readonly ticket: string;
  readonly first: number;
  readonly texts: readonly string[];
  readonly over: boolean;
  readonly unkept: boolean;
}

/** The connection with this ticket has ended: send nothing more to it. */
export interface Dropped {
  readonly kind: 'dropped';
  readonly session: string;
  readonly stream: string;
  readonly ticket: string;
}

/** Events could not be sent: end the connection with this ticket, so that its client comes back. */
export interface Returned {
  readonly kind: 'returned';
  readonly session: string;
  readonly ticket: string;
}

/** The session has a later GET stream: yours is over. */
export interface Superseded {
  readonly kind: 'superseded';
  readonly session: string;
  readonly stream: string;
}

/** A message that belongs to no request: send it over the GET stream of the session, which you write. */
export interface Announced {
  readonly kind: 'announced';
  readonly session: string;
  readonly text: string;
}

/** What goes from one process to another. */
export type FleetMessage = CarriedMessage | Take | Handed | Part | Dropped | Returned | Superseded | Announced;

/** A list, or a resource, has changed. */
export type Change = { readonly list: ListName } | { readonly uri: string };

/** What is told to all processes. */
export type Told =
  | { readonly kind: 'cancelled'; readonly carried: CarriedMessage }
  | { readonly kind: 'changed'; readonly change: Change }
  /** Another record has taken the place of a session's. */
  | { readonly kind: 'record'; readonly session: string; readonly version: number; readonly text: string }
  | { readonly kind: 'ended'; readonly session: string; readonly why: string }
  /** The process could not tell something: the others have missed it. */
  | { readonly kind: 'missed' }
  /** The lease of the process was out for a while: messages to it may be lost. */
  | { readonly kind: 'lapsed' }
  /** The process that says so leaves the fleet. */
  | { readonly kind: 'left' };

/** What a stream is: `StreamPart.head`. */
export interface StreamHead {
  readonly owner: string;
  /** The request that it answers; undefined for a batch and for a GET stream. */
  readonly request?: RequestId | undefined;
}
