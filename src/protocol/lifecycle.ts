/**
 * The legacy lifecycle as data: for each role its states, the events that change the state, and the requests that may
 * pass in each state. Source: 2025-11-25 basic/lifecycle (the same in the three revisions before it). The modern era
 * has no lifecycle: requests do not depend on one another (2026-07-28 basic/index#statelessness).
 */

export type LifecycleState = 'new' | 'initializing' | 'ready' | 'closed';

/**
 * `initialize`: the request was sent (client) or answered (server). `initialized`: the notification was sent or
 * received. `opened`: another process answered the handshake, and this process opens the session by its id.
 */
export type LifecycleEvent = 'initialize' | 'initialized' | 'opened' | 'close';

/** Which requests may pass: none, the handshake and pings, only pings, or every request except the handshake. */
export type Passage = 'none' | 'handshake' | 'ping' | 'operation';

/** What one state allows, and the states that its events lead to. */
export interface LifecycleRow {
  /** Requests of the peer that are served. */
  readonly receive: Passage;
  /** Requests that may be sent to the peer. */
  readonly send: Passage;
  /** The state that follows an event; an event without an entry is refused. */
  readonly on: Readonly<Partial<Record<LifecycleEvent, LifecycleState>>>;
}

/** A row for each state. */
export type Lifecycle = Readonly<Record<LifecycleState, LifecycleRow>>;

const closed: LifecycleRow = { receive: 'none', send: 'none', on: {} };

/** The states of a legacy connection as its server sees them (2025-11-25 basic/lifecycle). */
export const serverLifecycle: Lifecycle = {
  new: {
    receive: 'handshake', send: 'none', on: { initialize: 'initializing', opened: 'ready', close: 'closed' },
  },
  // Liberal in what it accepts: a client may send requests after it has the answer, before its notification has
  // arrived. Strict in what it sends: "The server SHOULD NOT send requests other than pings and logging" until then.
  initializing: { receive: 'operation', send: 'ping', on: { initialized: 'ready', close: 'closed' } },
  ready: { receive: 'operation', send: 'operation', on: { close: 'closed' } },
  closed,
};

/** The states of a legacy connection as its client sees them (2025-11-25 basic/lifecycle). */
export const clientLifecycle: Lifecycle = {
  new: { receive: 'ping', send: 'handshake', on: { initialize: 'initializing', close: 'closed' } },
  // The server may ping before the handshake is over, and the client answers.
  initializing: { receive: 'ping', send: 'ping', on: { initialized: 'ready', close: 'closed' } },
  // A new handshake follows an HTTP session that has expired: 2025-11-25 basic/transports#session-management.
  ready: { receive: 'operation', send: 'operation', on: { initialize: 'initializing', close: 'closed' } },
  closed,
};

/** Whether a request of this method may pass. A test compares the two names with the table of methods. */
export function mayPass(passage: Passage, method: string): boolean {
  if (method === 'initialize') return passage === 'handshake';
  return passage === 'operation' || (method === 'ping' && passage !== 'none');
}
