import type { Clock } from '../bounds/clock.ts';
import type { ClientTransport, Trace } from '../transport/internal-exports.ts';
import type { ByteCarrier, CarrierEvents } from './carrier.ts';

/** Carries messages over a transport that is handed in; what it traces is what came. */
export function transportCarrier(make: (trace: Trace) => ClientTransport, clock: Clock, { entry, unreadable, failed, gone }: CarrierEvents): ByteCarrier {
  const transport = make(entry);
  return {
    kind: transport.kind,
    open: () => transport.open({
      message(decoded) {
        // What is traced was a line; a refusal of something else is of bytes that were no line.
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
