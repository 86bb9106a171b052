import { checkOptions } from '../bounds/options.ts';
import { MetaWatch } from '../protocol/meta.ts';
import { AccessDenied } from '../transport/auth.ts';
import type { Auth } from '../transport/auth.ts';
import type { AnyAround, Around, Guarded, RegisteredHandler, HandlerCall, RunHandler, ListedKind, View } from './registry.ts';
import type { PlainContext, Listener, Outcome } from './context.ts';
import type { Exchange } from './exchange.ts';
import { placeOf } from './errors.ts';
import type { ServerInternals } from './server-core.ts';

/**
 * Hides entries from some requesters: hidden entries are neither listed nor found. Lists are made once for each distinct key and
 * are private to it. 2026-07-28 server/tools#capabilities: lists may depend on the authorized user, never on the connection.
 */
export interface ListFilter {
  /** A text of everything that `shows` depends on, such as the scopes of `requester.auth` in order. */
  key(requester: Listener): string;
  /** `name` is a tool's or prompt's name, a resource's URI, or a template. */
  shows(kind: ListedKind, name: string, definition: object, requester: Listener): boolean;
}

/** Options of `guards`. */
export interface GuardsOptions<C extends PlainContext = PlainContext> {
  /** Functions around the handlers of tools, prompts and resources, the outermost first. */
  readonly around?: readonly Around<C>[] | undefined;
  /** Hides tools, prompts and resources from some requesters. */
  readonly listFilter?: ListFilter | undefined;
}

/** The code between a caller and the handlers: scopes, list filters, functions around handlers. */
export class Guards<C extends PlainContext = PlainContext> {
  readonly listFilter: ListFilter | undefined;
  readonly #around: readonly Around<C>[];
  readonly #metas = new MetaWatch();
  #inner: { readonly around: readonly Around<C>[]; readonly wants: (call: HandlerCall) => boolean } | undefined;

  constructor({ around = [], listFilter }: GuardsOptions<C>) {
    this.listFilter = listFilter;
    this.#around = around;
  }

  /** Adds a function around the handlers of the calls for which `wants` is true, inside the existing functions. Once. */
  surround(around: AnyAround, wants: (call: HandlerCall) => boolean): void {
    this.#inner = { around: [...this.#around, around], wants };
  }

  /** The part of a list that the requester may see; undefined: all. */
  view(member: ListedKind, exchange: Exchange): View | undefined {
    const { listFilter } = this;
    return listFilter && {
      key: `${exchange.revision.version} ${listFilter.key(exchange)}`,
      of: (entries) => [...entries].filter(({ name, definition }) => listFilter.shows(member, name, definition, exchange)),
    };
  }

  /** Reports malformed keys of `_meta` in a result to the author. The result is sent unchanged. */
  readonly inspect = (result: object, { failures, inbound }: Exchange): void => {
    this.#metas.look(result, (fault) => failures?.report(fault, { ...placeOf(inbound.request), what: 'result' }));
  };

  /** Returns the handler with the functions around it. They are called only if the caller's credentials have its scopes. */
  enclose({ kind, name, definition, handler }: RegisteredHandler): RunHandler {
    const inner = this.#inner;
    const outer = this.#around;
    const invoke: RunHandler = !inner && outer.length === 0 ? handler : (args, exchange, params) => {
      const call: HandlerCall = { kind, name, definition, args, params, ctx: exchange, requester: exchange.requester };
      return callThrough(inner?.wants(call) ? inner.around : outer, call, handler);
    };
    if (!definition.scopes?.length) return invoke;
    return (args, exchange, params) => {
      checkScopes(definition, exchange);
      return invoke(args, exchange, params);
    };
  }
}

/** Calls a handler through the functions around it. */
function callThrough<C extends PlainContext>(around: readonly Around<C>[], call: HandlerCall, handler: RunHandler): Outcome<unknown> {
  const step = (at: number, args: unknown, ctx: PlainContext): unknown => {
    const outer = around[at];
    const exchange = ctx as Exchange;
    return exchange.resolveOutcome((outer === undefined
      ? handler(args as never, exchange, call.params)
      : outer({ ...call, args, ctx: ctx as C }, (own = args, given = ctx as C) => step(at + 1, own, given))) as Outcome<unknown>);
  };
  return step(0, call.args, call.ctx);
}

/** Guards for any context. */
export type AnyGuards = Pick<Guards, keyof Guards>;

/** Lets a `ServerCore` have definitions with `scopes`, list filters, and functions around handlers. */
export function guards<C extends PlainContext = PlainContext>(options: GuardsOptions<C> = {}): Guards<C> {
  checkOptions('guards: options', options, { around: 'list', listFilter: 'object' });
  return new Guards(options);
}

/** Adds a function around the handlers of the calls for which `wants` is true, inside the existing functions. Once per server. */
export function surround(server: ServerInternals, around: AnyAround, wants: (call: HandlerCall) => boolean): void {
  (server.guards ??= guards()).surround(around, wants);
  for (const feature of server.features) feature.rechain?.(server);
}

/**
 * Throws if the caller's credentials lack one of the definition's scopes. A pipe has no credentials, and nothing is checked: the
 * user who started the program may use it.
 */
export function checkScopes({ scopes = [] }: Guarded, { auth }: { readonly auth: Auth | undefined }): void {
  if (!auth || scopes.length === 0) return;
  const held = auth['scopes'];
  if (!auth.lacks && Array.isArray(held) && scopes.every((scope) => held.includes(scope))) return;
  // Credentials without `lacks` that do not list these scopes are refused.
  const refusal = auth.lacks ? auth.lacks(scopes) : {
    status: 403 as const,
    challenge: `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
    message: `insufficient scope, expected ${scopes.join(' ')}`,
    code: 'insufficient_scope',
  };
  if (refusal) throw new AccessDenied(refusal);
}
