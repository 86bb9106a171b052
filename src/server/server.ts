import type { Clock } from '../bounds/clock.ts';
import { methodNotFound } from '../jsonrpc/errors.ts';
import type { TakeBatch } from '../jsonrpc/connection.ts';
import type { Inbound } from '../jsonrpc/inbound.ts';
import type { Params } from '../jsonrpc/message.ts';
import { noObject, Serialized } from '../jsonrpc/inbound.ts';
import * as columns from '../protocol/revisions.ts';
import { discoverResult } from '../protocol/discover.ts';
import type { Implementation, ServerCapabilities } from '../protocol/lifecycle.ts';
import { stamped } from '../protocol/meta.ts';
import type { ModernResult, RequestMeta } from '../protocol/meta.ts';
import type { Observe } from '../protocol/observe.ts';
import type { Pinging } from '../protocol/pinging.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Auth } from '../transport/auth.ts';
import type { ServerPort } from '../transport/server-port.ts';
import type { CacheFields, Caching } from './caching.ts';
import { makeAnswerCall } from './chain.ts';
import type { Invoke } from './chain.ts';
import type { Changes } from './changes.ts';
import type { Outcome, PlainContext } from './context.ts';
import type { Exchange, Exchanges, Requester } from './exchange.ts';
import type { Failures } from './failure.ts';
import type { AnswerMethod, Feature, FeatureHost } from './feature.ts';
import type { AnyGuards } from './guards.ts';
import type { ServerLimits } from './server-core.ts';
import type { Pages } from './pages.ts';

/** What a server is made with. */
export interface ServerParts<C extends PlainContext> {
  readonly info: Implementation;
  readonly features: readonly Feature<C>[];
  readonly revisions: readonly Revision[];
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly exchanges: Exchanges<PlainContext>;
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
  readonly methods: ReadonlyMap<string, AnswerMethod>;
  /** The features that have something in this revision. */
  readonly features: readonly Feature<never>[];
}

/**
 * A server as the files of this folder see it, and what builds on them: what it was made with, what it has, and what of it
 * each revision is offered. `ServerCore` is its outside.
 */
export interface Server extends ServerParts<never>, FeatureHost<never> {
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
  answerModern(inbound: Inbound, meta: RequestMeta, auth: Auth | undefined): object | Promise<object>;
  /** Answers a request of either era that is not part of a lifecycle. */
  handle(method: string, params: Params, exchange: Exchange): object | Promise<object>;
}

/**
 * Makes a server, and attaches its features to it. Long function: an object of short methods over the same few variables.
 */
export function makeServer<C extends PlainContext>(parts: ServerParts<C>): Server {
  const { revisions, failures, caching, changes, info, pages, clock, observe } = parts;
  const features: Feature<never>[] = [...parts.features];
  const offers = new Map<Revision, Offer>();
  let stamp: string | undefined;

  /** A modern result with its type and the server's name. What is the same in all results is not serialized again. */
  function complete(result: object & ModernResult): object {
    if (result instanceof Serialized) return result;
    if (result.resultType !== undefined || result._meta !== undefined) return stamped(result, info);
    return new Serialized(() => {
      const text = JSON.stringify(result) as string | undefined;
      if (text?.[0] !== '{') throw noObject();
      stamp ??= JSON.stringify(stamped({}, info)).slice(0, -1);
      return stamp + (text === '{}' ? '}' : `,${text.slice(1)}`);
    });
  }

  const server: Server = {
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
      const answers: [string, AnswerMethod][] = [];
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
    answerModern(inbound, meta, auth) {
      const told = observe && { kind: 'server' as const, ...inbound.request, peer: meta, auth };
      if (inbound.request.method === 'server/discover') {
        const found = discoverResult(parts, server.capabilities(meta.revision), caching?.fields('discover') ?? notKept);
        return told ? observe(told, () => found) : found;
      }
      const exchange = parts.exchanges.modern(inbound, meta, auth);
      const result = told ? observe(told, () => exchange.beginModern(server)) : exchange.beginModern(server);
      return result instanceof Promise ? result.then(complete) : complete(result);
    },
    handle(method, params, exchange) {
      const { revision } = exchange;
      const answer = (offers.get(revision) ?? server.offer(revision)).methods.get(method);
      if (!answer) throw methodNotFound(method);
      exchange.failures = failures;
      exchange.clock = clock;
      exchange.inbound.resultJudge = exchange;
      return answer(params, exchange, server);
    },
    page(member, registry, { cursor }, exchange) {
      const view = server.guards?.view(member, exchange);
      const { revision } = exchange;
      const hints = (): object => columns.resultType(revision)
        ? stamped(caching?.fields(member, view !== undefined) ?? notKept, info)
        : {};
      const text = registry.list(member, cursor, pages, revision, hints, view);
      return new Serialized(() => text);
    },
    shows: (member, { name, definition }, requester) => server.guards?.listFilter?.shows(member, name, definition, requester) ?? true,
    answerCall(handled) {
      const { guards } = server;
      const { definition: { needs, scopes }, handler } = handled;
      let invoke: Invoke = guards ? guards.enclose(handled) : scopes?.length ? noGuards : handler;
      if (needs) {
        const inner = invoke;
        invoke = (args, exchange, params) => {
          exchange.checkNeeds(needs);
          return inner(args, exchange, params);
        };
      }
      return makeAnswerCall(invoke, handled, failures, guards?.inspect);
    },
    guard: <R>(exchange: Exchange, call: () => Outcome<R>, finish: (value: R) => object | Promise<object>) =>
      makeAnswerCall<R>(call, { finish }, failures)(undefined, {}, exchange),
    warn: (message, name) => failures.report(new Error(message), { what: 'registration', name }),
  };
  changes?.attach(server);
  parts.exchanges.attach?.(clock);
  for (const feature of parts.features) feature.attach(server);
  server.refresh();
  return server;
}

/** Tells every client of this process that watches this resource that it has changed. */
export function tellUpdated({ features }: Server, uri: string): void {
  for (const feature of features) feature.resourceUpdated?.(uri);
}

/** The inside of a server that a transport is given; undefined: it is not of this package. */
export const insideOf = (port: ServerPort): Server | undefined =>
  'inside' in port ? port.inside as Server : undefined;

const noGuards = (): never => {
  throw new Error('a server with `scopes` needs `guards: guards()`');
};
