import { openThingBytes } from '../jsonrpc/budget.ts';
import { internalError, invalidParams } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import { notificationText } from '../jsonrpc/outlet.ts';
import { tellUpdated } from './catalogue.ts';
import type { Exchange } from './exchange.ts';
import type { Agree, AnswerMethod, HostedServer } from './feature.ts';
import { internalsOf } from './internals.ts';
import { onClose } from './legacy/moments.ts';
import type { LegacyRequester } from './requester.ts';
import type { ServerPort } from '../transport/port.ts';

/** What a watched resource costs: one string, and its place in a set. */
const weightOf = (uri: string): number => openThingBytes + 2 * uri.length;

/** Who is told of the changes of which resource, in both eras. */
export interface WatchedResources {
  readonly subscribe: AnswerMethod;
  readonly unsubscribe: AnswerMethod;
  /** For `resourceSubscriptions` in the filter of `subscriptions/listen`. */
  readonly agree: Agree;
  updated(uri: string, changes: HostedServer['changes']): void;
}

/** `check` throws where the requester may not watch the resource of this URI. */
export function watchedResources(check: (uri: string, requester: Exchange) => void): WatchedResources {
  const watchers = new Map<LegacyRequester, Set<string>>();
  const agreements = new WeakMap<object, ReadonlySet<string>>();

  function watchedBy(client: LegacyRequester): Set<string> {
    const known = watchers.get(client);
    if (known) return known;
    const uris = new Set<string>();
    watchers.set(client, uris);
    onClose(client, () => {
      watchers.delete(client);
      for (const uri of uris) client.connection.budget.release(weightOf(uri));
    });
    return uris;
  }

  // 2025-11-25 server/resources#subscriptions. These methods are of legacy revisions alone, and so is who calls them.
  const asked = ({ uri }: Params, { requester }: Exchange): [string, LegacyRequester, Set<string>] => {
    if (typeof uri !== 'string') throw invalidParams('uri must be a string');
    return [uri, requester as LegacyRequester, watchedBy(requester as LegacyRequester)];
  };

  return {
    subscribe(params, exchange, { server: { limits: { maxSubscriptions } } }) {
      const [uri, { connection: { budget } }, uris] = asked(params, exchange);
      check(uri, exchange);
      if (uris.has(uri)) return {};
      if (uris.size >= maxSubscriptions) throw internalError(`Too many subscriptions: the limit is ${maxSubscriptions}`);
      if (!budget.charge(weightOf(uri))) {
        throw internalError('Too many bytes are held for this client: the resource is not watched');
      }
      uris.add(uri);
      return {};
    },
    unsubscribe(params, exchange) {
      const [uri, { connection: { budget } }, uris] = asked(params, exchange);
      if (uris.delete(uri)) budget.release(weightOf(uri));
      return {};
    },
    agree(wanted, exchange) {
      // `Subscriptions` has seen that it is a list of texts, or null.
      const uris = (wanted ?? []) as readonly string[];
      for (const uri of uris) check(uri, exchange);
      agreements.set(uris, new Set(uris));
      return uris;
    },
    updated(uri, changes) {
      const method = 'notifications/resources/updated';
      const text = notificationText(method, { uri });
      for (const [client, uris] of watchers) if (uris.has(uri)) client.announce(text);
      changes?.tell('resourceSubscriptions', method, { uri }, (agreed) => agreements.get(agreed as object)?.has(uri) ?? false);
    },
  };
}

/** Tells every client that watches this resource that it has changed. `McpServer` has it as a method. */
export function resourceUpdated(server: ServerPort, uri: string): void {
  const { changes, catalogue } = internalsOf(server);
  if (changes?.divert) changes.divert({ uri });
  else tellUpdated(catalogue, uri);
}
