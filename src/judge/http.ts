import type { Clock } from '../bounds/clock.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { mediaType, redact, redactPath, watchStream } from '../transport/internal-exports.ts';
import type { ByteCarrier, CarrierEvents, HttpAbout, CarrierReply } from './carrier.ts';

/** The address of a server, and how to send requests to it. */
export interface JudgedAddress {
  readonly url: string;
  /** Sends HTTP requests. */
  readonly fetch: typeof globalThis.fetch;
  /** Headers of each request, such as credentials. They go only to the origin of `url`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the user says that the address speaks only HTTP+SSE. */
  readonly sse?: boolean | undefined;
}

/** Most bytes to read of one body. */
const most = 4_194_304;
/** Most bytes to read of one stream. */
const mostOfStream = 16_777_216;

/**
 * Carries each message in a POST. Does not follow redirects, and refuses other origins. `timeoutMs`: time for the head of a response, and
 * for a body that is not a stream. Long function: its requests share the open streams and the exchange numbers.
 */
export function http({ url, fetch, headers: own = {} }: JudgedAddress, clock: Clock, timeoutMs: number, to: CarrierEvents): ByteCarrier {
  const { origin } = new URL(url);
  const open = new Set<AbortController>();
  let exchanges = 0;

  async function send(text: string | undefined, { headers = {}, method = 'POST', url: other = url, bytes }: HttpAbout = {}): Promise<CarrierReply> {
    const address = new URL(other, url);
    if (address.origin !== origin) throw new Error(`${address.origin} is another origin than ${origin}`);
    const given = { ...own, ...headers };
    const fields = Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])));
    const exchange = ++exchanges;
    const path = redactPath(address.pathname);
    const control = new AbortController();
    open.add(control);
    const timer = clock.after(timeoutMs, () => control.abort(new DOMException('no answer in time', 'TimeoutError')));
    to.entry({ kind: 'http', direction: 'sent', exchange, method, path, headers: redact(Object.entries(fields)), at: clock.now() });
    if (text !== undefined) to.entry({ kind: 'message', direction: 'sent', text, exchange, at: clock.now() });
    try {
      const response = await fetch(address, { method, headers: fields, redirect: 'manual', signal: control.signal, ...text !== undefined && { body: bytes ?? text } });
      const { status } = response;
      to.entry({ kind: 'http', direction: 'received', exchange, method, path, status, headers: redact(response.headers), at: clock.now() });
      const stream = mediaType(response.headers.get('content-type')) === 'text/event-stream' && response.body !== null;
      const head = { exchange, method, status, headers: Object.fromEntries(response.headers), stream };
      const cancel = (): void => control.abort(new DOMException('left', 'AbortError'));
      if (stream) {
        timer?.stop();
        const ended = follow(response.body as ReadableStream<Uint8Array>, exchange).finally(() => open.delete(control));
        return { ...head, body: '', utf8: true, ended, cancel };
      }
      const { text: body, utf8 } = await whole(response);
      open.delete(control);
      if (body !== '') to.entry({ kind: 'message', direction: 'received', text: body, exchange, at: clock.now() });
      return { ...head, body, utf8, ended: Promise.resolve(true), cancel };
    } catch (thrown) {
      open.delete(control);
      const cause = thrown instanceof Error && thrown.cause !== undefined ? `: ${errorMessage(thrown.cause)}` : '';
      throw new Error(control.signal.aborted ? 'no answer came in time' : `${errorMessage(thrown)}${cause}`, { cause: thrown });
    } finally {
      timer?.stop();
    }
  }

  /** Reads a stream to its end. Resolves with true if the peer ended it. */
  async function follow(body: ReadableStream<Uint8Array>, exchange: number): Promise<boolean> {
    const watcher = watchStream((entry) => to.entry(entry), exchange, clock);
    const reader = body.getReader();
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      for (let size = 0; size < mostOfStream;) {
        const { done, value } = await reader.read();
        if (done) return true;
        size += value.length;
        try {
          decoder.decode(value, { stream: true });
        } catch {
          to.unreadable('an event stream is not UTF-8');
        }
        watcher.push(value);
      }
      await reader.cancel();
    } catch {
      // Cut by the peer or by this side.
    }
    return false;
  }

  return {
    kind: 'http',
    open: () => Promise.resolve(),
    send,
    async close() {
      const began = clock.monotonic();
      for (const control of open) control.abort(new DOMException('closed', 'AbortError'));
      open.clear();
      return clock.monotonic() - began;
    },
  };
}

async function whole(response: Response): Promise<{ readonly text: string; readonly utf8: boolean }> {
  const chunks: Uint8Array[] = [];
  const reader = response.body?.getReader();
  for (let size = 0; reader && size < most;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
  }
  reader?.cancel().catch(() => undefined);
  const read = (fatal: boolean): string => {
    const decoder = new TextDecoder('utf-8', { fatal });
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
  };
  try {
    return { text: read(true), utf8: true };
  } catch {
    return { text: read(false), utf8: false };
  }
}
