import type { BaseMetadata, Icons, MetaObject, NotificationParams, RequestParams, Result } from './base.ts';
import type { CacheableResult } from './caching.ts';
import type { ContentBlock } from './content.ts';
import type { InputResponseRequestParams } from './result-type.ts';
import type { PaginatedRequestParams, PaginatedResult } from './pagination.ts';
import type { TaskAugmentedRequestParams } from './tasks.ts';

/** Since 2025-03-26. Hints about a tool; do not trust them unless you trust the server. */
export interface ToolAnnotations {
  /** A title for people; the tool's own `title` takes precedence. */
  title?: string | undefined;
  /** The tool changes nothing. Default: false. */
  readOnlyHint?: boolean | undefined;
  /** The tool may destroy data (meaningful when it is not read-only). Default: true. */
  destructiveHint?: boolean | undefined;
  /** A second call with the same arguments changes nothing more. Default: false. */
  idempotentHint?: boolean | undefined;
  /** The tool interacts with external entities, such as the web. Default: true. */
  openWorldHint?: boolean | undefined;
}

/** 2025-11-25 only. Whether a call may, or must, run as a task. */
export interface ToolExecution {
  /** Default: `forbidden`. */
  taskSupport?: 'forbidden' | 'optional' | 'required' | undefined;
}

export interface Tool extends BaseMetadata, Icons {
  description?: string | undefined;
  /** The JSON Schema of the arguments (2020-12 unless `$schema` says otherwise, since 2025-11-25). */
  inputSchema: { $schema?: string | undefined; type: 'object'; [key: string]: unknown };
  /** Since 2025-06-18. The JSON Schema of `structuredContent`; until 2025-11-25 its `type` is `object`. */
  outputSchema?: { $schema?: string | undefined; [key: string]: unknown } | undefined;
  /** Since 2025-03-26. */
  annotations?: ToolAnnotations | undefined;
  /** 2025-11-25 only. */
  execution?: ToolExecution | undefined;
  /** Since 2025-06-18. */
  _meta?: MetaObject | undefined;
}

// tools/list: request, client to server.
/** Names the page by its cursor. */
export type ListToolsRequestParams = PaginatedRequestParams;

export interface ListToolsResult extends PaginatedResult, CacheableResult {
  tools: Tool[];
}

// tools/call: request, client to server. Answered by CallToolResult; since 2026-07-28 also by
// InputRequiredResult; in 2025-11-25 by CreateTaskResult when `task` was given.
export interface CallToolRequestParams
  extends RequestParams, InputResponseRequestParams, TaskAugmentedRequestParams {
  name: string;
  arguments?: Record<string, unknown> | undefined;
}

export interface CallToolResult extends Result {
  content: ContentBlock[];
  /** Since 2025-06-18. An object until 2025-11-25; any JSON value after. */
  structuredContent?: unknown;
  /** The tool itself failed, and the model should see that. Default: false. */
  isError?: boolean | undefined;
}

// notifications/tools/list_changed: notification, server to client.
/** Only the common parameters. */
export type ToolListChangedNotificationParams = NotificationParams;
