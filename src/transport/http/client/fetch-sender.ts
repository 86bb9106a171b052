import { systemClock } from '../../../bounds/clock.ts';
import type { Clock } from '../../../bounds/clock.ts';
import { checkOptions } from '../../../bounds/options.ts';
import { beginReading, turnOfOthers } from '../../../bounds/reading.ts';
import type { ClientTransport } from '../../client-port.ts';
import { httpTransportShape } from './options.ts';
import type { HttpTransportOptions } from './options.ts';
import type { HttpSender } from './sender.ts';
import { clientTransport } from './transport.ts';

/** The options of `httpTransport` of `barewire/fetch`. */
export interface FetchTransportOptions extends HttpTransportOptions {
  /** Default: the runtime's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * The client's side of Streamable HTTP, for every revision that has it, over the runtime's `fetch`. It falls
 * back to HTTP+SSE (2024-11-05) automatically. `url` is the MCP endpoint; throws a TypeError if it is not an HTTP URL.
 * Source: 2026-07-28 basic/transports/streamable-http.
 */
export function httpTransport(url: string | URL, options: FetchTransportOptions = {}): ClientTransport {
  checkOptions('httpTransport: options', options, { ...httpTransportShape, fetch: 'function' });
  return clientTransport(url, options, fetchSender(options.fetch, options.clock));
}

/** Sends HTTP requests with a `fetch` function. */
export function fetchSender(given: typeof globalThis.fetch | undefined, clock: Clock = systemClock): HttpSender {
  return {
    async send({ method, url, headers, body, cancellation }) {
      const fetch = given ?? globalThis.fetch;
      const response = await fetch(url, {
        method, headers, signal: cancellation.signal, redirect: 'manual', ...(body === undefined ? undefined : { body }),
      });
      const stream = response.body;
      let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
      return {
        status: response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        fields: () => response.headers,
        async read(onChunk) {
          reader = stream?.getReader();
          while (reader) {
            const { done, value } = await reader.read();
            if (done) return;
            // Bytes that have arrived already are read without a turn of the event loop.
            beginReading(clock);
            const held = onChunk(value) ?? turnOfOthers(clock);
            if (held) await held;
          }
        },
        cancel() {
          // Not awaited: a server could keep the stream from ending.
          (reader ?? stream)?.cancel().catch(() => {});
        },
      };
    },
  };
}
