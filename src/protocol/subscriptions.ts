import type { NotificationParams, RequestParams, Result } from './base.ts';

/** Since 2026-07-28. The notifications that a client subscribes to. */
export interface SubscriptionFilter {
  toolsListChanged?: boolean | undefined;
  promptsListChanged?: boolean | undefined;
  resourcesListChanged?: boolean | undefined;
  /** The URIs of the resources to watch. */
  resourceSubscriptions?: string[] | undefined;
  /** Keys of extensions. */
  [key: string]: unknown;
}

// subscriptions/listen: request, client to server. Since 2026-07-28. Stays open; answered when it ends.
export interface SubscriptionsListenRequestParams extends RequestParams {
  notifications: SubscriptionFilter;
}

/** The result at the end of a subscription. Has `_meta['io.modelcontextprotocol/subscriptionId']`. */
export type SubscriptionsListenResult = Result;

// notifications/subscriptions/acknowledged: notification, server to client. Since 2026-07-28. The first one of a
// subscription: the changes that the server agreed to report.
export interface SubscriptionsAcknowledgedNotificationParams extends NotificationParams {
  notifications: SubscriptionFilter;
}
