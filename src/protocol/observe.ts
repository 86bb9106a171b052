import type { RequestId } from '../jsonrpc/message.ts';
import type { Implementation } from './lifecycle.ts';
import type { Revision } from './revisions.ts';

/** The side of a connection that is not ours. */
export interface ObservedPeer {
  /** Undefined before a revision is agreed on. */
  readonly revision: Revision | undefined;
  /** The name that it gives itself. */
  readonly client?: Implementation | undefined;
}

/** A request at its beginning, as `observe` is told of it. */
export interface ObservedRequest {
  /** `server`: it has arrived, and this side answers it. `client`: this side sends it. */
  readonly kind: 'server' | 'client';
  readonly method: string;
  /** As they are on the wire, with `_meta`. Of a server's request: from the wire, unchecked. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  /** Only of kind `server`. */
  readonly id?: RequestId | undefined;
  /** The same object for all requests of a legacy session, and a new one for each request of 2026-07-28. */
  readonly peer: ObservedPeer;
  /** Who the user is, where the transport authenticates. Only of a server's requests. */
  readonly auth?: { readonly principal?: string | undefined } | undefined;
}

/**
 * Stands around each request of a client or a server. It calls `next` once, and returns what that returns: the result, or
 * a promise of it; an error is thrown or rejected. What runs in `next` runs in its context (`AsyncLocalStorage`). For a
 * request of kind `client`, `next` takes keys that go into its `_meta`, such as a trace context; those of the caller's own
 * `meta` stand before them.
 *
 * A call of a client is one request here, whatever it takes on the wire: rounds of questions, and a repetition after a lost
 * session. Each round is a request of the server.
 */
export type Observe = <R extends object>(request: ObservedRequest, next: (meta?: Readonly<Record<string, unknown>>) => R) => R;
