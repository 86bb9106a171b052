export { ask, NotAnswered } from './ask.ts';
export type { Asked, FieldOptions } from './ask.ts';
export { Completion } from './completion.ts';
export type { Completable, Completer, Completers } from './completion.ts';
export { asking } from './asking.ts';
export type { CacheHint } from './caching.ts';
export type { Context, PlainContext } from './context.ts';
export type { Exchanges } from './exchange.ts';
export type { Listener, ServerExtension, TellListeners } from './extension.ts';
export type { Answer, Feature } from './feature.ts';
export { McpServer } from './mcp-server.ts';
export type { ServerOptions } from './mcp-server.ts';
export { Prompts } from './prompts.ts';
export type {
  AddPrompt, GetPrompt, PromptArgumentDefinition, PromptArguments, PromptDefinition, PromptReturn,
} from './prompts.ts';
export type { FormAnswer, Question, QuestionOptions, UrlAnswer } from './question.ts';
export type { Handle } from './registry.ts';
export { rehearse } from './rehearsal.ts';
export type { Rehearsal, RehearsalAnswers, RehearsalOptions, RehearsalRound } from './rehearsal.ts';
export type { RequestStateOptions } from './modern/request-state.ts';
export { Resources } from './resources.ts';
export type {
  AddResource, AddResourceTemplate, ReadResource, ReadTemplate, ResourceDefinition, ResourceReturn,
  ResourceTemplateDefinition,
} from './resources.ts';
export { LeftBehind } from './modern/exchange.ts';
export type { Outcome, QuestionGenerator } from './run.ts';
export { defaultServerLimits, ServerCore } from './server-core.ts';
export type { Cacheable, CoreOptions, ServerLimits } from './server-core.ts';
export { Tools } from './tools.ts';
export type {
  AddTool, ExtensionResult, ToolArguments, ToolDefinition, ToolHandler, ToolReturn, Validator,
} from './tools.ts';
export { MissingCapabilityError } from '../protocol/capabilities.ts';
export { errorCodes, RpcError } from '../jsonrpc/errors.ts';
export type { Auth } from '../transport/port.ts';
