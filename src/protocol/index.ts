/**
 * `barewire/protocol`: The message types, the revision table, the lifecycle tables; `pinging`.
 *
 * @module
 */

export type * from './base.ts';
export type * from './caching.ts';
export type * from './cancellation.ts';
export { MissingCapabilityError } from './capabilities.ts';
export type { MissingRequiredClientCapabilityError } from './capabilities.ts';
export type * from './completion.ts';
export type * from './content.ts';
export type * from './elicitation.ts';
export type { FormFormat } from './form-formats.ts';
export type * from './form-schema.ts';
export type {
  ClientCapabilities, DiscoverRequestParams, DiscoverResult, Implementation, InitializedNotificationParams,
  InitializeRequestParams, InitializeResult, Lifecycle, LifecycleEvent, LifecycleRow, LifecycleState, Passage,
  PingRequestParams, ServerCapabilities,
} from './lifecycle.ts';
export { clientLifecycle, serverLifecycle } from './lifecycle.ts';
export { loggingLevels } from './logging.ts';
export type { LoggingLevel, LoggingMessageNotificationParams, SetLevelRequestParams } from './logging.ts';
export { metaKeys } from './meta.ts';
export type { RequestMeta } from './meta.ts';
export type { Observe, ObservedPeer, ObservedRequest } from './observe.ts';
export type { Cursor, PaginatedRequestParams, PaginatedResult } from './pagination.ts';
export { pinging } from './pinging.ts';
export type { Pinging, PingOptions, PingedClient } from './pinging.ts';
export type { ProgressNotificationParams, ProgressReports, ProgressToken } from './progress.ts';
export type * from './prompts.ts';
export type * from './resources.ts';
export type {
  InputRequest, InputRequests, InputRequiredResult, InputResponse, InputResponseRequestParams, InputResponses,
} from './result-type.ts';
export { coreTasks, revisions } from './revisions.ts';
export type { Era, Revision } from './revisions.ts';
export type { ListRootsRequest, ListRootsRequestParams, ListRootsResult, Root, RootsListChangedNotificationParams } from './roots.ts';
export type * from './sampling.ts';
export type * from './subscriptions.ts';
export type * from './tasks.ts';
export type * from './tools.ts';
export { precedence, traceOf } from './trace-context.ts';
export type { TraceContext } from './trace-context.ts';
export { expandUriTemplate, uriTemplate } from './uri-template.ts';
export type { UriTemplate, UriTemplateLimits, UriVariables } from './uri-template.ts';
