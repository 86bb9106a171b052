import { sseEvent, sseHeartbeat } from '../sse-writer.ts';
import type { Exchange, HeaderFields } from './http-request.ts';
import type { Host } from './options.ts';
import type { Session } from './session.ts';

/** One open response of events: kept open with comments, cut where its reader is too slow. */
export class Wire {
  readonly #host: Host;
  readonly #exchange: Exchange;
  readonly #gone: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  /** `gone` is called once, when the client has left or was cut off; not after `end`. */
  constructor(host: Host, exchange: Exchange, fields: HeaderFields | undefined, gone: () => void) {
    this.#host = host;
    this.#exchange = exchange;
    this.#gone = gone;
    const { keepAliveMs } = host.limits;
    // Proxies hand events on at once: 2026-07-28 basic/transports/streamable-http#receiving-messages.
    exchange.open({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      ...fields,
    }, () => {
      exchange.onGone(() => this.#close() && gone());
      if (keepAliveMs > 0) this.#timer = setInterval(() => this.write(sseHeartbeat), keepAliveMs);
    });
  }

  write(event: string): void {
    if (this.#closed) return;
    const { buffered } = this.#exchange;
    // What waited before this event is judged, so that a large one passes whole.
    if (buffered <= this.#host.limits.maxBufferedBytes) return this.#exchange.write(event);
    this.#close();
    this.#exchange.destroy();
    this.#host.onError(new Error(
      `a stream was cut off: its reader is too slow, ${buffered} bytes were waiting`,
    ));
    this.#gone();
  }

  end(): void {
    if (this.#close()) this.#exchange.end();
  }

  #close(): boolean {
    if (this.#closed) return false;
    clearInterval(this.#timer);
    return this.#closed = true;
  }
}

/**
 * One stream of a session: that of a request, or the one that a GET opened. It outlives its connections where
 * its messages are kept. 2025-11-25 basic/transports#resumability-and-redelivery.
 */
export class SseStream {
  readonly id: string;
  readonly #host: Host;
  readonly #session: Session;
  readonly #resumable: boolean;
  #wire: Wire | undefined;
  /** The number of the message that was written last. */
  seq = 0;
  /** Called when a connection is lost and the stream with it. */
  onLost: (() => void) | undefined;

  constructor(host: Host, session: Session, id: string, resumable: boolean) {
    this.id = id;
    this.#host = host;
    this.#session = session;
    this.#resumable = resumable && host.store !== undefined;
  }

  /** Carries the stream on over this exchange, after the message `seq`; what carried it before ends. */
  attach(exchange: Exchange, fields?: HeaderFields, seq: number = 0, missed?: readonly string[]): void {
    this.detach();
    this.#session.wires++;
    const wire: Wire = this.#wire = new Wire(this.#host, exchange, fields, () => {
      if (this.#wire !== wire) return;
      this.#wire = undefined;
      this.#session.released();
      if (this.#resumable) return;
      this.finish();
      this.onLost?.();
    });
    if (missed) {
      // In one piece, which is let pass whatever its length: the store has bounded it.
      wire.write(missed.map((data, i) => sseEvent({ id: `${this.id}-${seq + 1 + i}`, data })).join(''));
    } else if (this.#resumable && this.#session.peer.revision?.ssePolling) {
      // 2025-11-25 basic/transports: an id before anything else, so that the client can reconnect from here.
      wire.write(sseEvent({ id: `${this.id}-0`, retry: this.#host.limits.retryMs, data: '' }));
    }
  }

  write(text: string): void {
    const seq = ++this.seq;
    if (this.#resumable) this.#host.store?.append(this.#session.id, this.id, seq, text);
    // What we wrote ourselves is JSON without a line break, and its id is ours too.
    this.#wire?.write(`${this.#resumable ? `id: ${this.id}-${seq}\n` : ''}data: ${text}\n\n`);
  }

  writeRaw(event: string): void {
    this.#wire?.write(event);
  }

  /** Ends the connection, not the stream: the client will come back. */
  detach(): void {
    const wire = this.#wire;
    if (wire === undefined) return;
    this.#wire = undefined;
    wire.end();
    this.#session.released();
  }

  /** The stream is over. */
  finish(): void {
    this.detach();
    this.#session.streams?.delete(this.id);
  }
}
