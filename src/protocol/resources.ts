import type { BaseMetadata, Icons, MetaObject, NotificationParams, RequestParams } from './base.ts';
import type { CacheableResult } from './caching.ts';
import type { Annotations, BlobResourceContents, TextResourceContents } from './content.ts';
import type { InputResponseRequestParams } from './result-type.ts';
import type { PaginatedRequestParams, PaginatedResult } from './pagination.ts';

/** A resource that clients can read. */
export interface Resource extends BaseMetadata, Icons {
  uri: string;
  description?: string | undefined;
  mimeType?: string | undefined;
  annotations?: Annotations | undefined;
  /** In bytes, before any encoding. */
  size?: number | undefined;
  /** Since 2025-06-18. */
  _meta?: MetaObject | undefined;
}

/** A group of resources: an RFC 6570 template gives their URIs. */
export interface ResourceTemplate extends BaseMetadata, Icons {
  uriTemplate: string;
  description?: string | undefined;
  /** Only if it is the same for every resource of the group. */
  mimeType?: string | undefined;
  annotations?: Annotations | undefined;
  /** Since 2025-06-18. */
  _meta?: MetaObject | undefined;
}

// resources/list: request, client to server.
/** Names the page by its cursor. */
export type ListResourcesRequestParams = PaginatedRequestParams;

export interface ListResourcesResult extends PaginatedResult, CacheableResult {
  resources: Resource[];
}

// resources/templates/list: request, client to server.
/** Names the page by its cursor. */
export type ListResourceTemplatesRequestParams = PaginatedRequestParams;

export interface ListResourceTemplatesResult extends PaginatedResult, CacheableResult {
  resourceTemplates: ResourceTemplate[];
}

/** The parameters of every request about one resource. */
export interface ResourceRequestParams extends RequestParams {
  uri: string;
}

// resources/read: request, client to server. Since 2026-07-28 also answered by InputRequiredResult.
export interface ReadResourceRequestParams extends ResourceRequestParams, InputResponseRequestParams {}

export interface ReadResourceResult extends CacheableResult {
  contents: (TextResourceContents | BlobResourceContents)[];
}

// resources/subscribe: request, client to server. Until 2025-11-25; then subscriptions/listen. EmptyResult.
/** The resource to watch. Until 2025-11-25. */
export type SubscribeRequestParams = ResourceRequestParams;

// resources/unsubscribe: request, client to server. Until 2025-11-25. EmptyResult.
/** The resource to watch no longer. Until 2025-11-25. */
export type UnsubscribeRequestParams = ResourceRequestParams;

// notifications/resources/list_changed: notification, server to client.
/** Only the common parameters. */
export type ResourceListChangedNotificationParams = NotificationParams;

// notifications/resources/updated: notification, server to client.
export interface ResourceUpdatedNotificationParams extends NotificationParams {
  /** The subscribed resource, or a part of it. */
  uri: string;
}
