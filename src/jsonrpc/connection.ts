import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { openThingBytes, peerBudget } from '../bounds/budget.ts';
import type { Budget } from '../bounds/budget.ts';
import { invalid, refusal } from './codec.ts';
import { ConnectionError, internalErrorCode, toError } from './errors.ts';
import { Faults } from '../bounds/faults.ts';
import { Cancelled, failureText, InboundRequest } from './inbound-request.ts';
import type { Decoded, Notification, Refusal, Request, RequestId, UncheckedResponse } from './message.ts';
import type { Outlet } from './inbound-request.ts';
import type { PendingRequests } from './pending-requests.ts';
import { quote, shorten } from '../bounds/quote.ts';

/** Times are not limited where there are no timers; a caller who asks for a limit is told. */
export interface ConnectionLimits {
  /** Default of `RequestOptions.timeoutMs`. 60 seconds. */
  timeoutMs: number;
  /** Default of `RequestOptions.maxTimeoutMs`. 10 minutes. */
  maxTimeoutMs: number;
  /** Requests of the peer that may be unanswered at once; the next one is refused. A handler that goes on after its request was cancelled is not counted: its memory is. 1024. */
  maxInFlight: number;
  /** Messages of one batch; a longer one is refused. 1000. */
  maxBatch: number;
  /** Characters of the answer to one batch; a result that does not fit becomes an error. 16 Mi. */
  maxBatchAnswer: number;
}

/** The limits that hold where none is given. */
export const defaultConnectionLimits: ConnectionLimits = {
  timeoutMs: 60_000,
  maxTimeoutMs: 600_000,
  maxInFlight: 1024,
  maxBatch: 1000,
  maxBatchAnswer: 16_777_216,
};

/** What the layer above does with what arrives. */
export interface ConnectionHandlers {
  /** The result, or a promise of it. A throw is the error answer. */
  request(inbound: InboundRequest): object | Promise<object>;
  /** A notification came. */
  notification(notification: Notification): void;
  /**
   * Everything that went wrong and has no caller to tell: unasked answers, failing handlers of notifications.
   */
  error(error: Error): void;
  /** The request that a notification cancels; undefined: it cancels none. */
  cancellation(notification: Notification): CancelledRequest | undefined;
  /** A caller stopped waiting for the answer to our request. Return true to suppress the cancellation. */
  giveUp?(id: RequestId, method: string): boolean;
}

/** A request that the peer no longer wants answered, and why. */
export interface CancelledRequest {
  readonly id: RequestId;
  readonly reason: string;
}

/** Has a connection take a batch. */
export type TakeBatch = (
  connection: Connection, batch: Extract<Decoded, { kind: 'batch' }>, outlet: Outlet,
) => void;

/**
 * A request of the peer's while it runs. What a Map held while it grew stays reachable from its old table (bench/NOTES.md),
 * so an entry is emptied when it leaves.
 */
interface RunningRequest {
  inbound: InboundRequest | undefined;
}

/**
 * One peer: runs its requests concurrently and answers them, each where it came from. Our own requests are
 * `PendingRequests`, which a side that asks nothing does without. Owns no stream; `receive` is fed, and `outlet`
 * is written to.
 */
export class Connection {
  /** Takes batches where the revision in use has them. */
  takeBatch: TakeBatch | undefined;
  /** What the peer makes us hold. */
  readonly budget: Budget;
  /** Whether an error that answers no known request has `"id": null`; otherwise it has no id. */
  nullErrorId = false;
  /** Our requests that are not answered yet; made at the first one. */
  pending: PendingRequests | undefined;
  /**
   * Makes the error that says why the connection has closed; undefined while it is open. An error takes its stack,
   * which costs more than the rest of an end, and most ends interrupt nothing.
   */
  closed: (() => ConnectionError) | undefined;
  /** Hears of every message that arrives, and of the end: see `pinging`. */
  monitor: {
    /** Something came from the peer. */
    heard(): void;
    /** The connection is closed. */
    end(): void;
  } | undefined;
  /** Makes the ids of our requests; without it they count from 1. */
  newId?: (() => RequestId) | undefined;
  readonly outlet: Outlet;
  readonly handlers: ConnectionHandlers;
  readonly limits: ConnectionLimits;
  readonly clock: Clock;
  // An idle session has no map.
  #inFlight: Map<RequestId, RunningRequest> | undefined;
  /** Those who are told when nothing is in flight. */
  #waiting: (() => void)[] | undefined;
  #faults: Faults | undefined;
  // Bound once a connection, not once a request.
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

  /** The peer's requests that are not answered yet. */
  get inFlight(): number {
    return this.#inFlight?.size ?? 0;
  }

  /**
   * Takes one decoded message. `outlet` is where its answer goes: a stream of its own over HTTP, otherwise
   * the connection's. Never throws.
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

  /** Tells of what the peer has done wrong. Of many faults only a few are told, and how many there were. */
  fault(make: () => Error): void {
    (this.#faults ??= new Faults((error) => this.handlers.error(error), this.clock)).add(make);
  }

  /** Answers what is refused. */
  refuse(outlet: Outlet, { id, error }: Pick<Refusal, 'id' | 'error'>): void {
    outlet.answer(failureText(id, error, this.nullErrorId), error.code);
  }

  #begin(request: Request, outlet: Outlet, weight: number): void {
    const inFlight = this.#inFlight ??= new Map();
    const { id } = request;
    if (inFlight.has(id)) return this.refuse(outlet, invalid(`id ${quote(id)} is already in flight`, request));
    const { maxInFlight } = this.limits;
    if (inFlight.size >= maxInFlight) return this.refuseWork(outlet, id, `requests in flight: the limit is ${maxInFlight}`);
    const held = weight + openThingBytes;
    if (!this.budget.charge(held)) return this.refuseBytes(outlet, id, held);
    const inbound = new InboundRequest(request, outlet, held);
    inFlight.set(id, { inbound });
    inbound.run(this.#onRequest, this.#done);
  }

  /** Refuses bytes that do not fit in the budget, and names the bound that they are over: the peer's, or the process's. */
  refuseBytes(outlet: Outlet, id: RequestId | null, weight: number): void {
    const { used, limit, parent } = this.budget;
    const which = parent && used + weight <= limit ? `of all peers together is ${parent.limit}` : `is ${limit}`;
    this.refuseWork(outlet, id, `bytes in flight: the limit ${which}`);
  }

  /** Refuses what is more than the peer may have us do. */
  refuseWork(outlet: Outlet, id: RequestId | null, what: string): void {
    this.refuse(outlet, refusal(id, internalErrorCode, `Too many ${what}`));
  }

  readonly #done = (inbound: InboundRequest): void => {
    this.#forget(inbound);
    // Not earlier: the handler of a cancelled request may run on, and hold its parameters.
    this.budget.release(inbound.weight);
  };

  #forget(inbound: InboundRequest): void {
    const { id } = inbound.request;
    const inFlight = this.#inFlight;
    const entry = inFlight?.get(id);
    // A cancelled request has left already, and its id may be in use again.
    if (inFlight && entry?.inbound === inbound) {
      entry.inbound = undefined;
      // V8 makes a smaller table for a Map that loses its last entry. And a Map that has grown makes one large table
      // after another while it is filled and emptied: a new one starts small.
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
      // 2025-11-25 basic/utilities/cancellation: unknown and finished requests are ignored, and `initialize`.
      if (inbound && inbound.request.method !== 'initialize') this.cancel(inbound, cancelled.reason);
      this.handlers.notification(notification);
    } catch (thrown) {
      this.handlers.error(toError(thrown));
    }
  }

  /** Stops a request of the peer's: its handler is told, and it gets no answer. */
  cancel(inbound: InboundRequest, reason: string): void {
    this.#forget(inbound);
    inbound.cancel(new Cancelled(reason));
  }

  /** Resolves once every request of the peer's has been answered or cancelled. */
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
   * Ends the connection: what is pending fails with `why`, handlers are told to stop, nothing more is sent.
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

/** The error for an answer that nobody waits for. */
function unasked({ id, error }: { id?: unknown; error?: unknown }): Error {
  // Nobody has judged what the error is.
  const said = (error as { message?: unknown } | null | undefined)?.message;
  return new Error(`an answer to a question that was not asked (id ${quote(id ?? null)})${typeof said === 'string' ? `: ${shorten(said)}` : ''}`);
}
