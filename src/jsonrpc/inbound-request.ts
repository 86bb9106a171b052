import { internalError, need, RpcError, toErrorObject } from './errors.ts';
import type { ErrorObject, Notification, Params, Request, RequestId } from './message.ts';

/** The sending side of a transport to one peer: a pipe, or the response to one HTTP request. Messages are JSON text. */
export interface Outlet {
  /**
   * Sends a notification or a request of ours. `message` is the same message as an object, for transports that read
   * its members; a server passes its notifications only as text.
   */
  send(text: string, message?: Request | Notification): void;
  /**
   * Sends the response to the request that came with this outlet; undefined: there is no response, for example after
   * a cancellation. `errorCode`: the code of an error response, for transports that also send a status (HTTP). `thrown`:
   * the error of the handler, which may have that status.
   */
  answer(text: string | undefined, errorCode?: number, thrown?: unknown): void;
  /**
   * True if a text of this length may be sent now, because the peer reads fast enough. False: a result becomes an error,
   * and a `droppable` notification (progress, log message) is dropped. An outlet without `room` has room: it may set
   * `room` only while messages wait.
   */
  room?: ((length: number, droppable?: boolean) => boolean) | undefined;
}

/** An outlet that discards all messages. */
export const nobody: Outlet = { send() {}, answer() {} };

/** The outlet of a pipe, which sends responses like all other messages. */
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
 * A result that provides its own JSON text when it is written. So a list is serialized once and not for every client.
 */
export class Serialized {
  /** Returns the JSON text of the result. */
  readonly text: () => string;

  constructor(text: () => string) {
    this.text = text;
  }
}

/** The error for a result that does not serialize to a JSON object, for example because of its `toJSON`. */
export const noObject = (): TypeError => new TypeError('the result is not a JSON object');

export function successText(id: RequestId, result: object): string {
  const text = (result instanceof Serialized ? result.text() : JSON.stringify(result)) as string | undefined;
  if (text?.[0] !== '{') throw noObject();
  // Not `${id}`: V8 caches the text of a number, and a string that contains it outlives the young generation.
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
}

/** `nullId`: an error response without an id has `"id": null`; otherwise it has no `id`. */
export function failureText(id: RequestId | null, error: ErrorObject, nullId: boolean = false): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id === null && !nullId ? undefined : id, error });
}

export function notificationText(method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

/** Sends a notification that belongs to no request, if the connection is open. */
export function notify(
  { closed, outlet }: { readonly closed: unknown; readonly outlet: Pick<Outlet, 'send'> }, method: string, params?: Params,
): void {
  if (closed) return;
  const notification: Notification = { jsonrpc: '2.0', method };
  if (params !== undefined) notification.params = params;
  outlet.send(JSON.stringify(notification), notification);
}

/** The `signal.reason` of a request that the peer cancelled. */
export class Cancelled extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Cancelled';
  }
}

/** An operation that can be aborted. Listen with `signal` or, at far less cost, with `stopOf` of stop.ts. */
export class Abortable {
  #controller: AbortController | undefined;
  /** Returns the reason of the abort; undefined before the abort. */
  why: (() => unknown) | undefined;
  /** Called once, at the abort. */
  listeners: Set<() => void> | undefined;

  /**
   * Created at the first access: most handlers do not use it, and a controller costs more than the rest of a small call.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      need('AbortController', 'the signal of a request');
      this.#controller = new AbortController();
      if (this.why) this.#controller.abort(this.why());
    }
    return this.#controller.signal;
  }

  /** Aborts the signal of the handler, but does not settle the request. `reason` is called only if the reason is read. */
  abort(reason: () => unknown): void {
    this.why ??= reason;
    this.#controller?.abort(this.why());
    for (const listener of this.listeners ?? []) listener();
    this.listeners = undefined;
  }
}

/** Reports an error in or around a handler to its author, such as a result that JSON cannot express; returns the error for the caller. */
export interface FailureHandler {
  errorFor(thrown: unknown, inbound: InboundRequest): unknown;
}

/** A request of the peer, from its arrival until its handler has finished. */
export class InboundRequest extends Abortable {
  readonly request: Request;
  readonly outlet: Outlet;
  /** Bytes charged to the peer's budget until the handler has finished. */
  readonly weight: number;
  /** True when it was answered or cancelled: nothing more may be sent for it. */
  settled = false;
  /** Set by the code that runs the handler. */
  failures: FailureHandler | undefined;

  constructor(request: Request, outlet: Outlet, weight: number = 0) {
    super();
    this.request = request;
    this.outlet = outlet;
    this.weight = weight;
  }

  /** Aborts the signal of the handler; the request gets no response. */
  cancel(reason: unknown): void {
    this.abort(() => reason);
    this.#settle(undefined);
  }

  /** Sends a notification or a request of ours that belongs to this request; does nothing after it is settled. */
  send(text: string, message?: Parameters<Outlet['send']>[1]): void {
    if (!this.settled) this.outlet.send(text, message);
  }

  /**
   * Runs `handle` and responds with its result or error; then calls `done`, even if the request was cancelled. A handler
   * that returns no promise is answered without waiting for a microtask.
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

  /** Throws for a result that JSON cannot express (a cycle, a BigInt), or for which there is no room. */
  #succeed(result: object): void {
    if (this.settled) return;
    const { outlet } = this;
    // Also checked before serializing: forty results of 15 MB that do not fit would take seconds.
    const text = outlet.room?.(0) === false ? '' : successText(this.request.id, result);
    if (!text || outlet.room?.(text.length) === false) throw internalError('The result does not fit: too much is unread');
    this.settled = true;
    outlet.answer(text);
  }

  #fail(thrown: unknown): void {
    if (this.settled) return;
    let known = thrown;
    let error: ErrorObject;
    try {
      // Only an `RpcError` is meant for the caller. Any other error is reported and replaced.
      if (!(known instanceof RpcError)) known = this.failures?.errorFor(known, this) ?? known;
      error = toErrorObject(known);
    } catch (unreadable) {
      error = toErrorObject(this.failures?.errorFor(unreadable, this) ?? internalError('the error cannot be read'));
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
