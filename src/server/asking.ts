import type { Context } from './context.ts';
import type { Exchanges } from './eras.ts';
import { LegacyExchange } from './legacy/exchange.ts';
import { requestStateSealer } from './modern/request-state.ts';
import type { RequestStateOptions } from './modern/request-state.ts';
import { ModernExchange } from './modern/exchange.ts';

/** What a server needs so that its handlers may ask: `ctx.elicit` and its kin, in both eras. */
export function asking(options?: RequestStateOptions): Exchanges<Context> {
  const sealer = requestStateSealer(options);
  return {
    legacy: (requester, inbound, auth) => new LegacyExchange(requester, inbound, auth),
    modern: (inbound, meta, auth) => new ModernExchange(inbound, meta, auth, sealer),
  };
}
