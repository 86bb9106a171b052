import { defaultConnectionLimits } from '../jsonrpc/connection.ts';
import { need } from '../jsonrpc/errors.ts';
import type { Notification } from '../jsonrpc/message.ts';
import type { CompleteRequestParams, CompleteResult } from '../protocol/completion.ts';
import type { Implementation, ServerCapabilities } from '../protocol/initialize.ts';
import type { LoggingLevel, LoggingMessageNotificationParams } from '../protocol/logging.ts';
import type { GetPromptResult, Prompt } from '../protocol/prompts.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/resources.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { CallToolResult, Tool } from '../protocol/tools.ts';
import type { ClientTransport } from '../transport/port.ts';
import type { CallOptions, CoreClientLimits, CoreClientOptions, ListName } from './options.ts';
import type { Answering, AskingCall, Listener } from './parts.ts';
import { Session } from './session.ts';

type Bag = Record<string, unknown>;

const noOptions: CallOptions = {};

/**
 * A client of one MCP server, in whatever revision that server speaks: what every client needs, and the parts that it is
 * given. `McpClient` has all of them.
 *
 * Every call rejects with `RpcError` where the server answers with an error, with `ConnectionError` where the
 * time is up or the connection closes, with the signal's reason where the caller cancels, and with an `Error`
 * that says so where the server has not declared what the call needs.
 */
export class ClientCore {
  readonly #session: Session;
  readonly #options: CoreClientOptions;

  /**
   * @param info who the client says it is
   * @throws RangeError for a revision that is not in the table, or when none is left
   */
  constructor(info: Implementation, options: CoreClientOptions = {}) {
    this.#options = options;
    const limits = { ...defaultConnectionLimits, probeTimeoutMs: 3000, maxPages: 1000, ...options.limits };
    this.#session = new Session(info, options, limits, {
      notice: (notification) => this.#notice(notification),
      forget: () => options.cache?.clear(),
      relist: () => this.listTools({ fresh: true }),
    });
  }

  /** What was found; undefined before `connect`. */
  get revision(): Revision | undefined {
    return this.#session.agreement?.revision;
  }

  /** Who the server says it is: for display, not for trust. */
  get server(): Implementation | undefined {
    return this.#session.agreement?.server;
  }

  /** What the server has declared. */
  get capabilities(): ServerCapabilities | undefined {
    return this.#session.agreement?.capabilities;
  }

  /** How to use the server, in its own words. */
  get instructions(): string | undefined {
    return this.#session.agreement?.instructions;
  }

  /**
   * Opens the transport and agrees on a revision. Rejects, with the transport closed, where that fails.
   * 2025-11-25 basic/lifecycle#initialization; 2026-07-28 basic/versioning.
   */
  connect(transport: ClientTransport): Promise<void> {
    return this.#session.connect(transport);
  }

  /** Ends the connection in an orderly way; what is pending fails. Never rejects. */
  close(): Promise<void> {
    return this.#session.close();
  }

  #notice(notification: Notification): void {
    const { method, params } = notification;
    const { options, meta, listening } = this.#session;
    switch (method) {
      case 'notifications/message':
        return options.onLog?.((params ?? {}) as unknown as LoggingMessageNotificationParams);
      case 'notifications/resources/updated':
      case 'notifications/tools/list_changed':
      case 'notifications/prompts/list_changed':
      case 'notifications/resources/list_changed': {
        if (meta && !listening?.owns(params)) return;
        options.cache?.invalidate(method, params);
        if (method === 'notifications/resources/updated') {
          if (typeof params?.['uri'] === 'string') options.onResourceUpdated?.(params['uri']);
          return;
        }
        const list = method.split('/')[1] as ListName;
        if (list === 'tools') options.outputs?.forget();
        return options.onListChanged?.(list);
      }
      default:
        for (const { notifications = {} } of Object.values(options.extensions ?? {})) {
          if (!Object.hasOwn(notifications, method)) continue;
          return listening?.late(params) ? undefined : notifications[method]?.(params ?? {});
        }
        return options.onNotification?.(notification);
    }
  }

  /**
   * Any request, such as one of an extension's. `_meta` of the revision is added, questions of the server's
   * are answered, results are kept, as with every other call.
   */
  async request(method: string, params?: Bag, options: CallOptions = noOptions): Promise<Bag> {
    if (options.timeoutMs || options.maxTimeoutMs) need('setTimeout', 'timeoutMs');
    const session = this.#session;
    const { revision } = await session.ready(method);
    const cache = revision.cacheHints ? this.#options.cache : undefined;
    let result = options.fresh ? undefined : cache?.find(method, params);
    if (result === undefined) {
      const epoch = cache?.epoch ?? 0;
      result = await session.send(method, params, options);
      const type = result['resultType'];
      const complete = type === undefined || type === 'complete' || !revision.resultType;
      if (complete) cache?.keep(method, params, result, epoch);
      else result = await this.#unfinished(method, params, result, options);
    }
    if (method === 'tools/list' && Array.isArray(result['tools'])) {
      if (session.headers) result['tools'] = session.headers.learn(result['tools']);
      this.#options.outputs?.learn(result['tools'] as unknown[]);
    }
    return result;
  }

  /**
   * Results of another type than `complete`. 2026-07-28 basic/index#resulttype: an unknown one is invalid.
   */
  async #unfinished(method: string, params: Bag | undefined, first: Bag, options: CallOptions): Promise<Bag> {
    const session = this.#session;
    const call: AskingCall = {
      revision: session.agreed().revision,
      signal: options.signal,
      send: (next) => session.send(method, next, options),
    };
    const result = first['resultType'] === 'input_required'
      ? await this.#answering(method).rounds(method, params, first, call)
      : first;
    const type = result['resultType'];
    if (type === undefined || type === 'complete') return result;
    for (const { resultTypes = {} } of Object.values(this.#options.extensions ?? {})) {
      const take = typeof type === 'string' && Object.hasOwn(resultTypes, type)
        ? resultTypes[type]
        : undefined;
      if (take) {
        const answer = async (requests: unknown): Promise<Bag> =>
          this.#answering(method).gather(method, requests, call);
        return await take(result, method, { options, answer }) as Bag;
      }
    }
    throw new Error(
      `${method}: the result is of the type ${JSON.stringify(type)}, which this client does not know`,
    );
  }

  #answering(method: string): Answering {
    const { answering } = this.#options;
    if (answering) return answering;
    throw new Error(`${method}: the server asks for input, and this client was made without \`answering\``);
  }

  // ---- lists

  async *#list<T>(method: string, member: string, options?: CallOptions): AsyncGenerator<T, void, undefined> {
    const { maxPages } = this.#session.limits;
    const seen = new Set<unknown>();
    let cursor: unknown;
    do {
      const page = await this.request(method, cursor === undefined ? undefined : { cursor }, options);
      const items = page[member];
      if (!Array.isArray(items)) throw new Error(`${method}: the result has no list of ${member}`);
      yield* items as T[];
      cursor = page['nextCursor'];
      if (seen.has(cursor)) throw new Error(`${method}: the server's pages go round in a circle`);
      if (seen.add(cursor).size > maxPages) throw new Error(`${method}: more than ${maxPages} pages`);
    } while (cursor !== undefined);
  }

  /**
   * The tools, page by page as they are needed. Over HTTP without those whose `x-mcp-header` breaks the
   * rules.
   */
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
   * Calls a tool. A tool that fails answers with `isError`; that is a result, not a rejection. With the
   * option `validator`, `structuredContent` is held against the schema that `listTools` told.
   */
  callTool<T = unknown>(
    name: string, args?: Readonly<Bag>, options?: CallOptions,
  ): Promise<CallToolResult & { structuredContent?: T }> {
    const params = args === undefined ? { name } : { name, arguments: args };
    const answer = this.request('tools/call', params, options);
    const { outputs } = this.#options;
    return (outputs ? answer.then((result) => {
      outputs.check(name, result, this.#session.report);
      return result;
    }) : answer) as Promise<CallToolResult & { structuredContent?: T }>;
  }

  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    return this.request(
      'resources/read', { uri }, options,
    ) as Promise<Bag> as Promise<ReadResourceResult & Bag>;
  }

  getPrompt(
    name: string, args?: Readonly<Record<string, string>>, options?: CallOptions,
  ): Promise<GetPromptResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.request('prompts/get', params, options) as Promise<Bag> as Promise<GetPromptResult & Bag>;
  }

  /**
   * Values for an argument that is being typed; `settled` are the arguments that have theirs (since
   * 2025-06-18).
   */
  async complete(
    ref: CompleteRequestParams['ref'],
    argument: CompleteRequestParams['argument'],
    settled?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<CompleteResult['completion']> {
    const { completionContext } = this.#session.agreed().revision;
    const context = settled && completionContext ? { context: { arguments: settled } } : {};
    const { completion } = await this.request('completion/complete', { ref, argument, ...context }, options);
    return completion as CompleteResult['completion'];
  }

  /** What listens to a modern server; undefined where the server is a legacy one. */
  get #listening(): Listener | undefined {
    const { meta, listening } = this.#session;
    if (!meta || this.#options.listening) return listening;
    throw new Error('a server of this revision tells of changes where a client listens: this one was made without `listening`');
  }

  /**
   * Asks to be told, through `onResourceUpdated`, when a resource changes. Holds across new sessions. Since 2026-07-28 with
   * the part `listening` alone.
   */
  async subscribe(uri: string, options?: CallOptions): Promise<void> {
    const session = this.#session;
    const listening = this.#listening;
    if (listening) {
      await session.ready('resources/subscribe');
      await listening.subscribe(uri);
    } else {
      await this.request('resources/subscribe', { uri }, options);
      session.subscribed.add(uri);
    }
  }

  async unsubscribe(uri: string, options?: CallOptions): Promise<void> {
    const listening = this.#listening;
    if (listening) return listening.unsubscribe(uri);
    this.#session.subscribed.delete(uri);
    await this.request('resources/unsubscribe', { uri }, options);
  }

  /**
   * Asks to be told of what an extension adds to the filter of `subscriptions/listen`: under its key, this
   * value; undefined: no more. Resolves with what the server agreed to; undefined: nothing. Holds across
   * drops and new streams; one call a key at a time. Since 2026-07-28, with the part `listening`.
   */
  async listen(key: string, value: unknown): Promise<unknown> {
    await this.#session.ready('subscriptions/listen');
    const listening = this.#listening;
    if (!listening) throw new Error('listen: the revision of this server has no subscriptions/listen');
    return listening.listen(key, value);
  }

  /** The least severe log message wanted: told to the server, and since 2026-07-28 with every request. */
  async setLogLevel(level: LoggingLevel, options?: CallOptions): Promise<void> {
    const session = this.#session;
    const { revision } = session.agreed();
    if (!session.meta) await this.request('logging/setLevel', { level }, options);
    session.logLevel = level;
    if (session.meta) session.meta = session.metaFor(revision);
  }

  /** Whether the server is there. Since 2026-07-28, which has no `ping`, by `server/discover`. */
  async ping(options?: CallOptions): Promise<void> {
    await this.request(this.#session.meta ? 'server/discover' : 'ping', undefined, options);
  }

  /**
   * Tells a legacy server something, such as `notifications/roots/list_changed`. A modern one is told nothing, nor is one
   * with which the handshake is not over.
   */
  notify(method: string, params?: Bag): void {
    this.#session.notify(method, params);
  }
}

async function collect<T>(items: AsyncGenerator<T, void, undefined>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
