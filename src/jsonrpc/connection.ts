import { openThingBytes, peerBudget } from './budget.ts';
import type { Budget } from './budget.ts';
import { classify, encode, isObject, isRequestId, refusal } from './codec.ts';
import * as errorCodes from './error-codes.ts';
import { ConnectionError, errorMessage, RpcError, toError } from './errors.ts';
import { Cancelled, Inbound } from './inbound.ts';
import type {
  Decoded, Failure, Notification, Params, Refusal, Request, RequestId, Success,
} from './message.ts';
import { batchOutlet, refuse } from './outlet.ts';
import type { Outlet } from './outlet.ts';
import { quote, shorten } from './quote.ts';

/** `progress` grows with each report; `total` is in the same unit, when it is known. */
export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export interface RequestOptions {
  /** Cancels the request: the peer is told, and the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait for the answer; each progress report starts them anew. 0: no limit. */
  timeoutMs?: number | undefined;
  /** Milliseconds to wait in all, whatever the progress. 0: no limit. */
  maxTimeoutMs?: number | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Times are not limited where the runtime has no `setTimeout`; a caller who asks for a limit is told. */
export interface ConnectionLimits {
  /** Default of `RequestOptions.timeoutMs`. 60 seconds. */
  timeoutMs: number;
  /** Default of `RequestOptions.maxTimeoutMs`. 10 minutes. */
  maxTimeoutMs: number;
  /** Requests of the peer that may be unanswered at once; the next one is refused. 1024. */
  maxInFlight: number;
  /** Messages of one batch; a longer one is refused. 1000. */
  maxBatch: number;
  /** Characters of the answer to one batch; a result that does not fit becomes an error. 16 Mi. */
  maxBatchAnswer: number;
}

export const defaultConnectionLimits: ConnectionLimits = {
  timeoutMs: 60_000,
  maxTimeoutMs: 600_000,
  maxInFlight: 1024,
  maxBatch: 1000,
  maxBatchAnswer: 16 * 1024 * 1024,
};

/** What the layer above does with what arrives. */
export interface ConnectionHandlers {
  /** The result, or a promise of it. A throw is the error answer. */
  request(inbound: Inbound): object | Promise<object>;
  notification(notification: Notification): void;
  /**
   * Everything that went wrong and has no caller to tell: unasked answers, failing handlers of notifications.
   */
  error(error: Error): void;
  /**
   * Nobody waits any longer for the answer to this question of ours. True: the peer has been told, or is not
   * to be told; otherwise it gets `notifications/cancelled`.
   */
  giveUp?(id: RequestId, method: string): boolean;
}

interface Pending {
  method: string;
  resolve(result: Record<string, unknown>): void;
  reject(error: unknown): void;
  onProgress: ((progress: Progress) => void) | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
  timeoutMs: number;
  deadline: number;
  signal: AbortSignal | undefined;
  onAbort: (() => void) | undefined;
}

/**
 * Late answers to cancelled requests are expected, and these many are remembered in order to tell them apart.
 */
const maxAbandoned = 256;

/**
 * One peer: matches answers to questions, runs the peer's requests concurrently, and carries cancellation,
 * timeouts and progress in both directions. Owns no stream; `receive` is fed, and `outlet` is written to.
 */
export class Connection {
  /** Whether the revision in use has batches. */
  batching = false;
  /** What the peer makes us hold. */
  readonly budget: Budget;
  readonly #outlet: Outlet;
  readonly #handlers: ConnectionHandlers;
  readonly #limits: ConnectionLimits;
  #nextId = 1;
  // An idle session holds none of these maps.
  #pending: Map<RequestId, Pending> | undefined;
  #abandoned: Set<RequestId> | undefined;
  #inFlight: Map<RequestId, Inbound> | undefined;
  #closed: ConnectionError | undefined;
  #onIdle: (() => void) | undefined;

  constructor(
    outlet: Outlet,
    handlers: ConnectionHandlers,
    limits: ConnectionLimits = defaultConnectionLimits,
    budget: Budget = peerBudget(),
  ) {
    this.budget = budget;
    this.#outlet = outlet;
    this.#handlers = handlers;
    this.#limits = limits;
  }

  /** The peer's requests that are not answered yet. */
  get inFlight(): number {
    return this.#inFlight?.size ?? 0;
  }

  /** The questions of ours that are not answered yet. */
  get waiting(): number {
    return this.#pending?.size ?? 0;
  }

  /**
   * Takes one decoded message. `outlet` is where its answer goes: a stream of its own over HTTP, otherwise
   * the connection's. Never throws.
   */
  receive(decoded: Decoded, outlet: Outlet = this.#outlet): void {
    if (this.#closed) return outlet.answer(undefined);
    switch (decoded.kind) {
      case 'request': return this.#answer(decoded.message, outlet, decoded.weight);
      case 'notification': return this.#notice(decoded.message);
      case 'success': return this.#settle(decoded.message.id, decoded.message);
      case 'failure': return this.#settle(decoded.message.id ?? null, decoded.message);
      case 'refusal': return this.refused(decoded) ? outlet.answer(undefined) : refuse(outlet, decoded);
      case 'batch': return this.#receiveBatch(decoded.values, decoded.weight, outlet);
    }
  }

  /**
   * Fails the question of ours that a message which could not be read was to answer. False:
   * it was to answer none.
   */
  refused({ id, answer, error: { code } }: Refusal): boolean {
    if (answer === undefined || id === null || !this.#pending?.has(id)) return false;
    const error = new RpcError(code, answer);
    this.fail(id, error);
    this.#report(error);
    return true;
  }

  #receiveBatch(values: readonly unknown[], weight: number, outlet: Outlet): void {
    const { maxBatch, maxBatchAnswer } = this.#limits;
    const fault = !this.batching ? 'this protocol revision has no batches'
      : values.length > maxBatch ? `a batch holds at most ${maxBatch} messages` : undefined;
    if (fault !== undefined) {
      return refuse(outlet, refusal(null, errorCodes.invalidRequest, `Invalid request: ${fault}`));
    }
    if (!this.budget.charge(weight)) return this.#refuseWork(outlet, null, 'bytes', this.budget.limit);
    const items = values.map((value) => classify(value));
    const answers = items.filter((item) => item.kind === 'request' || item.kind === 'refusal').length;
    const done = (): void => this.budget.release(weight);
    const gathered = batchOutlet(outlet, answers, maxBatchAnswer, done);
    for (const item of items) this.receive(item, gathered);
    if (answers === 0) done();
  }

  #answer(request: Request, outlet: Outlet, weight: number): void {
    const inFlight = this.#inFlight ??= new Map();
    const { id } = request;
    if (inFlight.has(id)) {
      const message = `Invalid request: id ${quote(id)} is already in flight`;
      return refuse(outlet, refusal(id, errorCodes.invalidRequest, message));
    }
    const { maxInFlight } = this.#limits;
    if (inFlight.size >= maxInFlight) return this.#refuseWork(outlet, id, 'requests', maxInFlight);
    const inbound = new Inbound(request, outlet, weight + openThingBytes);
    if (!this.budget.charge(inbound.weight)) {
      return this.#refuseWork(outlet, id, 'bytes', this.budget.limit);
    }
    inFlight.set(id, inbound);
    inbound.run(this.#handle, this.#done);
  }

  #refuseWork(outlet: Outlet, id: RequestId | null, what: 'requests' | 'bytes', limit: number): void {
    const message = `Too many ${what} in flight: the limit is ${limit}`;
    refuse(outlet, refusal(id, errorCodes.internalError, message));
  }

  // Bound once a connection, not once a request.
  readonly #handle = (inbound: Inbound): object | Promise<object> => this.#handlers.request(inbound);

  readonly #done = (inbound: Inbound): void => {
    const { id } = inbound.request;
    // Not earlier: the handler of a cancelled request may run on, and hold its parameters.
    this.budget.release(inbound.weight);
    // A cancelled request has left already, and its id may be in use again.
    if (this.#inFlight?.get(id) === inbound) this.#inFlight.delete(id);
    this.#tellIdle();
  };

  #notice(notification: Notification): void {
    const { method, params } = notification;
    if (method === 'notifications/cancelled') this.#cancelInbound(params);
    else if (method === 'notifications/progress') this.#progress(params);
    try {
      this.#handlers.notification(notification);
    } catch (thrown) {
      this.#report(thrown);
    }
  }

  /** 2025-11-25 basic/utilities/cancellation: unknown, finished and malformed cancellations are ignored. */
  #cancelInbound(params: Params | undefined): void {
    const id = params?.['requestId'];
    const inbound = isRequestId(id) ? this.#inFlight?.get(id) : undefined;
    if (inbound === undefined || inbound.request.method === 'initialize') return;
    const reason = params?.['reason'];
    this.cancel(inbound, typeof reason === 'string' ? reason : 'The client cancelled the request');
  }

  /** Stops a request of the peer's: its handler is told, and it gets no answer. */
  cancel(inbound: Inbound, reason: string): void {
    this.#inFlight?.delete(inbound.request.id);
    inbound.cancel(new Cancelled(reason));
    this.#tellIdle();
  }

  /** The request of the peer's with this id, while it is in flight. */
  inbound(id: RequestId): Inbound | undefined {
    return this.#inFlight?.get(id);
  }

  /**
   * Asks the peer. Rejects with `RpcError` where the peer answers with an error, with `ConnectionError` where
   * the time is up or the connection closes, with the signal's reason where the caller cancels.
   * `outlet` is where the question goes, when it belongs to a request of the peer's.
   */
  request(
    method: string,
    params?: Params,
    options: RequestOptions = {},
    outlet: Pick<Outlet, 'send'> = this.#outlet,
  ): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const { signal, onProgress } = options;
      if (this.#closed) throw this.#closed;
      signal?.throwIfAborted();
      const id = this.#nextId++;
      // The token is the id: unique among the requests in flight,
      // as 2025-11-25 basic/utilities/progress demands.
      const sent = onProgress
        ? { ...params, _meta: { ...(params?.['_meta'] as object), progressToken: id } }
        : params;
      const max = options.maxTimeoutMs ?? this.#limits.maxTimeoutMs;
      const pending: Pending = {
        method, resolve, reject, onProgress, signal,
        timer: undefined,
        timeoutMs: options.timeoutMs ?? this.#limits.timeoutMs,
        deadline: max > 0 ? Date.now() + max : Infinity,
        onAbort: signal && (() => this.#giveUp(id, signal.reason)),
      };
      if (pending.onAbort) signal?.addEventListener('abort', pending.onAbort, { once: true });
      (this.#pending ??= new Map()).set(id, pending);
      this.#startTimer(id, pending);
      try {
        const request: Request = { jsonrpc: '2.0', id, method };
        if (sent !== undefined) request.params = sent;
        outlet.send(encode(request), request);
      } catch (thrown) {
        this.#take(id);
        throw thrown;
      }
    });
  }

  notify(method: string, params?: Params): void {
    if (this.#closed) return;
    const notification: Notification = { jsonrpc: '2.0', method };
    if (params !== undefined) notification.params = params;
    this.#outlet.send(encode(notification), notification);
  }

  #startTimer(id: RequestId, pending: Pending): void {
    if (pending.timer !== undefined) clearTimeout(pending.timer);
    const left = Math.min(
      pending.timeoutMs > 0 ? pending.timeoutMs : Infinity,
      pending.deadline - Date.now(),
    );
    if (left === Infinity || typeof setTimeout !== 'function') return;
    pending.timer = setTimeout(() => {
      this.#giveUp(id, new ConnectionError(
        'timeout',
        `${pending.method}: no answer within ${Math.round(left)} ms`,
      ));
    }, left);
  }

  /** The caller no longer waits: the peer is told. */
  #giveUp(id: RequestId, reason: unknown): void {
    const method = this.fail(id, reason);
    // 2025-11-25 basic/utilities/cancellation: `initialize` MUST NOT be cancelled.
    if (method === undefined || this.#handlers.giveUp?.(id, method) || method === 'initialize') return;
    this.notify('notifications/cancelled', {
      requestId: id, reason: errorMessage(reason),
    });
  }

  #take(id: RequestId): Pending | undefined {
    const pending = this.#pending?.get(id);
    if (pending === undefined) return undefined;
    this.#pending?.delete(id);
    if (pending.timer !== undefined) clearTimeout(pending.timer);
    if (pending.onAbort) pending.signal?.removeEventListener('abort', pending.onAbort);
    return pending;
  }

  /**
   * Fails one question of ours: its message could not be delivered, or its answer is not to be waited for. A
   * late answer will be expected. Returns the question's method; undefined where no such question waits.
   */
  fail(id: RequestId, error: unknown): string | undefined {
    const pending = this.#take(id);
    if (pending === undefined) return undefined;
    const abandoned = this.#abandoned ??= new Set();
    abandoned.add(id);
    if (abandoned.size > maxAbandoned) abandoned.delete(abandoned.values().next().value as RequestId);
    pending.reject(error);
    return pending.method;
  }

  #settle(id: RequestId | null, response: Success | Failure): void {
    const pending = id === null ? undefined : this.#take(id);
    if (pending === undefined) {
      if (id !== null && this.#abandoned?.delete(id)) return;
      return this.#handlers.error(unasked(id, response));
    }
    if ('result' in response) return pending.resolve(response.result);
    const { code, message, data } = response.error;
    pending.reject(new RpcError(code, message, data));
  }

  #progress(params: Params | undefined): void {
    const token = params?.['progressToken'];
    const pending = isRequestId(token) ? this.#pending?.get(token) : undefined;
    // Late reports are no fault: they cross the answer on the wire.
    if (pending === undefined || !isRequestId(token)) return;
    if (!isProgress(params)) {
      return this.#report(new Error('notifications/progress: "progress" must be a number'));
    }
    this.#startTimer(token, pending);
    try {
      pending.onProgress?.(params);
    } catch (thrown) {
      this.#report(thrown);
    }
  }

  #report(thrown: unknown): void {
    this.#handlers.error(toError(thrown));
  }

  /** Resolves once every request of the peer's has been answered or cancelled. */
  idle(): Promise<void> {
    if (this.inFlight === 0) return Promise.resolve();
    const others = this.#onIdle;
    return new Promise((resolve) => {
      this.#onIdle = () => {
        others?.();
        resolve();
      };
    });
  }

  #tellIdle(): void {
    if (this.#onIdle === undefined || this.inFlight > 0) return;
    this.#onIdle();
    this.#onIdle = undefined;
  }

  /**
   * Ends the connection: what is pending fails with `why`, handlers are told to stop, nothing more is sent.
   */
  close(why: string = 'the connection was closed', cause?: unknown): void {
    if (this.#closed) return;
    const closed = this.#closed = new ConnectionError('closed', why, { cause });
    for (const [id, pending] of this.#pending ?? []) {
      this.#take(id);
      pending.reject(new ConnectionError('closed', `${pending.method}: ${why}`, { cause }));
    }
    for (const inbound of this.#inFlight?.values() ?? []) {
      inbound.cancel(closed);
    }
    this.#inFlight?.clear();
    this.#tellIdle();
  }
}

function isProgress(params: Params | undefined): params is Params & Progress {
  return isObject(params) && typeof params['progress'] === 'number';
}

function unasked(id: RequestId | null, response: Success | Failure): Error {
  const said = 'error' in response ? `: ${shorten(response.error.message)}` : '';
  return new Error(`an answer to a question that was not asked (id ${quote(id)})${said}`);
}
