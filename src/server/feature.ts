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

/** Handles the requests of one method; `host` is its server. A throw is an error response. */
export type MethodHandler = (params: Params, exchange: Exchange, host: FeatureHost) => object | Promise<object>;

/**
 * Returns the agreed value for a client's value under a key of the filter of `subscriptions/listen`; undefined: nothing is agreed.
 * If it throws, the request fails.
 */
export type Agree = (wanted: unknown, exchange: Exchange) => unknown;

/**
 * A part of the protocol that a server may have or lack: its methods and capabilities. `tools()`, `resources()` and others make
 * features; `new ServerCore(info, { features: [...] })` takes them. `C` is the context of its handlers.
 */
export interface Feature<C extends PlainContext = PlainContext> {
  /** Its methods; a function if they differ between revisions. */
  readonly methods: Readonly<Record<string, MethodHandler>> | ((revision: Revision) => Readonly<Record<string, MethodHandler>>);
  /** Its capabilities. Undefined while nothing is registered: its methods are not found then. */
  readonly capabilities: (revision: Revision, host: FeatureHost) => ServerCapabilities | undefined;
  /** Receives all capabilities of the server; returns those to declare to one client, if they are not the same for all. */
  tailor?(capabilities: ServerCapabilities, requester: Requester): ServerCapabilities;
  /** Its keys of the filter of `subscriptions/listen`, besides those of lists. */
  readonly filters?: Readonly<Record<string, Agree>>;
  /**
   * The input schema of a tool: over HTTP, headers mirror its properties with `x-mcp-header`. Undefined: the tool does not exist, or is
   * hidden from `requester`, which is given if the server has a list filter.
   */
  toolInput?(name: string, requester?: Listener): Tool['inputSchema'] | undefined;
  /** Notifies the clients that watch this resource of a change. */
  resourceUpdated?(uri: string): void;
  /** Whether one of its definitions has `scopes`, or ever had. */
  readonly scoped?: boolean;
  /** Called when the functions around handlers have changed: makes the runners of its handlers again. */
  rechain?(host: FeatureHost<C>): void;
  /** Called once, by the server that it belongs to. Throws at the second call. */
  readonly attach: (host: FeatureHost<C>) => void;
}

/** The server, as its features see it. */
export interface FeatureHost<out C extends PlainContext = PlainContext> {
  /** Never set: it tells the compiler which context handlers get. */
  readonly context?: C;
  /** How long clients may cache each kind of result, unless the entry has its own `cache`. */
  readonly caching?: Caching | undefined;
  readonly limits: ServerLimits;
  /**
   * Notifies the subscriptions that have this key in their filter (`subscriptions/listen`); undefined: no client is notified of
   * changes.
   */
  readonly changes?: { readonly tell: TellListeners } | undefined;
  /** Called when an entry was registered, updated or removed. */
  changed(list: ListName): void;
  /** One page of the entries in `registry`. Throws `-32602` for a cursor that this list did not issue. */
  page<E extends Entry>(
    member: ListedKind, registry: Registry<E>, params: Params, exchange: Exchange,
  ): Serialized;
  /** The list filter, if the server has one. */
  readonly guards?: { readonly listFilter?: ListFilter | undefined } | undefined;
  /** Whether the requester may see an entry. */
  shows(member: ListedKind, entry: Pick<Entry, 'name' | 'definition'>, requester: Listener): boolean;
  /** Whether this is a result of a type that an extension defines. Throws if the client lacks the extension. */
  isExtensionResult(value: Readonly<Record<string, unknown>>, exchange: Exchange): boolean;
  /**
   * Makes the runner of a handler, including the functions around it. Call it when the handler is registered, and at each
   * `rechain`. An error of the handler is reported and converted for the caller: in `tools/call` to a `ToolError`, from which
   * `failed` makes a result, otherwise to an `RpcError`.
   */
  makeRunner<R>(handled: RegisteredHandler<R>): EntryRunner;
  /** Runs a function of the author without functions around it, and makes a result of its value. */
  guard<R>(exchange: Exchange, call: () => Outcome<R>, toResult: (value: R) => object | Promise<object>): object | Promise<object>;
  /** Runs the notification of one client. Its error is reported, and the other clients are notified nevertheless. */
  shield(method: string, tell: () => void): void;
  /** Reports a definition that works but should be changed. */
  warn(message: string, name: string): void;
}

/** The host of a feature that another feature uses. Throws before it is attached. */
export function hostOf<C extends PlainContext>(host: FeatureHost<C> | undefined): FeatureHost<C> {
  if (!host) throw new Error('this feature is not in a server yet: pass it in `features`');
  return host;
}
