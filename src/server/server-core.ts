import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { defaultConnectionLimits } from '../jsonrpc/connection.ts';
import type { ConnectionLimits, TakeBatch } from '../jsonrpc/connection.ts';
import { methodNotFound } from '../jsonrpc/errors.ts';
import { InboundRequest, noObject, Serialized } from '../jsonrpc/inbound-request.ts';
import type { Outlet } from '../jsonrpc/inbound-request.ts';
import type { Bag, Params, Request } from '../jsonrpc/message.ts';
import type { DiscoverResult } from '../protocol/lifecycle.ts';
import type { Implementation, ServerCapabilities } from '../protocol/lifecycle.ts';
import { checkInfo } from '../protocol/meta.ts';
import type { Meta, RequestMeta } from '../protocol/meta.ts';
import type { Observe } from '../protocol/observe.ts';
import type { Pinging } from '../protocol/pinging.ts';
import { checkCoreType, stamped } from '../protocol/result-type.ts';
import type { ModernResult } from '../protocol/result-type.ts';
import * as revisionTable from '../protocol/revisions.ts';
import { selectRevisions, versionsOf } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Auth } from '../transport/auth.ts';
import type { OpenQuestions, PeerOptions, ServedClient, ServerPort } from '../transport/server-port.ts';
import type { CacheFields, Caching } from './caching.ts';
import { makeEntryRunner } from './registry.ts';
import type { RunHandler } from './registry.ts';
import type { Changes } from './changes.ts';
import { ConnectedClient } from './connected-client.ts';
import type { Outcome, PlainContext } from './context.ts';
import { plainExchanges } from './exchange.ts';
import type { Exchange, ExchangeClasses, Requester } from './exchange.ts';
import { Failures } from './errors.ts';
import type { OnError } from './errors.ts';
import type { MethodHandler, Feature, FeatureHost } from './feature.ts';
import type { AnyGuards, Guards } from './guards.ts';
import type { Pages } from '../protocol/pagination.ts';

/** The parts of a server. */
export interface ServerParts<C extends PlainContext> {
  readonly info: Implementation;
  readonly features: readonly Feature<C>[];
  readonly revisions: readonly Revision[];
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly exchanges: ExchangeClasses<PlainContext>;
  readonly failures: Failures;
  readonly instructions?: string | undefined;
  readonly pages?: Pages | undefined;
  readonly caching?: Caching | undefined;
  readonly batches?: TakeBatch | undefined;
  readonly changes?: Changes | undefined;
  readonly pinging?: Pinging | undefined;
  readonly guards?: AnyGuards | undefined;
  readonly observe?: Observe | undefined;
}

/** The fields of a result that may not be cached. 2026-07-28 server/utilities/caching. */
export const notKept: CacheFields = { ttlMs: 0, cacheScope: 'private' };

/** What one revision offers to clients. Computed at its first use, and again after a registration. */
interface Offer {
  readonly capabilities: ServerCapabilities;
  readonly methods: ReadonlyMap<string, MethodHandler>;
  /** The features that declare something in this revision. */
  readonly features: readonly Feature<never>[];
}

/**
 * A server as this folder and the code that builds on it see it: its parts, its features, and its offer for each revision.
 * `ServerCore` is its public side.
 */
export interface ServerInternals extends ServerParts<never>, FeatureHost<never> {
  readonly changes?: Changes | undefined;
  guards?: AnyGuards | undefined;
  /** If two have the same method, the later one answers. */
  readonly features: Feature<never>[];
  /** Whether it serves revisions of these eras. */
  readonly legacy: boolean;
  readonly modern: boolean;
  /** Whether a definition has `scopes`, or ever had. */
  scoped: boolean;
  /** The input schema of a tool, if a feature has tools. */
  toolInput?: Feature<never>['toolInput'];
  /** Set by the first extension. */
  isExtensionResult: FeatureHost['isExtensionResult'];
  /** Computes again the values that depend on registered entries. */
  refresh(): void;
  offer(revision: Revision): Offer;
  /** The capabilities in a revision, as declared to `requester` if it is given. */
  capabilities(revision: Revision, requester?: Requester): ServerCapabilities;
  /**
   * The result of a modern request, which belongs to no session, or a promise of it. A throw is an error response.
   * 2026-07-28 basic/index#statelessness.
   */
  serveModern(inbound: InboundRequest, meta: RequestMeta, auth: Auth | undefined): object | Promise<object>;
  /** Answers a request of either era that is not part of a lifecycle. */
  dispatch(method: string, params: Params, exchange: Exchange): object | Promise<object>;
}

/**
 * Makes a server, and attaches its features to it. Long function: an object of short methods over the same few variables.
 */
export function makeInternals<C extends PlainContext>(parts: ServerParts<C>): ServerInternals {
  const { revisions, failures, caching, changes, info, pages, clock, observe } = parts;
  const features: Feature<never>[] = [...parts.features];
  const offers = new Map<Revision, Offer>();
  let stamp: string | undefined;

  /** Adds its type and the server's name to a modern result. The members that all results share are serialized only once. */
  function complete(result: object & ModernResult, exchange: Exchange): object {
    if (result instanceof Serialized) return result;
    const { resultType: type } = result;
    if (type !== undefined && !server.isExtensionResult(result as Bag, exchange)) checkCoreType(type);
    if (type !== undefined || result._meta !== undefined) return stamped(result, info);
    return new Serialized(() => {
      const text = JSON.stringify(result) as string | undefined;
      if (text?.[0] !== '{') throw noObject();
      stamp ??= JSON.stringify(stamped({}, info)).slice(0, -1);
      return stamp + (text === '{}' ? '}' : `,${text.slice(1)}`);
    });
  }

  const server: ServerInternals = {
    ...parts,
    features,
    legacy: revisions.at(-1)?.era === 'legacy',
    modern: revisions[0]?.era === 'modern',
    scoped: false,
    isExtensionResult: () => false,
    changed(list) {
      server.refresh();
      changes?.listChanged(list);
    },
    refresh() {
      offers.clear();
      server.scoped ||= features.some(({ scoped }) => scoped);
      server.toolInput = features.find(({ toolInput }) => toolInput)?.toolInput;
    },
    offer(revision) {
      const known = offers.get(revision);
      if (known) return known;
      const capabilities: ServerCapabilities = { logging: {} };
      const answers: [string, MethodHandler][] = [];
      const offered = features.filter((feature) => {
        const declared = feature.capabilities(revision, server);
        if (!declared) return false;
        const { methods } = feature;
        Object.assign(capabilities, declared);
        answers.push(...Object.entries(typeof methods === 'function' ? methods(revision) : methods));
        return true;
      });
      const offer = { capabilities, methods: new Map(answers), features: offered };
      offers.set(revision, offer);
      return offer;
    },
    capabilities(revision, requester) {
      let { capabilities } = server.offer(revision);
      if (requester) for (const feature of features) capabilities = feature.tailor?.(capabilities, requester) ?? capabilities;
      return capabilities;
    },
    serveModern(inbound, meta, auth) {
      const told = observe && { kind: 'server' as const, ...inbound.request, peer: meta, auth };
      if (inbound.request.method === 'server/discover') {
        // 2026-07-28 server/discover: this result has the server's name too.
        const found: DiscoverResult = stamped({
          supportedVersions: versionsOf(revisions), capabilities: server.capabilities(meta.revision), instructions: parts.instructions,
          ...caching?.fields('discover') ?? notKept,
        }, info);
        if (!told) return found;
        inbound.failures = { errorFor: (thrown) => failures.errorFor(thrown, { inbound, revision: meta.revision }) };
        return observe(told, () => found);
      }
      const exchange = new parts.exchanges.modern(inbound, meta, auth, parts.exchanges);
      // Also for errors before `dispatch`: of `observe`, or of a store of used states.
      exchange.failures = failures;
      inbound.failures = exchange;
      const result = told ? observe(told, () => exchange.answerModern(server)) : exchange.answerModern(server);
      return result instanceof Promise ? result.then((late) => complete(late, exchange)) : complete(result, exchange);
    },
    dispatch(method, params, exchange) {
      const { revision } = exchange;
      const answer = (offers.get(revision) ?? server.offer(revision)).methods.get(method);
      if (!answer) throw methodNotFound(method);
      exchange.failures = failures;
      exchange.clock = clock;
      exchange.inbound.failures = exchange;
      return answer(params, exchange, server);
    },
    page(member, registry, { cursor }, exchange) {
      const view = server.guards?.view(member, exchange);
      const { revision } = exchange;
      const hints = (): object => revisionTable.resultType(revision)
        ? stamped(caching?.fields(member, view !== undefined) ?? notKept, info)
        : {};
      const text = registry.list(member, cursor, pages, revision, hints, view);
      return new Serialized(() => text);
    },
    shows: (member, { name, definition }, requester) => server.guards?.listFilter?.shows(member, name, definition, requester) ?? true,
    makeRunner(handled) {
      const { guards } = server;
      const { definition: { needs, scopes }, handler } = handled;
      let invoke: RunHandler = guards ? guards.enclose(handled) : scopes?.length ? noGuards : handler;
      if (needs) {
        const inner = invoke;
        invoke = (args, exchange, params) => {
          exchange.checkNeeds(needs);
          return inner(args, exchange, params);
        };
      }
      return makeEntryRunner(invoke, handled, failures, guards?.inspect);
    },
    guard: <R>(exchange: Exchange, call: () => Outcome<R>, toResult: (value: R) => object | Promise<object>) =>
      makeEntryRunner<R>(call, { toResult }, failures)(undefined, {}, exchange),
    shield(method, tell) {
      try {
        tell();
      } catch (thrown) {
        failures.alarm(thrown, { what: 'notification', name: method });
      }
    },
    warn: (message, name) => failures.report(new Error(message), { what: 'registration', name }),
  };
  changes?.attach(server);
  parts.exchanges.attach?.(clock);
  for (const feature of parts.features) feature.attach(server);
  server.refresh();
  return server;
}

/** Notifies every client of this process that watches this resource of a change. */
export function tellUpdated({ features }: ServerInternals, uri: string): void {
  for (const feature of features) feature.resourceUpdated?.(uri);
}

/** The internals of a server that a transport is given; undefined: it is not from this package. */
export const internalsOf = (port: ServerPort): ServerInternals | undefined =>
  'internals' in port ? port.internals as ServerInternals : undefined;

const noGuards = (): never => {
  throw new Error('a server with `scopes` needs `guards: guards()`');
};

/** The limits of a server, besides those of each of its connections. */
export interface ServerLimits extends ConnectionLimits {
  /**
   * Milliseconds for a question to a legacy client, and for waiting for its `notifications/initialized` before. 5 minutes; 0: no
   * limit.
   */
  questionTimeoutMs: number;
  /**
   * The most resources that one legacy client, or one `subscriptions/listen`, may watch, and the most open `subscriptions/listen`
   * requests of the server. 10,000.
   */
  maxSubscriptions: number;
}

/** The default limits of a server. */
export const defaultServerLimits: ServerLimits = /* @__PURE__ */ Object.assign(
  // A spread would stay in every program: a bundler cannot tell that it has no side effects.
  { questionTimeoutMs: 300_000, maxSubscriptions: 10_000 }, defaultConnectionLimits,
);

/** Options of `ServerCore`. `McpServer` has its own `ServerOptions`. */
export interface CoreOptions<C extends PlainContext = PlainContext> {
  /** The features: `tools()`, `resources()`, `prompts()`, `completion(…)`. Each belongs to this server only. */
  readonly features?: readonly Feature<NoInfer<C>>[];
  /** How to use the server, for the client's model. */
  readonly instructions?: string;
  /** The revisions to serve, such as `['2025-11-25', '2026-07-28']`. Default: all five. */
  readonly revisions?: readonly string[];
  /** `pages(size)`: lists come in pages. Without it each list is one page. */
  readonly pages?: Pages;
  /** `caching(hints)`: clients of 2026-07-28 may cache results. Without it they cache none. */
  readonly caching?: Caching;
  /** `asking()`: handlers may ask the client. Without it their context has no questions. */
  readonly asking?: ExchangeClasses<C>;
  /** `batches`: accepts the batches of 2025-03-26. That revision is served only with it. */
  readonly batches?: TakeBatch;
  /** `changes()`: notifies clients of changes. Without it the server does not declare that lists may change. */
  readonly changes?: Changes;
  /** `pinging()`: closes the connection of a legacy client over a pipe that no longer answers. */
  readonly pinging?: Pinging;
  /** `guards()`: scopes, list filters and functions around handlers. Without it a handler with `scopes` cannot be called. */
  readonly guards?: Guards<NoInfer<C>>;
  /** The clock, also of the transports and sessions that serve this server. Default: the runtime's clock. */
  readonly clock?: Clock;
  /** See `defaultServerLimits`. */
  readonly limits?: Partial<ServerLimits>;
  /**
   * Called with every failure of a handler, with its stack, and with errors that belong to no request. Without it failures of
   * handlers are written to stderr.
   */
  readonly onError?: OnError;
  /**
   * The text that a caller reads for an exception that is not a `ToolError`: `id`, the number under which `onError` gets it, or,
   * for development, also its `message`. Default: `id`.
   */
  readonly errors?: 'id' | 'message';
  /** Called around each request, for traces, metrics and logs. */
  readonly observe?: Observe;
}

/** The options that `ServerCore` and `McpServer` share. */
export const commonShape: Pick<Shape<CoreOptions>, 'instructions' | 'revisions' | 'pinging' | 'limits' | 'clock' | 'onError' | 'errors' | 'observe'> = {
  instructions: 'string', revisions: 'list', pinging: 'object', limits: defaultServerLimits, clock: 'object', onError: 'function',
  errors: '"id" or "message"', observe: 'function',
};

/**
 * The core of a server: answers requests with any features. One instance serves all clients and requests; transports reach it
 * through `ServerPort`. `McpServer` is a `ServerCore` with every feature; `new ServerCore(info, { features: [tools()] })` is a
 * server with tools only.
 */
export class ServerCore<C extends PlainContext = PlainContext> implements ServerPort {
  /** The server's name and version, as sent to clients. */
  readonly info: Implementation;
  /** The revisions that are served, newest first. */
  readonly revisions: readonly Revision[];
  /** The clock, also of its transports. */
  readonly clock: Clock;
  /** For code in this package that builds on the server. Not for users: its form may change at any time. */
  readonly internals: ServerInternals;

  /**
   * Throws a TypeError for an unknown or malformed option, a RangeError for a revision that does not exist or cannot be
   * served, and an Error for a feature that belongs to another server.
   */
  constructor(info: Implementation, options: CoreOptions<C> = {}) {
    checkInfo('ServerCore: info', info);
    checkOptions('ServerCore: options', options, {
      ...commonShape, features: 'list', pages: 'function', caching: 'object', asking: 'object', batches: 'function', changes: 'object', guards: 'object',
    });
    this.info = info;
    const { features = [], batches, clock = systemClock } = options;
    this.clock = clock;
    const chosen = selectRevisions(options.revisions);
    const revisions = this.revisions = batches ? chosen : chosen.filter((revision) => !revisionTable.batching(revision));
    if (options.revisions && revisions.length < chosen.length) {
      throw new RangeError('2025-03-26 needs `batches`');
    }
    this.internals = makeInternals<C>({
      ...options, info, features, revisions, clock,
      exchanges: options.asking ?? plainExchanges,
      failures: new Failures(options.onError, options.errors),
      limits: { ...defaultServerLimits, ...options.limits },
    });
  }

  /** For transports: opens a client that speaks over one lasting channel. */
  connect(outlet: Outlet, options: PeerOptions = {}): ServedClient {
    return new ConnectedClient(this.internals, outlet, options);
  }

  /** For HTTP: answers one modern request, which belongs to no session. See `ServerPort`. */
  serveRequest(request: Request, meta: RequestMeta, outlet: Outlet, auth: Auth | undefined): InboundRequest {
    const inbound = new InboundRequest(request, outlet);
    inbound.run(() => this.internals.serveModern(inbound, meta, auth));
    return inbound;
  }

  /** For HTTP: whether a definition of the server has `scopes`, or ever had. */
  get scoped(): boolean {
    return this.internals.scoped;
  }

  /** For HTTP: the input schema of a tool; undefined: the server does not have this tool, or hides it from this client. */
  toolInput(
    name: string, { revision, client, capabilities }: RequestMeta, auth: Auth | undefined, meta: Meta | undefined,
  ): Readonly<Record<string, unknown>> | undefined {
    const { guards, toolInput } = this.internals;
    try {
      return toolInput?.(name, guards?.listFilter && { revision, client, capabilities, auth, meta });
    } catch {
      // The call itself fails in the same filter, and reports that.
      return undefined;
    }
  }

  /** For HTTP: open questions to clients whose answers only this process can use. */
  get questions(): OpenQuestions | undefined {
    return this.internals.exchanges.questions;
  }

  /** For transports: ends every open `subscriptions/listen` with a cancellation and its result, as at shutdown. */
  endSubscriptions(): void {
    this.internals.changes?.end();
  }
}
