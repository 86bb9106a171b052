import { isObject } from '../jsonrpc/message.ts';
import { quote } from '../bounds/quote.ts';
import type { MetaObject, Result, Role } from './base.ts';
import type { AudioContent, ContentBlock, ImageContent, TextContent } from './content.ts';
import { sampledBlock, shapeFault } from './shape.ts';
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

/**
 * The first fault in the messages of a sampling request, worded for the sender; undefined if they are valid. Both sides
 * check them: 2025-11-25 client/sampling#security-considerations. 2025-11-25 client/sampling#messages.
 */
export function samplingFault(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return 'messages must be a list';
  for (const [at, message] of messages.entries()) {
    const fault = messageFault(message, `messages[${at}]`);
    if (fault !== undefined) return fault;
  }
  return toolResultFault(messages);
}

function messageFault(message: unknown, place: string): string | undefined {
  if (!isObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) {
    return `${place}.role must be "user" or "assistant"`;
  }
  const { role, content } = message;
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  if (blocks.length === 0 || !blocks.every(isObject)) return `${place}.content must be a block or a list of blocks`;
  const strange = role === 'user' ? 'tool_use' : 'tool_result';
  for (const one of blocks) {
    const { type } = one;
    if (type === strange) return `${place}.content: ${strange} is not allowed for the ${role}`;
    const shape = sampledBlock(type);
    if (shape === undefined) return `${place}.content: ${quote(type)} is not a type of content for a model`;
    const fault = shapeFault(one, shape, `${place}.content`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

type Block = Record<string, unknown>;

/** The content blocks of a sampling message: its content is one block or a list of blocks. */
function blocksOf(message: unknown): Block[] {
  const content = isObject(message) ? message['content'] : undefined;
  return (Array.isArray(content) ? content : [content]).filter(isObject);
}

/**
 * The first fault of tool results in the messages of `sampling/createMessage`; undefined for valid messages. A message with
 * a tool result has no other content, and the message after a tool use has its result. 2025-11-25
 * client/sampling#tool-result-messages and client/sampling#tool-use-and-result-balance.
 */
export function toolResultFault(messages: readonly unknown[]): string | undefined {
  let due: unknown[] = [];
  for (const [at, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    if (results.length > 0 && results.length < blocks.length) {
      return `messages[${at}] mixes tool results with other content`;
    }
    const answered = new Set(results.map(({ toolUseId }) => toolUseId));
    const missing = due.find((id) => !answered.delete(id));
    if (missing !== undefined) return unanswered(`messages[${at}]`, missing);
    if (answered.size > 0) return `messages[${at}] has a tool result without its tool use`;
    due = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  }
  return due.length > 0 ? unanswered('messages', due[0]) : undefined;
}

const unanswered = (place: string, id: unknown): string => `${place}: tool result missing in request, for the tool use ${quote(id)}`;
