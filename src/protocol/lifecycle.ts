import type { BaseMetadata, Icons, NotificationParams, RequestParams, Result } from './base.ts';
import type { CacheableResult } from './caching.ts';

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

/** The requests that one state allows, and its transitions. */
export interface LifecycleRow {
  /** Requests of the peer that this side answers. */
  readonly receive: Passage;
  /** Requests that may be sent to the peer. */
  readonly send: Passage;
  /** The next state for each event; an event without an entry is refused. */
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
  // Accepts all requests: a client may send some after the result of `initialize`, before its notification has
  // arrived. Sends only pings: "The server SHOULD NOT send requests other than pings and logging" until then.
  initializing: { receive: 'operation', send: 'ping', on: { initialized: 'ready', close: 'closed' } },
  ready: { receive: 'operation', send: 'operation', on: { close: 'closed' } },
  closed,
};

/** The states of a legacy connection as its client sees them (2025-11-25 basic/lifecycle). */
export const clientLifecycle: Lifecycle = {
  new: { receive: 'ping', send: 'handshake', on: { initialize: 'initializing', close: 'closed' } },
  // The server may ping before the handshake is over, and the client answers.
  initializing: { receive: 'ping', send: 'ping', on: { initialized: 'ready', close: 'closed' } },
  // After an HTTP session has expired, a new handshake follows: 2025-11-25 basic/transports#session-management.
  ready: { receive: 'operation', send: 'operation', on: { initialize: 'initializing', close: 'closed' } },
  closed,
};

/** True if a request of this method may pass. A test compares the two method names with the table of methods. */
export function mayPass(passage: Passage, method: string): boolean {
  if (method === 'initialize') return passage === 'handshake';
  return passage === 'operation' || (method === 'ping' && passage !== 'none');
}

/** The self-declared name of a client or a server: for display and logs, never for trust. */
export interface Implementation extends BaseMetadata, Icons {
  version: string;
  /** Since 2025-11-25. */
  description?: string | undefined;
  /** Since 2025-11-25. */
  websiteUrl?: string | undefined;
}

/** The capabilities of a client: sent in `initialize`, and since 2026-07-28 in the `_meta` of every request. */
export interface ClientCapabilities {
  experimental?: Record<string, object> | undefined;
  roots?: {
    /** Until 2025-11-25. */
    listChanged?: boolean | undefined;
  } | undefined;
  sampling?: {
    /** Since 2025-11-25. The client supports `includeContext` values other than `none`. */
    context?: object | undefined;
    /** Since 2025-11-25. */
    tools?: object | undefined;
  } | undefined;
  /** Since 2025-06-18. An empty object means only forms. */
  elicitation?: {
    /** Since 2025-11-25. */
    form?: object | undefined;
    /** Since 2025-11-25. */
    url?: object | undefined;
  } | undefined;
  /** 2025-11-25 only. */
  tasks?: {
    list?: object | undefined;
    cancel?: object | undefined;
    requests?: {
      sampling?: { createMessage?: object | undefined } | undefined;
      elicitation?: { create?: object | undefined } | undefined;
    } | undefined;
  } | undefined;
  /** Settings by the extension's identifier. In the schema since 2026-07-28; SEP-2133 negotiates them in every revision. */
  extensions?: Record<string, object> | undefined;
}

/** The capabilities of a server: sent in `initialize`, and since 2026-07-28 in `server/discover`. */
export interface ServerCapabilities {
  experimental?: Record<string, object> | undefined;
  logging?: object | undefined;
  /** Since 2025-03-26. */
  completions?: object | undefined;
  prompts?: { listChanged?: boolean | undefined } | undefined;
  resources?: { subscribe?: boolean | undefined; listChanged?: boolean | undefined } | undefined;
  tools?: { listChanged?: boolean | undefined } | undefined;
  /** 2025-11-25 only. */
  tasks?: {
    list?: object | undefined;
    cancel?: object | undefined;
    requests?: { tools?: { call?: object | undefined } | undefined } | undefined;
  } | undefined;
  /** Settings by the extension's identifier. In the schema since 2026-07-28; SEP-2133 negotiates them in every revision. */
  extensions?: Record<string, object> | undefined;
}

// initialize: request, client to server. Until 2025-11-25; then server/discover.
export interface InitializeRequestParams extends RequestParams {
  /** The newest revision that the client supports. */
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}

export interface InitializeResult extends Result {
  /** The revision of the session. */
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  /** How to use the server; a hint for the model. */
  instructions?: string | undefined;
}

// notifications/initialized: notification, client to server. Until 2025-11-25.
/** Only the common parameters. */
export type InitializedNotificationParams = NotificationParams;

// ping: request, both ways. Until 2025-11-25. EmptyResult.
/** Only the common parameters. */
export type PingRequestParams = RequestParams;

// server/discover: request, client to server. Since 2026-07-28.
/** Only the common parameters. */
export type DiscoverRequestParams = RequestParams;

/** The result of `server/discover`. Its `_meta['io.modelcontextprotocol/serverInfo']` identifies the server. */
export interface DiscoverResult extends CacheableResult {
  /** The revisions that the server supports. */
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  /** How to use the server; a hint for the model. */
  instructions?: string | undefined;
}
