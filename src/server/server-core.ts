import { defaultConnectionLimits } from '../jsonrpc/connection.ts';
import type { ConnectionLimits } from '../jsonrpc/connection.ts';
import * as errorCodes from '../jsonrpc/error-codes.ts';
import { invalidParams, methodNotFound, RpcError } from '../jsonrpc/errors.ts';
import { Inbound } from '../jsonrpc/inbound.ts';
import type { Params, Request } from '../jsonrpc/message.ts';
import { notificationText, Serialized } from '../jsonrpc/outlet.ts';
import type { Outlet } from '../jsonrpc/outlet.ts';
import { serverSupports } from '../protocol/capabilities.ts';
import type { Implementation, ServerCapabilities } from '../protocol/initialize.ts';
import { isExtensionId, metaKeys } from '../protocol/meta.ts';
import type { RequestMeta } from '../protocol/meta.ts';
import { selectRevisions } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { SubscriptionFilter } from '../protocol/subscriptions.ts';
import { uriTemplate } from '../protocol/uri-template.ts';
import type { Tool } from '../protocol/tools.ts';
import type { SchemaSource } from '../schema/standard-schema.ts';
import type { Auth, PeerOptions, ServerPeer, ServerPort } from '../transport/port.ts';
import { adaptImplementation, adaptListed, adaptTool } from './adapt.ts';
import { complete, completionTarget } from './completion.ts';
import type { Completer, CompletionTarget } from './completion.ts';
import type { Exchange } from './exchange.ts';
import { needExtension } from './extension.ts';
import type { ServerExtension, TellListeners } from './extension.ts';
import { getPrompt, promptEntry } from './prompts.ts';
import type { GetPrompt, PromptArgumentDefinition, PromptDefinition, PromptEntry } from './prompts.ts';
import { Registry } from './registry.ts';
import type { Entry, Handle } from './registry.ts';
import { requestStateSealer } from './request-state.ts';
import type { RequestStateOptions, RequestStateSealer } from './request-state.ts';
import { cacheFields, readResource, resourceEntry, templateEntry } from './resources.ts';
import type {
  CacheHint, ReadResource, ReadTemplate, ResourceDefinition, ResourceEntry, ResourceTemplateDefinition, TemplateEntry,
} from './resources.ts';
import { ModernExchange } from './rounds.ts';
import { after, settle } from './run.ts';
import { Session } from './session.ts';
import { Subscriptions } from './subscriptions.ts';
import type { ListName } from './subscriptions.ts';
import { callTool, toolEntry } from './tools.ts';
import type { ToolDefinition, ToolEntry, ToolHandler, Validator } from './tools.ts';

export interface ServerLimits extends ConnectionLimits {
  /** Milliseconds that a question to the client may take (legacy). 5 minutes; 0: no limit. */
  questionTimeoutMs: number;
  /** Resources that one session may watch, and `subscriptions/listen` requests that the server keeps open. 10,000. */
  maxSubscriptions: number;
}

export const defaultServerLimits: ServerLimits = {
  ...defaultConnectionLimits,
  questionTimeoutMs: 300_000,
  maxSubscriptions: 10_000,
};

/** What can be cached by clients of 2026-07-28. */
export type Cacheable = 'discover' | 'tools' | 'prompts' | 'resources' | 'resourceTemplates' | 'read';

export interface ServerOptions {
  /** How to use the server, for the client's model. */
  readonly instructions?: string;
  /** The revisions to serve, such as `['2025-11-25', '2026-07-28']`. All five. */
  readonly revisions?: readonly string[];
  /** Entries a page of a list. 1000. */
  readonly pageSize?: number;
  /** Judges arguments and structured results. Without one, JSON Schemas are shown but not enforced. */
  readonly validator?: Validator;
  /** How long each kind of result may be kept, and by whom. Not at all. */
  readonly cache?: Readonly<Partial<Record<Cacheable, CacheHint>>>;
  /** How the state of questions is sealed (2026-07-28). */
  readonly requestState?: RequestStateOptions;
  readonly limits?: Partial<ServerLimits>;
  /** What went wrong and had no request to answer. */
  readonly onError?: (error: Error) => void;
  /** A legacy client's roots have changed. */
  readonly onRootsChanged?: () => void;
}

/**
 * The server: what is registered, and how one request is answered. Shared by all clients and requests; transports
 * reach it through `ServerPort`. `McpServer` is this with a validator.
 */
export class ServerCore implements ServerPort {
  readonly info: Implementation;
  readonly options: ServerOptions;
  readonly limits: ServerLimits;
  readonly revisions: readonly Revision[];
  readonly #tools: Registry<ToolEntry> = new Registry('tool', adaptTool, () => this.#changed('tools'));
  readonly #resources: Registry<ResourceEntry> = new Registry('resource', adaptListed, () => this.#changed('resources'));
  readonly #templates: Registry<TemplateEntry> = new Registry('resource template', adaptListed, () => this.#changed('resources'));
  readonly #prompts: Registry<PromptEntry> = new Registry('prompt', adaptListed, () => this.#changed('prompts'));
  /** By every name that they add: their own, methods, keys of filters, result types. */
  readonly #extensions = new Map<string, ServerExtension>();
  readonly #sessions = new Set<Session>();
  readonly #subscriptions: Subscriptions;
  readonly #sealer: RequestStateSealer;
  readonly #pending = new Set<ListName>();
  readonly #capabilities = new Map<Revision, ServerCapabilities>();
  #stampText: string | undefined;

  /** Throws a RangeError for a revision that does not exist. */
  constructor(info: Implementation, options: ServerOptions = {}) {
    this.info = info;
    this.options = options;
    this.limits = { ...defaultServerLimits, ...options.limits };
    this.revisions = selectRevisions(options.revisions);
    this.#subscriptions = new Subscriptions(this.limits.maxSubscriptions);
    this.#sealer = requestStateSealer(options.requestState);
  }

  /** Registers a tool. Throws where the name is taken, or a schema is none. server/tools. */
  tool<const I extends SchemaSource = never>(
    name: string,
    definition: ToolDefinition<I> & { output?: undefined },
    handler: ToolHandler<I, never>,
  ): Handle<ToolDefinition>;
  tool<const I extends SchemaSource = never, const O extends SchemaSource = never>(
    name: string,
    definition: ToolDefinition<I, O>,
    handler: ToolHandler<I, O>,
  ): Handle<ToolDefinition>;
  tool<I extends SchemaSource, O extends SchemaSource>(
    name: string,
    definition: ToolDefinition<I, O>,
    handler: ToolHandler<I, O>,
  ): Handle<ToolDefinition> {
    return this.#tools.register(name, definition as ToolDefinition, (changed) =>
      toolEntry(name, changed, handler as ToolEntry['run'], this.options.validator, this.#extensions));
  }

  /** Registers a resource. server/resources. */
  resource(uri: string, definition: ResourceDefinition, read: ReadResource): Handle<ResourceDefinition> {
    return this.#resources.register(uri, definition, (changed) => resourceEntry(uri, changed, read));
  }

  /** Registers a family of resources by RFC 6570 template. server/resources#resource-templates. */
  resourceTemplate<const T extends string>(
    template: T,
    definition: ResourceTemplateDefinition<T>,
    read: ReadTemplate<T>,
  ): Handle<ResourceTemplateDefinition> {
    const pattern = uriTemplate<string>(template);
    return this.#templates.register(template, definition as ResourceTemplateDefinition, (changed) =>
      templateEntry(pattern, template, changed, read as unknown as ReadTemplate<string>));
  }

  /** Registers a prompt. server/prompts. */
  prompt<const A extends Record<string, PromptArgumentDefinition>>(
    name: string,
    definition: PromptDefinition<A>,
    get: GetPrompt<A>,
  ): Handle<PromptDefinition> {
    return this.#prompts.register(name, definition as PromptDefinition, (changed) =>
      promptEntry(name, changed, get as PromptEntry['run']));
  }

  /**
   * Adds an extension, and returns what tells its listeners: see `ServerExtension`. Throws where its identifier is
   * malformed, or it, or something of it, is taken.
   */
  extend(extension: ServerExtension): TellListeners {
    const { id, methods = {}, filters = {}, resultTypes = [] } = extension;
    // 2026-07-28 basic/versioning#extension-negotiation: identifiers follow the rules of `_meta` keys, with a prefix.
    if (!isExtensionId(id)) throw new TypeError(`extension ${JSON.stringify(id)} is not a prefixed name`);
    const names = [id, ...Object.keys(methods), ...Object.keys(filters), ...resultTypes];
    for (const name of names) if (this.#extensions.has(name)) throw new Error(`${name} is already registered`);
    for (const name of names) this.#extensions.set(name, extension);
    this.#capabilities.clear();
    return this.#subscriptions.tell;
  }

  /** Tells every client that watches this resource that it has changed. */
  resourceUpdated(uri: string): void {
    const text = notificationText('notifications/resources/updated', { uri });
    for (const session of this.#sessions) if (session.watches(uri)) session.tell(text);
    this.#subscriptions.resourceUpdated(uri);
  }

  /** Several changes in one turn are one notification. */
  #changed(list: ListName): void {
    this.#capabilities.clear();
    if (this.#sessions.size === 0 && this.#subscriptions.size === 0) return;
    if (this.#pending.size === 0) void Promise.resolve().then(() => this.#announce());
    this.#pending.add(list);
  }

  #announce(): void {
    for (const list of this.#pending) {
      const text = notificationText(`notifications/${list}/list_changed`);
      for (const session of this.#sessions) session.tell(text);
      this.#subscriptions.listChanged(list);
    }
    this.#pending.clear();
  }

  connect(outlet: Outlet, options: PeerOptions = {}): ServerPeer {
    return new Session(this, outlet, options);
  }

  answer(request: Request, meta: RequestMeta, outlet: Outlet, auth?: Auth): Inbound {
    const inbound = new Inbound(request, outlet);
    inbound.run(() => this.answerModern(inbound, meta, auth));
    return inbound;
  }

  endSubscriptions(): void {
    this.#subscriptions.end();
  }

  toolInput(name: string): Tool['inputSchema'] | undefined {
    return this.#tools.get(name)?.listed.inputSchema;
  }

  /** For sessions: live ones are told of changes. */
  remember(session: Session): void {
    this.#sessions.add(session);
  }

  forget(session: Session): void {
    this.#sessions.delete(session);
  }

  report(error: Error): void {
    this.options.onError?.(error);
  }

  /** What the server has, as a revision declares it. Every request asks; it is found out anew after a change alone. */
  capabilities(revision: Revision): ServerCapabilities {
    const known = this.#capabilities.get(revision);
    if (known) return known;
    const completers = [...this.#prompts.values()].some(({ definition }) =>
      Object.values(definition.arguments ?? {}).some(({ complete }) => complete))
      || [...this.#templates.values()].some(({ definition }) => definition.complete);
    const declared: ServerCapabilities = {
      logging: {},
      ...completers && revision.completionsCapability && { completions: {} },
      ...this.#prompts.everHeld && { prompts: { listChanged: true } },
      ...(this.#resources.everHeld || this.#templates.everHeld) && { resources: { subscribe: true, listChanged: true } },
      ...this.#tools.everHeld && { tools: { listChanged: true } },
      ...revision.extensions && this.#extensions.size > 0 && {
        extensions: Object.fromEntries([...this.#extensions.values()].map(({ id, settings = {} }) => [id, settings])),
      },
    };
    this.#capabilities.set(revision, declared);
    return declared;
  }

  initializeResult(revision: Revision): object {
    return {
      protocolVersion: revision.version,
      serverInfo: adaptImplementation(this.info, revision),
      ...this.#offer(revision),
    };
  }

  /**
   * Whether a request without modern metadata can only be meant for the modern era: the method exists in no legacy
   * revision and there was no handshake, or the server has no legacy revision. It is then refused in modern words.
   */
  isModernOnly(method: string, fresh: boolean): boolean {
    if (!this.revisions.some(({ era }) => era === 'legacy')) return method !== 'initialize';
    return fresh && (method === 'server/discover' || method === 'subscriptions/listen');
  }

  /** Answers one modern request. 2026-07-28 basic/index#statelessness. */
  answerModern(inbound: Inbound, meta: RequestMeta, auth: Auth | undefined): object | Promise<object> {
    const { method, params = {} } = inbound.request;
    const { revision } = meta;
    if (method === 'server/discover') return this.#complete(this.#discover(revision));
    const exchange = new ModernExchange(inbound, meta, auth, this.#sealer);
    if (method === 'subscriptions/listen') {
      return this.#subscriptions.listen(exchange, (filter) => this.#honoured(filter, exchange))
        .then((result) => this.#complete(result));
    }
    const handle = (own: Params): object | Promise<object> => this.handle(method, own, exchange);
    // mrtr#supported-requests: these three may ask, and no other.
    const mayAsk = method === 'tools/call' || method === 'prompts/get' || method === 'resources/read';
    return after(mayAsk ? exchange.run(handle) : handle(params), (result) => this.#complete(result));
  }

  /** Answers a request of either era that is not part of a lifecycle. */
  handle(method: string, params: Params, exchange: Exchange): object | Promise<object> {
    const { rules: revision } = exchange;
    if (method === 'tools/call') {
      // First, since it is nearly every request.
      const entry = this.#tools.get(params['name']);
      if (entry) return callTool(entry, params, exchange);
    }
    if (!serverSupports(method, this.capabilities(revision), revision)) throw methodNotFound(method);
    switch (method) {
      case 'tools/call': throw invalid(`Unknown tool: ${String(params['name'])}`);
      case 'tools/list':
        return this.#list('tools', this.#tools, params, revision);
      case 'resources/list':
        return this.#list('resources', this.#resources, params, revision);
      case 'resources/templates/list':
        return this.#list('resourceTemplates', this.#templates, params, revision);
      case 'resources/read': {
        const { uri } = params;
        if (typeof uri !== 'string') throw invalidParams('uri must be a string');
        return readResource(uri, this.#resources.get(uri), this.#templates.values(), exchange, this.options.cache?.read);
      }
      case 'prompts/list':
        return this.#list('prompts', this.#prompts, params, revision);
      case 'prompts/get': {
        const entry = this.#prompts.get(params['name']);
        if (!entry) throw invalid(`Unknown prompt: ${String(params['name'])}`);
        return getPrompt(entry, params, exchange);
      }
      case 'completion/complete': {
        const target = completionTarget(params);
        return complete(this.#completer(target), target);
      }
    }
    const extension = this.#extensions.get(method);
    const handler = extension?.methods?.[method];
    if (!handler) throw methodNotFound(method);
    needExtension(extension, exchange);
    // 2026-07-28 basic/patterns/mrtr#supported-requests: only the three above end with questions.
    if (exchange instanceof ModernExchange) exchange.ask = () => Promise.reject(new Error(`${method} may not ask`));
    return settle(handler(params, exchange), exchange);
  }

  #list<E extends Entry>(member: Cacheable, registry: Registry<E>, { cursor }: Params, revision: Revision): Serialized {
    const { cache, pageSize = 1000 } = this.options;
    const hints = revision.resultType ? this.#stamp(cacheFields(cache?.[member])) : {};
    return new Serialized(registry.list(member, cursor, pageSize, revision, hints));
  }

  /** Unknown references are errors, unknown arguments too; an argument without a completer has no suggestions. */
  #completer({ kind, ref, argument }: CompletionTarget): Completer | undefined {
    if (kind === 'prompt') {
      const entry = this.#prompts.get(ref);
      if (!entry) throw invalid(`Unknown prompt: ${ref}`);
      const { arguments: args = {} } = entry.definition;
      if (!Object.hasOwn(args, argument)) throw invalid(`Prompt ${ref} has no argument ${argument}`);
      return args[argument]?.complete;
    }
    const entry = this.#templates.get(ref);
    if (!entry) {
      // A resource's own URI is a legal reference, with nothing to complete.
      if (this.#resources.get(ref)) return undefined;
      throw invalid(`Unknown resource template: ${ref}`);
    }
    if (!entry.pattern.variables.includes(argument)) throw invalid(`Template ${ref} has no variable ${argument}`);
    const completers = entry.definition.complete as Readonly<Record<string, Completer>> | undefined;
    return completers && Object.hasOwn(completers, argument) ? completers[argument] : undefined;
  }

  #discover(revision: Revision): object {
    return {
      supportedVersions: this.revisions.map(({ version }) => version),
      ...this.#offer(revision),
      ...cacheFields(this.options.cache?.discover),
    };
  }

  /** What both eras are told of the server before its first use. JSON leaves out what is undefined. */
  #offer(revision: Revision): object {
    return { capabilities: this.capabilities(revision), instructions: this.options.instructions };
  }

  #honoured(asked: SubscriptionFilter, exchange: Exchange): SubscriptionFilter {
    const has = this.capabilities(exchange.rules);
    const agreed: SubscriptionFilter = {};
    for (const [key, wanted] of Object.entries(asked)) {
      const extension = this.#extensions.get(key);
      const agree = extension?.filters?.[key];
      if (agree) {
        needExtension(extension, exchange);
        agreed[key] = agree(wanted, exchange);
      } else if (wanted && has[filterNeeds[key] as ListName]) agreed[key] = wanted;
    }
    return agreed;
  }

  /** 2026-07-28 basic/index#result-responses: every result says its type, and who made it. */
  #complete(result: Stamped): object {
    if (result instanceof Serialized) return result;
    if (result.resultType !== undefined || result._meta !== undefined) return this.#stamp(result);
    // Nearly every result: what is the same in all of them is not serialized again.
    const text = JSON.stringify(result);
    const stamp = this.#stampText ??= JSON.stringify(this.#stamp({})).slice(0, -1);
    return new Serialized(text === '{}' ? `${stamp}}` : `${stamp},${text.slice(1)}`);
  }

  #stamp(result: Stamped): object {
    return {
      ...result,
      resultType: result.resultType ?? 'complete',
      _meta: { [metaKeys.serverInfo]: this.info, ...result._meta },
    };
  }
}

/** The capability that each key of a filter needs. */
const filterNeeds: Readonly<Record<string, ListName>> = {
  toolsListChanged: 'tools',
  promptsListChanged: 'prompts',
  resourcesListChanged: 'resources',
  resourceSubscriptions: 'resources',
};

/** What every modern result carries. */
type Stamped = object & { resultType?: string; _meta?: object };

const invalid = (message: string): RpcError => new RpcError(errorCodes.invalidParams, message);
