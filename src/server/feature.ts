import type { Params } from '../jsonrpc/message.ts';
import type { Serialized } from '../jsonrpc/inbound-request.ts';
import type { ListName } from '../protocol/pagination.ts';
import type { ServerCapabilities } from '../protocol/lifecycle.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Tool } from '../protocol/tools.ts';
import type { Caching } from './caching.ts';
import type { EntryRunner, Entry, RegisteredHandler, ListedKind, Registry } from './registry.ts';
import type { PlainContext, Listener, Outcome } from './context.ts';
import type { Exchange, Requester } from './exchange.ts';
import type { TellListeners } from './extensions.ts';
import type { ServerLimits } from './server-core.ts';
import type { ListFilter } from './guards.ts';

/** Answers the requests of one method; `host` is what the server lends it. A throw is an error answer. */
export type MethodHandler = (params: Params, exchange: Exchange, host: FeatureHost) => object | Promise<object>;

/**
 * What is agreed of what a client wants under a key of the filter of `subscriptions/listen`; undefined: nothing.
 * A throw refuses to listen.
 */
export type Agree = (wanted: unknown, exchange: Exchange) => unknown;

/**
 * A part of the protocol that a server may have or lack: what it answers, and what it declares. `tools()` and
 * its kin make features; `new ServerCore(info, { features: [...] })` takes them. `C` is the context that its
 * handlers are given.
 */
export interface Feature<C extends PlainContext = PlainContext> {
  /** What it answers, by method; a function where that differs between revisions. */
  readonly methods: Readonly<Record<string, MethodHandler>> | ((revision: Revision) => Readonly<Record<string, MethodHandler>>);
  /** What it declares; undefined while there is nothing of it: its methods are not found then. */
  readonly capabilities: (revision: Revision, host: FeatureHost) => ServerCapabilities | undefined;
  /** What of all that the server declares a certain client is told, where it is not the same for all. */
  tailor?(capabilities: ServerCapabilities, requester: Requester): ServerCapabilities;
  /** The keys of the filter of `subscriptions/listen` that it knows, beside those of lists. */
  readonly filters?: Readonly<Record<string, Agree>>;
  /** The input schema of a tool: over HTTP headers mirror what it marks with `x-mcp-header`. Undefined: no such tool. */
  toolInput?(name: string): Tool['inputSchema'] | undefined;
  /** Tells those who watch this resource that it has changed. */
  resourceUpdated?(uri: string): void;
  /** Whether something of it has `scopes`. */
  readonly scoped?: boolean;
  /** Something else stands around handlers now: what answers their calls is put together anew. */
  rechain?(host: FeatureHost<C>): void;
  /** Called once, by the server that it belongs to. Throws at the second call. */
  readonly attach: (host: FeatureHost<C>) => void;
}

/** What a server lends its features. */
export interface FeatureHost<out C extends PlainContext = PlainContext> {
  /** Never there: it tells the compiler which context handlers get. */
  readonly context?: C;
  /** How long clients may keep each kind of result, unless what is listed or read says otherwise. */
  readonly caching?: Caching | undefined;
  readonly limits: ServerLimits;
  /** Tells those who listen for a key of the filter of `subscriptions/listen`; undefined: nobody is told of changes. */
  readonly changes?: { readonly tell: TellListeners } | undefined;
  /** Something was registered, updated or removed. */
  changed(list: ListName): void;
  /** One page of what `registry` holds. Throws `-32602` for a cursor that was not handed out here. */
  page<E extends Entry>(
    member: ListedKind, registry: Registry<E>, params: Params, exchange: Exchange,
  ): Serialized;
  /** Where something hides entries from requesters. */
  readonly guards?: { readonly listFilter?: ListFilter | undefined } | undefined;
  /** Whether the requester may see an entry. */
  shows(member: ListedKind, entry: Pick<Entry, 'name' | 'definition'>, requester: Listener): boolean;
  /** Whether this is a result of a type that an extension defines. Throws where the client lacks the extension. */
  isExtensionResult(value: Readonly<Record<string, unknown>>, exchange: Exchange): boolean;
  /**
   * Makes what answers the calls of a handler, with all that stands around it; to be called when the handler is registered,
   * and at each `rechain`. Whatever the handler throws is reported and becomes what the caller may read: in `tools/call` a
   * `ToolError`, which `failed` makes a result of, otherwise an `RpcError`.
   */
  makeRunner<R>(handled: RegisteredHandler<R>): EntryRunner;
  /** Runs a function of the author's that nothing stands around, and makes a result of its value. */
  guard<R>(exchange: Exchange, call: () => Outcome<R>, toResult: (value: R) => object | Promise<object>): object | Promise<object>;
  /** Tells the author of something that works but should not be. */
  warn(message: string, name: string): void;
}

/** The host of a feature that is used by another one. Throws before it is attached. */
export function hostOf<C extends PlainContext>(host: FeatureHost<C> | undefined): FeatureHost<C> {
  if (!host) throw new Error('this feature belongs to no server yet: hand it in as one of `features`');
  return host;
}
