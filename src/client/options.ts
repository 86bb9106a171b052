import type { Shape } from '../bounds/options.ts';
import { defaultConnectionLimits } from '../jsonrpc/connection.ts';
import type { ConnectionLimits } from '../jsonrpc/connection.ts';
import type { Notification } from '../jsonrpc/message.ts';
import type { RequestOptions } from '../jsonrpc/pending-requests.ts';
import type { ElicitRequestFormParams, ElicitRequestURLParams } from '../protocol/elicitation.ts';
import type { ClientCapabilities } from '../protocol/initialize.ts';
import { loggingLevelKind } from '../protocol/logging.ts';
import type { LoggingLevel, LoggingMessageNotificationParams } from '../protocol/logging.ts';
import type { Pinging } from '../protocol/pinging.ts';
import type { Era } from '../protocol/revisions.ts';
import type { Root } from '../protocol/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { JsonSchema, Validate } from '../schema/types.ts';
import type { Answering, Cache, Listening, Outputs } from './parts.ts';

/** What every request of a client may be given. */
export interface CallOptions extends RequestOptions {
  /** The least severe log message wanted for this call. Since 2026-07-28; before, see `setLogLevel`. */
  logLevel?: LoggingLevel | undefined;
  /** Go with the request over HTTP, such as the `Mcp-Name` that an extension asks for. Since 2026-07-28. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Asks the server even where a kept result is still fresh. */
  fresh?: boolean | undefined;
}

/** For `checkOptions`. */
export const callShape: Shape<CallOptions> = {
  signal: 'object', timeoutMs: 0, maxTimeoutMs: 0, onProgress: 'function', onLate: 'function', logLevel: loggingLevelKind,
  headers: 'object', fresh: 'boolean',
};

/** What a handler of a question gets with the question. */
export interface QuestionContext {
  /** Aborts when the server, or the caller whose call the question belongs to, no longer wants the answer. */
  readonly signal: AbortSignal;
}

/** The answer to an elicitation. Only an accepted form has `content`. */
export interface ElicitAnswer {
  /** `decline`: the person said no; `cancel`: the person said nothing. */
  action: 'accept' | 'decline' | 'cancel';
  /** With `accept`: what the person entered. Defaults of the form are filled in; the rest is checked. */
  content?: Readonly<Record<string, unknown>> | undefined;
}

/** Answers questions of one kind. A throw is the error that the server, or the caller, gets. */
export type Answers<Q, A> = (question: Q, context: QuestionContext) => A | Promise<A>;

/** The functions that answer a server's questions. What has no handler is not declared. */
export interface ClientHandlers {
  /** Fills in a form. Declares elicitation by form. */
  onElicit?: Answers<ElicitRequestFormParams, ElicitAnswer> | undefined;
  /** Sends the person to a page, with consent. Declares elicitation by URL (since 2025-11-25). */
  onElicitUrl?: Answers<ElicitRequestURLParams, ElicitAnswer> | undefined;
  /** Asks the model. Declares sampling; `sampling.tools` is declared through `capabilities`. */
  onSample?: Answers<CreateMessageRequestParams, CreateMessageResult> | undefined;
}

/** Which list has changed. */
export type ListName = 'tools' | 'resources' | 'prompts';

/** The call that a result belongs to. */
export interface ResultContext {
  /** Of the call: its signal and its times are for whatever is asked on its behalf. */
  readonly options: CallOptions;
  /** Answers `inputRequests` with the client's own handlers, giving `inputResponses`. */
  answer(inputRequests: unknown): Promise<Record<string, unknown>>;
}

/** Makes the call's own result of one that the server gave; a throw is the call's rejection. */
export type TakeResult = (
  result: Record<string, unknown>, method: string, context: ResultContext,
) => object | Promise<object>;

/**
 * An extension of the protocol, the client's side (2026-07-28 basic/versioning#extension-negotiation). Its
 * methods are called with `client.request`, which also takes `_meta` keys of its own, and its keys in the
 * filter of `subscriptions/listen` are set with `client.listen`.
 */
export interface ClientExtension {
  /** Declared among the capabilities. Default: none. */
  readonly settings?: object | undefined;
  /** What to make of results whose `resultType` the extension defines, by that type. */
  readonly resultTypes?: Readonly<Record<string, TakeResult>> | undefined;
  /** Notifications that it adds, by method. Those of a stream that has been replaced are dropped. */
  readonly notifications?: Readonly<Record<string, (params: Record<string, unknown>) => void>> | undefined;
}

export interface CoreClientLimits extends ConnectionLimits {
  /**
   * Milliseconds to wait for a pipe's answer to `server/discover` before `initialize` is sent, too: the first result
   * decides. 3 seconds.
   */
  probeTimeoutMs: number;
  /** Pages of one list. 1000. */
  maxPages: number;
  /** Bytes of memory that the pages of one list may take together. 64 MiB. */
  maxListBytes: number;
}

/** The limits of a client that hold where none is given. */
export const defaultCoreClientLimits: CoreClientLimits = {
  ...defaultConnectionLimits, probeTimeoutMs: 3000, maxPages: 1000, maxListBytes: 67_108_864,
};

/** Bounds on what one call of ours may ask back. */
export interface AnsweringLimits {
  /** How often one call may come back with questions. 10. */
  maxRounds: number;
  /** Questions of one round. 100. */
  maxQuestions: number;
}

/** The limits of answering that hold where none is given. */
export const defaultAnsweringLimits: AnsweringLimits = { maxRounds: 10, maxQuestions: 100 };

/** How many results are kept, where no other limit is given. */
export const defaultMaxCached = 256;

export interface ClientLimits extends CoreClientLimits, AnsweringLimits {
  /** Results that are kept. 256. */
  maxCached: number;
}

/** How the server's questions are answered. */
export interface AnsweringOptions extends ClientHandlers {
  /** The places that the server may work in, or how to find them. Declares roots. */
  roots?: readonly Root[] | (() => readonly Root[] | Promise<readonly Root[]>) | undefined;
  limits?: Partial<AnsweringLimits> | undefined;
  /** Declared over what the handlers declare, member by member. */
  capabilities?: Pick<ClientCapabilities, 'elicitation' | 'sampling' | 'roots'> | undefined;
}

/** The options of every client, and the parts that it may have. */
export interface CoreClientOptions {
  /**
   * Answers the server's questions, and declares that. Without it nothing of the kind is declared: a legacy server's
   * question gets `-32601`, and a call that comes back with one rejects.
   */
  answering?: Answering | undefined;
  /**
   * Subscribes to resources, and listens to servers since 2026-07-28. Without it those tell of no change:
   * `onListChanged` hears only of legacy servers.
   */
  listening?: Listening | undefined;
  /** Keeps results as long as the server says they are fresh. */
  cache?: Cache | undefined;
  /** `pinging()`: ends the connection to a legacy server that has gone silent. Default: none. */
  pinging?: Pinging | undefined;
  /** Judges `structuredContent`. */
  outputs?: Outputs | undefined;
  /** Log messages. Since 2026-07-28 this asks for them, at `logLevel`. */
  onLog?: ((message: LoggingMessageNotificationParams) => void) | undefined;
  /** The least severe level wanted. Default: the server's choice, and `info` where a level must be named. */
  logLevel?: LoggingLevel | undefined;
  /** The server's list has changed: read it again. */
  onListChanged?: ((list: ListName) => void) | undefined;
  /** A resource that was subscribed to has changed. */
  onResourceUpdated?: ((uri: string) => void) | undefined;
  /** Gets every other notification: an extension's, or `notifications/elicitation/complete`. */
  onNotification?: ((notification: Notification) => void) | undefined;
  /** Hears of errors that no call rejects with. Default: nobody does. */
  onError?: ((error: Error) => void) | undefined;
  /** The channel is gone, and `close` was not called. */
  onClose?: ((why: string) => void) | undefined;
  /** The revisions that may be spoken. Default: all. */
  revisions?: readonly string[] | undefined;
  /** Default: `auto`, which finds out. */
  era?: Era | 'auto' | undefined;
  /** What `client.revision.version` was at an earlier connection to the same server: tried first. */
  remembered?: string | undefined;
  /** Declared beside what the parts and the extensions declare. */
  capabilities?: Pick<ClientCapabilities, 'experimental' | 'extensions'> | undefined;
  /** By the extension's identifier: a prefix, a slash and a name (2026-07-28 basic/index#_meta). */
  extensions?: Readonly<Record<string, ClientExtension>> | undefined;
  limits?: Partial<CoreClientLimits> | undefined;
}

type Parts = 'answering' | 'listening' | 'cache' | 'outputs';

/** What `McpClient` may be given. */
export interface ClientOptions
  extends Omit<CoreClientOptions, Parts | 'capabilities'>, Omit<AnsweringOptions, 'capabilities' | 'limits'> {
  /** Wraps the answering of the server's questions, such as `receiveTasks` of barewire/tasks. */
  around?: ((answering: Answering) => Answering) | undefined;
  /** Whether results are kept as long as the server says they are fresh. Default: true. */
  cache?: boolean | undefined;
  /**
   * Makes the judge of `structuredContent`. Default: `compile` of barewire/schema, loaded at the first result of a
   * tool that was listed with an output schema; that of barewire/schema/full knows more keywords. `false`: it is not judged.
   */
  validator?: ((schema: JsonSchema) => Validate) | false | undefined;
  /** Declared over what the handlers declare, member by member. */
  capabilities?: ClientCapabilities | undefined;
  limits?: Partial<ClientLimits> | undefined;
}

/** For `checkOptions`. */
export const extensionShape: Shape<ClientExtension> = { settings: 'object', resultTypes: 'object', notifications: 'object' };

/** `McpClient` passes its parts what it was given. */
const capabilitiesShape: Shape<ClientCapabilities> =
  { experimental: 'object', roots: 'object', sampling: 'object', elicitation: 'object', tasks: 'object', extensions: 'object' };

/** Options of every client. */
const commonShape: Shape<Omit<CoreClientOptions, Parts | 'limits'>> = {
  pinging: 'object', onLog: 'function', logLevel: loggingLevelKind, onListChanged: 'function', onResourceUpdated: 'function',
  onNotification: 'function', onError: 'function', onClose: 'function', revisions: 'list', era: '"legacy" or "modern" or "auto"',
  remembered: 'string', capabilities: capabilitiesShape, extensions: 'object',
};

/** Options that answer questions. */
const handlersShape: Shape<Omit<AnsweringOptions, 'limits'>> = {
  onElicit: 'function', onElicitUrl: 'function', onSample: 'function', roots: 'list or function', capabilities: capabilitiesShape,
};

// Functions: a bundler cannot leave out what is made of others.

/** For `checkOptions`. */
export const coreClientShape = (): Shape<CoreClientOptions> => ({
  ...commonShape, answering: 'object', listening: 'object', cache: 'object', outputs: 'object', limits: defaultCoreClientLimits,
});

/** For `checkOptions`. */
export const answeringShape = (): Shape<AnsweringOptions> => ({ ...handlersShape, limits: defaultAnsweringLimits });

/** The limits of `McpClient` that hold where none is given. */
export const defaultClientLimits = (): ClientLimits =>
  ({ ...defaultCoreClientLimits, ...defaultAnsweringLimits, maxCached: defaultMaxCached });

/** For `checkOptions`. */
export const clientShape = (): Shape<ClientOptions> => ({
  ...commonShape, ...handlersShape, around: 'function', cache: 'boolean', validator: 'function or boolean',
  capabilities: capabilitiesShape, limits: defaultClientLimits(),
});
