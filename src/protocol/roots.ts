import type { MetaObject, NotificationParams, RequestParams, Result } from './base.ts';

/** A place that the server may work in. */
export interface Root {
  /** A `file:` URI. */
  uri: string;
  name?: string | undefined;
  /** Since 2025-06-18. */
  _meta?: MetaObject | undefined;
}

// roots/list: request, server to client; since 2026-07-28 only within InputRequests, and deprecated there.
/** Only the common parameters. */
export type ListRootsRequestParams = RequestParams;

/** Asks the client for its roots, as an entry of `inputRequests`. */
export interface ListRootsRequest {
  method: 'roots/list';
  params?: ListRootsRequestParams | undefined;
}

export interface ListRootsResult extends Result {
  roots: Root[];
}

// notifications/roots/list_changed: notification, client to server. Until 2025-11-25.
/** Only the common parameters. */
export type RootsListChangedNotificationParams = NotificationParams;
