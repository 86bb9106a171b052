import type { Clock } from '../bounds/clock.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { mediaType, redact, redactPath, watchStream } from '../transport/internal-exports.ts';
import type { ByteCarrier, CarrierEvents } from './carrier.ts';
import type { JudgedAddress } from './http.ts';

/** Most bytes to read of the stream. */
const most = 16_777_216;
/** Most characters to read for the first event. */
const firstEvent = 8_192;

/** The start of an HTTP+SSE stream. */
export interface SseOpening {
  readonly status: number;
  readonly type: string;
  /** The lines of the first event, unchanged. */
  readonly first: string;
  /** The address for POST requests, if the first event names one on the same origin. */
  readonly endpoint: URL | undefined;
}

/** Reads the first event. 2024-11-05 basic/transports#http-with-sse: `endpoint`, with the address as its data. */
function endpointOf(event: string, base: URL): URL | undefined {
  if (!/^event: ?endpoint$/m.test(event)) return undefined;
  const [, data = ''] = /^data: ?(.*)$/m.exec(event) ?? [];
  const found = URL.canParse(data, base.href) ? new URL(data, base) : undefined;
  return found?.origin === base.origin ? found : undefined;
}

/**
 * Carries messages over HTTP+SSE: a stream brings all messages of the server, and each message of the client is posted to the address in
 * its first event. The conversation sees a pipe. `opened` is called with the start of the stream. Long function: its requests share that
 * address.
 */
export function sse({ url, fetch, headers = {} }: JudgedAddress, clock: Clock, timeoutMs: number, to: CarrierEvents, opened: (opening: SseOpening) => void): ByteCarrier {
  const base = new URL(url);
  const control = new AbortController();
  let endpoint: URL | undefined;
  let exchanges = 0;

  const fields = (more: Record<string, string>): Record<string, string> => ({ ...headers, ...more });

  async function follow(body: ReadableStream<Uint8Array>, exchange: number, begun: (first: string) => void): Promise<void> {
    const watcher = watchStream((entry) => to.entry(entry), exchange, clock);
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let first: string | undefined = '';
    try {
      for (let size = 0; size < most;) {
        const { done, value } = await reader.read();
        if (done) break;
        size += value.length;
        if (first !== undefined) {
          first += decoder.decode(value, { stream: true }).replaceAll('\r\n', '\n');
          const end = first.replace(/^(?::.*\n|\n)+/, '').indexOf('\n\n');
          if (end >= 0 || first.length > firstEvent) {
            begun(first.replace(/^(?::.*\n|\n)+/, '').slice(0, Math.max(end, 0)));
            first = undefined;
          }
        }
        watcher.push(value);
      }
      to.gone('the stream ended');
    } catch (thrown) {
      to.gone(`the stream was cut: ${errorMessage(thrown)}`);
    }
    if (first !== undefined) begun(first);
    await reader.cancel().catch(() => undefined);
  }

  return {
    kind: 'pipe',
    async open() {
      const exchange = ++exchanges;
      const sent = fields({ accept: 'text/event-stream' });
      to.entry({ kind: 'http', direction: 'sent', exchange, method: 'GET', path: redactPath(base.pathname), headers: redact(Object.entries(sent)), at: clock.now() });
      const timer = clock.after(timeoutMs, () => control.abort(new DOMException('no answer in time', 'TimeoutError')));
      const response = await fetch(base, { headers: sent, redirect: 'manual', signal: control.signal });
      const type = response.headers.get('content-type') ?? '';
      to.entry({ kind: 'http', direction: 'received', exchange, method: 'GET', path: redactPath(base.pathname), status: response.status, headers: redact(response.headers), at: clock.now() });
      const { body } = response;
      const stream = response.ok && mediaType(type) === 'text/event-stream' && body !== null;
      const first = stream ? await new Promise<string>((resolve) => void follow(body, exchange, resolve)) : '';
      timer?.stop();
      endpoint = endpointOf(first, base);
      opened({ status: response.status, type, first, endpoint });
      if (!stream) await body?.cancel();
      if (!endpoint) throw new Error(`GET ${url} got HTTP ${response.status} ${type} and no event endpoint`);
    },
    async send(text) {
      if (text === undefined || !endpoint) return undefined;
      const exchange = ++exchanges;
      const sent = fields({ 'content-type': 'application/json' });
      to.entry({ kind: 'http', direction: 'sent', exchange, method: 'POST', path: redactPath(endpoint.pathname), headers: redact(Object.entries(sent)), at: clock.now() });
      to.entry({ kind: 'message', direction: 'sent', text, exchange, at: clock.now() });
      const response = await fetch(endpoint, { method: 'POST', headers: sent, body: text, redirect: 'manual', signal: control.signal });
      to.entry({ kind: 'http', direction: 'received', exchange, method: 'POST', path: redactPath(endpoint.pathname), status: response.status, headers: redact(response.headers), at: clock.now() });
      await response.body?.cancel();
      if (response.status >= 400) throw new Error(`HTTP ${response.status}`);
      return undefined;
    },
    async close() {
      const began = clock.monotonic();
      control.abort(new DOMException('closed', 'AbortError'));
      return clock.monotonic() - began;
    },
  };
}
