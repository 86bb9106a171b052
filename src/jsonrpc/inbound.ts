import { internalError, need, RpcError, toErrorObject } from './errors.ts';
import type { ErrorObject, Request } from './message.ts';
import { failureText, successText } from './outlet.ts';
import type { Outlet } from './outlet.ts';

/** Why a request's signal aborted, as `signal.reason`: the peer cancelled it. */
export class Cancelled extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Cancelled';
  }
}

/** Something that can be told to stop. Others hear of it by `signal` or, at far less cost, by `stopOf` of stop.ts. */
export class Abortable {
  #controller: AbortController | undefined;
  /** Makes the reason why it was told to stop; undefined before. */
  why: (() => unknown) | undefined;
  /** Called once, when it is told to stop. */
  listeners: Set<() => void> | undefined;

  /**
   * Made at first use: most handlers never look, and a controller costs more than the rest of a small call.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      need('AbortController', 'the signal of a request');
      this.#controller = new AbortController();
      if (this.why) this.#controller.abort(this.why());
    }
    return this.#controller.signal;
  }

  /** Tells the handler to stop, without settling the request. The reason is made where somebody looks. */
  abort(reason: () => unknown): void {
    this.why ??= reason;
    this.#controller?.abort(this.why());
    for (const listener of this.listeners ?? []) listener();
    this.listeners = undefined;
  }
}

/** Tells the author of a handler what went wrong around it, such as a result that JSON cannot say; returns what the caller is told. */
export interface ResultJudge {
  judge(thrown: unknown): unknown;
}

/** One request that the peer asked and that is not answered yet. */
export class Inbound extends Abortable {
  readonly request: Request;
  readonly outlet: Outlet;
  /** The memory that it takes while its handler runs, in bytes: its parameters, and what is made for it. */
  readonly weight: number;
  /** Answered, or cancelled: nothing more may be sent for it. */
  settled = false;
  /** Set by who runs the handler. */
  resultJudge: ResultJudge | undefined;

  constructor(request: Request, outlet: Outlet, weight: number = 0) {
    super();
    this.request = request;
    this.outlet = outlet;
    this.weight = weight;
  }

  /** Tells the handler to stop; the request gets no answer. */
  cancel(reason: unknown): void {
    this.abort(() => reason);
    this.#settle(undefined);
  }

  /** Sends a notification or a question that belongs to this request; nothing once it is settled. */
  send(text: string, message?: Parameters<Outlet['send']>[1]): void {
    if (!this.settled) this.outlet.send(text, message);
  }

  /**
   * Runs `handle` and answers with what it returns or throws; then `done`, even where the answer was no
   * longer wanted. A handler that answers at once costs no turn of the microtask queue.
   */
  run(handle: (inbound: Inbound) => object | Promise<object>, done?: (inbound: Inbound) => void): void {
    try {
      const result = handle(this);
      if (result instanceof Promise) {
        void result.then((late) => this.#succeed(late)).catch((thrown) => this.#fail(thrown)).then(() => done?.(this));
        return;
      }
      this.#succeed(result);
    } catch (thrown) {
      this.#fail(thrown);
    }
    done?.(this);
  }

  /** Throws for a result that JSON cannot say (a cycle, a BigInt), or that does not fit. */
  #succeed(result: object): void {
    if (this.settled) return;
    const { outlet } = this;
    // Asked before too: forty results of 15 MB that do not fit would take seconds to serialize.
    const text = outlet.room?.(0) === false ? '' : successText(this.request.id, result);
    if (text === '' || outlet.room?.(text.length) === false) throw internalError('The result does not fit beside what is not read yet');
    this.settled = true;
    outlet.answer(text);
  }

  #fail(thrown: unknown): void {
    if (this.settled) return;
    let known = thrown;
    let error: ErrorObject;
    try {
      // What nobody wrote for the caller, the author judges.
      if (!(known instanceof RpcError)) known = this.resultJudge?.judge(known) ?? known;
      error = toErrorObject(known);
    } catch (unreadable) {
      error = toErrorObject(this.resultJudge?.judge(unreadable) ?? internalError('the error cannot be read'));
    }
    this.#settle(errorText(this, error), error.code, known);
  }

  #settle(text: string | undefined, errorCode?: number, thrown?: unknown): void {
    if (this.settled) return;
    this.settled = true;
    this.outlet.answer(text, errorCode, thrown);
  }
}

function errorText({ request }: Inbound, error: ErrorObject): string {
  try {
    return failureText(request.id, error);
  } catch {
    return failureText(request.id, { code: error.code, message: error.message });
  }
}
