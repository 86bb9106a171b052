import type { Clock } from '../bounds/clock.ts';
import type { Shape } from '../bounds/options.ts';
import { defaultConnectionLimits } from '../jsonrpc/connection.ts';
import type { ConnectionLimits } from '../jsonrpc/connection.ts';
import type { Notification } from '../jsonrpc/message.ts';
import type { RequestOptions } from '../jsonrpc/pending-requests.ts';
import type { ElicitRequestFormParams, ElicitRequestURLParams } from '../protocol/elicitation.ts';
import type { ClientCapabilities } from '../protocol/lifecycle.ts';
import { loggingLevelKind } from '../protocol/logging.ts';
import type { LoggingLevel, LoggingMessageNotificationParams } from '../protocol/logging.ts';
import type { Observe } from '../protocol/observe.ts';
import type { ListName } from '../protocol/pagination.ts';
import type { Pinging } from '../protocol/pinging.ts';
import type { Era, Revision } from '../protocol/revisions.ts';
import type { Root } from '../protocol/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { JsonSchema, Validate } from '../schema/types.ts';
import type { Answering, Cache, Listening, Outputs } from './parts.ts';

/** The options of every request. */
export interface CallOptions extends RequestOptions {
  /** The least severe log level for this call. Since 2026-07-28; before, see `setLogLevel`. */
  logLevel?: LoggingLevel | undefined;
  /**
   * Keys of the request's `_meta`, such as those of an extension. They replace keys of the same name in `params._meta`. From
   * 2026-07-28 on, only the client sets the protocol's own keys.
   */
  meta?: Readonly<Record<string, unknown>> | undefined;
  /** Header fields of the request over HTTP, such as the `Mcp-Name` that an extension requires. Since 2026-07-28. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sends the request even if a cached result is still fresh. */
  fresh?: boolean | undefined;
}

// For `checkOptions`.
export const callShape: Shape<CallOptions> = {
  signal: 'object', timeoutMs: 0, maxTimeoutMs: 0, onProgress: 'function', onLate: 'function', logLevel: loggingLevelKind,
  meta: 'object', headers: 'object', fresh: 'boolean',
};

/** The context of a question's handler. */
export interface QuestionContext {
  /** Aborts when the server cancels the question, or the caller cancels the call that led to it. */
  readonly signal: AbortSignal;
}

/** The answer to an elicitation. Only an accepted form has `content`. */
export interface ElicitAnswer {
  /** `decline`: the person said no; `cancel`: the person gave no answer. */
  action: 'accept' | 'decline' | 'cancel';
  /** With `accept`: the person's input. The client fills in the form's defaults and checks the rest. */
  content?: Readonly<Record<string, unknown>> | undefined;
}

/** Answers questions of one kind. If it throws, the server or the caller receives the error. */
export type Answers<Q, A> = (question: Q, context: QuestionContext) => A | Promise<A>;

/** The functions that answer a server's questions. Capabilities without a handler are not declared. */
export interface ClientHandlers {
  /** Fills in a form. Declares elicitation by form. */
  onElicit?: Answers<ElicitRequestFormParams, ElicitAnswer> | undefined;
  /** Sends the person to a page, with consent. Declares elicitation by URL (since 2025-11-25). */
  onElicitUrl?: Answers<ElicitRequestURLParams, ElicitAnswer> | undefined;
  /** Asks the model. Declares sampling; `sampling.tools` is declared through `capabilities`. */
  onSample?: Answers<CreateMessageRequestParams, CreateMessageResult> | undefined;
}

/** The call that a result belongs to. */
export interface ResultContext {
  /** The options of the call: their signal and timeouts also apply to requests made for it. */
  readonly options: CallOptions;
  /** Answers `inputRequests` with the client's own handlers; resolves with `inputResponses`. */
  answer(inputRequests: unknown): Promise<Record<string, unknown>>;
}

/** Converts a result of the server into the call's own result; if it throws, the call rejects. */
export type TakeResult = (
  result: Record<string, unknown>, method: string, context: ResultContext,
) => object | Promise<object>;

/**
 * An extension of the protocol on the client's side (SEP-2133; 2026-07-28 basic/versioning#extension-negotiation). Its methods
 * are called with `client.request`, which also accepts its `_meta` keys; `client.listen` sets its keys in the filter
 * of `subscriptions/listen`.
 */
export interface ClientExtension {
  /** Declared among the capabilities. Default: none. */
  readonly settings?: object | undefined;
  /** The revisions in which it is declared, such as `['2026-07-28']`. Default: all. */
  readonly revisions?: readonly string[] | undefined;
  /** Handlers of the results whose `resultType` the extension defines, by that type. */
  readonly resultTypes?: Readonly<Record<string, TakeResult>> | undefined;
  /** Handlers of the notifications that it adds, by method. Notifications of a replaced stream are dropped. */
  readonly notifications?: Readonly<Record<string, (params: Record<string, unknown>) => void>> | undefined;
}

export interface CoreClientLimits extends ConnectionLimits {
  /**
   * Milliseconds to wait for an answer to `server/discover` over a pipe before `initialize` is sent as well: the
   * first result decides. 3 seconds.
   */
  probeTimeoutMs: number;
  /** Pages of one list. 1000. */
  maxPages: number;
  /** Bytes of memory that the pages of one list may take together. 64 MiB. */
  maxListBytes: number;
}

/** The default limits of a client. */
export const defaultCoreClientLimits: CoreClientLimits = {
  ...defaultConnectionLimits, probeTimeoutMs: 3000, maxPages: 1000, maxListBytes: 67_108_864,
};

/** Limits on the questions that a call may ask. */
export interface AnsweringLimits {
  /** Rounds of questions in one call. 10. */
  maxRounds: number;
  /** Questions of one round. 100. */
  maxQuestions: number;
}

/** The default limits of answering. */
export const defaultAnsweringLimits: AnsweringLimits = { maxRounds: 10, maxQuestions: 100 };

/** The default number of cached results. */
export const defaultMaxCached = 256;

export interface ClientLimits extends CoreClientLimits, AnsweringLimits {
  /** Cached results; all together at most 64 Mi characters. 256. */
  maxCached: number;
}

/** The options of `answering`. */
export interface AnsweringOptions extends ClientHandlers {
  /** The places that the server may work in, or a function that returns them. Declares roots. */
  roots?: readonly Root[] | (() => readonly Root[] | Promise<readonly Root[]>) | undefined;
  limits?: Partial<AnsweringLimits> | undefined;
  /** Merged over the capabilities of the handlers, member by member. */
  capabilities?: Pick<ClientCapabilities, 'elicitation' | 'sampling' | 'roots'> | undefined;
}

/** The options of every client, and its optional parts. */
export interface CoreClientOptions {
  /**
   * Answers the server's questions, and declares the capabilities for them. Without it none is declared: a question
   * of a legacy server gets `-32601`, and a call that asks one rejects.
   */
  answering?: Answering | undefined;
  /**
   * Subscribes to resources, and listens to servers since 2026-07-28. Without it those servers report no changes:
   * `onListChanged` is called only for legacy servers.
   */
  listening?: Listening | undefined;
  /** Caches results as long as the server declares them fresh. */
  cache?: Cache | undefined;
  /** `pinging()`: closes the connection to a legacy server that no longer answers. Default: none. */
  pinging?: Pinging | undefined;
  /** Checks `structuredContent`. */
  outputs?: Outputs | undefined;
  /** Called with log messages. Since 2026-07-28 setting it requests them, at `logLevel`. */
  onLog?: ((message: LoggingMessageNotificationParams) => void) | undefined;
  /** The least severe level to receive. Default: the server's choice, and `info` if a level must be named. */
  logLevel?: LoggingLevel | undefined;
  /** Called when a list of the server has changed: read it again. */
  onListChanged?: ((list: ListName) => void) | undefined;
  /** Called when a subscribed resource has changed. */
  onResourceUpdated?: ((uri: string) => void) | undefined;
  /** Called with every other notification: of an extension, or `notifications/elicitation/complete`. */
  onNotification?: ((notification: Notification) => void) | undefined;
  /** Called around each call, and around each question of a legacy server: for traces, metrics and logs. */
  observe?: Observe | undefined;
  /** Called for errors that reject no call. Default: they are dropped. */
  onError?: ((error: Error) => void) | undefined;
  /** Called when the connection closed without a call of `close`. */
  onClose?: ((why: string) => void) | undefined;
  /** The revisions that may be spoken. Default: all. */
  revisions?: readonly string[] | undefined;
  /** The clock. The transport has its own option. Default: the runtime's clock. */
  clock?: Clock | undefined;
  /** Default: `auto`, which finds the era of the server. */
  era?: Era | 'auto' | undefined;
  /** The value of `client.revision.version` at an earlier connection to the same server: tried first. */
  remembered?: string | undefined;
  /** Declared in addition to the capabilities of the parts and the extensions. */
  capabilities?: Pick<ClientCapabilities, 'experimental' | 'extensions'> | undefined;
  /** Extensions by identifier: a prefix, a slash and a name (2026-07-28 basic/index#_meta). */
  extensions?: Readonly<Record<string, ClientExtension>> | undefined;
  limits?: Partial<CoreClientLimits> | undefined;
}

type PartNames = 'answering' | 'listening' | 'cache' | 'outputs';

/** The options of `McpClient`. */
export interface ClientOptions
  extends Omit<CoreClientOptions, PartNames | 'capabilities'>, Omit<AnsweringOptions, 'capabilities' | 'limits'> {
  /** Wraps the part that answers the server's questions, for example with `receiveTasks` of barewire/tasks. */
  around?: ((answering: Answering) => Answering) | undefined;
  /** Whether to cache results while the server declares them fresh. Default: true. */
  cache?: boolean | undefined;
  /**
   * Compiles schemas to check `structuredContent`. Default: `compile` of barewire/schema, loaded at the first result of a tool that
   * was listed with an output schema; `compile` of barewire/schema/full knows more keywords. `false`: no check.
   */
  validator?: ((schema: JsonSchema) => Validate) | false | undefined;
  /** Merged over the capabilities of the handlers, member by member. */
  capabilities?: ClientCapabilities | undefined;
  limits?: Partial<ClientLimits> | undefined;
}

// For `checkOptions`.
export const extensionShape: Shape<ClientExtension> = {
  settings: 'object', revisions: 'list', resultTypes: 'object', notifications: 'object',
};

/** `McpClient` passes its options on to its parts. */
const capabilitiesShape: Shape<ClientCapabilities> =
  { experimental: 'object', roots: 'object', sampling: 'object', elicitation: 'object', tasks: 'object', extensions: 'object' };

/** Options of every client. */
const commonShape: Shape<Omit<CoreClientOptions, PartNames | 'limits'>> = {
  pinging: 'object', onLog: 'function', logLevel: loggingLevelKind, onListChanged: 'function', onResourceUpdated: 'function',
  onNotification: 'function', observe: 'function', onError: 'function', onClose: 'function', revisions: 'list', era: '"legacy" or "modern" or "auto"',
  remembered: 'string', clock: 'object', capabilities: capabilitiesShape, extensions: 'object',
};

/** Options that answer questions. */
const handlersShape: Shape<Omit<AnsweringOptions, 'limits'>> = {
  onElicit: 'function', onElicitUrl: 'function', onSample: 'function', roots: 'list or function', capabilities: capabilitiesShape,
};

// Functions, because a bundler cannot leave out objects that are built from others.

// For `checkOptions`.
export const coreClientShape = (): Shape<CoreClientOptions> => ({
  ...commonShape, answering: 'object', listening: 'object', cache: 'object', outputs: 'object', limits: defaultCoreClientLimits,
});

// For `checkOptions`.
export const answeringShape = (): Shape<AnsweringOptions> => ({ ...handlersShape, limits: defaultAnsweringLimits });

/** The default limits of `McpClient`. */
export const defaultClientLimits = (): ClientLimits =>
  ({ ...defaultCoreClientLimits, ...defaultAnsweringLimits, maxCached: defaultMaxCached });

// For `checkOptions`.
export const clientShape = (): Shape<ClientOptions> => ({
  ...commonShape, ...handlersShape, around: 'function', cache: 'boolean', validator: 'function or boolean',
  capabilities: capabilitiesShape, limits: defaultClientLimits(),
});

/** Whether an extension is declared in a revision. */
export const isFor = ({ revisions }: ClientExtension, { version }: Revision): boolean => revisions?.includes(version) !== false;

/** The default options of a call. */
export const noOptions: CallOptions = {};

/** Makes the server report progress, which extends the timeout of the request. */
export const onlyProgress: CallOptions = { onProgress() {} };
