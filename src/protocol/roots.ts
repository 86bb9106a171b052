import type { MetaObject, NotificationParams, RequestParams, Result } from './base.ts';
import { checkMeta } from './meta.ts';

/** A directory or file that the server may work in. */
export interface Root {
  /** A `file:` URI. */
  uri: string;
  name?: string | undefined;
  /** Since 2025-06-18. */
  _meta?: MetaObject | undefined;
}

/**
 * Returns the roots if they may be sent. Throws a TypeError if a root is not a `file://` URI, has `..` in its path, or
 * has a malformed key in `_meta`. 2025-11-25 client/roots#root and client/roots#security-considerations.
 */
export function checkRoots(roots: readonly Root[]): readonly Root[] {
  for (const { uri, _meta } of roots) {
    checkMeta('a root', _meta);
    const path = /^file:\/\/[^/?#]*(\/[^?#]*)?$/i.exec(uri)?.[1];
    const climbs = path?.split(/[\\/]|%2f|%5c/i).some((part) => /^(?:\.|%2e){2}$/i.test(part));
    if (path === undefined || climbs || !URL.canParse(uri)) {
      throw new TypeError(`a root must be a file:// URI without "..", got ${JSON.stringify(uri).slice(0, 200)}`);
    }
  }
  return roots;
}

// roots/list: request, server to client; since 2026-07-28 only within InputRequests, and deprecated there.
/** Only the common parameters. */
export type ListRootsRequestParams = RequestParams;

/** A request for the client's roots in `inputRequests`. */
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
