import { after } from '../jsonrpc/attempt.ts';
import { MetaWatch } from '../protocol/meta-watch.ts';
import { AccessDenied } from '../transport/port.ts';
import type { Auth } from '../transport/port.ts';
import { callThrough } from './around.ts';
import type { AnyAround, Around, HandlerCall } from './around.ts';
import type { PlainContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import { placeOf } from './failure.ts';
import type { ErrorPlace } from './failure.ts';
import type { ListedKind, ListFilter } from './list-filter.ts';
import type { Guarded } from './needs.ts';
import type { Entry, View } from './registry.ts';

/** What may stand around handlers, and between the lists and those who ask. */
export interface GuardsOptions<C extends PlainContext = PlainContext> {
  /** What stands around the handlers of tools, prompts and resources, the outermost first. */
  readonly around?: readonly Around<C>[] | undefined;
  /** Hides tools, prompts and resources from some requesters. */
  readonly listFilter?: ListFilter | undefined;
}

/** What stands between a caller and the handlers: scopes, list filters, functions around handlers. */
export class Guards<C extends PlainContext = PlainContext> {
  readonly listFilter: ListFilter | undefined;
  readonly #around: readonly Around<C>[];
  readonly #metas = new MetaWatch();
  #inner: { readonly around: readonly Around<C>[]; readonly wants: (call: HandlerCall) => boolean } | undefined;

  constructor({ around = [], listFilter }: GuardsOptions<C>) {
    this.listFilter = listFilter;
    this.#around = around;
  }

  /** Puts something around the handlers of the calls that it wants, inside of what stands there already. Once. */
  surround(around: AnyAround, wants: (call: HandlerCall) => boolean): void {
    this.#inner = { around: [...this.#around, around], wants };
  }

  /** The part of a list that the requester may see; undefined: all. */
  view(member: ListedKind, exchange: Exchange): View | undefined {
    const { listFilter } = this;
    return listFilter && {
      key: `${exchange.rules.version} ${listFilter.key(exchange)}`,
      of: (entries) => [...entries].filter((entry) => this.shows(member, entry, exchange)),
    };
  }

  /** Whether the requester may see this entry, and so call it. */
  shows(member: ListedKind, { name, definition }: Pick<Entry, 'name' | 'definition'>, exchange: Exchange): boolean {
    return this.listFilter?.shows(member, name, definition, exchange) ?? true;
  }

  /** `finish`, followed by a check of the result: the author hears of malformed keys of `_meta`, which are sent as they are. */
  checkingMeta<V, T>(
    { ctx }: HandlerCall, finish: (value: V) => T | Promise<T>, failures: { report(error: Error, where: ErrorPlace): void },
  ): (value: V) => T | Promise<T> {
    return (value) => after(finish(value), (result) => {
      const { request } = (ctx as Exchange).inbound;
      this.#metas.look(result, (fault) => failures.report(fault, { ...placeOf(request), what: 'result' }));
      return result;
    });
  }

  /** Calls a handler where the caller's credentials reach it, through all that stands around it. */
  run(call: HandlerCall, handler: (args: never, ctx: Exchange) => unknown): unknown {
    const exchange = call.ctx as Exchange;
    checkScopes(call.definition, exchange);
    const around = this.#inner?.wants(call) ? this.#inner.around : this.#around;
    return around.length > 0
      ? callThrough(around as readonly unknown[] as readonly Around[], call, handler)
      : handler(call.args as never, exchange);
  }
}

/** What a `ServerCore` needs for definitions with `scopes`, for list filters and for functions around handlers. */
export function guards<C extends PlainContext = PlainContext>(options: GuardsOptions<C> = {}): Guards<C> {
  return new Guards(options);
}

/**
 * Throws where the caller's credentials do not reach the definition's scopes. On a pipe there are none, and
 * nothing is checked: whoever started the program may use it.
 */
export function checkScopes({ scopes = [] }: Guarded, { auth }: { readonly auth: Auth | undefined }): void {
  if (!auth || scopes.length === 0) return;
  const held = auth['scopes'];
  if (!auth.lacks && Array.isArray(held) && scopes.every((scope) => held.includes(scope))) return;
  // What cannot say that it reaches them does not.
  const refusal = auth.lacks ? auth.lacks(scopes) : {
    status: 403 as const,
    challenge: `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
    message: `insufficient scope, expected ${scopes.join(' ')}`,
    code: 'insufficient_scope',
  };
  if (refusal) throw new AccessDenied(refusal);
}
