import type { OrderOfUse, Placed } from '../../../bounds/order-of-use.ts';
import { ConnectionError } from '../../../jsonrpc/errors.ts';
import type { Outlet } from '../../../jsonrpc/inbound-request.ts';
import type { Notification, Request, RequestId } from '../../../jsonrpc/message.ts';
import * as revisionTable from '../../../protocol/revisions.ts';
import type { Auth } from '../../auth.ts';
import type { PeerOptions, ServedClient, SharedPeer } from '../../server-port.ts';
import { Backlog } from './backlog.ts';
import type { HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';
import { SseStream } from './sse-stream.ts';
import type { AnswerStream, StreamOwner } from './sse-stream.ts';

/** Bytes of messages kept for a client that may not have received them. */
const maxBacklog = 65_536;
/**
 * Milliseconds after which a GET stream is assumed to have delivered its first event id, if not cut off. If it is cut off
 * later and the client opens another one without `Last-Event-ID`, it does not resume, and must not get the same messages again.
 */
const primingMs = 5000;

/** A request without an answer yet, whose client can be made to poll for it. */
export interface Pollable extends Placed<Pollable> {
  readonly asked: Request | undefined;
  /** Closes the connection, so that the client polls. */
  poll(): void;
}

/** The settings of a session with a given id. */
export interface GivenSession {
  readonly id: string;
  /** Undefined: only this process serves the session. */
  readonly shared?: SharedPeer | undefined;
  /** Sends a message that belongs to no request. Throws for a question that cannot be sent. */
  readonly announce?: ((text: string, message: Request | Notification | undefined) => void) | undefined;
  /** Makes the stream for a request; only if a fleet keeps streams. */
  readonly newStream?: ((session: Session, request: RequestId | undefined) => AnswerStream) | undefined;
  /** The session was open when its request came: open it even above the limit. */
  readonly admitted?: boolean | undefined;
}

/**
 * The session of one legacy client. While idle, it is this object, its id and its peer: maps are made when needed.
 * 2025-11-25 basic/transports#session-management.
 */
export class Session implements Outlet, StreamOwner, Placed<Session> {
  readonly id: string;
  /** The id that the client gets, if it differs from `id`. */
  announced: string | undefined;
  /** Whether it is an HTTP+SSE session: answers also go over its only stream. */
  readonly paired: boolean;
  readonly peer: ServedClient;
  /** When the client last sent something, or its work last ended, by the monotonic clock. */
  lastUsed: number;
  /** Open connections: streams, and POSTs that wait for their answer. */
  connections = 0;
  /** Streams that are not over, with or without a connection. */
  streams: Map<string, SseStream> | undefined;
  /** The requests whose clients can be made to poll. */
  pollable: OrderOfUse<Pollable> | undefined;
  ended = false;
  /** Its neighbours in the order of use. */
  older: Session | undefined;
  newer: Session | undefined;
  readonly #services: EndpointServices;
  readonly #given: GivenSession;
  readonly #used: (session: Session) => void;
  readonly #options: PeerOptions;
  #listening: SseStream | undefined;
  /** When the GET stream sent its first event id; undefined: not yet. */
  #primedAt: number | undefined;
  #backlog: Backlog | undefined;
  #streamCount = 0;

  /** `used` is called when the client sends something, or its request or connection ends: the idle time starts again. */
  constructor(
    services: EndpointServices,
    given: GivenSession,
    auth: Auth | undefined,
    paired: boolean,
    used: (session: Session) => void,
  ) {
    this.#services = services;
    this.lastUsed = services.clock.monotonic();
    this.#given = given;
    this.#used = used;
    this.id = given.id;
    this.paired = paired;
    this.#options = {
      auth,
      budget: auth && services.budgets.of(auth),
      modern: false,
      shared: given.shared,
      // If a shared session keeps no streams, its client cannot poll.
      closeStream: given.shared && !given.newStream ? undefined : (request) => this.#poll(request),
    };
    this.peer = services.server.connect(this, this.#options);
  }

  #poll(request: RequestId): void {
    for (const one of this.pollable ?? []) if (one.asked?.id === request) return one.poll();
  }

  get auth(): Auth | undefined {
    return this.#options.auth;
  }

  /** The client has sent a request with these credentials, which are used to serve it. */
  heard(auth: Auth | undefined): void {
    this.#options.auth = auth;
    this.touch();
  }

  touch(): void {
    this.#used(this);
  }

  connected(): void {
    this.connections++;
  }

  disconnected(): void {
    this.connections--;
    this.touch();
  }

  /** The stream for the answer to a request. */
  answerStream(request?: RequestId): AnswerStream {
    return this.#given.newStream?.(this, request) ?? this.#newStream(request);
  }

  /** Makes a stream: for this request, or for a GET. */
  #newStream(request?: RequestId): SseStream {
    const id = (this.#streamCount++).toString(36);
    const stream = new SseStream(this.#services, this, id, !this.paired && !this.#given.shared, request);
    (this.streams ??= new Map()).set(id, stream);
    return stream;
  }

  /** A stream that has ended, for a client that comes back for messages that it missed. */
  endedStream(id: string): SseStream {
    return new SseStream(this.#services, this, id, !this.paired);
  }

  forget(stream: SseStream): void {
    this.streams?.delete(stream.id);
  }

  /** GET: opens the stream for messages that belong to no request. The previous such stream ends. */
  listen(request: HttpRequest): SseStream {
    const stream = this.#newStream();
    // 2025-11-25 basic/transports#multiple-connections: what went on a connected stream goes on no other one.
    if (this.#listening?.live) this.#dropBacklog();
    this.#listening?.finish();
    this.#listening = stream;
    const { revision } = this.peer;
    this.#primedAt = revision && revisionTable.ssePolling(revision) ? this.#services.clock.monotonic() : undefined;
    stream.onLost = () => {
      if (this.#listening === stream) this.#listening = undefined;
    };
    stream.attach(request, { listening: true });
    return stream;
  }

  /** The client has resumed this stream: it knows event ids, so it gets missed messages from the store. */
  resumed(stream: SseStream): void {
    if (stream !== this.#listening) return;
    this.#dropBacklog();
    this.#primedAt = -Infinity;
  }

  #dropBacklog(): void {
    this.#backlog?.clear();
    this.#backlog = undefined;
  }

  /** Sends the backlog on the stream that has just been opened. */
  sendBacklog(): void {
    const texts = this.#backlog?.texts ?? [];
    if (texts.length > 0) this.#primedAt ??= this.#services.clock.monotonic();
    for (const text of texts) this.#listening?.write(text);
  }

  send(text: string, message?: Request | Notification): void {
    const { announce } = this.#given;
    if (announce) return announce(text, message);
    const stream = this.#listening;
    const id = message && 'id' in message ? message.id : undefined;
    if (stream === undefined && id !== undefined) {
      throw new ConnectionError('closed', 'the client has no open stream for requests');
    }
    const primed = this.#primedAt !== undefined && this.#services.clock.monotonic() - this.#primedAt > primingMs;
    if (!this.paired && !(primed && stream?.live)) (this.#backlog ??= new Backlog(maxBacklog)).add(text, id);
    else this.#dropBacklog();
    if (stream === undefined) return;
    this.#primedAt ??= this.#services.clock.monotonic();
    stream.write(text);
  }

  room(_length: number, droppable = false): boolean {
    // A result is always written: if too much waits, the wire cuts the stream off and reports it.
    return !droppable || (this.#listening?.room ?? true);
  }

  /** The client has answered the question with this id. */
  answered(id: RequestId | null | undefined): void {
    this.#backlog?.answered(id);
  }

  answer(text: string | undefined): void {
    if (text !== undefined) this.send(text);
  }

  /** Ends the connection of the GET stream, so that the client opens it at another process. */
  endListening(): void {
    this.#listening?.detach();
  }

  /** Closes the session. Only `Sessions` may call it. */
  close(why: string): void {
    this.ended = true;
    this.#dropBacklog();
    this.peer.close(why);
    for (const stream of [...this.streams?.values() ?? []]) stream.finish();
    this.#services.store?.drop(this.id);
  }
}
