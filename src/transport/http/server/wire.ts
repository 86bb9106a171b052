import { every } from '../../../bounds/clock.ts';
import type { Timer } from '../../../bounds/clock.ts';
import { longestTimerMs } from '../../../bounds/options.ts';
import { sseHeartbeat } from '../sse-writer.ts';
import type { HeaderFields, HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';

/** The callbacks of a wire, for its stream. */
export interface WireEvents {
  /** Called once, when the client has left or was cut off; not after `end`. */
  gone(): void;
  /** Called when the credentials that opened the stream have expired. */
  expired?(): void;
}

/** One open event stream response: kept open with comments, cut off if its reader is too slow. */
export class Wire {
  readonly #services: EndpointServices;
  readonly request: HttpRequest;
  readonly #events: WireEvents;
  #keepAlive: Timer | undefined;
  #expiry: Timer | undefined;
  #closed = false;

  /** `expiresAt`: when the credentials of the request expire, in milliseconds since the epoch. */
  constructor(
    services: EndpointServices, request: HttpRequest, events: WireEvents,
    fields: HeaderFields | undefined, expiresAt: number | undefined,
  ) {
    this.#services = services;
    this.request = request;
    this.#events = events;
    const { keepAliveMs } = services.limits;
    // These fields make proxies pass events on at once: 2026-07-28 basic/transports/streamable-http#receiving-messages.
    request.open({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      ...fields,
    }, () => {
      request.onGone(() => this.#close() && events.gone());
      if (this.#closed) return;
      if (keepAliveMs > 0) this.#keepAlive = every(services.clock, keepAliveMs, () => this.write(sseHeartbeat));
      if (expiresAt !== undefined && events.expired) this.#expire(expiresAt);
    });
  }

  #expire(at: number): void {
    const { clock } = this.#services;
    const left = at - clock.now();
    this.#expiry = clock.after(Math.max(0, Math.min(left, longestTimerMs)), () => {
      if (left > longestTimerMs) this.#expire(at);
      else this.#events.expired?.();
    });
  }

  /** Whether a droppable event may be written: half of the buffer is reserved for the others. */
  get room(): boolean {
    return this.request.buffered <= this.#services.limits.maxBufferedBytes / 2;
  }

  write(event: string): void {
    if (this.#closed) return;
    // Check the backlog before this event, so that one large event passes.
    const { buffered } = this.request;
    if (buffered <= this.#services.limits.maxBufferedBytes) return this.request.write(event);
    this.#close();
    this.request.destroy();
    this.#services.report(new Error(
      `a stream was cut off: its reader is too slow, ${buffered} bytes were waiting`,
    ));
    this.#events.gone();
  }

  end(): void {
    if (this.#close()) this.request.end(this.#services.phase !== 'open');
  }

  #close(): boolean {
    if (this.#closed) return false;
    this.#keepAlive?.stop();
    this.#expiry?.stop();
    return this.#closed = true;
  }
}
