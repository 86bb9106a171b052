import type { RequestId } from '../jsonrpc/index.ts';
import type { ListName } from '../server/index.ts';
import type { Auth } from '../transport/internal-exports.ts';

/** A client's message for a session that the other process has open. */
export interface CarriedMessage {
  readonly kind: 'message';
  /** The name of the session, or the id of a pair. */
  readonly session: string;
  readonly paired: boolean;
  /** The credentials of the request, without their functions. */
  readonly auth: Auth | undefined;
  readonly message: unknown;
}

/** The client has come back to process `by` for a stream of the receiver: send its events to `by`, first a `Handed`. */
export interface Take {
  readonly kind: 'take';
  readonly session: string;
  readonly stream: string;
  readonly by: string;
  /** Identifies the connection at the process `by`. */
  readonly ticket: string;
  /** Only if the stream has no connection: then it is over, because the client does not know this stream. */
  readonly idle?: boolean | undefined;
}

/** The answer to `Take`: later events come as `Part`. */
export interface Handed {
  readonly kind: 'handed';
  readonly session: string;
  readonly ticket: string;
  /** The number of the last stored event; undefined: the process does not write this stream. */
  readonly kept: number | undefined;
}

/** Events of a stream, for the process that holds its connection. The store has them, unless `unkept`. */
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

/** The session has a newer GET stream: end this one. */
export interface Superseded {
  readonly kind: 'superseded';
  readonly session: string;
  readonly stream: string;
}

/** A message outside of any request: send it over the GET stream of the session, which the receiver writes. */
export interface Announced {
  readonly kind: 'announced';
  readonly session: string;
  readonly text: string;
}

/** A message from one process to another. */
export type FleetMessage = CarriedMessage | Take | Handed | Part | Dropped | Returned | Superseded | Announced;

/** A list, or a resource, has changed. */
export type Change = { readonly list: ListName } | { readonly uri: string };

/** A message to all processes. */
export type Told =
  | { readonly kind: 'cancelled'; readonly carried: CarriedMessage }
  | { readonly kind: 'changed'; readonly change: Change }
  /** The record of a session has changed. */
  | { readonly kind: 'record'; readonly session: string; readonly version: number; readonly text: string }
  | { readonly kind: 'ended'; readonly session: string; readonly why: string }
  /** The process could not send a message to all, so the others have missed it. */
  | { readonly kind: 'missed' }
  /** The lease of the process had expired for a while: messages to it may be lost. */
  | { readonly kind: 'lapsed' }
  /** The sender leaves the fleet. */
  | { readonly kind: 'left' };

/** The kind and owner of a stream: `StreamPart.head`. */
export interface StreamHead {
  readonly owner: string;
  /** The request that it answers; undefined for a batch and for a GET stream. */
  readonly request?: RequestId | undefined;
}
