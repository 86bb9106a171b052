import type { Outlet } from './outlet.ts';
import type { Request } from './message.ts';

/** Why a request's signal aborted, as `signal.reason`. */
export class Cancelled extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Cancelled';
  }
}

/** One request that the peer asked and that is not answered yet. */
export class Inbound {
  readonly request: Request;
  readonly outlet: Outlet;
  /** Answered, or cancelled: nothing more may be sent for it. */
  settled = false;
  #controller: AbortController | undefined;
  #reason: unknown;

  constructor(request: Request, outlet: Outlet) {
    this.request = request;
    this.outlet = outlet;
  }

  /** Made at first use: most handlers never look, and a controller costs more than the rest of a small call. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Tells the handler to stop, without settling the request. */
  abort(reason: unknown): void {
    this.#reason ??= reason;
    this.#controller?.abort(reason);
  }

  /** Sends the answer, or takes note that there will be none. The first one counts. */
  settle(text: string | undefined): void {
    if (this.settled) return;
    this.settled = true;
    this.outlet.answer(text);
  }

  /** Sends a notification or a question that belongs to this request; nothing once it is settled. */
  send(text: string): void {
    if (!this.settled) this.outlet.send(text);
  }
}
