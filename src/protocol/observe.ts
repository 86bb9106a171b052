import type { RequestId } from '../jsonrpc/message.ts';
import type { Implementation } from './lifecycle.ts';
import type { Revision } from './revisions.ts';

/** The other side of a connection. */
export interface ObservedPeer {
  /** Undefined before a revision is negotiated. */
  readonly revision: Revision | undefined;
  /** The self-declared name of a client. */
  readonly client?: Implementation | undefined;
}

/** A request that begins, as passed to `observe`. */
export interface ObservedRequest {
  /** `server`: this side answers the request. `client`: this side sends it. */
  readonly kind: 'server' | 'client';
  readonly method: string;
  /** The parameters on the wire, with `_meta`. Of kind `server`: unchecked. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** Only of kind `server`. */
  readonly id?: RequestId | undefined;
  /** The same object for all requests of a legacy session, and a new one for each request of 2026-07-28. */
  readonly peer: ObservedPeer;
  /** The user, if the transport authenticates. Only of kind `server`. */
  readonly auth?: { readonly principal?: string | undefined } | undefined;
}

/**
 * A function around each request of a client or a server. It must call `next` once and return its return value: the
 * result or a promise of it; errors are thrown or rejected. The request runs in the `AsyncLocalStorage` context in which
 * `next` is called. For kind `client`, `next` accepts keys to add to `_meta`, such as a trace context; keys of the caller's
 * `meta` take precedence.
 *
 * A call of a client is one request here, even if it needs several on the wire: rounds of `input_required`, or a
 * repetition after a lost session. For the server each round is a request.
 */
export type Observe = <R extends object>(request: ObservedRequest, next: (meta?: Readonly<Record<string, unknown>>) => R) => R;
