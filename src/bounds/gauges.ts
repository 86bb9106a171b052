import { processBudget } from './budget.ts';
import { checkOptions } from './options.ts';

/** Counts of the open sessions, streams and requests of one server endpoint, at one moment. */
export interface Gauges {
  /** Over HTTP the legacy sessions; over stdio, a socket or a WebSocket the connections. */
  readonly sessions: number;
  /** Event streams of these sessions that have not ended, connected or not. Only over HTTP. */
  readonly streams: number;
  /** Requests without a response yet; each `subscriptions/listen` counts as one. */
  readonly inFlight: number;
  /** Calls that wait until long responses to other clients are written. Only over HTTP. */
  readonly queued: number;
  /** Bytes of responses that slow clients have not read yet. Only over HTTP. */
  readonly unreadBytes: number;
  /** Bytes held for all peers of the process: `processBudget().used`. */
  readonly heldBytes: number;
}

/** The part of a connection or a session that `gauges` reads. */
export interface GaugedPeer {
  /** The number of the client's requests without a response yet. */
  readonly inFlight: number;
}

/** The part of an HTTP endpoint that `gauges` reads. */
export interface GaugedEndpoint {
  readonly services: {
    readonly turns: { readonly waiting: readonly unknown[] };
    readonly unread: { readonly bytes: number };
  };
  readonly sessions: {
    /** The open sessions. */
    all(): readonly { readonly peer: GaugedPeer; readonly streams: { readonly size: number } | undefined }[];
  };
  /** The requests of 2026-07-28. */
  readonly posting: {
    /** The requests without a response yet. */
    open(): readonly unknown[];
  };
}

/** The result of `serveHttp`, `httpListener`, `fetchHandler`, `serveStdio`, `serveSocket` or `webSocketHandler`. */
export type Gauged =
  | { readonly endpoint: GaugedEndpoint }
  | {
    /** The open connections. */
    readonly peers: () => Iterable<GaugedPeer>;
  };

/** Counts the open sessions, streams and requests of a handle. There are no running counters: each call visits all sessions. */
export function gauges(handle: Gauged): Gauges {
  const endpoint = 'endpoint' in handle ? handle.endpoint : undefined;
  if (!('endpoint' in handle)) checkOptions('gauges: handle.peers', handle.peers, 'function');
  const sessions = endpoint?.sessions.all() ?? [];
  const peers = 'peers' in handle ? [...handle.peers()] : sessions.map(({ peer }) => peer);
  return {
    sessions: peers.length,
    streams: sum(sessions, ({ streams }) => streams?.size ?? 0),
    inFlight: sum(peers, ({ inFlight }) => inFlight) + (endpoint?.posting.open().length ?? 0),
    queued: endpoint?.services.turns.waiting.length ?? 0,
    unreadBytes: endpoint?.services.unread.bytes ?? 0,
    heldBytes: processBudget().used,
  };
}

const sum = <T>(of: readonly T[], count: (one: T) => number): number => of.reduce((all, one) => all + count(one), 0);
