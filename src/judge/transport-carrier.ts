import type { Clock } from '../bounds/clock.ts';
import type { ClientTransport, Trace } from '../transport/internal-exports.ts';
import type { ByteCarrier, CarrierEvents } from './carrier.ts';

/** Carries messages over the transport from `make`, whose trace gives the entries. */
export function transportCarrier(make: (trace: Trace) => ClientTransport, clock: Clock, { entry, unreadable, failed, gone }: CarrierEvents): ByteCarrier {
  const transport = make(entry);
  return {
    kind: transport.kind,
    open: () => transport.open({
      message(decoded) {
        // Lines of text are traced. A refusal because of UTF-8 or size is about bytes without an entry.
        if (decoded.kind === 'refusal' && decoded.id === null && /UTF-8|too large/i.test(decoded.error.message)) unreadable(decoded.error.message);
      },
      failed: (id, error) => failed(id, error.message),
      closed: (why) => gone(why),
      error() {},
    }),
    async send(text, _about, message) {
      if (text !== undefined) transport.send(text, message);
      return undefined;
    },
    abandon: (id) => transport.abandon?.(id),
    agreed: (revision) => transport.agreed?.(revision),
    async close() {
      const began = clock.monotonic();
      await transport.close();
      return clock.monotonic() - began;
    },
  };
}
