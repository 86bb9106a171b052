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
import { ResultCache } from './cache.ts';
import type { CallOptions, ClientLimits, ClientOptions, ListName } from './options.ts';
import { gather, playRounds } from './rounds.ts';
import type { RoundsPort } from './rounds.ts';
import { Session } from './session.ts';
import { ToolOutputs } from './tool-output.ts';

type Bag = Record<string, unknown>;

const defaultLimits: ClientLimits = {
  ...defaultConnectionLimits, probeTimeoutMs: 3000, maxPages: 1000, maxCached: 256,
};
const noOptions: CallOptions = {};

/**
 * A client of one MCP server, in whatever revision that server speaks.
 *
 * Every call rejects with `RpcError` where the server answers with an error, with `ConnectionError` where the
 * time is up or the connection closes, with the signal's reason where the caller cancels, and with an `Error`
 * that says so where the server has not declared what the call needs.
 */
export class McpClient {
  readonly #session: Session;
  readonly #limits: ClientLimits;
  readonly #cache: ResultCache | undefined;
  readonly #outputs: ToolOutputs | undefined;

  /**
   * @param info who the client says it is
   * @throws RangeError for a revision that is not in the table, or when none is left
   */
  constructor(info: Implementation, options: ClientOptions = {}) {
    const limits = this.#limits = { ...defaultLimits, ...options.limits };
    const session = this.#session = new Session(info, options, limits, {
      notice: (notification) => this.#notice(notification),
      forget: () => this.clearCache(),
      relist: () => this.listTools({ fresh: true }),
    });
    if (options.cache !== false) this.#cache = new ResultCache(limits.maxCached);
    if (options.validator) this.#outputs = new ToolOutputs(options.validator, session.report);
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
    const cache = revision.cacheHints ? this.#cache : undefined;
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
      this.#outputs?.learn(result['tools'] as unknown[]);
    }
    return result;
  }

  /**
   * Results of another type than `complete`. 2026-07-28 basic/index#resulttype: an unknown one is invalid.
   */
  async #unfinished(method: string, params: Bag | undefined, first: Bag, options: CallOptions): Promise<Bag> {
    const session = this.#session;
    const { maxRounds = 10, extensions = {} } = session.options;
    const port: RoundsPort = {
      send: (next) => session.send(method, next, options),
      answer: (asked, about, abortable) => session.answer(asked, about, abortable),
      signal: options.signal,
      maxRounds,
    };
    const result = await playRounds(method, params, first, port);
    const type = result['resultType'];
    if (type === undefined || type === 'complete') return result;
    for (const { resultTypes = {} } of Object.values(extensions)) {
      const take = typeof type === 'string' && Object.hasOwn(resultTypes, type)
        ? resultTypes[type]
        : undefined;
      if (take) {
        const answer = (requests: unknown): Promise<Bag> => gather(method, requests, port);
        return await take(result, method, { options, answer }) as Bag;
      }
    }
    throw new Error(
      `${method}: the result is of the type ${JSON.stringify(type)}, which this client does not know`,
    );
  }

  // ---- lists

  async *#list<T>(method: string, member: string, options?: CallOptions): AsyncGenerator<T, void, undefined> {
    const { maxPages } = this.#limits;
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
    const outputs = this.#outputs;
    return (outputs ? answer.then((result) => {
      outputs.check(name, result);
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

  /** Asks to be told, through `onResourceUpdated`, when a resource changes. Holds across new sessions. */
  async subscribe(uri: string, options?: CallOptions): Promise<void> {
    const { subscribed, listening } = this.#session;
    if (!listening) {
      await this.request('resources/subscribe', { uri }, options);
      subscribed.add(uri);
    } else {
      await this.#session.ready('resources/subscribe');
      await listening.subscribe(uri);
    }
  }

  async unsubscribe(uri: string, options?: CallOptions): Promise<void> {
    const { subscribed, listening } = this.#session;
    if (listening) return listening.unsubscribe(uri);
    subscribed.delete(uri);
    await this.request('resources/unsubscribe', { uri }, options);
  }

  /**
   * Asks to be told of what an extension adds to the filter of `subscriptions/listen`: under its key, this
   * value; undefined: no more. Resolves with what the server agreed to; undefined: nothing. Holds across
   * drops and new streams; one call a key at a time. Since 2026-07-28.
   */
  async listen(key: string, value: unknown): Promise<unknown> {
    await this.#session.ready('subscriptions/listen');
    const { listening } = this.#session;
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

  /** Other roots from now on; a legacy server is told. Throws where none were declared when connecting. */
  setRoots(roots: NonNullable<ClientOptions['roots']>): void {
    const session = this.#session;
    if (session.agreement && !session.declared.roots) {
      throw new Error('roots were not declared: give `roots` in the options');
    }
    session.options = { ...session.options, roots };
    session.rootsChanged();
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
