import type { BaseMetadata, Icons, MetaObject, NotificationParams, Result, Role } from './base.ts';
import type { CacheableResult } from './caching.ts';
import type { ContentBlock } from './content.ts';
import type { InputResponseRequestParams } from './result-type.ts';
import type { PaginatedRequestParams, PaginatedResult } from './pagination.ts';

export interface PromptArgument extends BaseMetadata {
  description?: string | undefined;
  /** Default: false. */
  required?: boolean | undefined;
}

/** A prompt, or a template for one. */
export interface Prompt extends BaseMetadata, Icons {
  description?: string | undefined;
  arguments?: PromptArgument[] | undefined;
  /** Since 2025-06-18. */
  _meta?: MetaObject | undefined;
}

/** One message of a prompt. */
export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

// prompts/list: request, client to server.
/** Names the page by its cursor. */
export type ListPromptsRequestParams = PaginatedRequestParams;

export interface ListPromptsResult extends PaginatedResult, CacheableResult {
  prompts: Prompt[];
}

// prompts/get: request, client to server. Since 2026-07-28 also answered by InputRequiredResult.
export interface GetPromptRequestParams extends InputResponseRequestParams {
  name: string;
  arguments?: Record<string, string> | undefined;
}

export interface GetPromptResult extends Result {
  description?: string | undefined;
  messages: PromptMessage[];
}

// notifications/prompts/list_changed: notification, server to client.
/** Only the common parameters. */
export type PromptListChangedNotificationParams = NotificationParams;
