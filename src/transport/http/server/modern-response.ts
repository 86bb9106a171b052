import type { Budget } from '../../../bounds/budget.ts';
import { invalidRequest, toErrorObject } from '../../../jsonrpc/errors.ts';
import { Cancelled, failureText } from '../../../jsonrpc/inbound-request.ts';
import type { InboundRequest, Outlet } from '../../../jsonrpc/inbound-request.ts';
import type { Request, RequestId } from '../../../jsonrpc/message.ts';
import { subscriptionCancelled } from '../../../protocol/cancellation.ts';
import type { Meta, RequestMeta } from '../../../protocol/meta.ts';
import type { Accepted, PostHead } from './posting.ts';
import { denial } from './admission.ts';
import { statusOf } from './error-response.ts';
import { checkHeaders } from './header-checks.ts';
import type { HeaderFields, HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';
import { Wire } from './wire.ts';

const isListen = ({ method }: Request): boolean => method === 'subscriptions/listen';

/**
 * An entry in the set of open responses. A Set's old table, from before it grew, keeps its entries reachable
 * (bench/NOTES.md), so a response that ends clears its entry.
 */
export interface OpenPlace {
  response: ModernResponse | undefined;
}

/** A modern request and its HTTP response. */
export class ModernResponse implements Outlet {
  /** Set when a stream begins. A result is always written: if too much waits, the wire cuts the stream off and reports it. */
  room: Outlet['room'];
  readonly #services: EndpointServices;
  readonly #request: HttpRequest;
  readonly #accepts: Accepted;
  readonly #open: Set<OpenPlace>;
  #place: OpenPlace | undefined;
  readonly #budget: Budget;
  /** Bytes charged to the budget until the request is answered or given up. */
  #held: number;
  #inbound: InboundRequest | undefined;
  #message: Request | undefined;
  #wire: Wire | undefined;
  #answered = false;
  #left = false;
  #onIdle: (() => void) | undefined;
  /** For `subscriptions/listen`: its id, and when the credentials that opened it expire. */
  #listens: RequestId | undefined;
  #expiresAt: number | undefined;

  /** `held` bytes are charged to the budget already. They are released when the request is answered or given up. */
  constructor(
    services: EndpointServices, request: HttpRequest, accepts: Accepted, open: Set<OpenPlace>, budget: Budget, held: number,
  ) {
    this.#budget = budget;
    this.#held = held;
    this.#services = services;
    this.#request = request;
    this.#accepts = accepts;
    this.#open = open;
  }

  /** Checks the headers of a request and serves it. `meta` is its `_meta`. */
  run(message: Request, meta: Meta | undefined, head: PostHead): void {
    const { server } = this.#services;
    const { auth } = head;
    let checked: RequestMeta;
    try {
      checked = checkHeaders(server, message, meta, head);
    } catch (thrown) {
      // Every error of this check is a bad request.
      return this.#respond(400, failureText(message.id, toErrorObject(thrown)));
    }
    if (isListen(message)) {
      // The answer is a stream that stays open: a client that accepts only JSON would never get a byte.
      if (!this.#accepts.sse) {
        return this.#respond(406, failureText(message.id, toErrorObject(
          invalidRequest(`${message.method} is answered by a stream: Accept must list text/event-stream`),
        )));
      }
      this.#listens = message.id;
      this.#expiresAt = auth?.expiresAt;
    }
    this.#message = message;
    this.#inbound = server.serveRequest(message, checked, this, auth);
    // The client may have left before: a stream reports that as soon as it opens.
    if (this.#left) return this.#gone();
    if (this.#answered) return;
    this.#open.add(this.#place = { response: this });
    // A wire itself reports that the client has left.
    if (this.#wire === undefined) this.#request.onGone(() => this.#gone());
  }

  send(text: string): void {
    // A client that does not accept a stream gets only the answer.
    if (this.#answered || !this.#accepts.sse) return;
    this.#stream().write(`data: ${text}\n\n`);
    this.#services.tracing?.message('sent', text, this.#request, {});
  }

  answer(text: string | undefined, errorCode?: number, thrown?: unknown): void {
    if (this.#answered) return;
    if (text !== undefined && this.#message) this.#services.turns.answered(this.#message, text.length);
    if (this.#wire === undefined && text !== undefined && (this.#accepts.json || errorCode !== undefined)) {
      const denied = thrown === undefined ? undefined : denial(thrown, this.#services.report);
      return this.#respond(denied?.status ?? (errorCode === undefined ? 200 : statusOf(errorCode)), text, denied?.fields);
    }
    if (text !== undefined) this.send(text);
    this.#answered = true;
    this.#leave();
    this.#stream().end();
  }

  /** Resolves when the request is answered. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  /** Cancels the request, which ends its response. */
  cancel(why: string): void {
    this.#inbound?.cancel(new Cancelled(why));
  }

  // 2026-07-28 basic/patterns/cancellation: a client that closes the response cancels the request.
  #gone(): void {
    this.#left = this.#answered = true;
    this.#leave();
    this.cancel('the client closed the response');
  }

  #stream(): Wire {
    if (this.#wire) return this.#wire;
    const wire = this.#wire = new Wire(
      this.#services, this.#request, { gone: () => this.#gone(), expired: () => this.#expired() },
      undefined, this.#expiresAt,
    );
    this.room = (_length, droppable) => !droppable || wire.room;
    return wire;
  }

  /** 2026-07-28 basic/patterns/cancellation: a server that ends a subscription sends a cancellation with its id. */
  #expired(): void {
    if (this.#listens !== undefined) {
      this.send(subscriptionCancelled(this.#listens, 'the credentials that opened the subscription have expired'));
    }
    this.cancel('the credentials have expired');
  }

  #leave(): void {
    const place = this.#place;
    if (place) {
      place.response = undefined;
      this.#open.delete(place);
    }
    this.#budget.release(this.#held);
    this.#held = 0;
    this.#onIdle?.();
  }

  #respond(status: number, text: string, fields?: HeaderFields): void {
    this.#answered = true;
    this.#leave();
    this.#request.respond(status, text, fields);
    this.#services.tracing?.message('sent', text, this.#request);
  }
}
