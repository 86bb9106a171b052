import { after, attempt } from '../jsonrpc/attempt.ts';
import { Serialized } from '../jsonrpc/outlet.ts';
import type { Params } from '../jsonrpc/message.ts';
import * as columns from '../protocol/columns.ts';
import type { Implementation } from '../protocol/initialize.ts';
import type { HandlerCall } from './around.ts';
import { notKept } from './caching.ts';
import { Catalogue } from './catalogue.ts';
import type { Changes } from './changes.ts';
import type { PlainContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import { ToolError } from './failure.ts';
import type { Failures } from './failure.ts';
import type { Feature, FeatureHost, HostedServer, ListName } from './feature.ts';
import type { Guards } from './guards.ts';
import type { ListedKind } from './list-filter.ts';
import { stamped } from './modern/answer.ts';
import type { Guarded } from './needs.ts';
import type { Outcome } from './outcome.ts';
import type { Pages } from './pages.ts';
import type { Entry, Registry } from './registry.ts';

/** What the hosting of features needs of the server. */
export interface HostingServer<C extends PlainContext> extends HostedServer {
  readonly info: Implementation;
  readonly pages?: Pages;
  readonly guards?: Guards<C>;
  readonly failures: Failures;
  readonly changes?: Changes;
}

/** What a server lends its features: lists, handlers, failures. */
export class Hosting<C extends PlainContext> implements FeatureHost<C> {
  readonly server: HostingServer<C>;
  readonly catalogue: Catalogue;
  /** Set by the first extension. */
  isExtended: FeatureHost['isExtended'] = () => false;
  guards: Guards<C> | undefined;

  constructor(server: HostingServer<C>, features: readonly Feature<C>[]) {
    this.server = server;
    this.guards = server.guards;
    this.catalogue = new Catalogue(features, this, server.failures);
  }

  changed(list: ListName): void {
    this.catalogue.changed();
    this.server.changes?.listChanged(list);
  }

  page<E extends Entry>(
    member: ListedKind, registry: Registry<E>, { cursor }: Params, exchange: Exchange,
  ): Serialized {
    const { info, caching, pages } = this.server;
    const view = this.guards?.view(member, exchange);
    const { rules } = exchange;
    const hints = (): object => columns.resultType(rules)
      ? stamped(caching?.fields(member, view !== undefined) ?? notKept, info)
      : {};
    const text = registry.list(member, cursor, pages, rules, hints, view);
    return new Serialized(() => text);
  }

  require<E extends Entry>(member: ListedKind, registry: Registry<E>, name: unknown, exchange: Exchange): E {
    const entry = registry.get(name);
    if (!entry || !this.shows(member, entry, exchange)) throw registry.unknown(name);
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
    }, guards?.checkingMeta(call, finish, this.server.failures) ?? finish, failed);
  }

  guard<R, T>(
    exchange: Exchange,
    call: () => Outcome<R>,
    finish: (value: R) => T | Promise<T>,
    failed?: (error: ToolError) => T,
  ): T | Promise<T> {
    const { failures } = this.server;
    const fail = (thrown: unknown): T => {
      const judged = failures.judge(thrown, exchange);
      if (failed && judged instanceof ToolError) return failed(judged);
      throw judged;
    };
    return attempt(
      () => after(exchange.settle(call()), (value) => exchange.conclude(finish, value)),
      (thrown) => exchange.conclude(fail, thrown),
    );
  }

  warn(message: string, name: string): void {
    this.server.failures.report(new Error(message), { what: 'registration', name });
  }
}
