import { processBudget } from './budget.ts';
import { checkOptions } from './options.ts';

/** What is open at one place where a server is served, at one moment. */
export interface Gauges {
  /** Legacy sessions; of a pipe, a socket or a WebSocket the connections. */
  readonly sessions: number;
  /** Streams of events of these sessions that are not over, with a connection or without. Only over HTTP. */
  readonly streams: number;
  /** Requests that are not answered yet, with each `subscriptions/listen` as one. */
  readonly inFlight: number;
  /** Calls that wait until long answers to others are written. Only over HTTP. */
  readonly queued: number;
  /** Bytes of answers that slow readers have not taken. Only over HTTP. */
  readonly unreadBytes: number;
  /** Bytes that peers make the whole process hold: what its budget is charged with. */
  readonly heldBytes: number;
}

/** What is read of a connection or a session. */
export interface GaugedPeer {
  /** The client's requests that are not answered yet. */
  readonly inFlight: number;
}

/** What is read of an HTTP endpoint. */
export interface GaugedEndpoint {
  readonly services: {
    readonly turns: { readonly waiting: readonly unknown[] };
    readonly unread: { readonly bytes: number };
  };
  readonly sessions: {
    /** The sessions that are open. */
    all(): readonly { readonly peer: GaugedPeer; readonly streams: { readonly size: number } | undefined }[];
  };
  /** The requests of 2026-07-28. */
  readonly posting: {
    /** Those that are not answered yet. */
    open(): readonly unknown[];
  };
}

/** A handle that can be read: what `serveHttp`, `httpListener`, `fetchHandler`, `serveStdio`, `serveSocket` and `webSocketHandler` return. */
export type Gauged =
  | { readonly endpoint: GaugedEndpoint }
  | {
    /** Its connections. */
    readonly peers: () => Iterable<GaugedPeer>;
  };

/** Reads the gauges of a handle. Nothing is counted in between: it costs what it takes to go through the sessions. */
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
