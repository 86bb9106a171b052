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
import type { DiscoverResult } from '../protocol/discover.ts';
import type { Implementation, ServerCapabilities } from '../protocol/lifecycle.ts';
import { checkInfo } from '../protocol/meta.ts';
import type { RequestMeta } from '../protocol/meta.ts';
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
import { Failures } from './failure.ts';
import type { OnError } from './failure.ts';
import type { MethodHandler, Feature, FeatureHost } from './feature.ts';
import type { AnyGuards, Guards } from './guards.ts';
import type { Pages } from './pages.ts';

/** What a server is made with. */
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

/** What a result says that nobody may keep. 2026-07-28 server/utilities/caching. */
export const notKept: CacheFields = { ttlMs: 0, cacheScope: 'private' };

/** What a revision is offered. Made at its first use, and made anew after something is registered. */
interface Offer {
  readonly capabilities: ServerCapabilities;
  readonly methods: ReadonlyMap<string, MethodHandler>;
  /** The features that have something in this revision. */
  readonly features: readonly Feature<never>[];
}

/**
 * A server as the files of this folder see it, and what builds on them: what it was made with, what it has, and what of it
 * each revision is offered. `ServerCore` is its outside.
 */
export interface ServerInternals extends ServerParts<never>, FeatureHost<never> {
  readonly changes?: Changes | undefined;
  guards?: AnyGuards | undefined;
  /** Where two answer the same method, the later one does. */
  readonly features: Feature<never>[];
  /** Whether it serves revisions of these eras. */
  readonly legacy: boolean;
  readonly modern: boolean;
  /** Whether something of it has `scopes`, or ever had. */
  scoped: boolean;
  /** The input schema of a tool, where a feature has tools. */
  toolInput?: Feature<never>['toolInput'];
  /** Set by the first extension. */
  isExtensionResult: FeatureHost['isExtensionResult'];
  /** Finds anew what follows from what is registered. */
  refresh(): void;
  offer(revision: Revision): Offer;
  /** What the server declares in a revision; to one client, where one is named. */
  capabilities(revision: Revision, requester?: Requester): ServerCapabilities;
  /**
   * The result of a modern request, which belongs to no session, or a promise of it. A throw is an error answer.
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

  /** A modern result with its type and the server's name. What is the same in all results is not serialized again. */
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
        // 2026-07-28 server/discover: it has the server's name too.
        const found: DiscoverResult = stamped({
          supportedVersions: versionsOf(revisions), capabilities: server.capabilities(meta.revision), instructions: parts.instructions,
          ...caching?.fields('discover') ?? notKept,
        }, info);
        return told ? observe(told, () => found) : found;
      }
      const exchange = new parts.exchanges.modern(inbound, meta, auth, parts.exchanges);
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
    warn: (message, name) => failures.report(new Error(message), { what: 'registration', name }),
  };
  changes?.attach(server);
  parts.exchanges.attach?.(clock);
  for (const feature of parts.features) feature.attach(server);
  server.refresh();
  return server;
}

/** Tells every client of this process that watches this resource that it has changed. */
export function tellUpdated({ features }: ServerInternals, uri: string): void {
  for (const feature of features) feature.resourceUpdated?.(uri);
}

/** The inside of a server that a transport is given; undefined: it is not of this package. */
export const internalsOf = (port: ServerPort): ServerInternals | undefined =>
  'internals' in port ? port.internals as ServerInternals : undefined;

const noGuards = (): never => {
  throw new Error('a server with `scopes` needs `guards: guards()`');
};

/** What a server bounds, beside what each of its connections bounds. */
export interface ServerLimits extends ConnectionLimits {
  /**
   * Milliseconds that a question to a legacy client may take, and that it may wait for
   * `notifications/initialized` before. 5 minutes; 0: no limit.
   */
  questionTimeoutMs: number;
  /**
   * Resources that one legacy client may watch,
   * and `subscriptions/listen` requests that the server keeps open. 10,000.
   */
  maxSubscriptions: number;
}

/** The limits of a server that sets none. */
export const defaultServerLimits: ServerLimits = /* @__PURE__ */ Object.assign(
  // A spread would stay in every program: a bundler cannot tell that it runs nothing.
  { questionTimeoutMs: 300_000, maxSubscriptions: 10_000 }, defaultConnectionLimits,
);

/** What `ServerCore` may be given; `McpServer` takes all of it too. */
export interface CoreOptions<C extends PlainContext = PlainContext> {
  /** What the server has: `tools()`, `resources()`, `prompts()`, `completion(…)`. Each belongs to this server only. */
  readonly features?: readonly Feature<NoInfer<C>>[];
  /** How to use the server, for the client's model. */
  readonly instructions?: string;
  /** The revisions to serve, such as `['2025-11-25', '2026-07-28']`. All five. */
  readonly revisions?: readonly string[];
  /** `pages(size)`: lists come in pages. Without it each list is one page. */
  readonly pages?: Pages;
  /** `caching(hints)`: clients of 2026-07-28 may keep results. Without it they keep none. */
  readonly caching?: Caching;
  /** Lets handlers ask the client: `asking()`. Without it their context has no questions. */
  readonly asking?: ExchangeClasses<C>;
  /** `batches`: takes the batches of 2025-03-26. That revision is served only with it. */
  readonly batches?: TakeBatch;
  /** `changes()`: tells clients of changes. Without it lists are taken never to change. */
  readonly changes?: Changes;
  /** `pinging()`: ends the connection of a legacy client over a pipe that has gone silent. */
  readonly pinging?: Pinging;
  /** `guards()`: scopes, list filters and functions around handlers. Without it a handler with `scopes` cannot be called. */
  readonly guards?: Guards<NoInfer<C>>;
  /** What time it is, for all that serves this server too: its transports and sessions. Default: the runtime's clock. */
  readonly clock?: Clock;
  /** See `defaultServerLimits`. */
  readonly limits?: Partial<ServerLimits>;
  /**
   * Hears of every failure of a handler, with its stack, and of what went wrong without a request. Without it
   * failures of handlers are written to stderr.
   */
  readonly onError?: OnError;
  /**
   * What a caller reads of an exception that is no `ToolError`: `id`, the number under which `onError` was
   * told of it, or, for development, also its `message`. `id`.
   */
  readonly errors?: 'id' | 'message';
  /** Stands around each request, for traces, metrics and logs. */
  readonly observe?: Observe;
}

/** The options that `ServerCore` and `McpServer` take alike. */
export const commonShape: Pick<Shape<CoreOptions>, 'instructions' | 'revisions' | 'pinging' | 'limits' | 'clock' | 'onError' | 'errors' | 'observe'> = {
  instructions: 'string', revisions: 'list', pinging: 'object', limits: defaultServerLimits, clock: 'object', onError: 'function',
  errors: '"id" or "message"', observe: 'function',
};

/**
 * The core of a server: how one request is answered, whatever features it has. Shared by all clients and
 * requests; transports reach it through `ServerPort`. `McpServer` is this with every feature;
 * `new ServerCore(info, { features: [tools()] })` is a server that carries tools and nothing else.
 */
export class ServerCore<C extends PlainContext = PlainContext> implements ServerPort {
  /** What clients are told of the server's name and version. */
  readonly info: Implementation;
  /** The revisions that are served, newest first. */
  readonly revisions: readonly Revision[];
  /** What time it is, for what serves it. */
  readonly clock: Clock;
  /** For what builds on the server from within this package. Not for users: its form may change at any time. */
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

  /** For HTTP: answers one modern request, which belongs to no session: see `ServerPort`. */
  serveRequest(request: Request, meta: RequestMeta, outlet: Outlet, auth: Auth | undefined): InboundRequest {
    const inbound = new InboundRequest(request, outlet);
    inbound.run(() => this.internals.serveModern(inbound, meta, auth));
    return inbound;
  }

  /** For HTTP: whether something of the server has `scopes`, or ever had. */
  get scoped(): boolean {
    return this.internals.scoped;
  }

  /** For HTTP: the input schema of a tool; undefined where the server has no such tool. */
  toolInput(name: string): Readonly<Record<string, unknown>> | undefined {
    return this.internals.toolInput?.(name);
  }

  /** For HTTP: questions to clients whose answers only this process can take. */
  get questions(): OpenQuestions | undefined {
    return this.internals.exchanges.questions;
  }

  /** For transports: ends every open `subscriptions/listen` with a cancellation and its result, as at shutdown. */
  endSubscriptions(): void {
    this.internals.changes?.end();
  }
}
