import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { openThingBytes, peerBudget } from '../bounds/budget.ts';
import type { Budget } from '../bounds/budget.ts';
import { invalid, refusal } from './message.ts';
import { ConnectionError, internalErrorCode, toError } from './errors.ts';
import { Faults } from '../bounds/faults.ts';
import { Cancelled, failureText, InboundRequest } from './inbound-request.ts';
import type { Decoded, Notification, Refusal, Request, RequestId, UncheckedResponse } from './message.ts';
import type { Outlet } from './inbound-request.ts';
import type { PendingRequests } from './pending-requests.ts';
import { quote, shorten } from '../bounds/quote.ts';
import { heldWeight } from '../bounds/weight.ts';

/** The limits of one connection. Without timers in the runtime the times have no effect; a client call that sets one throws. */
export interface ConnectionLimits {
  /** Default of `RequestOptions.timeoutMs`. 60 seconds. */
  timeoutMs: number;
  /** Default of `RequestOptions.maxTimeoutMs`. 10 minutes. */
  maxTimeoutMs: number;
  /**
   * Requests of the peer without a response at one time; the next one is refused. A cancelled request does not count,
   * even if its handler still runs, but its memory does. 1024.
   */
  maxInFlight: number;
  /** Messages in one batch; a longer batch is refused. 1000. */
  maxBatch: number;
  /** Characters of the response to one batch; a result that does not fit becomes an error. 16 Mi. */
  maxBatchAnswer: number;
}

/** The default limits. */
export const defaultConnectionLimits: ConnectionLimits = {
  timeoutMs: 60_000,
  maxTimeoutMs: 600_000,
  maxInFlight: 1024,
  maxBatch: 1000,
  maxBatchAnswer: 16_777_216,
};

/** The callbacks by which a connection passes messages to the client or server above it. */
export interface ConnectionHandlers {
  /** Returns the result, or a promise of it. A thrown error becomes the error response. */
  request(inbound: InboundRequest): object | Promise<object>;
  /** Called for each notification of the peer. */
  notification(notification: Notification): void;
  /**
   * Called for errors that no caller receives, such as a response to no request, or a failing notification handler.
   */
  error(error: Error): void;
  /** Returns the request that a notification cancels, or undefined. */
  cancellation(notification: Notification): CancelledRequest | undefined;
  /** Called when a caller stops waiting for a response. Return true to suppress `notifications/cancelled`. */
  giveUp?(id: RequestId, method: string): boolean;
}

/** A request that the peer no longer wants answered, and why. */
export interface CancelledRequest {
  readonly id: RequestId;
  readonly reason: string;
}

/** Handles the messages of a batch, and sends the responses to `outlet`. */
export type TakeBatch = (
  connection: Connection, batch: Extract<Decoded, { kind: 'batch' }>, outlet: Outlet,
) => void;

/**
 * A request of the peer while its handler runs. After a Map has grown, its old table keeps the entries reachable
 * (bench/NOTES.md), so `inbound` is cleared when the entry is removed.
 */
interface RunningRequest {
  inbound: InboundRequest | undefined;
}

/**
 * One peer: runs its requests concurrently and sends each response to the outlet of its request. `pending` has our own
 * requests, if this side sends any. Owns no stream: the transport calls `receive`, and the connection writes to `outlet`.
 */
export class Connection {
  /** Set if the negotiated revision has batches. */
  takeBatch: TakeBatch | undefined;
  /** The memory that this peer occupies. */
  readonly budget: Budget;
  /** True: an error response without a known request id has `"id": null`. False: it has no `id`. */
  nullErrorId = false;
  /** Our requests without a response yet; created at the first request. */
  pending: PendingRequests | undefined;
  /**
   * Creates the error with the reason of the close; undefined while the connection is open. A function, because the stack
   * of an error costs more than the rest of the close, and most closes interrupt no request.
   */
  closed: (() => ConnectionError) | undefined;
  /** Notified of each message and of the close: see `pinging`. */
  monitor: {
    /** Called for each message of the peer. */
    heard(): void;
    /** Called when the connection closes. */
    end(): void;
  } | undefined;
  /** Creates the ids of our requests; by default they count from 1. */
  newId?: (() => RequestId) | undefined;
  readonly outlet: Outlet;
  readonly handlers: ConnectionHandlers;
  readonly limits: ConnectionLimits;
  readonly clock: Clock;
  // An idle session has no map.
  #inFlight: Map<RequestId, RunningRequest> | undefined;
  /** The `resolve` functions of pending `idle()` calls. */
  #waiting: (() => void)[] | undefined;
  #faults: Faults | undefined;
  // Bound once per connection, not per request.
  readonly #onRequest: ConnectionHandlers['request'];

  constructor(
    outlet: Outlet,
    handlers: ConnectionHandlers,
    limits: ConnectionLimits = defaultConnectionLimits,
    budget: Budget = peerBudget(),
    clock: Clock = systemClock,
  ) {
    this.budget = budget;
    this.outlet = outlet;
    this.handlers = handlers;
    this.#onRequest = handlers.request.bind(handlers);
    this.limits = limits;
    this.clock = clock;
  }

  /** The number of the peer's requests without a response yet. */
  get inFlight(): number {
    return this.#inFlight?.size ?? 0;
  }

  /**
   * Handles one decoded message. `outlet` receives the response: over HTTP the response stream of this request, otherwise
   * the outlet of the connection. Never throws.
   */
  receive(decoded: Decoded | UncheckedResponse, outlet: Outlet = this.outlet): void {
    if (this.closed) return outlet.answer(undefined);
    this.monitor?.heard();
    switch (decoded.kind) {
      case 'request': return this.#begin(decoded.message, outlet, decoded.weight);
      case 'notification': return this.#notice(decoded.message);
      case 'refusal':
        return this.pending?.refused(decoded) ? outlet.answer(undefined) : this.refuse(outlet, decoded);
      case 'batch':
        if (this.takeBatch) return this.takeBatch(this, decoded, outlet);
        return this.refuse(outlet, invalid('this protocol revision has no batches'));
      default:
        if (!this.pending?.takeResponse(decoded)) this.fault(() => unasked(decoded.message));
    }
  }

  /** Reports a protocol fault of the peer. If there are many, only some are reported in full: see `Faults`. */
  fault(make: () => Error): void {
    (this.#faults ??= new Faults((error) => this.handlers.error(error), this.clock)).add(make);
  }

  /** Sends the error response for a refused message. */
  refuse(outlet: Outlet, { id, error }: Pick<Refusal, 'id' | 'error'>): void {
    outlet.answer(failureText(id, error, this.nullErrorId), error.code);
  }

  #begin(request: Request, outlet: Outlet, weight: number): void {
    const inFlight = this.#inFlight ??= new Map();
    const { id } = request;
    if (inFlight.has(id)) return this.refuse(outlet, invalid(`id ${quote(id)} is already in flight`, request));
    const { maxInFlight } = this.limits;
    if (inFlight.size >= maxInFlight) return this.refuseWork(outlet, id, `requests in flight: the limit is ${maxInFlight}`);
    const held = (this.budget.crowded ? heldWeight(weight, request) : weight) + openThingBytes;
    if (!this.budget.charge(held)) return this.refuseBytes(outlet, id, held);
    const inbound = new InboundRequest(request, outlet, held);
    inFlight.set(id, { inbound });
    inbound.run(this.#onRequest, this.#done);
  }

  /** Refuses a message that exceeds the budget. The error names the limit: the peer's or that of the process. */
  refuseBytes(outlet: Outlet, id: RequestId | null, weight: number): void {
    const { used, limit, parent } = this.budget;
    const which = parent && used + weight <= limit ? `of all peers together is ${parent.limit}` : `is ${limit}`;
    this.refuseWork(outlet, id, `bytes in flight: the limit ${which}`);
  }

  /** Refuses a request because the peer has too many `what`. */
  refuseWork(outlet: Outlet, id: RequestId | null, what: string): void {
    this.refuse(outlet, refusal(id, internalErrorCode, `Too many ${what}`));
  }

  readonly #done = (inbound: InboundRequest): void => {
    this.#forget(inbound);
    // Only now: the handler of a cancelled request may continue and hold its parameters.
    this.budget.release(inbound.weight);
  };

  #forget(inbound: InboundRequest): void {
    const { id } = inbound.request;
    const inFlight = this.#inFlight;
    const entry = inFlight?.get(id);
    // A cancelled request was already removed, and another request may use its id.
    if (inFlight && entry?.inbound === inbound) {
      entry.inbound = undefined;
      // A new Map, instead of `delete`, for the last entry: V8 would allocate a smaller table, and a Map that has grown
      // allocates one large table after another while it is filled and emptied.
      if (inFlight.size > 1) inFlight.delete(id);
      else this.#inFlight = undefined;
    }
    if (this.#waiting) this.#tellIdle();
  }

  #notice(notification: Notification): void {
    this.pending?.notice(notification);
    try {
      const cancelled = this.handlers.cancellation(notification);
      const inbound = cancelled && this.#inFlight?.get(cancelled.id)?.inbound;
      // 2025-11-25 basic/utilities/cancellation: ignore unknown and finished requests, and `initialize`.
      if (inbound && inbound.request.method !== 'initialize') this.cancel(inbound, cancelled.reason);
      this.handlers.notification(notification);
    } catch (thrown) {
      this.handlers.error(toError(thrown));
    }
  }

  /** Cancels a request of the peer: its signal aborts, and it gets no response. */
  cancel(inbound: InboundRequest, reason: string): void {
    this.#forget(inbound);
    inbound.cancel(new Cancelled(reason));
  }

  /** Resolves when every request of the peer is answered or cancelled. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      (this.#waiting ??= []).push(resolve);
      this.#tellIdle();
    });
  }

  #tellIdle(): void {
    if (this.inFlight > 0) return;
    for (const told of this.#waiting ?? []) told();
    this.#waiting = undefined;
  }

  /**
   * Closes the connection: our pending requests fail with `why`, the signals of handlers abort, nothing more is sent.
   */
  close(why: string = 'the connection was closed', cause?: unknown): void {
    if (this.closed) return;
    const closed = this.closed = () => new ConnectionError('closed', why, { cause });
    this.monitor?.end();
    this.#faults?.end();
    this.pending?.close(why, cause);
    for (const { inbound } of this.#inFlight?.values() ?? []) inbound?.cancel(closed());
    this.#inFlight = undefined;
    this.#tellIdle();
  }
}

/** The error for a response to no pending request. */
function unasked({ id, error }: { id?: unknown; error?: unknown }): Error {
  // `error` is unchecked.
  const said = (error as { message?: unknown } | null | undefined)?.message;
  return new Error(`a response to a request that was not sent (id ${quote(id ?? null)})${typeof said === 'string' ? `: ${shorten(said)}` : ''}`);
}
