import { notificationText } from '../jsonrpc/inbound-request.ts';
import type { ListName } from '../protocol/pagination.ts';
import type { ServerCapabilities } from '../protocol/lifecycle.ts';
import type { ServerInternals } from './server-core.ts';
import type { TellListeners } from './extensions.ts';
import { Subscriptions } from './modern/subscriptions.ts';
import type { LegacyRequester } from './exchange.ts';

/** A legacy client that is notified of changes. */
type ToldClient = Pick<LegacyRequester, 'announce' | 'capabilities' | 'client' | 'options' | 'revision' | 'state'>;

/** Notifies clients of changes: legacy clients of changed lists, and the subscriptions of 2026-07-28. */
export interface Changes {
  /** Called once, by the server that it belongs to. Throws at the second call. */
  attach(server: ServerInternals): void;
  /** Called at each state change of a legacy client. The client is notified of changes from its handshake until it closes. */
  moved(client: ToldClient): void;
  /** From now on the client is notified of changes of the lists that are declared to its revision. */
  expect(client: ToldClient): void;
  /** Set if several processes serve the same clients: takes each change, and announces it in all of them. */
  divert: ((change: { readonly list: ListName } | { readonly uri: string }) => void) | undefined;
  /** Called when a list has changed. */
  listChanged(list: ListName): void;
  /** Notifies the clients of this process. Several changes of a list in one turn are one notification. */
  announce(list: ListName): void;
  /** Notifies the subscriptions that have this key in their filter (`subscriptions/listen`). */
  readonly tell: TellListeners;
  /** The legacy clients that are notified of changes. */
  clients(): Iterable<ToldClient>;
  /** Ends every subscription with its result, as at shutdown. */
  end(): void;
}

/**
 * Lets a server notify its clients of changes: `notifications/…/list_changed`, watched resources, and `subscriptions/listen` of
 * 2026-07-28. Pass it as `changes`; a server without it declares none of them.
 */
export function changes(): Changes {
  let subscriptions: Subscriptions | undefined;
  let server: ServerInternals | undefined;
  const told = new Map<ToldClient, ServerCapabilities>();
  const pending = new Set<ListName>();

  function flush(): void {
    const changed = [...pending];
    pending.clear();
    for (const list of changed) {
      const method = `notifications/${list}/list_changed`;
      const text = notificationText(method);
      for (const [client, declared] of told) {
        // 2025-11-25 basic/lifecycle#operation: only what was negotiated may be used.
        if (declared[list] !== undefined) server?.shield(method, () => client.announce(text));
      }
      subscriptions?.tell(`${list}ListChanged`, method);
    }
  }

  return {
    attach(to) {
      if (subscriptions) throw new Error('changes() is already in a server: make one for each server');
      const open = subscriptions = new Subscriptions(to);
      server = to;
      to.features.push({
        methods: { 'subscriptions/listen': (_params, exchange) => open.listen(exchange) },
        capabilities: ({ era }) => era === 'modern' ? {} : undefined,
        attach() {},
      });
    },
    moved(client) {
      if (client.state === 'initializing') this.expect(client);
      else if (client.state === 'closed') told.delete(client);
    },
    expect(client) {
      if (server && client.revision) told.set(client, server.capabilities(client.revision));
    },
    divert: undefined,
    listChanged(list) {
      if (this.divert) this.divert({ list });
      else this.announce(list);
    },
    announce(list) {
      if (told.size === 0 && !subscriptions?.size) return;
      if (pending.size === 0) void Promise.resolve().then(flush);
      pending.add(list);
    },
    tell: (...what) => subscriptions?.tell(...what),
    clients: () => told.keys(),
    end: () => subscriptions?.end(),
  };
}
