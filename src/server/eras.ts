import type { Inbound } from '../jsonrpc/inbound.ts';
import type { Notification } from '../jsonrpc/message.ts';
import type { RequestMeta } from '../protocol/meta.ts';
import type { Auth } from '../transport/port.ts';
import type { PlainContext } from './context.ts';
import { Exchange } from './exchange.ts';
import type { ErrorPlace } from './failure.ts';
import type { LegacyRequester } from './requester.ts';

/** Makes the exchange of a request, one way an era. `asking()` makes exchanges whose handlers may ask. */
export interface Exchanges<C extends PlainContext> {
  /** For a request of a session. */
  legacy(requester: LegacyRequester, inbound: Inbound, auth: Auth | undefined): Exchange & C;
  /** For a request that stands alone. */
  modern(inbound: Inbound, meta: RequestMeta, auth: Auth | undefined): Exchange & C;
  /** Called with each notification that comes over a lasting connection, except `notifications/initialized`. */
  heard?(notification: Notification, failures: { alarm(thrown: unknown, where: ErrorPlace): void }): void;
}

/** Exchanges whose handlers do not ask. */
export const plainExchanges: Exchanges<PlainContext> = {
  legacy: (requester, inbound, auth) => new Exchange(inbound, requester, auth),
  modern: (inbound, meta, auth) => new Exchange(inbound, meta, auth),
};
