import * as errorCodes from '../jsonrpc/error-codes.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import { quote } from '../jsonrpc/quote.ts';
import { checkTimes } from '../jsonrpc/times.ts';
import { weighValue } from '../jsonrpc/weight.ts';
import type { Bag, Notification } from '../jsonrpc/message.ts';
import * as columns from '../protocol/columns.ts';
import type { Implementation, ServerCapabilities } from '../protocol/initialize.ts';
import type { LoggingLevel, LoggingMessageNotificationParams } from '../protocol/logging.ts';
import { isExtensionId } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { CallToolResult, Tool } from '../protocol/tools.ts';
import type { ClientTransport } from '../transport/port.ts';
import { ConnectedServer, noOptions } from './connected-server.ts';
import { defaultCoreClientLimits } from './options.ts';
import type { CallOptions } from './call-options.ts';
import type { CoreClientLimits, CoreClientOptions, ListName } from './options.ts';
import { take } from './parts.ts';
import type { Answering, AskingCall } from './parts.ts';

/** What tells of a change; in the group, of which list. */
const changes = /^notifications\/(?:resources\/updated|(tools|prompts|resources)\/list_changed)$/;

/**
 * A client of one MCP server, in whatever revision that server speaks: what every client needs, and the parts
 * that it is given. `McpClient` has all of them.
 *
 * Every call rejects with `RpcError` where the server answers with an error, with `ConnectionError` where the
 * time is up or the connection closes, with the signal's reason where the caller cancels, and with an `Error`
 * that says so where the server has not declared what the call needs.
 */
export class ClientCore {
  readonly #server: ConnectedServer;
  readonly #options: CoreClientOptions;

  /**
   * @param info who the client says it is
   * @throws RangeError for a time that is none, for a revision that is not in the table, or when none is left; TypeError for
   *   an extension's identifier that is not well formed; Error for a part that belongs to
   *   another client
   */
  constructor(info: Implementation, options: CoreClientOptions = {}) {
    this.#options = options;
    for (const id of [...Object.keys(options.extensions ?? {}), ...Object.keys(options.capabilities?.extensions ?? {})]) {
      if (!isExtensionId(id)) throw new TypeError(`not the identifier of an extension: ${quote(id)}`);
    }
    for (const name of ['answering', 'listening', 'cache', 'outputs'] as const) take(name, options[name]);
    const limits = { ...defaultCoreClientLimits, ...options.limits };
    checkTimes(limits);
    this.#server = new ConnectedServer(info, options, limits, {
      notice: (notification) => this.#notice(notification),
      forget: () => options.cache?.clear(),
      relist: () => this.listTools({ fresh: true }),
    });
  }

  /** What was found; undefined before `connect`. */
  get revision(): Revision | undefined {
    return this.#server.agreement?.revision;
  }

  /** Who the server says it is: for display, not for trust. */
  get server(): Implementation | undefined {
    return this.#server.agreement?.server;
  }

  /** What the server has declared. */
  get capabilities(): ServerCapabilities | undefined {
    return this.#server.agreement?.capabilities;
  }

  /** How to use the server, in its own words. */
  get instructions(): string | undefined {
    return this.#server.agreement?.instructions;
  }

  /**
   * Opens the transport and agrees on a revision. Rejects, with the transport closed, where that fails.
   * 2025-11-25 basic/lifecycle#initialization; 2026-07-28 basic/versioning.
   */
  connect(transport: ClientTransport): Promise<void> {
    return this.#server.connect(transport);
  }

  /** Ends the connection in an orderly way; what is pending fails. Never rejects. */
  close(): Promise<void> {
    return this.#server.close();
  }

  #notice(notification: Notification): void {
    const { method, params } = notification;
    const { options, meta } = this.#server;
    const { listening } = options;
    if (method === 'notifications/elicitation/complete' && options.answering?.completed(params) === false) return;
    if (method === 'notifications/message') {
      return options.onLog?.((params ?? {}) as unknown as LoggingMessageNotificationParams);
    }
    const [changed, list] = changes.exec(method) ?? [];
    if (changed) {
      if (meta && !listening?.owns(params)) return;
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
   * Any request, such as one of an extension's. `_meta` of the revision is added, questions of the server's
   * are answered, results are kept, as with every other call.
   */
  request(method: string, params?: Bag, options: CallOptions = noOptions): Promise<Bag> {
    return this.#call(method, params, options);
  }

  /** `tool`: the tool whose result is to be judged. One function, because each promise costs a call 3 %. */
  async #call(method: string, params: Bag | undefined, options: CallOptions, tool?: string): Promise<Bag> {
    const server = this.#server;
    const ready = server.ready(method);
    // `await` would cost each call a microtask; nearly always there is nothing to wait for.
    const { revision } = ready instanceof Promise ? await ready : ready;
    const cache = columns.cacheHints(revision) ? this.#options.cache : undefined;
    // Only where the authorization may change is it asked for: before, and once the result is there.
    const context = cache && server.transport?.context;
    const asking = context && await context();
    let result = options.fresh ? undefined : cache?.find(method, params, asking);
    if (result === undefined) {
      const epoch = cache?.epoch ?? 0;
      result = await server.send(method, params, options);
      const type = result['resultType'];
      const complete = type === undefined || type === 'complete' || !columns.resultType(revision);
      if (complete) {
        if (!context || await context() === asking) cache?.keep(method, params, result, epoch, asking);
      } else result = await this.#unfinished(method, params, result, options);
    }
    if (method === 'tools/list' && Array.isArray(result['tools'])) {
      if (server.headers) result['tools'] = server.headers.learn(result['tools']);
      this.#options.outputs?.learn(result['tools'] as unknown[]);
    }
    const judged = tool === undefined ? undefined : this.#options.outputs?.check(tool, result, server.report);
    if (judged) await judged;
    return result;
  }

  /**
   * Results of another type than `complete`. 2026-07-28 basic/index#resulttype: an unknown one is invalid.
   */
  async #unfinished(method: string, params: Bag | undefined, first: Bag, options: CallOptions): Promise<Bag> {
    const server = this.#server;
    const call: AskingCall = {
      revision: server.known().revision,
      signal: options.signal,
      send: (next) => server.send(method, next, options),
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
      `${method}: the result is of the type ${quote(type)}, which this client does not know`,
    );
  }

  #answering(method: string): Answering {
    const { answering } = this.#options;
    if (answering) return answering;
    throw new Error(`${method}: the server asks for input, and this client was made without \`answering\``);
  }

  // ---- lists

  /**
   * Any list, page by page as it is needed: `member` is what the result calls its items. Rejects where the pages are
   * too many, take too much memory, or go round in a circle.
   */
  async *list<T>(method: string, member: string, options?: CallOptions): AsyncGenerator<T, void, undefined> {
    for await (const page of this.#pages(method, member, options)) yield* page as T[];
  }

  /**
   * A whole list. A cursor that the server no longer knows makes it begin anew, once, with nothing that was kept.
   * 2026-07-28 server/utilities/caching#interaction-with-pagination.
   */
  protected async all<T>(method: string, member: string, options?: CallOptions): Promise<T[]> {
    let items: unknown[] = [];
    let pages = 0;
    try {
      for await (const page of this.#pages(method, member, options)) {
        pages++;
        items = items.concat(page);
      }
    } catch (error) {
      if (pages === 0 || options?.fresh || !isInvalidParams(error)) throw error;
      return this.all(method, member, { ...options, fresh: true });
    }
    return items as T[];
  }

  async *#pages(method: string, member: string, options?: CallOptions): AsyncGenerator<unknown[], void, undefined> {
    const { maxPages, maxListBytes } = this.#server.limits;
    const seen = new Set<unknown>();
    let bytes = 0;
    let cursor: unknown;
    do {
      let page: Bag;
      try {
        page = await this.request(method, cursor === undefined ? undefined : { cursor }, options);
      } catch (error) {
        // The pages before this one are of a list that is no more.
        if (cursor !== undefined && isInvalidParams(error)) this.#options.cache?.drop(method);
        throw error;
      }
      const items = page[member];
      if (!Array.isArray(items)) throw new Error(`${method}: the result has no list of ${member}`);
      // 2026-07-28 server/utilities/pagination: only null is no cursor; '' is one like any other.
      cursor = page['nextCursor'] ?? undefined;
      if (cursor !== undefined || bytes > 0) {
        const weight = weighValue(page);
        bytes += typeof weight === 'number' ? weight : Infinity;
        if (bytes > maxListBytes) throw new Error(`${method}: the pages take more than ${maxListBytes} bytes`);
      }
      yield items;
      if (seen.has(cursor)) throw new Error(`${method}: the server's pages go round in a circle`);
      if (seen.add(cursor).size > maxPages) throw new Error(`${method}: more than ${maxPages} pages`);
    } while (cursor !== undefined);
  }

  /**
   * The tools, page by page as they are needed. Over HTTP without those whose `x-mcp-header` breaks the
   * rules.
   */
  tools(options?: CallOptions): AsyncGenerator<Tool, void, undefined> {
    return this.list('tools/list', 'tools', options);
  }

  /** The server's tools, all pages. */
  listTools(options?: CallOptions): Promise<Tool[]> {
    return this.all('tools/list', 'tools', options);
  }

  // ---- calls

  /**
   * Calls a tool. A tool that fails answers with `isError`; that is a result, not a rejection. Where
   * the client judges outputs (`McpClient` does), `structuredContent` is held against the schema that `listTools` told.
   */
  callTool<T = unknown>(
    name: string, args?: Readonly<Bag>, options: CallOptions = noOptions,
  ): Promise<CallToolResult & { structuredContent?: T }> {
    return this.#call('tools/call', { name, arguments: args }, options, name) as Promise<Bag> as Promise<CallToolResult & { structuredContent?: T } & Bag>;
  }

  /** The least severe log message wanted: told to the server, and since 2026-07-28 with every request. */
  async setLogLevel(level: LoggingLevel, options?: CallOptions): Promise<void> {
    const server = this.#server;
    const { revision } = server.known();
    if (!server.meta) await this.request('logging/setLevel', { level }, options);
    server.logLevel = level;
    if (server.meta) server.meta = server.metaFor(revision);
  }

  /** Whether the server is there. Since 2026-07-28, which has no `ping`, by `server/discover`. */
  async ping(options?: CallOptions): Promise<void> {
    await this.request(this.#server.meta ? 'server/discover' : 'ping', undefined, options);
  }

  /**
   * Tells a legacy server something, such as `notifications/roots/list_changed`. A modern one is told nothing, nor
   * is one with which the handshake is not over.
   */
  notify(method: string, params?: Bag): void {
    this.#server.notify(method, params);
  }
}

const isInvalidParams = (error: unknown): boolean =>
  error instanceof RpcError && error.code === errorCodes.invalidParams;
