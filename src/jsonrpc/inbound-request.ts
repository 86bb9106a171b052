import { internalError, need, RpcError, toErrorObject } from './errors.ts';
import type { ErrorObject, Notification, Params, Request, RequestId } from './message.ts';

/** Where one peer hears us: a pipe, or the stream that answers one HTTP request. Messages are JSON text. */
export interface Outlet {
  /**
   * A message that is not an answer: a notification, or a question of ours. `message` is what the text says, for
   * transports that look inside; the notifications of a server come as text only.
   */
  send(text: string, message?: Request | Notification): void;
  /**
   * The answer to the request that came with this outlet; undefined when it was cancelled and gets none.
   * `errorCode` is the code of an error answer, for transports that have a status of their own; `thrown` is
   * what the handler threw, which may know that status.
   */
  answer(text: string | undefined, errorCode?: number, thrown?: unknown): void;
  /**
   * Whether the peer reads what we say, so that a text of this length may follow. False: a result becomes an
   * error, and what may be lost (progress, log messages: they say so) is. Without it there is room: an
   * outlet may have it only while something waits.
   */
  room?: ((length: number, droppable?: boolean) => boolean) | undefined;
}

/** The outlet of who is told nothing. */
export const nobody: Outlet = { send() {}, answer() {} };

/** The outlet of a pipe, where an answer goes the way of every other message. */
export function pipeOutlet(send: Outlet['send'], room: Outlet['room'] = () => true): Outlet {
  return {
    send,
    room,
    answer(text) {
      if (text !== undefined) send(text);
    },
  };
}

/**
 * A result whose JSON text is made once somebody is known to read it: so a list is serialized once and not for every
 * client.
 */
export class Serialized {
  /** Gives the JSON text of the result; called when it is written. */
  readonly text: () => string;

  constructor(text: () => string) {
    this.text = text;
  }
}

/** Thrown for a result of which a `toJSON`, or who made it, has made no object. */
export const noObject = (): TypeError => new TypeError('the result is not a JSON object');

export function successText(id: RequestId, result: object): string {
  const text = (result instanceof Serialized ? result.text() : JSON.stringify(result)) as string | undefined;
  if (text?.[0] !== '{') throw noObject();
  // Not `${id}` for a number: V8 caches that text, and what it is part of outlives the young generation.
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
}

/** `nullId`: whether an error without an id says `"id": null`, or leaves the member out. */
export function failureText(id: RequestId | null, error: ErrorObject, nullId: boolean = false): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id === null && !nullId ? undefined : id, error });
}

export function notificationText(method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

/** Sends a notification that belongs to no request, while the connection is open. */
export function notify(
  { closed, outlet }: { readonly closed: unknown; readonly outlet: Pick<Outlet, 'send'> }, method: string, params?: Params,
): void {
  if (closed) return;
  const notification: Notification = { jsonrpc: '2.0', method };
  if (params !== undefined) notification.params = params;
  outlet.send(JSON.stringify(notification), notification);
}

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
export interface FailureHandler {
  errorFor(thrown: unknown): unknown;
}

/** One request that the peer asked and that is not answered yet. */
export class InboundRequest extends Abortable {
  readonly request: Request;
  readonly outlet: Outlet;
  /** The memory that it takes while its handler runs, in bytes: its parameters, and what is made for it. */
  readonly weight: number;
  /** Answered, or cancelled: nothing more may be sent for it. */
  settled = false;
  /** Set by who runs the handler. */
  failures: FailureHandler | undefined;

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
  run(handle: (inbound: InboundRequest) => object | Promise<object>, done?: (inbound: InboundRequest) => void): void {
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
    if (!text || outlet.room?.(text.length) === false) throw internalError('The result does not fit beside what is not read yet');
    this.settled = true;
    outlet.answer(text);
  }

  #fail(thrown: unknown): void {
    if (this.settled) return;
    let known = thrown;
    let error: ErrorObject;
    try {
      // What nobody wrote for the caller, the author judges.
      if (!(known instanceof RpcError)) known = this.failures?.errorFor(known) ?? known;
      error = toErrorObject(known);
    } catch (unreadable) {
      error = toErrorObject(this.failures?.errorFor(unreadable) ?? internalError('the error cannot be read'));
    }
    this.#settle(errorText(this, error), error.code, known);
  }

  #settle(text: string | undefined, errorCode?: number, thrown?: unknown): void {
    if (this.settled) return;
    this.settled = true;
    this.outlet.answer(text, errorCode, thrown);
  }
}

function errorText({ request }: InboundRequest, error: ErrorObject): string {
  try {
    return failureText(request.id, error);
  } catch {
    return failureText(request.id, { code: error.code, message: error.message });
  }
}
