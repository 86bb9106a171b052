import { ConnectionError, invalidRequestCode, parseErrorCode } from '../../../jsonrpc/errors.ts';
import type { Notification, Request } from '../../../jsonrpc/message.ts';
import { OrderOfUse } from '../../../bounds/order-of-use.ts';
import type { Outlet } from '../../../jsonrpc/inbound-request.ts';
import * as revisionTable from '../../../protocol/revisions.ts';
import type { Accepted } from './posting.ts';
import { denial } from './admission.ts';
import type { AnswerStream } from './sse-stream.ts';
import type { HeaderFields, HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';
import type { Pollable, Session } from './session.ts';

/** The response to one POST of a session: JSON if no message has to be sent before the answer, otherwise a stream. */
export class PostResponse implements Outlet, Pollable {
  /** Set when a stream begins. A result is always written: if too much waits, the wire cuts the stream off and reports it. */
  room: Outlet['room'];
  readonly #services: EndpointServices;
  readonly #session: Session;
  readonly #request: HttpRequest;
  readonly #accepts: Accepted;
  readonly asked: Request | undefined;
  /** Called if the answer is an error. Set only for the POST that opens the session. */
  readonly #failed: (() => void) | undefined;
  #stream: AnswerStream | undefined;
  #waiting = false;
  #gone = false;
  #answered = false;
  /** Its neighbours in the list of pollable requests, and that list. */
  older: Pollable | undefined;
  newer: Pollable | undefined;
  #polled: OrderOfUse<Pollable> | undefined;

  constructor(
    services: EndpointServices, session: Session, request: HttpRequest, accepts: Accepted,
    asked: Request | undefined, failed?: () => void,
  ) {
    this.#services = services;
    this.#session = session;
    this.#request = request;
    this.#accepts = accepts;
    this.asked = asked;
    this.#failed = failed;
    const { revision } = session.peer;
    if (asked !== undefined && revision && revisionTable.ssePolling(revision)) {
      this.#polled = session.pollable ??= new OrderOfUse();
      this.#polled.add(this);
    }
  }

  /**
   * Called if there is no answer yet. A dropped connection does not cancel the request, but then its answer
   * is not sent.
   */
  wait(): void {
    if (this.#answered || this.#stream) return;
    this.#waiting = true;
    this.#session.connected();
    this.#request.onGone(() => {
      this.#gone = true;
      this.#endWait();
    });
  }

  send(text: string, message?: Request | Notification): void {
    if (!this.#accepts.sse) return this.#session.send(text, message);
    const stream = this.#open();
    if (stream === undefined) {
      // The client misses a notification without harm; a question would wait for its answer in vain.
      if (message && 'id' in message) throw new ConnectionError('closed', 'the client has left');
      return;
    }
    stream.write(text);
  }

  answer(text: string | undefined, errorCode?: number, thrown?: unknown): void {
    this.#answered = true;
    this.#endWait();
    this.#session.touch();
    const asked = this.asked;
    if (asked !== undefined) {
      this.#services.turns.answered(asked, text?.length ?? 0);
      this.#polled?.remove(this);
      this.#polled = undefined;
    }
    if (errorCode !== undefined) this.#failed?.();
    const whole = !this.#stream && !this.#gone && (this.#accepts.json || errorCode !== undefined);
    if (text !== undefined && whole) {
      this.#respond(text, errorCode, thrown);
      return this.#services.tracing?.message('sent', text, this.#request);
    }
    // A cancelled request gets no answer: its stream ends without one.
    const stream = this.#open();
    if (text !== undefined) stream?.write(text);
    stream?.finish();
  }

  #respond(text: string, errorCode: number | undefined, thrown: unknown): void {
    if (errorCode === undefined) return this.#request.respond(200, text, this.#fields());
    const denied = denial(thrown, this.#services.report);
    if (denied) return this.#request.respond(denied.status, text, denied.fields);
    // The message was not a request. Any other error is an answer like a result.
    const none = errorCode === invalidRequestCode || errorCode === parseErrorCode;
    this.#request.respond(none ? 400 : 200, text);
  }

  /** Closes the connection, but not the stream. 2025-11-25 basic/transports#sending-messages-to-the-server. */
  poll(): void {
    if (this.#accepts.sse) this.#open()?.detach();
  }

  #open(): AnswerStream | undefined {
    if (!this.#stream && !this.#gone) {
      this.#endWait();
      const stream = this.#stream = this.#session.answerStream(this.asked?.id);
      this.room = (_length, droppable) => !droppable || stream.room;
      stream.attach(this.#request, { fields: this.#fields() });
    }
    return this.#stream;
  }

  #endWait(): void {
    if (!this.#waiting) return;
    this.#waiting = false;
    this.#session.disconnected();
  }

  #fields(): HeaderFields | undefined {
    return this.#failed && { 'mcp-session-id': this.#session.announced ?? this.#session.id };
  }
}
