import type { Clock } from '../../../bounds/clock.ts';
import { classify, decode, isObject } from '../../../jsonrpc/message.ts';
import { ConnectionError } from '../../../jsonrpc/errors.ts';
import { Faults } from '../../../bounds/faults.ts';
import type { Decoded, RequestId } from '../../../jsonrpc/message.ts';
import * as revisionTable from '../../../protocol/revisions.ts';
import type { Revision } from '../../../protocol/revisions.ts';
import { turnOfOthers } from '../../../bounds/reading.ts';
import { HttpError } from '../http-error.ts';
import type { ClientReceiver, Outgoing } from '../../client-port.ts';
import type { Trace } from '../../trace.ts';
import { toFailure } from './body.ts';
import { Cancellation } from './sender.ts';
import { namedVersion } from './headers.ts';
import type { HttpSession } from './session.ts';

/** Answers and notifications in flight to the server before reading from it pauses. */
const maxUntaken = 32;

/** One HTTP request and the stream that may answer it, with its resumptions. */
export interface PostedRequest {
  /** The id of the JSON-RPC request; undefined for notifications, answers and the GET stream. */
  readonly id: RequestId | undefined;
  readonly modern: boolean;
  /** The session in which it was sent. The transport may have another one when the answer comes. */
  session: HttpSession | undefined;
  cancellation: Cancellation;
  /** Whether the response is a stream. */
  streaming: boolean;
}

/** All HTTP requests in flight, and the JSON-RPC requests that await their answers. */
export class PostedRequests {
  receiver: ClientReceiver | undefined;
  /** The agreed revision; undefined before the agreement. */
  agreed: Revision | undefined;
  closed = false;
  readonly #trace: Trace | undefined;
  readonly #clock: Clock;
  /** Bounds the time of a stream that stays open after its answer. */
  readonly #linger: (cancellation: Cancellation) => void;
  /** Requests without an answer yet, by JSON-RPC id. */
  readonly #pending = new Map<unknown, PostedRequest>();
  readonly #running = new Set<PostedRequest>();
  /** Answers and notifications that the server has not accepted yet. */
  #untaken = 0;
  readonly #faults: Faults;
  #relieved: (() => void)[] = [];

  constructor(trace: Trace | undefined, clock: Clock, linger: (cancellation: Cancellation) => void) {
    this.#trace = trace;
    this.#clock = clock;
    this.#faults = new Faults((error) => this.receiver?.error(error), clock);
    this.#linger = linger;
  }

  begin(message: Outgoing, session: HttpSession | undefined): PostedRequest {
    const { id, method } = message;
    const modern = namedVersion(message) !== undefined;
    const posted: PostedRequest = {
      id: method === undefined ? undefined : id,
      modern,
      session: modern || method === 'initialize' ? undefined : session,
      cancellation: new Cancellation(),
      streaming: false,
    };
    this.#running.add(posted);
    if (this.closed) posted.cancellation.cancel();
    if (posted.id !== undefined) this.#pending.set(posted.id, posted);
    return posted;
  }

  /** Moves the HTTP request of `posted` to a new stream that belongs to no JSON-RPC request. */
  detach(posted: PostedRequest): PostedRequest {
    const stream = this.begin({}, undefined);
    stream.cancellation = posted.cancellation;
    posted.cancellation = new Cancellation();
    return stream;
  }

  end(posted: PostedRequest): void {
    this.#running.delete(posted);
    // Ends the wait of `#linger`.
    if (posted.streaming) posted.cancellation.cancel();
    posted.cancellation.release();
  }

  /** Whether its JSON-RPC request has no answer yet. */
  awaited(posted: PostedRequest): boolean {
    return this.#pending.get(posted.id) === posted;
  }

  /** Whether the request is answered or cancelled: then no more is read for it. */
  over(posted: PostedRequest): boolean {
    return posted.cancellation.cancelled || (posted.id !== undefined && !this.awaited(posted));
  }

  fail(posted: PostedRequest, thrown: unknown): void {
    if (this.awaited(posted)) {
      this.#pending.delete(posted.id);
      this.receiver?.failed(posted.id as RequestId, toFailure(thrown));
      posted.cancellation.cancel();
    } else if (!this.over(posted)) this.receiver?.error(toFailure(thrown));
  }

  /** The server sent an invalid message: fails the pending request `posted`. A `stray` one belongs to no request. */
  refuse(posted: PostedRequest, make: () => Error, stray: boolean = false): void {
    if (!stray && this.awaited(posted)) this.fail(posted, make());
    else if (stray || !this.over(posted)) this.#faults.add(make);
  }

  /** A message on the shared stream could not be read. Fails the pending request if there is only one; otherwise none. */
  refuseOne(make: () => Error): void {
    const [one] = this.#pending.values();
    if (one && this.#pending.size === 1) this.fail(one, make());
    else this.#faults.add(make);
  }

  /** The caller no longer waits for the answer to this request. */
  abandon(id: RequestId): void {
    const posted = this.#pending.get(id);
    this.#pending.delete(id);
    posted?.cancellation.cancel();
  }

  /** Traces and decodes a received message. */
  heard(data: string | Uint8Array): Decoded {
    if (this.#trace) {
      const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
      this.#trace({ direction: 'received', text, at: this.#clock.now() });
    }
    return decode(data);
  }

  /** Delivers the message that came for a request. If it is invalid and was the only answer, the request fails. */
  deliver(decoded: Decoded, posted: PostedRequest): void {
    if (decoded.kind === 'refusal' || (decoded.kind === 'batch' && !(this.agreed && revisionTable.batching(this.agreed)))) {
      const refusal = decoded.kind === 'refusal' ? decoded : undefined;
      const why = refusal?.error.message ?? 'this protocol revision has no batches';
      const make = (): Error => new HttpError(200, '', `the server's message was refused: ${why}`);
      // On a stream, it may be the answer to another request.
      const others = posted.streaming ? this.#meant(decoded) : [];
      for (const one of others) if (one !== posted) this.fail(one, make());
      if (others.length > 0 && !others.includes(posted)) return;
      return this.refuse(posted, make, posted.streaming && !others.includes(posted));
    }
    // 2026-07-28 basic/index#error-responses: an error without an id answers the request of this HTTP response.
    if (decoded.kind === 'failure' && posted.id !== undefined) decoded.message.id ??= posted.id;
    if (decoded.kind === 'batch') for (const value of decoded.values) this.#settle(classify(value));
    else this.#settle(decoded);
    this.receiver?.message(decoded);
  }

  /** The pending requests that an unreadable message answers: by its id or, for a batch, by the ids of its responses. */
  #meant(decoded: Decoded): PostedRequest[] {
    const ids = decoded.kind === 'batch' ? decoded.values.map((value) => isObject(value) && !('method' in value) ? value['id'] : undefined)
      : decoded.kind === 'refusal' && decoded.responseFault !== undefined ? [decoded.id] : [];
    // A message too large to read its id answers the only pending request.
    const only = decoded.kind === 'refusal' && decoded.unread && decoded.id === null && this.#pending.size === 1 ? [...this.#pending.values()] : [];
    return [...only, ...ids.map((id) => this.#pending.get(id)).filter((one) => one !== undefined)];
  }

  /** Ends the pending request of an answer, whichever stream it came on. */
  #settle(decoded: Decoded): void {
    if (decoded.kind !== 'success' && decoded.kind !== 'failure') return;
    const { id } = decoded.message;
    const posted = this.#pending.get(id);
    this.#pending.delete(id);
    // The server should end the stream, so that its connection can be reused; if it does not, we do.
    if (posted?.streaming) this.#linger(posted.cancellation);
  }

  /** An answer or a notification is being sent. Call `took` when the server has accepted it, or sending has failed. */
  tells(): void {
    this.#untaken++;
  }

  took(): void {
    if (--this.#untaken > maxUntaken / 2) return;
    for (const relieved of this.#relieved.splice(0)) relieved();
  }

  /**
   * The promise that a stream reader must await, so that others get a turn. A server that asks questions but accepts no
   * answers is not read further. Undefined: no wait.
   */
  relief(): Promise<void> | undefined {
    if (this.#untaken <= maxUntaken) return turnOfOthers(this.#clock);
    return new Promise((resolve) => this.#relieved.push(resolve));
  }

  /** Ends all requests, without a call to `failed`. */
  close(): void {
    this.closed = true;
    this.#faults.end();
    this.#pending.clear();
    for (const { cancellation } of this.#running) cancellation.cancel();
  }
}

export const closedError = (): ConnectionError => new ConnectionError('closed', 'the transport is closed');
