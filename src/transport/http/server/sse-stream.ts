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

/** The session of a stream. */
export interface StreamOwner {
  readonly id: string;
  readonly auth: Auth | undefined;
  readonly peer: ServedClient;
  /** A connection of the session has begun, or has ended. */
  connected(): void;
  disconnected(): void;
  /** The stream is over. */
  forget(stream: SseStream): void;
}

/** How a stream begins on a new connection. */
export interface Attachment {
  readonly fields?: HeaderFields | undefined;
  /** The messages that the client missed: those after `seq`. */
  readonly missed?: { readonly seq: number; readonly texts: readonly string[] };
  /** Whether a GET opened the connection: it then ends when its credentials expire. */
  readonly listening?: boolean;
}

/**
 * One stream of a session: for a request, or opened by a GET. If its messages are stored, it outlives
 * its connections. 2025-11-25 basic/transports#resumability-and-redelivery.
 */
export class SseStream {
  /** Part of each event id, before the number. */
  id: string;
  /** The id of the request that it answers; undefined for a GET. */
  readonly request: RequestId | undefined;
  /** The number of the last message. */
  seq = 0;
  /** Called when the stream is lost with its connection. */
  onLost: (() => void) | undefined;
  readonly #services: EndpointServices;
  readonly #owner: StreamOwner;
  readonly #store: EventStore | undefined;
  #wire: Wire | undefined;

  /** `stored`: whether messages go to the store of the endpoint. A fleet stores them itself. */
  constructor(services: EndpointServices, owner: StreamOwner, id: string, stored: boolean, request?: RequestId) {
    this.id = id;
    this.request = request;
    this.#services = services;
    this.#owner = owner;
    this.#store = stored ? services.store : undefined;
  }

  /** Whether the stream has a connection, as far as is known. */
  get live(): boolean {
    return this.#wire !== undefined;
  }

  /** Whether a droppable message may be written: the client reads fast enough, or is away and will resume. */
  get room(): boolean {
    return this.#wire?.room ?? true;
  }

  /** Continues the stream on the response to this request; its previous connection ends. */
  attach(request: HttpRequest, { fields, missed, listening = false }: Attachment = {}): void {
    this.detach();
    this.#owner.connected();
    let wire: Wire | undefined;
    const gone = (): void => {
      // The client left before: `wire` is not assigned yet. Try again later.
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
   * Writes the messages after `seq` as one text, which may have any length because the store bounds it. `kept`: whether
   * they are stored, and get event ids.
   */
  replay(seq: number, texts: readonly string[], kept = true): void {
    const wire = this.#wire;
    wire?.write(texts.map((data) => {
      const id = kept ? `${this.id}-${++seq}` : undefined;
      this.#services.tracing?.message('sent', data, wire.request, { id });
      return sseEvent({ id, data });
    }).join(''));
  }

  /** Sends an event id before all messages, so that the client can resume from here. */
  prime(listening: boolean): void {
    const id = `${this.id}-${this.seq}`;
    // 2025-11-25 basic/transports: an event with an id and an empty data field.
    const { revision } = this.#owner.peer;
    if (revision && revisionTable.ssePolling(revision)) {
      this.writeEvent({ id, retry: this.#services.limits.retryMs, data: '' });
    // Older clients would read an empty message. An id without a data field sets the last event id and makes no event.
    } else if (listening) this.#wire?.write(`id: ${id}\n\n`);
  }

  write(text: string): void {
    const seq = ++this.seq;
    this.#store?.append(this.#owner.id, this.id, seq, text);
    const id = this.#store && `${this.id}-${seq}`;
    // `text` is JSON that we serialized, without a line break; `id` has none either.
    this.#wire?.write(`${id ? `id: ${id}\n` : ''}data: ${text}\n\n`);
    // Without a connection, the message is stored for the next one, and traced then.
    if (this.#wire) this.#services.tracing?.message('sent', text, this.#wire.request, { id });
  }

  /** Writes an event without a message. */
  writeEvent(event: SseFields): void {
    this.#wire?.write(sseEvent(event));
    const { data, ...fields } = event;
    if (this.#wire) this.#services.tracing?.event(fields, data, this.#wire.request);
  }

  /** Ends the connection, but not the stream: the client will come back. */
  detach(): void {
    const wire = this.#wire;
    if (wire === undefined) return;
    this.#wire = undefined;
    wire.end();
    this.#owner.disconnected();
  }

  /** Ends the stream. */
  finish(): void {
    this.detach();
    this.#owner.forget(this);
  }
}

/** The stream of a response to a POST. */
export type AnswerStream = Pick<SseStream, 'attach' | 'detach' | 'finish' | 'room' | 'write'>;
