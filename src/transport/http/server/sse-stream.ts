import type { RequestId } from '../../../jsonrpc/message.ts';
import * as revisionTable from '../../../protocol/revisions.ts';
import type { Auth } from '../../auth.ts';
import type { ServedClient } from '../../server-port.ts';
import { sseEvent } from '../sse-writer.ts';
import type { SseFields } from '../sse-writer.ts';
import type { EventStore } from './event-store.ts';
import type { HeaderFields, HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';
import { Wire } from './wire.ts';

/** What a stream knows of its session. */
export interface StreamOwner {
  readonly id: string;
  readonly auth: Auth | undefined;
  readonly peer: ServedClient;
  /** A connection of the session's has begun, or has ended. */
  connected(): void;
  disconnected(): void;
  /** The stream is over. */
  forget(stream: SseStream): void;
}

/** How a stream begins on a new connection. */
export interface Attachment {
  readonly fields?: HeaderFields | undefined;
  /** What the client missed, from the message after `seq` on. */
  readonly missed?: { readonly seq: number; readonly texts: readonly string[] };
  /** A GET opened the connection, so that it ends when its credentials expire. */
  readonly listening?: boolean;
}

/**
 * One stream of a session: that of a request, or the one that a GET opened. It outlives its connections where
 * its messages are kept. 2025-11-25 basic/transports#resumability-and-redelivery.
 */
export class SseStream {
  /** Stands in each event id, before the number. */
  id: string;
  /** The request that it answers; undefined for a GET. */
  readonly request: RequestId | undefined;
  /** The number of the message that was written last. */
  seq = 0;
  /** Called when a connection is lost and the stream with it. */
  onLost: (() => void) | undefined;
  readonly #services: EndpointServices;
  readonly #owner: StreamOwner;
  readonly #store: EventStore | undefined;
  #wire: Wire | undefined;

  /** `stored`: whether messages go to the store of the endpoint. A fleet keeps them itself. */
  constructor(services: EndpointServices, owner: StreamOwner, id: string, stored: boolean, request?: RequestId) {
    this.id = id;
    this.request = request;
    this.#services = services;
    this.#owner = owner;
    this.#store = stored ? services.store : undefined;
  }

  /** Whether a connection carries it now, as far as is known. */
  get live(): boolean {
    return this.#wire !== undefined;
  }

  /** Whether the client reads what is written, or is away and will resume. */
  get room(): boolean {
    return this.#wire?.room ?? true;
  }

  /** Carries the stream on over this request's response; what carried it before ends. */
  attach(request: HttpRequest, { fields, missed, listening = false }: Attachment = {}): void {
    this.detach();
    this.#owner.connected();
    let wire: Wire | undefined;
    const gone = (): void => {
      // The client had left already, and the response is still being opened.
      if (wire === undefined) return void Promise.resolve().then(gone);
      if (this.#wire !== wire) return;
      this.detach();
      if (this.#store) return;
      this.finish();
      this.onLost?.();
    };
    const expired = (): void => {
      wire?.write(': the credentials that opened this stream have expired\n\n');
      gone();
    };
    wire = this.#wire = new Wire(
      this.#services, request, { gone, expired }, fields, listening ? this.#owner.auth?.expiresAt : undefined,
    );
    if (missed) this.replay(missed.seq, missed.texts);
    else if (this.#store) this.prime(listening);
  }

  /**
   * Writes the messages that follow the one with this number, in one piece, which passes whatever its length: the store
   * has bounded it. `kept`: whether they are in a store, and get event ids.
   */
  replay(seq: number, texts: readonly string[], kept = true): void {
    const wire = this.#wire;
    wire?.write(texts.map((data) => {
      const id = kept ? `${this.id}-${++seq}` : undefined;
      this.#services.tracing?.message('sent', data, wire.request, { id });
      return sseEvent({ id, data });
    }).join(''));
  }

  /** Sends an id before anything else, so that the client can resume from here. */
  prime(listening: boolean): void {
    const id = `${this.id}-${this.seq}`;
    // 2025-11-25 basic/transports: an event with an id and an empty data field.
    const { revision } = this.#owner.peer;
    if (revision && revisionTable.ssePolling(revision)) {
      this.writeEvent({ id, retry: this.#services.limits.retryMs, data: '' });
    // Older clients would read an empty message. An id without data sets the last event id and is no event.
    } else if (listening) this.#wire?.write(`id: ${id}\n\n`);
  }

  write(text: string): void {
    const seq = ++this.seq;
    this.#store?.append(this.#owner.id, this.id, seq, text);
    const id = this.#store && `${this.id}-${seq}`;
    // The text is JSON of our own making, which holds no line break, and so is the id.
    this.#wire?.write(`${id ? `id: ${id}\n` : ''}data: ${text}\n\n`);
    // Without a connection it is kept for the next one, and is traced then.
    if (this.#wire) this.#services.tracing?.message('sent', text, this.#wire.request, { id });
  }

  /** Writes an event without a message. */
  writeEvent(event: SseFields): void {
    this.#wire?.write(sseEvent(event));
    const { data, ...fields } = event;
    if (this.#wire) this.#services.tracing?.event(fields, data, this.#wire.request);
  }

  /** Ends the connection, not the stream: the client will come back. */
  detach(): void {
    const wire = this.#wire;
    if (wire === undefined) return;
    this.#wire = undefined;
    wire.end();
    this.#owner.disconnected();
  }

  /** The stream is over. */
  finish(): void {
    this.detach();
    this.#owner.forget(this);
  }
}

/** The stream that answers a POST. */
export type AnswerStream = Pick<SseStream, 'attach' | 'detach' | 'finish' | 'room' | 'write'>;
