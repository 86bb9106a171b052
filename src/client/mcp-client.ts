import { Connection, defaultConnectionLimits } from '../jsonrpc/connection.ts';
import * as errorCodes from '../jsonrpc/error-codes.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import type { Inbound } from '../jsonrpc/inbound.ts';
import type { Decoded, Notification, RequestId } from '../jsonrpc/message.ts';
import type { Outlet } from '../jsonrpc/outlet.ts';
import { serverSupports } from '../protocol/capabilities.ts';
import type { CompleteRequestParams, CompleteResult } from '../protocol/completion.ts';
import type { ClientCapabilities, Implementation, ServerCapabilities } from '../protocol/initialize.ts';
import { clientLifecycle, mayPass } from '../protocol/lifecycle.ts';
import type { LifecycleEvent, LifecycleState } from '../protocol/lifecycle.ts';
import type { LoggingLevel, LoggingMessageNotificationParams } from '../protocol/logging.ts';
import { metaKeys } from '../protocol/meta.ts';
import type { GetPromptResult, Prompt } from '../protocol/prompts.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/resources.ts';
import { findRevision, selectRevisions } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { SubscriptionFilter } from '../protocol/subscriptions.ts';
import type { CallToolResult, Tool } from '../protocol/tools.ts';
import { SessionExpired } from '../transport/port.ts';
import type { ClientReceiver, ClientTransport } from '../transport/port.ts';
import { ResultCache } from './cache.ts';
import { declaredCapabilities, declaredInfo } from './capabilities.ts';
import { Listening } from './listening.ts';
import { negotiate } from './negotiation.ts';
import type { Agreement } from './negotiation.ts';
import type { CallOptions, ClientLimits, ClientOptions, ListName } from './options.ts';
import { answerQuestion } from './questions.ts';
import { playRounds } from './rounds.ts';
import { ToolHeaders } from './tool-headers.ts';
import { ToolOutputs } from './tool-output.ts';

type Bag = Record<string, unknown>;

const defaultLimits: ClientLimits = { ...defaultConnectionLimits, probeTimeoutMs: 3000, maxPages: 1000, maxCached: 256 };
const noOptions: CallOptions = {};

/**
 * A client of one MCP server, in whatever revision that server speaks.
 *
 * Every call rejects with `RpcError` where the server answers with an error, with `ConnectionError` where the time
 * is up or the connection closes, with the signal's reason where the caller cancels, and with an `Error` that says
 * so where the server has not declared what the call needs.
 */
export class McpClient {
  readonly #info: Implementation;
  #options: ClientOptions;
  readonly #limits: ClientLimits;
  readonly #revisions: readonly Revision[];
  readonly #cache: ResultCache | undefined;
  readonly #outputs: ToolOutputs | undefined;
  #transport: ClientTransport | undefined;
  #connection: Connection | undefined;
  #agreement: Agreement | undefined;
  #state: LifecycleState = 'new';
  #declared: ClientCapabilities = {};
  /** The `_meta` of modern requests, made once. */
  #meta: Bag | undefined;
  #logLevel: LoggingLevel | undefined;
  #headers: ToolHeaders | undefined;
  #listening: Listening | undefined;
  #subscribed = new Set<string>();
  /** Which session this is; after an expired one, or a restarted program, the next. */
  #session = 0;
  #renewing: Promise<void> | undefined;
  /** The far side is gone, and will be started again for the next request. */
  #down = false;

  /**
   * @param info who the client says it is
   * @throws RangeError for a revision that is not in the table, or when none is left
   */
  constructor(info: Implementation, options: ClientOptions = {}) {
    this.#info = info;
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    const { era = 'auto' } = options;
    this.#revisions = selectRevisions(options.revisions).filter((revision) => era === 'auto' || revision.era === era);
    if (this.#revisions.length === 0) throw new RangeError(`no protocol revision is left in the era ${era}`);
    this.#logLevel = options.logLevel;
    if (options.cache !== false) this.#cache = new ResultCache(this.#limits.maxCached);
    if (options.validator) this.#outputs = new ToolOutputs(options.validator, (error) => this.#report(error));
  }

  /** What was found; undefined before `connect`. */
  get revision(): Revision | undefined {
    return this.#agreement?.revision;
  }

  /** Who the server says it is: for display, not for trust. */
  get server(): Implementation | undefined {
    return this.#agreement?.server;
  }

  /** What the server has declared. */
  get capabilities(): ServerCapabilities | undefined {
    return this.#agreement?.capabilities;
  }

  /** How to use the server, in its own words. */
  get instructions(): string | undefined {
    return this.#agreement?.instructions;
  }

  /**
   * Opens the transport and agrees on a revision. Rejects, with the transport closed, where that fails.
   * 2025-11-25 basic/lifecycle#initialization; 2026-07-28 basic/versioning.
   */
  async connect(transport: ClientTransport): Promise<void> {
    if (this.#transport) throw new Error('the client is connected already');
    this.#transport = transport;
    this.#state = 'new';
    this.#down = false;
    this.#agreement = this.#meta = this.#headers = undefined;
    this.#subscribed.clear();
    this.#connection = this.#newConnection(transport);
    try {
      await transport.open(this.#receiver);
      await this.#negotiate(transport, findRevision(this.#revisions, this.#options.remembered));
      await this.#begin();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Ends the connection in an orderly way; what is pending fails. Never rejects. */
  async close(): Promise<void> {
    const transport = this.#transport;
    if (!transport) return;
    this.#transport = undefined;
    this.#listening?.stop();
    this.#listening = undefined;
    this.#step('close');
    this.#cache?.clear();
    this.#connection?.close('the client was closed');
    await transport.close();
  }

  // ---- the handshake

  async #negotiate(transport: ClientTransport, remembered: Revision | undefined): Promise<void> {
    const agreement = await negotiate({
      revisions: this.#revisions,
      remembered,
      discover: (revision, probing) => {
        const params = { _meta: this.#metaFor(revision) };
        const wait = probing && transport.kind === 'pipe' ? { timeoutMs: this.#limits.probeTimeoutMs } : undefined;
        return this.#open().request('server/discover', params, wait);
      },
      initialize: (revision) => this.#initialize(revision),
      restart: transport.kind === 'pipe' && transport.reopen ? () => this.#restart(transport) : undefined,
    });
    const { revision } = agreement;
    const modern = revision.era === 'modern';
    this.#agreement = agreement;
    this.#declared = declaredCapabilities(this.#options, revision);
    this.#meta = modern ? this.#metaFor(revision) : undefined;
    this.#headers = modern && transport.kind === 'http' ? new ToolHeaders((error) => this.#report(error)) : undefined;
    this.#open().batching = revision.batching;
    transport.agreed?.(revision);
    if (modern) {
      // Every request stands alone: there is nothing to wait for.
      this.#state = 'ready';
    } else {
      this.#open().notify('notifications/initialized');
      this.#step('initialized');
    }
    this.#session++;
  }

  #initialize(revision: Revision): Promise<Bag> {
    if (this.#state === 'initializing') this.#state = 'new';
    this.#step('initialize');
    return this.#open().request('initialize', {
      protocolVersion: revision.version,
      capabilities: declaredCapabilities(this.#options, revision),
      clientInfo: declaredInfo(this.#info, revision),
    });
  }

  #metaFor(revision: Revision): Bag {
    const meta: Bag = {
      [metaKeys.protocolVersion]: revision.version,
      [metaKeys.clientInfo]: declaredInfo(this.#info, revision),
      [metaKeys.clientCapabilities]: declaredCapabilities(this.#options, revision),
    };
    const level = this.#logLevel ?? (this.#options.onLog && 'info');
    if (level) meta[metaKeys.logLevel] = level;
    return meta;
  }

  #step(event: LifecycleEvent): void {
    const next = clientLifecycle[this.#state].on[event];
    if (next === undefined) throw new Error(`${event}: not while the connection is ${this.#state}`);
    this.#state = next;
  }

  /** What a new session is told of the old one's wishes. */
  async #begin(): Promise<void> {
    const { revision, capabilities } = this.#agreed();
    const { onListChanged } = this.#options;
    if (revision.era === 'modern') {
      if (this.#listening) return this.#listening.restart();
      const lists: SubscriptionFilter = {};
      if (onListChanged && capabilities.tools?.listChanged) lists.toolsListChanged = true;
      if (onListChanged && capabilities.prompts?.listChanged) lists.promptsListChanged = true;
      if (onListChanged && capabilities.resources?.listChanged) lists.resourcesListChanged = true;
      this.#listening = this.#newListening(lists);
      return;
    }
    const wishes: [string, Bag][] = [...this.#subscribed].map((uri) => ['resources/subscribe', { uri }]);
    if (this.#logLevel && capabilities.logging) wishes.push(['logging/setLevel', { level: this.#logLevel }]);
    await Promise.all(wishes.map(([method, params]) =>
      this.#open().request(method, params).catch((error: unknown) => this.#report(error))));
  }

  #newListening(lists: SubscriptionFilter): Listening {
    return new Listening({
      timeoutMs: this.#limits.timeoutMs,
      listen: (notifications, signal, sent) => this.#open().request(
        'subscriptions/listen', { notifications, _meta: this.#meta }, { signal, timeoutMs: 0, maxTimeoutMs: 0 }, {
          send: (text, message) => {
            if (message && 'id' in message) sent(message.id);
            this.#transport?.send(text, message);
          },
        }),
      fail: (id, error) => this.#connection?.fail(id, error),
      error: (error) => this.#report(error),
    }, lists);
  }

  async #restart(transport: ClientTransport): Promise<void> {
    await transport.reopen?.();
    this.#connection?.close('the server was started again');
    this.#connection = this.#newConnection(transport);
    this.#state = 'new';
    this.#down = false;
  }

  /** A new session for everybody who found the old one gone. */
  #renew(): Promise<void> {
    return this.#renewing ??= (async () => {
      const transport = this.#transport;
      try {
        if (!transport) return;
        if (transport.kind === 'pipe' || this.#down) await this.#restart(transport);
        else await transport.reopen?.();
        this.#cache?.clear();
        await this.#negotiate(transport, this.revision);
        await this.#begin();
      } catch (error) {
        // The next request tries again.
        this.#down = true;
        throw error;
      } finally {
        this.#renewing = undefined;
      }
    })();
  }

  // ---- what arrives

  #newConnection(transport: ClientTransport): Connection {
    const http = transport.kind === 'http';
    const outlet: Outlet = {
      send: (text, message) => transport.send(text, message),
      answer: (text) => {
        if (text !== undefined) transport.send(text);
      },
    };
    return new Connection(outlet, {
      request: (inbound) => this.#answer(inbound),
      notification: (notification) => this.#notice(notification),
      error: (error) => this.#report(error),
      giveUp: (id: RequestId, method: string) => {
        if (http) transport.abandon?.(id);
        // 2026-07-28 basic/patterns/cancellation: over HTTP the stream's end says it. A probe is not cancelled:
        // a server that did not know it would not know the cancellation either.
        return method === 'server/discover' || (http && this.#meta !== undefined);
      },
    }, this.#limits);
  }

  readonly #receiver: ClientReceiver = {
    message: (decoded: Decoded) => {
      const { kind } = decoded;
      // 2026-07-28 basic/transports/stdio: a client answers nothing but questions.
      if (kind === 'refusal') this.#report(new Error(`a message from the server was refused: ${decoded.error.message}`));
      else if (kind === 'batch' && !this.#connection?.batching) this.#report(new Error('a batch from the server was refused'));
      else this.#connection?.receive(decoded);
    },
    failed: (id, error) => this.#connection?.fail(id, error),
    error: (error) => this.#report(error),
    closed: (why, cause) => {
      this.#connection?.close(why, cause);
      this.#cache?.clear();
      // Handshakes find out by themselves.
      if (!this.#transport || !this.#agreement || this.#renewing) return;
      // 2026-07-28 basic/transports/stdio#unexpected-termination: nothing is lost but what was in flight.
      this.#down = this.#meta !== undefined && this.#transport.reopen !== undefined;
      this.#options.onClose?.(why);
    },
  };

  #answer(inbound: Inbound): object | Promise<object> {
    const { method, params = {} } = inbound.request;
    if (this.#meta !== undefined) {
      // 2026-07-28 basic/patterns/mrtr: servers no longer send requests; and no answer may be sent to one.
      inbound.cancel('not in this revision');
      this.#report(new Error(`the server sent the request ${method}, which its revision does not allow`));
      return {};
    }
    if (method === 'ping') return {};
    if (!mayPass(clientLifecycle[this.#state].receive, method)) {
      throw new RpcError(errorCodes.invalidRequest, `Invalid request: ${method} is not served before the handshake is over`);
    }
    return this.#answerQuestion(method, params, inbound.signal);
  }

  #answerQuestion(method: string, params: Bag, signal: AbortSignal): Promise<object> {
    return answerQuestion(method, params, this.#options, this.#declared, this.#agreed().revision, { signal });
  }

  #notice(notification: Notification): void {
    const { method, params } = notification;
    const modern = this.#meta !== undefined;
    const options = this.#options;
    switch (method) {
      case 'notifications/progress':
        return;
      case 'notifications/cancelled':
        return this.#listening?.cancelled(params);
      case 'notifications/subscriptions/acknowledged':
        return this.#listening?.acknowledged(params);
      case 'notifications/message':
        return options.onLog?.((params ?? {}) as unknown as LoggingMessageNotificationParams);
      case 'notifications/resources/updated':
      case 'notifications/tools/list_changed':
      case 'notifications/prompts/list_changed':
      case 'notifications/resources/list_changed': {
        if (modern && !this.#listening?.owns(params)) return;
        this.#cache?.invalidate(method, params);
        if (method === 'notifications/resources/updated') {
          if (typeof params?.['uri'] === 'string') options.onResourceUpdated?.(params['uri']);
          return;
        }
        const list = method.split('/')[1] as ListName;
        if (list === 'tools') this.#outputs?.forget();
        return options.onListChanged?.(list);
      }
      default:
        return options.onNotification?.(notification);
    }
  }

  #report(error: unknown): void {
    try {
      this.#options.onError?.(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // A handler of errors that fails has nobody left to tell.
    }
  }

  // ---- what is asked

  #agreed(): Agreement {
    if (!this.#agreement) throw new Error('the client is not connected');
    return this.#agreement;
  }

  #open(): Connection {
    if (!this.#connection) throw new Error('the client is not connected');
    return this.#connection;
  }

  /**
   * Any request, such as one of an extension's. `_meta` of the revision is added, questions of the server's are
   * answered, results are kept, as with every other call.
   */
  async request(method: string, params?: Bag, options: CallOptions = noOptions): Promise<Bag> {
    if (this.#renewing || this.#down) await this.#renew();
    const { revision, capabilities } = this.#agreed();
    if (this.#state !== 'closed' && !mayPass(clientLifecycle[this.#state].send, method)) {
      throw new Error(`${method}: not while the connection is ${this.#state}`);
    }
    if (!serverSupports(method, capabilities, revision)) {
      throw new Error(`${method}: the server did not declare that it supports this`);
    }
    const cache = revision.cacheHints ? this.#cache : undefined;
    let result = options.fresh ? undefined : cache?.find(method, params);
    if (result === undefined) {
      const epoch = cache?.epoch ?? 0;
      result = await this.#send(method, params, options);
      const type = result['resultType'];
      if (type === undefined || type === 'complete' || !revision.resultType) cache?.keep(method, params, result, epoch);
      else result = await this.#unfinished(method, params, result, options);
    }
    if (method === 'tools/list' && Array.isArray(result['tools'])) {
      if (this.#headers) result['tools'] = this.#headers.learn(result['tools']);
      this.#outputs?.learn(result['tools'] as unknown[]);
    }
    return result;
  }

  /** Results of another type than `complete`. 2026-07-28 basic/index#resulttype: an unknown one is invalid. */
  async #unfinished(method: string, params: Bag | undefined, first: Bag, options: CallOptions): Promise<Bag> {
    const result = await playRounds(method, params, first, {
      send: (next) => this.#send(method, next, options),
      answer: (asked, about, signal) => this.#answerQuestion(asked, about, signal),
      signal: options.signal,
      maxRounds: this.#options.maxRounds ?? 10,
    });
    const type = result['resultType'];
    if (type === undefined || type === 'complete') return result;
    for (const { resultTypes = {} } of Object.values(this.#options.extensions ?? {})) {
      if (typeof type === 'string' && Object.hasOwn(resultTypes, type)) return await resultTypes[type]?.(result, method) as Bag;
    }
    throw new Error(`${method}: the result is of the type ${JSON.stringify(type)}, which this client does not know`);
  }

  /** One request; once more where the server says that it did not take it. */
  async #send(method: string, params: Bag | undefined, options: CallOptions): Promise<Bag> {
    const session = this.#session;
    try {
      return await this.#dispatch(method, params, options);
    } catch (error) {
      if (error instanceof SessionExpired && this.#meta === undefined) {
        // 2025-11-25 basic/transports#session-management. Whoever comes first makes the new session.
        if (session === this.#session) await this.#renew();
      } else if (error instanceof RpcError && error.code === errorCodes.headerMismatch
        && this.#headers && method === 'tools/call') {
        // 2026-07-28 basic/transports/streamable-http#client-behavior: the tool's schema may have changed.
        await this.listTools({ fresh: true });
      } else {
        throw error;
      }
    }
    return this.#dispatch(method, params, options);
  }

  #dispatch(method: string, params: Bag | undefined, options: CallOptions): Promise<Bag> {
    const connection = this.#open();
    const meta = this.#meta;
    if (meta === undefined) return connection.request(method, params, options);
    const { logLevel } = options;
    const own = params?.['_meta'];
    let _meta = own === undefined ? meta : { ...(own as Bag), ...meta };
    if (logLevel !== undefined) _meta = { ..._meta, [metaKeys.logLevel]: logLevel };
    const headers = method === 'tools/call' && params ? this.#headers?.of(params) : undefined;
    return connection.request(method, { ...params, _meta }, options, headers && {
      send: (text, message) => this.#transport?.send(text, { ...message, headers }),
    });
  }

  // ---- lists

  async *#list<T>(method: string, member: string, options?: CallOptions): AsyncGenerator<T, void, undefined> {
    const seen = new Set<unknown>();
    let cursor: unknown;
    do {
      const page = await this.request(method, cursor === undefined ? undefined : { cursor }, options);
      const items = page[member];
      if (!Array.isArray(items)) throw new Error(`${method}: the result has no list of ${member}`);
      yield* items as T[];
      cursor = page['nextCursor'];
      if (seen.has(cursor)) throw new Error(`${method}: the server's pages go round in a circle`);
      if (seen.add(cursor).size > this.#limits.maxPages) throw new Error(`${method}: more than ${this.#limits.maxPages} pages`);
    } while (cursor !== undefined);
  }

  /** The tools, page by page as they are needed. Over HTTP without those whose `x-mcp-header` breaks the rules. */
  tools(options?: CallOptions): AsyncGenerator<Tool, void, undefined> {
    return this.#list('tools/list', 'tools', options);
  }

  resources(options?: CallOptions): AsyncGenerator<Resource, void, undefined> {
    return this.#list('resources/list', 'resources', options);
  }

  resourceTemplates(options?: CallOptions): AsyncGenerator<ResourceTemplate, void, undefined> {
    return this.#list('resources/templates/list', 'resourceTemplates', options);
  }

  prompts(options?: CallOptions): AsyncGenerator<Prompt, void, undefined> {
    return this.#list('prompts/list', 'prompts', options);
  }

  listTools(options?: CallOptions): Promise<Tool[]> {
    return collect(this.tools(options));
  }

  listResources(options?: CallOptions): Promise<Resource[]> {
    return collect(this.resources(options));
  }

  listResourceTemplates(options?: CallOptions): Promise<ResourceTemplate[]> {
    return collect(this.resourceTemplates(options));
  }

  listPrompts(options?: CallOptions): Promise<Prompt[]> {
    return collect(this.prompts(options));
  }

  // ---- calls

  /**
   * Calls a tool. A tool that fails answers with `isError`; that is a result, not a rejection. With the option
   * `validator`, `structuredContent` is held against the schema that `listTools` told.
   */
  callTool<T = unknown>(
    name: string, args?: Readonly<Bag>, options?: CallOptions,
  ): Promise<CallToolResult & { structuredContent?: T }> {
    const answer = this.request('tools/call', args === undefined ? { name } : { name, arguments: args }, options);
    const outputs = this.#outputs;
    return (outputs ? answer.then((result) => {
      outputs.check(name, result);
      return result;
    }) : answer) as Promise<CallToolResult & { structuredContent?: T }>;
  }

  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    return this.request('resources/read', { uri }, options) as Promise<Bag> as Promise<ReadResourceResult & Bag>;
  }

  getPrompt(name: string, args?: Readonly<Record<string, string>>, options?: CallOptions): Promise<GetPromptResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.request('prompts/get', params, options) as Promise<Bag> as Promise<GetPromptResult & Bag>;
  }

  /** Values for an argument that is being typed; `settled` are the arguments that have theirs (since 2025-06-18). */
  async complete(
    ref: CompleteRequestParams['ref'],
    argument: CompleteRequestParams['argument'],
    settled?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<CompleteResult['completion']> {
    const context = settled && this.#agreed().revision.completionContext ? { context: { arguments: settled } } : {};
    const { completion } = await this.request('completion/complete', { ref, argument, ...context }, options);
    return completion as CompleteResult['completion'];
  }

  /** Asks to be told, through `onResourceUpdated`, when a resource changes. Holds across new sessions. */
  async subscribe(uri: string, options?: CallOptions): Promise<void> {
    const { revision, capabilities } = this.#agreed();
    if (!this.#listening) {
      await this.request('resources/subscribe', { uri }, options);
      this.#subscribed.add(uri);
    } else if (serverSupports('resources/subscribe', capabilities, revision)) {
      await this.#listening.subscribe(uri);
    } else {
      throw new Error('subscriptions/listen: the server did not declare that it supports resource subscriptions');
    }
  }

  async unsubscribe(uri: string, options?: CallOptions): Promise<void> {
    if (this.#listening) return this.#listening.unsubscribe(uri);
    this.#subscribed.delete(uri);
    await this.request('resources/unsubscribe', { uri }, options);
  }

  /** The least severe log message wanted: told to the server, and since 2026-07-28 with every request. */
  async setLogLevel(level: LoggingLevel, options?: CallOptions): Promise<void> {
    const { revision } = this.#agreed();
    if (this.#meta === undefined) await this.request('logging/setLevel', { level }, options);
    this.#logLevel = level;
    if (this.#meta !== undefined) this.#meta = this.#metaFor(revision);
  }

  /** Whether the server is there. Since 2026-07-28, which has no `ping`, by `server/discover`. */
  async ping(options?: CallOptions): Promise<void> {
    await this.request(this.#meta === undefined ? 'ping' : 'server/discover', undefined, options);
  }

  /** Other roots from now on; a legacy server is told. Throws where none were declared when connecting. */
  setRoots(roots: NonNullable<ClientOptions['roots']>): void {
    if (this.#agreement && !this.#declared.roots) throw new Error('roots were not declared: give `roots` in the options');
    this.#options = { ...this.#options, roots };
    if (this.#agreement && this.#meta === undefined && this.#state === 'ready' && this.#declared.roots?.listChanged) {
      this.#open().notify('notifications/roots/list_changed');
    }
  }

  /** Forgets the results that were kept: to be called when the authorization changes. */
  clearCache(): void {
    this.#cache?.clear();
  }
}

async function collect<T>(items: AsyncGenerator<T, void, undefined>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
