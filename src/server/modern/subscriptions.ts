import { isObject } from '../../jsonrpc/message.ts';
import { internalError, invalidParams } from '../../jsonrpc/errors.ts';
import { notificationText } from '../../jsonrpc/inbound-request.ts';
import { subscriptionCancelled } from '../../protocol/cancellation.ts';
import { metaOf, subscriptionMeta } from '../../protocol/meta.ts';
import type { ListName } from '../../protocol/pagination.ts';
import type { SubscriptionFilter } from '../../protocol/subscriptions.ts';
import type { ServerInternals } from '../server-core.ts';
import type { Exchange } from '../exchange.ts';
import type { TellListeners } from '../extensions.ts';

interface Subscription {
  readonly exchange: Exchange;
  readonly filter: SubscriptionFilter;
  end(): void;
}

const listChanged = /^(tools|prompts|resources)ListChanged$/;

/** The open `subscriptions/listen` requests of a server. 2026-07-28 basic/patterns/subscriptions. */
export class Subscriptions {
  readonly #open = new Set<Subscription>();
  readonly #server: ServerInternals;

  constructor(server: ServerInternals) {
    this.#server = server;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Answers `subscriptions/listen`: acknowledges first, then stays open. Resolves when the server ends the subscription, or the
   * client cancels or disconnects.
   */
  listen(exchange: Exchange): Promise<object> {
    const { inbound } = exchange;
    const asked = inbound.request.params?.['notifications'];
    if (!isObject(asked)) throw invalidParams('notifications must be an object');
    const uris = asked['resourceSubscriptions'] ?? [];
    if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
      throw invalidParams('notifications.resourceSubscriptions must be a list of URIs');
    }
    const { maxSubscriptions } = this.#server.limits;
    // Each of them is matched with the resource templates.
    if (uris.length > maxSubscriptions) {
      throw invalidParams(`notifications.resourceSubscriptions: the limit is ${maxSubscriptions} URIs`);
    }
    if (this.#open.size >= maxSubscriptions) {
      throw internalError(`Too many subscriptions: the limit is ${maxSubscriptions}`);
    }
    const filter = this.#honoured(asked as SubscriptionFilter, exchange);
    const _meta = subscriptionMeta(inbound.request.id);
    return new Promise((resolve) => {
      const subscription: Subscription = {
        exchange,
        filter,
        end: () => {
          this.#open.delete(subscription);
          resolve({ _meta });
        },
      };
      this.#open.add(subscription);
      inbound.signal.addEventListener('abort', subscription.end, { once: true });
      inbound.send(notificationText(
        'notifications/subscriptions/acknowledged', { _meta, notifications: filter },
      ));
    });
  }

  /** The part of a filter that the server supports. 2026-07-28 basic/patterns/subscriptions. */
  #honoured(asked: SubscriptionFilter, exchange: Exchange): SubscriptionFilter {
    const { features, capabilities } = this.#server.offer(exchange.revision);
    const agreed: SubscriptionFilter = {};
    for (const [key, wanted] of Object.entries(asked)) {
      const list = listChanged.exec(key)?.[1] as ListName | undefined;
      if (list && wanted === true && capabilities[list]) agreed[key] = true;
      for (const { filters } of features) {
        if (filters && Object.hasOwn(filters, key)) agreed[key] = filters[key]?.(wanted, exchange);
      }
    }
    return agreed;
  }

  readonly tell: TellListeners = (key, method, params, matches) => {
    for (const { filter, exchange } of this.#open) {
      const agreed = filter[key];
      if (agreed === undefined) continue;
      this.#server.shield(method, () => {
        if (matches?.(agreed, exchange) === false) return;
        const { inbound } = exchange;
        const _meta = { ...metaOf(params), ...subscriptionMeta(inbound.request.id) };
        inbound.send(notificationText(method, { ...params, _meta }));
      });
    }
  };

  /**
   * Ends every subscription, as at shutdown: sends a cancellation (2026-07-28 basic/patterns/cancellation), and then its result,
   * the sign of an orderly end (2026-07-28 basic/patterns/subscriptions#graceful-closure).
   */
  end(): void {
    for (const { exchange: { inbound }, end } of this.#open) {
      inbound.send(subscriptionCancelled(inbound.request.id, 'the server ends the subscription'));
      end();
    }
  }
}
