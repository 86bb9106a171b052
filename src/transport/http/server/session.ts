import * as errorCodes from '../../../jsonrpc/error-codes.ts';
import { ConnectionError } from '../../../jsonrpc/errors.ts';
import type { Notification, Request, RequestId } from '../../../jsonrpc/message.ts';
import type { Outlet } from '../../../jsonrpc/outlet.ts';
import type { Auth, ServerPeer } from '../../port.ts';
import type { Exchange, HeaderFields } from './http-request.ts';
import type { Accepted } from './guard.ts';
import type { Host } from './options.ts';
import { SseStream } from './stream.ts';

type Sent = Request | Notification | undefined;

/**
 * One legacy client. An idle one is this object, its id and its peer: maps are made when they are needed.
 * 2025-11-25 basic/transports#session-management.
 */
export class Session implements Outlet {
  readonly id: string;
  readonly auth: Auth | undefined;
  /** Of HTTP+SSE: answers go over the one stream as well. */
  readonly paired: boolean;
  readonly peer: ServerPeer;
  /** Something of the session's has begun or ended just now: its idle time begins anew. */
  readonly touch: (session: Session) => void;
  /** When the client was last heard of, or something of its own last ended: milliseconds since the epoch. */
  lastUsed: number = Date.now();
  /** Connections of streams that are open. */
  wires = 0;
  /** Streams that are not over, with a connection or without. */
  streams: Map<string, SseStream> | undefined;
  /** Requests whose streams can be closed to be polled. */
  posts: Map<RequestId | undefined, Post> | undefined;
  ended = false;
  // The table's list, from the one that was used longest ago.
  older: Session | undefined;
  newer: Session | undefined;
  readonly #host: Host;
  #listening: SseStream | undefined;
  #streamCount = 0;

  constructor(
    host: Host,
    id: string,
    auth: Auth | undefined,
    paired: boolean,
    used: (session: Session) => void,
  ) {
    this.#host = host;
    this.touch = used;
    this.id = id;
    this.auth = auth;
    this.paired = paired;
    this.peer = host.server.connect(this, {
      auth,
      modern: false,
      closeStream: (request) => this.posts?.get(request)?.poll(),
    });
  }

  get busy(): boolean {
    return this.wires > 0 || this.peer.inFlight > 0;
  }

  newStream(): SseStream {
    const stream = this.endedStream((this.#streamCount++).toString(36));
    (this.streams ??= new Map()).set(stream.id, stream);
    return stream;
  }

  /** A stream that is over already, for a client that comes back for what it missed. */
  endedStream(id: string): SseStream {
    return new SseStream(this.#host, this, id, !this.paired);
  }

  /** Makes `stream` the one that carries what belongs to no request. The one before it ends. */
  listen(stream: SseStream): void {
    if (this.#listening !== stream) this.#listening?.finish();
    this.#listening = stream;
    stream.onLost = () => {
      if (this.#listening === stream) this.#listening = undefined;
    };
  }

  send(text: string, message?: Sent): void {
    if (this.#listening === undefined) return lost(message);
    this.#host.passed('sent', text);
    this.#listening.write(text);
  }

  answer(text: string | undefined): void {
    if (text !== undefined) this.send(text);
  }

  released(): void {
    this.wires--;
    this.touch(this);
  }

  /** Called by the table alone. */
  close(why: string): void {
    this.ended = true;
    this.peer.close(why);
    for (const stream of [...this.streams?.values() ?? []]) stream.finish();
    this.#host.store?.drop(this.id);
  }
}

/** A notification that nobody listens to is nothing; a question would wait for its answer in vain. */
function lost(message: Sent): void {
  if (message && 'id' in message) {
    throw new ConnectionError('closed', 'the client has no stream open to be asked on');
  }
}

/** The answer to one POST of a session: JSON while nothing has to be sent before it, otherwise a stream. */
export class Post implements Outlet {
  readonly #host: Host;
  readonly #session: Session;
  readonly #exchange: Exchange;
  readonly #accepts: Accepted;
  readonly #id: RequestId | undefined;
  /** Given where this very POST opens the session. */
  readonly #failed: (() => void) | undefined;
  #stream: SseStream | undefined;
  #gone = false;
  answered = false;

  constructor(
    host: Host, session: Session, exchange: Exchange, accepts: Accepted,
    id: RequestId | undefined, failed?: () => void,
  ) {
    this.#host = host;
    this.#session = session;
    this.#exchange = exchange;
    this.#accepts = accepts;
    this.#id = id;
    this.#failed = failed;
    if (id !== undefined && session.peer.revision?.ssePolling) (session.posts ??= new Map()).set(id, this);
  }

  /**
   * The answer has not come at once. A dropped connection is no cancellation,
   * but then nobody hears the answer.
   */
  wait(): void {
    this.#exchange.onGone(() => {
      this.#gone = true;
    });
  }

  send(text: string, message?: Sent): void {
    if (!this.#accepts.sse) return this.#session.send(text, message);
    const stream = this.#open();
    if (stream === undefined) return lost(message);
    this.#host.passed('sent', text);
    stream.write(text);
  }

  answer(text: string | undefined, errorCode?: number): void {
    this.answered = true;
    this.#session.touch(this.#session);
    const { posts } = this.#session;
    if (posts?.get(this.#id) === this) posts.delete(this.#id);
    if (errorCode !== undefined) this.#failed?.();
    if (text !== undefined) {
      this.#host.passed('sent', text);
      if (!this.#stream && !this.#gone && (this.#accepts.json || errorCode !== undefined)) {
        // It was no request. Any other error is an answer like a result.
        const none = errorCode === errorCodes.invalidRequest || errorCode === errorCodes.parseError;
        const status = none ? 400 : 200;
        return this.#exchange.respond(status, text, errorCode === undefined ? this.#fields() : undefined);
      }
    }
    // A cancelled request gets no answer: a stream that ends without one says so.
    const stream = this.#open();
    if (text !== undefined) stream?.write(text);
    stream?.finish();
  }

  /** Closes the connection and leaves the stream open: 2025-11-25 basic/transports, "poll". */
  poll(): void {
    if (this.#accepts.sse) this.#open()?.detach();
  }

  #open(): SseStream | undefined {
    if (!this.#stream && !this.#gone) {
      this.#stream = this.#session.newStream();
      this.#stream.attach(this.#exchange, this.#fields());
    }
    return this.#stream;
  }

  #fields(): HeaderFields | undefined {
    return this.#failed && { 'mcp-session-id': this.#session.id };
  }
}
