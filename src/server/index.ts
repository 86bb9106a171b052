/**
 * `barewire/server`: `McpServer`; `ServerCore` and its features; `ask`, `rehearse`.
 *
 * @module
 */

export { ask, NotAnswered } from './elicitation.ts';
export type { Asked, FieldOptions, FormAnswer, FormQuestionOptions, UrlAnswer, UrlQuestionOptions } from './elicitation.ts';
export { RawResult } from './registry.ts';
export type {
  EntryRunner, AnyAround, Around, RegisteredHandler, HandlerCall, RunHandler, RunnableEntry, ListedKind, Guarded, Need, Entry, EntryHandle, Registry,
  View,
} from './registry.ts';
export { asking } from './asking.ts';
export type { AskingOptions } from './asking.ts';
export { caching } from './caching.ts';
export type { Cacheable, CacheFields, CacheHint, Caching } from './caching.ts';
export { takeBatch as batches } from '../jsonrpc/batch.ts';
export type { TakeBatch } from '../jsonrpc/connection.ts';
export { changes } from './changes.ts';
export type { Changes } from './changes.ts';
export { completion } from './completion.ts';
export type { Completable, Completer, Completers } from './completion.ts';
export type { Context, PlainContext, Step, TaskSteps, Listener, Outcome, QuestionGenerator } from './context.ts';
export type { ExchangeClasses, Exchange, LegacyRequester, Requester } from './exchange.ts';
export type { ExtensionParts, LegacyExtension, ServerExtension, TellListeners } from './extensions.ts';
export { extend } from './extensions.ts';
export { ToolError } from './errors.ts';
export type { ErrorPlace, OnError } from './errors.ts';
export type { Agree, MethodHandler, Feature, FeatureHost } from './feature.ts';
export { defaultServerLimits, ServerCore } from './server-core.ts';
export type { ServerLimits, CoreOptions } from './server-core.ts';
export type { ListFilter, Guards, GuardsOptions } from './guards.ts';
export { McpServer } from './mcp-server.ts';
export type { ServerOptions } from './mcp-server.ts';
export { LeftBehind } from './input-requests.ts';
export type { Question, QuestionOptions, Reading } from './input-requests.ts';
export { spentStates } from './modern/request-state.ts';
export type { RequestStateOptions, SpentStates, StateCipher } from './modern/request-state.ts';
export { pages } from '../protocol/pagination.ts';
export type { Listed, ListName, Page, Pages } from '../protocol/pagination.ts';
export type { Pinging, PingOptions } from '../protocol/pinging.ts';
export { prompts } from './prompts.ts';
export type {
  AddPrompt, GetPrompt, PromptArgumentDefinition, PromptArguments, PromptDefinition, PromptReturn, Prompts,
} from './prompts.ts';
export { guards } from './guards.ts';
export { rehearse } from './rehearsal.ts';
export type { Rehearsal, RehearsalAnswers, RehearsalOptions, RehearsalRound } from './rehearsal.ts';
export { resources } from './resources.ts';
export type {
  AddResource, AddResourceTemplate, ReadResource, ReadTemplate, ResourceDefinition, ResourceReturn, Resources, ResourceTemplateDefinition,
} from './resources.ts';
export { structured } from './structured-content.ts';
export { tools } from './tools.ts';
export type {
  AddTool, ExtensionResult, SchemaReader, TaskContext, TaskDecision, TaskDefinition, TaskSupport, ToolArguments, ToolDefinition, ToolHandler, ToolReturn, Tools, ToolsOptions, Validator,
} from './tools.ts';
export { resourceUpdated } from './watched-resources.ts';
export { MissingCapabilityError } from '../protocol/capabilities.ts';
export { errorCodes, RpcError } from '../jsonrpc/errors.ts';
export type { Serialized } from '../jsonrpc/inbound-request.ts';
export type { FormContent } from '../protocol/form.ts';
export type { Auth } from '../transport/auth.ts';
export type { PeerOptions, ServedClient, ServerPort } from '../transport/server-port.ts';
