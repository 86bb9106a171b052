/**
 * The legacy lifecycle as data: for each role its states, what moves it on, and what may pass in each state.
 * Source: 2025-11-25 basic/lifecycle (the same in the three revisions before it).
 * The modern era has no lifecycle: every request stands alone (2026-07-28 basic/index#statelessness).
 */

export type LifecycleState = 'new' | 'initializing' | 'ready' | 'closed';

/**
 * `initialize`: the request was sent (client) or answered (server). `initialized`: the notification passed.
 * `opened`: another process answered the handshake, and the session that it made is opened here by its id.
 */
export type LifecycleEvent = 'initialize' | 'initialized' | 'opened' | 'close';

/**
 * Which requests may pass: none, the handshake and pings, pings alone, or every request but the handshake.
 */
export type Passage = 'none' | 'handshake' | 'ping' | 'operation';

/** What one state allows, and where its events lead. */
export interface LifecycleRow {
  /** Requests of the peer that are served. */
  readonly receive: Passage;
  /** Requests that may be sent to the peer. */
  readonly send: Passage;
  /** The state that follows an event; an event without one is refused. */
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
  // Liberal in what it takes: a client that has its answer may ask before its notification has arrived.
  // Strict in what it sends: "The server SHOULD NOT send requests other than pings and logging" until then.
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

/** Whether a request of this method may pass. A test holds its two names against the table of methods. */
export function mayPass(passage: Passage, method: string): boolean {
  if (method === 'initialize') return passage === 'handshake';
  return passage === 'operation' || (method === 'ping' && passage !== 'none');
}
