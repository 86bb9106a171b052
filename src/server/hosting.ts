import { Serialized } from '../jsonrpc/outlet.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { HandlerCall } from './around.ts';
import { cacheFields } from './caching.ts';
import type { CacheHint } from './caching.ts';
import type { Changes } from './changes.ts';
import type { PlainContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import type { TellListeners } from './extension.ts';
import { ToolError } from './failure.ts';
import type { Failures } from './failure.ts';
import type { Cacheable, FeatureHost, ListName } from './feature.ts';
import type { Guards } from './guards.ts';
import type { ListedKind } from './list-filter.ts';
import type { Guarded } from './needs.ts';
import type { Outcome } from './outcome.ts';
import type { Entry, Registry } from './registry.ts';

/** What a server hands its features, made of its options. */
export interface HostingParts<C extends PlainContext> {
  readonly pageSize?: number;
  readonly cache?: Readonly<Partial<Record<Cacheable, CacheHint>>>;
  readonly guards?: Guards<C>;
  readonly failures: Failures;
  changed(list: ListName): void;
  readonly changes?: Changes;
  readonly maxSubscriptions: number;
  /** A modern result with what all of them carry. */
  stamp(result: object): object;
}

/** What a server lends its features: lists, handlers, failures. */
export class Hosting<C extends PlainContext> implements FeatureHost<C> {
  readonly readHint: CacheHint | undefined;
  readonly changed: (list: ListName) => void;
  readonly tell: TellListeners;
  readonly watching: FeatureHost['watching'];
  readonly maxSubscriptions: number;
  /** Set by the first extension. */
  isExtended: FeatureHost['isExtended'] = () => false;
  readonly #parts: HostingParts<C>;
  guards: Guards<C> | undefined;

  /** Throws a RangeError for a cache time that is no number of milliseconds. */
  constructor(parts: HostingParts<C>) {
    const { cache = {}, changed, changes, maxSubscriptions } = parts;
    for (const hint of Object.values(cache)) cacheFields(hint);
    this.readHint = cache.read;
    this.changed = changed;
    this.maxSubscriptions = maxSubscriptions;
    this.tell = changes ? changes.tell : () => {};
    this.watching = changes && { listChanged: true };
    this.#parts = parts;
    this.guards = parts.guards;
  }

  page<E extends Entry>(
    member: ListedKind, registry: Registry<E>, { cursor }: Params, exchange: Exchange,
  ): Serialized {
    const { cache, pageSize = 1000, stamp } = this.#parts;
    const view = this.guards?.view(member, exchange);
    const { rules } = exchange;
    const hint = cache?.[member];
    // 2026-07-28 server/utilities/caching: what one requester may see is not to be shown to another.
    const hints = (): object => rules.resultType
      ? stamp(cacheFields(view ? { ...hint, scope: 'private' } : hint))
      : {};
    return new Serialized(registry.list(member, cursor, pageSize, rules, hints, view));
  }

  require<E extends Entry>(member: ListedKind, registry: Registry<E>, name: unknown, exchange: Exchange): E {
    const entry = registry.require(name);
    if (!this.shows(member, entry, exchange)) throw registry.unknown(name);
    return entry;
  }

  shows(member: ListedKind, entry: Entry, exchange: Exchange): boolean {
    return this.guards?.shows(member, entry, exchange) ?? true;
  }

  run<R, T>(
    call: HandlerCall,
    handler: (args: never, ctx: Exchange) => Outcome<R>,
    finish: (value: R) => T | Promise<T>,
    failed?: (error: ToolError) => T,
  ): T | Promise<T> {
    const { guards } = this;
    const exchange = call.ctx as Exchange;
    return this.guard<R, T>(exchange, () => {
      const { needs, scopes }: Guarded = call.definition;
      if (needs) exchange.checkNeeds(needs);
      if (guards) return guards.run(call, handler) as Outcome<R>;
      if (scopes?.length) throw new Error('a server with `scopes` needs `guards: guards()`');
      return handler(call.args as never, exchange);
    }, finish, failed);
  }

  guard<R, T>(
    exchange: Exchange,
    call: () => Outcome<R>,
    finish: (value: R) => T | Promise<T>,
    failed?: (error: ToolError) => T,
  ): T | Promise<T> {
    const { failures } = this.#parts;
    const fail = (thrown: unknown): T => {
      const judged = failures.judge(thrown, exchange);
      if (failed && judged instanceof ToolError) return failed(judged);
      throw judged;
    };
    const succeed = (value: R): T | Promise<T> => {
      try {
        return finish(value);
      } catch (thrown) {
        return fail(thrown);
      }
    };
    const failing = (thrown: unknown): T | Promise<T> => exchange.conclude(fail, thrown);
    let value: R | Promise<R>;
    try {
      value = exchange.settle(call());
    } catch (thrown) {
      return failing(thrown);
    }
    return value instanceof Promise
      ? value.then((settled) => exchange.conclude(succeed, settled), failing)
      : exchange.conclude(succeed, value);
  }

  fault(error: Error, exchange: Exchange): Error {
    return this.#parts.failures.judge(error, exchange);
  }

  warn(message: string, name: string): void {
    this.#parts.failures.report(new Error(message), { what: 'registration', name });
  }
}
