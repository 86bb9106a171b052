import type { BaseMetadata, Icons, NotificationParams, RequestParams, Result } from './base.ts';
import { findRevision } from './revisions.ts';
import type { Revision } from './revisions.ts';

/** The name that a client or a server gives itself: for display and logs, never for trust. */
export interface Implementation extends BaseMetadata, Icons {
  version: string;
  /** Since 2025-11-25. */
  description?: string | undefined;
  /** Since 2025-11-25. */
  websiteUrl?: string | undefined;
}

/** What a client can do: in `initialize`, and since 2026-07-28 in the `_meta` of every request. */
export interface ClientCapabilities {
  experimental?: Record<string, object> | undefined;
  roots?: {
    /** Until 2025-11-25. */
    listChanged?: boolean | undefined;
  } | undefined;
  sampling?: {
    /** Since 2025-11-25. `includeContext` other than `none` is honoured. */
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

/** What a server can do: in `initialize`, and since 2026-07-28 in `server/discover`. */
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
  /** The newest revision that the client speaks. */
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}

export interface InitializeResult extends Result {
  /** The revision that the session will speak. */
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  /** How to use the server; a hint for the model. */
  instructions?: string | undefined;
}

/**
 * The revision that answers `initialize`: the requested one, otherwise the newest that the server has; undefined if
 * it has no legacy revision. 2025-11-25 basic/lifecycle#version-negotiation.
 */
export function negotiate(served: readonly Revision[], requested: unknown): Revision | undefined {
  const legacy = served.filter(({ era }) => era === 'legacy');
  return findRevision(legacy, requested) ?? legacy[0];
}

// notifications/initialized: notification, client to server. Until 2025-11-25.
/** Only the common parameters. */
export type InitializedNotificationParams = NotificationParams;

// ping: request, both ways. Until 2025-11-25. EmptyResult.
/** Only the common parameters. */
export type PingRequestParams = RequestParams;
