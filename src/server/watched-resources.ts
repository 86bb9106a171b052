import { openThingBytes } from '../bounds/budget.ts';
import { internalError, invalidParams } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import { notificationText } from '../jsonrpc/inbound-request.ts';
import { internalsOf, tellUpdated } from './server-core.ts';
import type { Exchange, LegacyRequester } from './exchange.ts';
import type { Listener } from './context.ts';
import type { Agree, MethodHandler, FeatureHost } from './feature.ts';
import { onClose } from './connected-client.ts';
import type { ServerPort } from '../transport/server-port.ts';

/** Bytes charged for a watched resource: one string, and its place in a set. */
const weightOf = (uri: string): number => openThingBytes + 2 * uri.length;

/** The clients that watch resources, in both eras. */
export interface WatchedResources {
  readonly subscribe: MethodHandler;
  readonly unsubscribe: MethodHandler;
  /** For `resourceSubscriptions` in the filter of `subscriptions/listen`. */
  readonly agree: Agree;
  updated(uri: string, host: FeatureHost | undefined): void;
}

/** Which resources may be watched, and by which clients. */
export interface WatchRules {
  /** Throws if the client may not watch the resource with this URI. */
  check(uri: string, exchange: Exchange): void;
  /**
   * False: the resource with this URI is hidden from the listener. It may be watched like a missing resource (an error would reveal
   * that it exists), and this is called again before each notification, since it may be registered after it was watched.
   */
  readonly visible?: ((uri: string, listener: Listener) => boolean) | undefined;
}

/** The resources that a legacy client watches. */
interface Watching {
  readonly uris: Set<string>;
  /** As of its last subscription. */
  listener: Listener;
}

/** The part of the exchange that `visible` needs. The exchange itself would keep the whole request. */
const listenerOf = ({ auth, capabilities, client, meta, revision }: Exchange): Listener => ({ auth, capabilities, client, meta, revision });

/** Without `visible` no resource is hidden. */
export function watchedResources({ check, visible = () => true }: WatchRules): WatchedResources {
  const watchers = new Map<LegacyRequester, Watching>();
  const agreements = new WeakMap<object, ReadonlySet<string>>();

  function watchedBy(client: LegacyRequester, exchange: Exchange): Set<string> {
    const listener = listenerOf(exchange);
    const known = watchers.get(client);
    if (known) {
      known.listener = listener;
      return known.uris;
    }
    const uris = new Set<string>();
    watchers.set(client, { uris, listener });
    onClose(client, () => {
      watchers.delete(client);
      for (const uri of uris) client.connection.budget.release(weightOf(uri));
    });
    return uris;
  }

  // 2025-11-25 server/resources#subscriptions. Only legacy revisions have these methods, so only legacy clients call them.
  const asked = ({ uri }: Params, exchange: Exchange): [string, LegacyRequester, Set<string>] => {
    if (typeof uri !== 'string') throw invalidParams('uri must be a string');
    const client = exchange.requester as LegacyRequester;
    return [uri, client, watchedBy(client, exchange)];
  };

  return {
    subscribe(params, exchange, { limits: { maxSubscriptions } }) {
      const [uri, { connection: { budget } }, uris] = asked(params, exchange);
      check(uri, exchange);
      if (uris.has(uri)) return {};
      if (uris.size >= maxSubscriptions) throw internalError(`Too many subscriptions: the limit is ${maxSubscriptions}`);
      if (!budget.charge(weightOf(uri))) throw internalError('Too many bytes are held for this client: the resource is not watched');
      uris.add(uri);
      return {};
    },
    unsubscribe(params, exchange) {
      const [uri, { connection: { budget } }, uris] = asked(params, exchange);
      if (uris.delete(uri)) budget.release(weightOf(uri));
      return {};
    },
    agree(wanted, exchange) {
      // `Subscriptions` has checked that it is a list of strings, or null.
      const uris = (wanted ?? []) as readonly string[];
      for (const uri of uris) check(uri, exchange);
      agreements.set(uris, new Set(uris));
      return uris;
    },
    updated(uri, host) {
      const method = 'notifications/resources/updated';
      const text = notificationText(method, { uri });
      for (const [client, { uris, listener }] of watchers) {
        if (uris.has(uri)) host?.shield(method, () => visible(uri, listener) && client.announce(text));
      }
      host?.changes?.tell('resourceSubscriptions', method, { uri }, (agreed, listener) =>
        agreements.get(agreed as object)?.has(uri) === true && visible(uri, listener));
    },
  };
}

/** Notifies every client that watches this resource of a change. `McpServer` has it as a method. */
export function resourceUpdated(server: ServerPort, uri: string): void {
  const inside = internalsOf(server);
  if (inside?.changes?.divert) inside.changes.divert({ uri });
  else if (inside) tellUpdated(inside, uri);
}
