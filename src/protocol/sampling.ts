import type { MetaObject, Result, Role } from './base.ts';
import type { AudioContent, ContentBlock, ImageContent, TextContent } from './content.ts';
import type { TaskAugmentedRequestParams } from './tasks.ts';
import type { Tool } from './tools.ts';

/** The server's preferences for the model that the client selects; each priority from 0 to 1. */
export interface ModelPreferences {
  /** The first match wins. */
  hints?: ModelHint[] | undefined;
  costPriority?: number | undefined;
  speedPriority?: number | undefined;
  intelligencePriority?: number | undefined;
}

/** A model that the server prefers. */
export interface ModelHint {
  /** A part of a model's name. */
  name?: string | undefined;
}

/** Since 2025-11-25. Whether the model may, must or must not use tools. */
export interface ToolChoice {
  /** Default: `auto`. */
  mode?: 'auto' | 'required' | 'none' | undefined;
}

/** Since 2025-11-25. The model wants to call a tool. */
export interface ToolUseContent {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
  _meta?: MetaObject | undefined;
}

/** Since 2025-11-25. The result of the tool. */
export interface ToolResultContent {
  type: 'tool_result';
  /** The `id` of the ToolUseContent that it answers. */
  toolUseId: string;
  content: ContentBlock[];
  /** An object in 2025-11-25; any JSON value after. */
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: MetaObject | undefined;
}

/** A content block of a sampling message. Tool uses and results: since 2025-11-25. */
export type SamplingMessageContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;

/** One message to or from the model. */
export interface SamplingMessage {
  role: Role;
  /** One block; since 2025-11-25 also several. */
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[];
  /** Since 2025-11-25. */
  _meta?: MetaObject | undefined;
}

// sampling/createMessage: request, server to client; since 2026-07-28 only within InputRequests, and
// deprecated there.
export interface CreateMessageRequestParams extends TaskAugmentedRequestParams {
  messages: SamplingMessage[];
  modelPreferences?: ModelPreferences | undefined;
  systemPrompt?: string | undefined;
  /** Default: `none`; the other two are deprecated since 2025-11-25. */
  includeContext?: 'none' | 'thisServer' | 'allServers' | undefined;
  temperature?: number | undefined;
  maxTokens: number;
  stopSequences?: string[] | undefined;
  /** For the model's provider. */
  metadata?: object | undefined;
  /** Since 2025-11-25; for a client that declared `sampling.tools`. */
  tools?: Tool[] | undefined;
  /** Since 2025-11-25; for a client that declared `sampling.tools`. */
  toolChoice?: ToolChoice | undefined;
}

/** A sampling request in `inputRequests`. */
export interface CreateMessageRequest {
  method: 'sampling/createMessage';
  params: CreateMessageRequestParams;
}

export interface CreateMessageResult extends Result, SamplingMessage {
  /** The model that answered. */
  model: string;
  /** `toolUse` since 2025-11-25. */
  stopReason?: 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse' | (string & {}) | undefined;
  _meta?: MetaObject | undefined;
}
