import { checkOptions } from '../bounds/options.ts';
import { invalidParamsCode, RpcError } from '../jsonrpc/errors.ts';
import { quote } from '../bounds/quote.ts';
import type { Bag, Notification } from '../jsonrpc/message.ts';
import type { Observe } from '../protocol/observe.ts';
import type { Implementation, ServerCapabilities } from '../protocol/lifecycle.ts';
import type { LoggingLevel, LoggingMessageNotificationParams } from '../protocol/logging.ts';
import { checkInfo, isExtensionId } from '../protocol/meta.ts';
import { readPages } from '../protocol/pagination.ts';
import type { ListName } from '../protocol/pagination.ts';
import { refuseType, typeOf } from '../protocol/result-type.ts';
import { selectRevisions } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import { shapeFault } from '../protocol/shape.ts';
import type { MessageShape } from '../protocol/shape.ts';
import type { CallToolResult, Tool } from '../protocol/tools.ts';
import type { ClientTransport } from '../transport/client-port.ts';
import { ConnectedServer } from './connected-server.ts';
import { callShape, coreClientShape, defaultCoreClientLimits, extensionShape, isFor, noOptions } from './options.ts';
import type { CallOptions, CoreClientOptions } from './options.ts';
import type { AnyServer, BareToolName, ServerTypes, Structured, ToolName } from './server-types.ts';
import type { Answering, AskingCall } from './parts.ts';
import type { MethodTerms } from './negotiation.ts';

/** A result of the server that does not have the type of its method. */
export class MalformedResult extends Error {
  /** `malformed_result`. */
  readonly code = 'malformed_result';
  readonly method: string;

  constructor(method: string, fault: string) {
    super(`the server's result of ${method} is malformed: ${fault}`);
    this.name = 'MalformedResult';
    this.method = method;
  }
}

/** Notifications of changes. The group is the name of the list that changed. */
const changes = /^notifications\/(?:resources\/updated|(tools|prompts|resources)\/list_changed)$/;

/**
 * A client of one MCP server, in any revision that the server speaks. It has the code that every client needs, and the parts that
 * its options add. `McpClient` has all parts.
 *
 * Every call rejects with `RpcError` if the server answers with an error, with `ConnectionError` if the call times out or the
 * connection closes, with the signal's reason if the caller cancels, and with an `Error` if the server did not declare the
 * capability for the call.
 */
export class ClientCore<S extends ServerTypes = AnyServer> {
  readonly #server: ConnectedServer;
  readonly #options: CoreClientOptions;

  /**
   * @param info the name and version of the client
   * @throws TypeError for an unknown or malformed option, and for an extension's identifier that is not well formed;
   *   RangeError for a revision that is not in the table, or when none is left; Error for a part that belongs to another
   *   client
   */
  constructor(info: Implementation, options: CoreClientOptions = {}) {
    checkInfo('ClientCore: info', info);
    checkOptions('ClientCore: options', options, coreClientShape());
    for (const [id, extension] of Object.entries(options.extensions ?? {})) {
      checkOptions(`ClientCore: options.extensions.${id}`, extension, extensionShape);
      selectRevisions(extension.revisions);
    }
    this.#options = options;
    for (const id of Object.keys({ ...options.extensions, ...options.capabilities?.extensions })) {
      if (!isExtensionId(id)) throw new TypeError(`not an extension identifier: ${quote(id)}`);
    }
    for (const name of ['answering', 'listening', 'cache', 'outputs'] as const) take(name, options[name]);
    const limits = { ...defaultCoreClientLimits, ...options.limits };
    this.#server = new ConnectedServer(info, options, limits, {
      notice: (notification) => this.#notice(notification),
      relist: () => this.listTools({ fresh: true }),
    });
  }

  /** The agreed revision; undefined before `connect`. */
  get revision(): Revision | undefined {
    return this.#server.terms?.agreement.revision;
  }

  /** The name and version that the server states: for display, not for trust. */
  get server(): Implementation | undefined {
    return this.#server.terms?.agreement.server;
  }

  /** The capabilities that the server declared. */
  get capabilities(): ServerCapabilities | undefined {
    return this.#server.terms?.agreement.capabilities;
  }

  /** How to use the server: the text that the server sent. */
  get instructions(): string | undefined {
    return this.#server.terms?.agreement.instructions;
  }

  /**
   * Opens the transport and agrees on a revision. On failure it closes the transport and rejects. 2025-11-25
   * basic/lifecycle#initialization; 2026-07-28 basic/versioning.
   */
  connect(transport: ClientTransport): Promise<void> {
    return this.#server.connect(transport);
  }

  /** Shuts the connection down; pending requests fail. Never rejects. */
  close(): Promise<void> {
    return this.#server.close();
  }

  #notice(notification: Notification): void {
    const { method, params } = notification;
    const options = this.#options;
    const { listening } = options;
    if (method === 'notifications/elicitation/complete' && options.answering?.completed(params) === false) return;
    if (method === 'notifications/message') {
      return options.onLog?.((params ?? {}) as unknown as LoggingMessageNotificationParams);
    }
    const [changed, list] = changes.exec(method) ?? [];
    if (changed) {
      if (this.#server.terms?.meta && !listening?.owns(params)) return;
      options.cache?.invalidate(method, params);
      if (list) {
        if (list === 'tools') options.outputs?.forget();
        options.onListChanged?.(list as ListName);
      } else if (typeof params?.['uri'] === 'string') options.onResourceUpdated?.(params['uri']);
      return;
    }
    for (const { notifications = {} } of Object.values(options.extensions ?? {})) {
      if (!Object.hasOwn(notifications, method)) continue;
      return listening?.late(params) ? undefined : notifications[method]?.(params ?? {});
    }
    options.onNotification?.(notification);
  }

  /**
   * Sends any request, for example one of an extension. As for every call, `_meta` of the revision is added, questions of the
   * server are answered, and results are cached.
   */
  request(method: string, params?: Bag, options: CallOptions = noOptions): Promise<Bag> {
    return this.#call(method, params, options);
  }

  /** `tool`: check the result of this tool. This is one function because each promise costs a call 3 %. */
  async #call(
    method: string, params: Bag | undefined, options: CallOptions, tool?: string, observe: Observe | null | undefined = this.#options.observe,
  ): Promise<Bag> {
    const server = this.#server;
    if (observe) {
      return observe({ kind: 'client', method, params, peer: { revision: this.revision, client: this.server } },
        (meta) => this.#call(method, params, meta ? { ...options, meta: { ...meta, ...options.meta } } : options, tool, null));
    }
    if (options !== noOptions) checkOptions(`${method}: options`, options, callShape);
    const ready = server.ready(method);
    // `await` would cost each call a microtask; usually there is nothing to wait for.
    const terms = ready instanceof Promise ? await ready : ready;
    const { cache } = terms;
    // Read the authorization before the request and after it, since it may change in between; only needed with a cache.
    const context = cache && server.transport?.context;
    const asking = context && await context();
    let result = options.fresh ? undefined : cache?.find(method, params, asking);
    if (result === undefined) {
      const epoch = cache?.epoch ?? 0;
      result = await server.request(terms, params, options);
      if (terms.all.typed && result['resultType'] !== 'complete' && typeOf(result) !== 'complete') {
        result = await this.#unfinished(terms, params, result, options);
      } else if (cache && (!context || await context() === asking)) cache.keep(method, params, result, epoch, asking);
    }
    if (method === 'tools/list' && Array.isArray(result['tools'])) {
      const { headers } = terms.all;
      if (headers) result['tools'] = headers.learn(result['tools']);
      this.#options.outputs?.learn(result['tools'] as unknown[]);
    }
    if (tool === undefined) return result;
    this.checkResult(method, result, terms.shape);
    const judged = this.#options.outputs?.check(tool, result, server.report);
    if (judged) await judged;
    return result;
  }

  /**
   * Handles results of another type than `complete`. 2026-07-28 basic/index#resulttype: the types of an extension are
   * valid if both sides declared it; any other is invalid.
   */
  async #unfinished(terms: MethodTerms, params: Bag | undefined, first: Bag, options: CallOptions): Promise<Bag> {
    const server = this.#server;
    const { method, all: { agreement: { revision, capabilities } } } = terms;
    const call: AskingCall = {
      revision,
      clock: server.clock,
      signal: options.signal,
      send: (next) => server.request(terms, next, options),
    };
    const result = first['resultType'] === 'input_required'
      ? await this.#answering(method).rounds(method, params, first, call)
      : first;
    const type = typeOf(result);
    if (type === 'complete') return result;
    for (const [id, extension] of Object.entries(this.#options.extensions ?? {})) {
      const { resultTypes = {} } = extension;
      const declared = Object.hasOwn(Object(capabilities.extensions) as object, id) && isFor(extension, revision);
      const take = declared && typeof type === 'string' && Object.hasOwn(resultTypes, type)
        ? resultTypes[type]
        : undefined;
      if (take) {
        const answer = async (requests: unknown): Promise<Bag> =>
          this.#answering(method).gather(method, requests, call);
        return await take(result, method, { options, answer }) as Bag;
      }
    }
    return refuseType(method, type);
  }

  #answering(method: string): Answering {
    const { answering } = this.#options;
    if (answering) return answering;
    throw new Error(`${method}: the server asks for input, and this client was made without \`answering\``);
  }

  /**
   * Throws a `MalformedResult` if a result does not have the members of its method's type. `request` does not call
   * this: its results have no type.
   */
  protected checkResult(method: string, result: Bag, shape: MessageShape | undefined = this.#server.known().of(method).shape): void {
    // Results of other types than `complete` belong to extensions: 2026-07-28 basic/index#resulttype.
    if (shape === undefined || (result['resultType'] ?? 'complete') !== 'complete') return;
    const fault = shapeFault(result, shape, 'result');
    if (fault === undefined) return;
    this.#options.cache?.drop(method);
    throw new MalformedResult(method, fault);
  }

  /** The same for the result of a call, whose `structuredContent` must fit the output schema of the tool. */
  protected checkToolResult(tool: string, result: Bag): Promise<void> | undefined {
    this.checkResult('tools/call', result);
    return this.#options.outputs?.check(tool, result, this.#server.report);
  }

  // ---- lists

  /**
   * Any list, page by page on demand. `member` is the member of the result that holds the items. Rejects if there are
   * too many pages, or if they take too much memory.
   */
  async *list<T>(method: string, member: string, options?: CallOptions): AsyncGenerator<T, void, undefined> {
    for await (const page of this.#pages(method, member, options)) yield* page[member] as T[];
  }

  /**
   * A whole list. If the server no longer knows a cursor, the list is read again once from the start, without cached
   * pages. 2026-07-28 server/utilities/caching#interaction-with-pagination.
   */
  protected async all<T>(method: string, member: string, options?: CallOptions): Promise<T[]> {
    let items: T[] | undefined;
    try {
      for await (const page of this.#pages(method, member, options)) items = [...items ?? [], ...page[member] as T[]];
    } catch (error) {
      if (!items || options?.fresh || !isInvalidParams(error)) throw error;
      return this.all(method, member, { ...options, fresh: true });
    }
    return items as T[];
  }

  #pages(method: string, member: string, options?: CallOptions): AsyncGenerator<Bag, void, undefined> {
    return readPages(method, this.#server.limits, async (params) => {
      const page = await this.request(method, params, options).catch((error: unknown) => {
        // The list has changed since the previous pages were read.
        if (params && isInvalidParams(error)) this.#options.cache?.drop(method);
        throw error;
      });
      if (!Array.isArray(page[member])) throw new MalformedResult(method, `result.${member} must be a list`);
      this.checkResult(method, page);
      return page;
    });
  }

  /** The tools, page by page on demand. Over HTTP, tools with an invalid `x-mcp-header` are left out. */
  tools(options?: CallOptions): AsyncGenerator<Tool, void, undefined> {
    return this.list('tools/list', 'tools', options);
  }

  /** The server's tools, all pages. */
  listTools(options?: CallOptions): Promise<Tool[]> {
    return this.all('tools/list', 'tools', options);
  }

  // ---- calls

  /**
   * Calls a tool. A tool that fails answers with `isError`; that is a result, not a rejection. If the client has the
   * part `outputs` (`McpClient` does), `structuredContent` is checked against the schema from `listTools`.
   */
  callTool<T = never, N extends ToolName<S> = ToolName<S>>(
    name: N, args: S['tools'][N]['input'], options?: CallOptions,
  ): Promise<CallToolResult & { structuredContent?: Structured<S, N, T> }>;
  callTool<T = never, N extends BareToolName<S> = BareToolName<S>>(
    name: N, args?: S['tools'][N]['input'] | undefined, options?: CallOptions,
  ): Promise<CallToolResult & { structuredContent?: Structured<S, N, T> }>;
  callTool(name: string, args?: object, options: CallOptions = noOptions): Promise<CallToolResult> {
    return this.#call('tools/call', { name, arguments: args }, options, name) as Promise<Bag> as Promise<CallToolResult & Bag>;
  }

  /**
   * Sets the least severe level of log messages to receive: sends it to the server, and since 2026-07-28 with every
   * request.
   */
  async setLogLevel(level: LoggingLevel, options?: CallOptions): Promise<void> {
    const server = this.#server;
    await (server.known().meta ? checkOptions('logging/setLevel: options', options ?? {}, callShape) : this.request('logging/setLevel', { level }, options));
    server.logLevel = level;
  }

  /** Checks that the server answers. Since 2026-07-28, which has no `ping`, by `server/discover`. */
  async ping(options?: CallOptions): Promise<void> {
    await this.request(this.#server.terms?.meta ? 'server/discover' : 'ping', undefined, options);
  }

  /**
   * Sends a notification to a legacy server, such as `notifications/roots/list_changed`. Sends nothing to a modern
   * server, or before the handshake is over.
   */
  notify(method: string, params?: Bag): void {
    this.#server.notify(method, params);
  }
}

const isInvalidParams = (error: unknown): boolean =>
  error instanceof RpcError && error.code === invalidParamsCode;

let taken: WeakSet<object> | undefined;

/** Gives a part to a client. Throws if it belongs to another client, which would no longer receive events. */
function take(name: string, part: object | undefined): void {
  if (part === undefined) return;
  taken ??= new WeakSet();
  if (taken.has(part)) throw new Error(`the part \`${name}\` belongs to another client: make one for each`);
  taken.add(part);
}
