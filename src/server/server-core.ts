import { defaultConnectionLimits } from '../jsonrpc/connection.ts';
import type { ConnectionLimits } from '../jsonrpc/connection.ts';
import { methodNotFound } from '../jsonrpc/errors.ts';
import { Inbound } from '../jsonrpc/inbound.ts';
import type { Params, Request } from '../jsonrpc/message.ts';
import { notificationText, Serialized } from '../jsonrpc/outlet.ts';
import type { Outlet } from '../jsonrpc/outlet.ts';
import type { Implementation, ServerCapabilities } from '../protocol/initialize.ts';
import { isExtensionId, metaKeys } from '../protocol/meta.ts';
import type { RequestMeta } from '../protocol/meta.ts';
import { selectRevisions } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { SubscriptionFilter } from '../protocol/subscriptions.ts';
import type { Tool } from '../protocol/tools.ts';
import type { Auth, PeerOptions, ServerPeer, ServerPort } from '../transport/port.ts';
import { adaptImplementation } from './adapt.ts';
import { cacheFields } from './caching.ts';
import type { CacheHint } from './caching.ts';
import type { PlainContext } from './context.ts';
import { Exchange } from './exchange.ts';
import type { Exchanges } from './exchange.ts';
import { needExtension } from './extension.ts';
import type { ServerExtension, TellListeners } from './extension.ts';
import type { Answer, Feature } from './feature.ts';
import type { Entry, Registry } from './registry.ts';
import { after } from './run.ts';
import { Session } from './legacy/session.ts';
import { Subscriptions } from './modern/subscriptions.ts';
import type { ListName } from './modern/subscriptions.ts';
import type { Validator } from './tools.ts';

export interface ServerLimits extends ConnectionLimits {
  /** Milliseconds that a question to the client may take (legacy). 5 minutes; 0: no limit. */
  questionTimeoutMs: number;
  /**
   * Resources that one session may watch,
   * and `subscriptions/listen` requests that the server keeps open. 10,000.
   */
  maxSubscriptions: number;
}

export const defaultServerLimits: ServerLimits = {
  ...defaultConnectionLimits,
  questionTimeoutMs: 300_000,
  maxSubscriptions: 10_000,
};

/** What can be cached by clients of 2026-07-28. */
export type Cacheable = 'discover' | 'tools' | 'prompts' | 'resources' | 'resourceTemplates' | 'read';

export interface CoreOptions<C extends PlainContext = PlainContext> {
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
  /** Lets handlers ask the client: `asking()`. Without it their context has no questions. */
  readonly asking?: Exchanges<C>;
  readonly limits?: Partial<ServerLimits>;
  /** What went wrong and had no request to answer. */
  readonly onError?: (error: Error) => void;
  /** A legacy client's roots have changed. */
  readonly onRootsChanged?: () => void;
}

/**
 * What a revision is offered: changes with what is registered, and is found out anew after a change alone.
 */
interface Offer {
  readonly capabilities: ServerCapabilities;
  readonly methods: ReadonlyMap<string, Answer>;
}

/** Handlers that do not ask. */
const plain: Exchanges<PlainContext> = {
  legacy: (session, inbound) => new Exchange(inbound, session, session.options.auth),
  modern: (inbound, meta, auth) => new Exchange(inbound, meta, auth),
};

/**
 * The core of a server: how one request is answered, whatever features it has. Shared by all clients and
 * requests; transports reach it through `ServerPort`. `McpServer` is this with every feature;
 * `new Tools(new ServerCore(info))` is a server that has tools and carries nothing else.
 */
export class ServerCore<C extends PlainContext = PlainContext> implements ServerPort {
  readonly info: Implementation;
  readonly options: CoreOptions<C>;
  readonly limits: ServerLimits;
  readonly revisions: readonly Revision[];
  /** Who makes the exchange of a request. */
  readonly exchanges: Exchanges<PlainContext>;
  readonly #features: Feature[] = [];
  /** By every name that they add: their own, methods, keys of filters, result types. */
  readonly extensions: Map<unknown, ServerExtension<never>> = new Map();
  readonly #sessions = new Set<Session>();
  readonly #subscriptions: Subscriptions;
  readonly #pending = new Set<ListName>();
  readonly #offers = new Map<Revision, Offer>();
  #stampText: string | undefined;

  /** Throws a RangeError for a revision that does not exist. */
  constructor(info: Implementation, options: CoreOptions<C> = {}) {
    this.info = info;
    this.options = options;
    this.limits = { ...defaultServerLimits, ...options.limits };
    this.revisions = selectRevisions(options.revisions);
    this.exchanges = options.asking ?? plain;
    this.#subscriptions = new Subscriptions(this.limits.maxSubscriptions);
  }

  /** Adds a feature: `Tools` and its kin call this. */
  add(feature: Feature): void {
    this.#features.push(feature);
    this.#offers.clear();
  }

  /**
   * Adds an extension, and returns what tells its listeners: see `ServerExtension`. Throws where its
   * identifier is malformed, or it, or something of it, is taken.
   */
  extend(extension: ServerExtension<C>): TellListeners {
    const { id, methods = {}, filters = {}, resultTypes = [] } = extension;
    // 2026-07-28 basic/versioning#extension-negotiation:
    // identifiers follow the rules of `_meta` keys, with a prefix.
    if (!isExtensionId(id)) throw new TypeError(`extension ${JSON.stringify(id)} is not a prefixed name`);
    const names = [id, ...Object.keys(methods), ...Object.keys(filters), ...resultTypes];
    for (const name of names) if (this.extensions.has(name)) throw new Error(`${name} is already registered`);
    for (const name of names) this.extensions.set(name, extension);
    this.#offers.clear();
    return this.#subscriptions.tell;
  }

  /** Tells every client that watches this resource that it has changed. */
  resourceUpdated(uri: string): void {
    const text = notificationText('notifications/resources/updated', { uri });
    for (const session of this.#sessions) if (session.watches(uri)) session.tell(text);
    this.#subscriptions.resourceUpdated(uri);
  }

  /** For features: a list of theirs has changed. Several changes in one turn are one notification. */
  changed(list: ListName): void {
    this.#offers.clear();
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
    return this.#features.find((feature) => feature.toolInput)?.toolInput?.(name);
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

  /** What the server has, as a revision declares it. */
  capabilities(revision: Revision): ServerCapabilities {
    return this.#offer(revision).capabilities;
  }

  #offer(revision: Revision): Offer {
    const known = this.#offers.get(revision);
    if (known) return known;
    const capabilities: ServerCapabilities = { logging: {} };
    const methods = new Map<string, Answer>();
    for (const feature of this.#features) {
      const added = feature.capabilities(revision);
      if (!added) continue;
      Object.assign(capabilities, added);
      for (const [method, answer] of Object.entries(feature.methods)) methods.set(method, answer);
    }
    if (revision.extensions && this.extensions.size > 0) {
      capabilities.extensions = Object.fromEntries(
        [...this.extensions.values()].map(({ id, settings = {} }) => [id, settings]),
      );
    }
    const offer = { capabilities, methods };
    this.#offers.set(revision, offer);
    return offer;
  }

  initializeResult(revision: Revision): object {
    return {
      protocolVersion: revision.version,
      serverInfo: adaptImplementation(this.info, revision),
      ...this.#introduction(revision),
    };
  }

  /**
   * Whether a request without modern metadata can only be meant for the modern era: the method exists in no
   * legacy revision and there was no handshake, or the server has no legacy revision.
   * It is then refused in modern words.
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
    const exchange = this.exchanges.modern(inbound, meta, auth);
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
    const answer = this.#offer(exchange.rules).methods.get(method);
    if (answer) return answer(params, exchange);
    const extension = this.extensions.get(method);
    const handler = extension?.methods?.[method];
    if (!handler) throw methodNotFound(method);
    needExtension(extension, exchange);
    return exchange.settle(handler(params, exchange as never));
  }

  /** For features: a page of what they list. */
  list<E extends Entry>(
    member: Cacheable,
    registry: Registry<E>,
    { cursor }: Params,
    revision: Revision,
  ): Serialized {
    const { cache, pageSize = 1000 } = this.options;
    const hints = revision.resultType ? this.#stamp(cacheFields(cache?.[member])) : {};
    return new Serialized(registry.list(member, cursor, pageSize, revision, hints));
  }

  #discover(revision: Revision): object {
    return {
      supportedVersions: this.revisions.map(({ version }) => version),
      ...this.#introduction(revision),
      ...cacheFields(this.options.cache?.discover),
    };
  }

  /** What both eras are told of the server before its first use. JSON leaves out what is undefined. */
  #introduction(revision: Revision): object {
    return { capabilities: this.capabilities(revision), instructions: this.options.instructions };
  }

  #honoured(asked: SubscriptionFilter, exchange: Exchange): SubscriptionFilter {
    const has = this.capabilities(exchange.rules);
    const agreed: SubscriptionFilter = {};
    for (const [key, wanted] of Object.entries(asked)) {
      const extension = this.extensions.get(key);
      const agree = extension?.filters?.[key];
      if (agree) {
        needExtension(extension, exchange);
        agreed[key] = agree(wanted, exchange);
      } else if ((wanted === true || key === 'resourceSubscriptions') && has[filterNeeds[key] as ListName]) {
        agreed[key] = wanted;
      }
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
