export { ask, NotAnswered } from './ask.ts';
export type { Asked, FieldOptions } from './ask.ts';
export type { Completer, Completers } from './completion.ts';
export type { Context } from './context.ts';
export type { Listener, ServerExtension, TellListeners } from './extension.ts';
export { McpServer } from './mcp-server.ts';
export type { GetPrompt, PromptArgumentDefinition, PromptArguments, PromptDefinition, PromptReturn } from './prompts.ts';
export type { FormAnswer, Question, QuestionOptions, UrlAnswer } from './question.ts';
export type { Handle } from './registry.ts';
export { rehearse } from './rehearsal.ts';
export type { Rehearsal, RehearsalAnswers, RehearsalOptions, RehearsalRound } from './rehearsal.ts';
export type { RequestStateOptions } from './request-state.ts';
export type {
  CacheHint, ReadResource, ReadTemplate, ResourceDefinition, ResourceReturn, ResourceTemplateDefinition,
} from './resources.ts';
export { LeftBehind } from './rounds.ts';
export type { Outcome, QuestionGenerator } from './run.ts';
export { defaultServerLimits, ServerCore } from './server-core.ts';
export type { Cacheable, ServerLimits, ServerOptions } from './server-core.ts';
export type { ExtensionResult, ToolArguments, ToolDefinition, ToolHandler, ToolReturn, Validator } from './tools.ts';
export { MissingCapabilityError } from '../protocol/capabilities.ts';
export * as errorCodes from '../jsonrpc/error-codes.ts';
export { RpcError } from '../jsonrpc/errors.ts';
export type { Auth } from '../transport/port.ts';
