import type { Clock, Timer } from '../bounds/clock.ts';
import { checkOptions, longestTimerMs } from '../bounds/options.ts';
import { encode, checkResponse } from './message.ts';
import { ConnectionError, invalidRequestCode, parseErrorCode, RpcError, toError } from './errors.ts';
import type {
  Decoded, ErrorObject, Failure, Notification, Params, Refusal, Request, RequestId, Success, UncheckedResponse,
} from './message.ts';
import { notify } from './inbound-request.ts';
import type { Outlet } from './inbound-request.ts';
import type { Stop } from './stop.ts';

/** A progress report. `progress` grows with each report; `total` has the same unit, if it is known. */
export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** Options of one request. */
export interface RequestOptions {
  /** Cancels the request: `notifications/cancelled` is sent, and the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait for the response; with `onProgress`, each progress report restarts the time. 0: no limit. */
  timeoutMs?: number | undefined;
  /** Milliseconds to wait in total, regardless of progress. 0: no limit. */
  maxTimeoutMs?: number | undefined;
  /** Called with each `notifications/progress` for this request. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Called with a result that arrives after the call was cancelled or its timeout passed. */
  onLate?: ((result: Record<string, unknown>) => void) | undefined;
}

/** The rules of MCP for progress and cancellation of a pending request. */
export interface RequestRules {
  /** Returns the parameters with a progress token added. */
  withToken(params: Params | undefined, token: RequestId): Params;
  /** Reads a progress notification; undefined for other notifications. A malformed report has no `progress`. */
  progressOf(notification: Notification): { token: RequestId; progress: Progress | undefined } | undefined;
  /** Returns the notification that cancels a request; undefined if this request must not be cancelled. */
  cancellationOf(id: RequestId, method: string, reason: unknown): Notification | undefined;
}

/** The part of a connection that `PendingRequests` uses. */
export interface RequestPort {
  readonly outlet: Pick<Outlet, 'send'>;
  readonly clock: Clock;
  readonly limits: { readonly timeoutMs: number; readonly maxTimeoutMs: number };
  /** Creates the error with the reason of the close; undefined while the connection is open. */
  readonly closed: (() => Error) | undefined;
  /** Creates ids that are unique beyond this connection. If it throws, the request is not sent. */
  readonly newId?: (() => RequestId) | undefined;
  readonly handlers: {
    error(error: Error): void;
    /** Called when a caller stops waiting for a response. Return true to suppress `notifications/cancelled`. */
    giveUp?(id: RequestId, method: string): boolean;
  };
  /** Reports a fault of the peer. */
  fault(make: () => Error): void;
}

interface Pending {
  method: string;
  resolve(result: Record<string, unknown>): void;
  reject(error: unknown): void;
  onProgress: RequestOptions['onProgress'];
  onLate: RequestOptions['onLate'];
  timeoutMs: number;
  maxTimeoutMs: number;
  /** When `maxTimeoutMs` ends. */
  deadline: number;
  /** When the request times out. */
  due: number;
  signal: Stop | undefined;
  onAbort: (() => void) | undefined;
}

function ignore(): void {}

const isUnread = ({ code }: ErrorObject): boolean => code === parseErrorCode || code === invalidRequestCode;

/** True if a value is a number of milliseconds that a timer accepts. */
const isTime = (ms: unknown): boolean => typeof ms === 'number' && ms >= 0 && ms <= longestTimerMs;

/** When a request times out: after `timeoutMs`, and at `deadline` at the latest. */
const dueAt = (now: number, timeoutMs: number, deadline: number): number =>
  timeoutMs > 0 ? Math.min(now + timeoutMs, deadline) : deadline;

/** The number of abandoned requests to remember, because a late response to them is not a fault of the peer. */
const maxAbandoned = 256;

/** Our requests to one peer without a response yet, with timeouts, progress and cancellation. */
export class PendingRequests {
  readonly #port: RequestPort;
  readonly #rules: RequestRules;
  #nextId = 1;
  /** One timer for all requests, for the earliest `due`: a timer for each would take a tenth of the time of a call. */
  #timer: Timer | undefined;
  #due = Infinity;
  /** The number of requests with a timeout. At 0 the timer is stopped. */
  #limited = 0;
  /** When `hold(true)` stopped the timeouts; undefined: they run. */
  #stopped: number | undefined;
  #pending = new Map<RequestId, Pending>();
  readonly #abandoned = new Map<RequestId, RequestOptions['onLate']>();

  constructor(port: RequestPort, rules: RequestRules) {
    this.#port = port;
    this.#rules = rules;
  }

  /** The number of pending requests. */
  get size(): number {
    return this.#pending.size;
  }

  /**
   * Sends a request to the peer. Rejects with `RpcError` if the peer responds with an error, with `ConnectionError` if a
   * timeout passes or the connection closes, with the signal's reason if the caller cancels.
   * `outlet`: where to send the request, if it belongs to a request of the peer.
   */
  request(
    method: string,
    params?: Params,
    options: Omit<RequestOptions, 'signal'> & { signal?: Stop | undefined } = {},
    outlet: Pick<Outlet, 'send'> = this.#port.outlet,
  ): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const { closed, limits } = this.#port;
      const { signal, onProgress, onLate, timeoutMs = limits.timeoutMs, maxTimeoutMs = limits.maxTimeoutMs } = options;
      if (closed) throw closed();
      signal?.throwIfAborted();
      const id = this.#port.newId?.() ?? this.#nextId++;
      const sent = onProgress ? this.#rules.withToken(params, id) : params;
      if (!isTime(timeoutMs) || !isTime(maxTimeoutMs)) {
        // Only these two: a client passes all options of its call, which have more members.
        checkOptions(`${method}: options`, { timeoutMs, maxTimeoutMs }, { timeoutMs: 0, maxTimeoutMs: 0 });
      }
      const now = this.#stopped ?? this.#port.clock.monotonic();
      const deadline = maxTimeoutMs > 0 ? now + maxTimeoutMs : Infinity;
      const due = dueAt(now, timeoutMs, deadline);
      const onAbort = signal && (() => this.#giveUp(id, signal.reason));
      if (onAbort) signal.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, {
        method, resolve, reject, onProgress, onLate, signal, onAbort, timeoutMs, maxTimeoutMs, deadline, due,
      });
      if (due < Infinity) this.#limited++;
      if (due < this.#due) this.#startTimer(due, now);
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

  /** Restarts the `timeoutMs` of a request. */
  #renew(pending: Pending, now: number): void {
    const { timeoutMs, deadline } = pending;
    pending.due = dueAt(now, timeoutMs, deadline);
    if (pending.due < this.#due) this.#startTimer(pending.due, now);
  }

  /** Starts the timer for `due`, which is earlier than the current one. */
  #startTimer(due: number, now: number): void {
    if (this.#stopped !== undefined) return;
    this.#timer?.stop();
    this.#due = due;
    this.#timer = this.#port.clock.after(Math.ceil(Math.max(0, due - now)), () => this.#giveUpDue(due));
  }

  #stopTimer(): void {
    this.#timer?.stop();
    this.#timer = undefined;
    this.#due = Infinity;
  }

  #giveUpDue(until: number): void {
    this.#stopTimer();
    for (const [id, { method, due, deadline, timeoutMs, maxTimeoutMs }] of this.#pending) {
      if (due > until) {
        if (due < this.#due) this.#startTimer(due, this.#port.clock.monotonic());
        continue;
      }
      try {
        const within = due < deadline ? timeoutMs : maxTimeoutMs;
        this.#giveUp(id, new ConnectionError('timeout', `${method}: no answer within ${within} ms`));
      } catch (thrown) {
        // The cancellation could not be sent. The other requests must still time out.
        this.#port.handlers.error(toError(thrown));
      }
    }
  }

  /** Stops the timeouts of all requests while no message can pass (`true`), or restarts them with their full `timeoutMs`. */
  hold(on: boolean): void {
    const now = this.#port.clock.monotonic();
    const late = on ? 0 : now - (this.#stopped ?? now);
    this.#stopped = on ? this.#stopped ?? now : undefined;
    this.#stopTimer();
    for (const pending of this.#pending.values()) {
      pending.deadline += late;
      this.#renew(pending, now);
    }
  }

  /** Rejects the call and sends the cancellation. */
  #giveUp(id: RequestId, reason: unknown): void {
    const method = this.fail(id, reason);
    if (method === undefined || this.#port.handlers.giveUp?.(id, method)) return;
    const told = this.#rules.cancellationOf(id, method, reason);
    if (told !== undefined) notify(this.#port, told.method, told.params);
  }

  #take(id: RequestId): Pick<Pending, 'method' | 'resolve' | 'reject' | 'onLate'> | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    const { method, resolve, reject, onLate, signal, onAbort, due } = pending;
    // The old table of a Map that has grown keeps the entry reachable (bench/NOTES.md), so the entry must not hold the result.
    pending.resolve = pending.reject = ignore;
    pending.signal = pending.onAbort = undefined;
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#pending = new Map();
    if (due < Infinity && --this.#limited === 0) {
      this.#timer?.stop();
      this.#timer = undefined;
      this.#due = Infinity;
    }
    if (onAbort) signal?.removeEventListener('abort', onAbort);
    return { method, resolve, reject, onLate };
  }

  /**
   * Rejects one pending request, which could not be delivered or was cancelled. A late response to it is then not a fault.
   * Returns the method of the request; undefined if no request with this id is pending.
   */
  fail(id: RequestId, error: unknown): string | undefined {
    const pending = this.#take(id);
    if (pending === undefined) return undefined;
    this.#abandoned.set(id, pending.onLate);
    if (this.#abandoned.size > maxAbandoned) {
      this.#abandoned.delete(this.#abandoned.keys().next().value as RequestId);
    }
    pending.reject(error);
    return pending.method;
  }

  /** Settles the request that a response belongs to, after checking the response. False: there is no such request. */
  takeResponse(answer: UncheckedResponse | Extract<Decoded, { kind: 'success' | 'failure' }>): boolean {
    const decoded = answer.kind === 'response' ? checkResponse(answer) : answer;
    return decoded.kind === 'refusal' ? this.refused(decoded) : this.settle(decoded.message);
  }

  /** Settles the request that a checked response belongs to. False: there is no such request. */
  settle(response: Success | Failure): boolean {
    // The peer sends an error without an id if it could not read our message.
    const id = response.id ?? ('error' in response && isUnread(response.error) ? this.#only : undefined);
    if (id === undefined) return false;
    const pending = this.#take(id);
    if (pending === undefined) {
      const onLate = this.#abandoned.get(id);
      const expected = this.#abandoned.delete(id);
      if (onLate && 'result' in response) {
        try {
          onLate(response.result);
        } catch (thrown) {
          this.#port.handlers.error(toError(thrown));
        }
      }
      return expected;
    }
    if ('result' in response) {
      pending.resolve(response.result);
    } else {
      const { code, message, data } = response.error;
      pending.reject(new RpcError(code, message, data));
    }
    return true;
  }

  /** The id of our pending request, if there is only one: a response without an id belongs to it. */
  get #only(): RequestId | undefined {
    return this.size === 1 ? this.#pending.keys().next().value : undefined;
  }

  /** Rejects our pending request if this malformed message was its response. False: it was not. */
  refused({ id, responseFault, unread, error: { code } }: Refusal): boolean {
    if (responseFault === undefined) return false;
    const asked = id ?? (unread && this.#only);
    if (asked === undefined || !this.#pending.has(asked)) return false;
    const error = new RpcError(code, responseFault);
    this.fail(asked, error);
    this.#port.handlers.error(error);
    return true;
  }

  /** Handles a notification: passes progress to `onProgress` and restarts `timeoutMs`. */
  notice(notification: Notification): void {
    try {
      const report = this.#rules.progressOf(notification);
      // A late report is not a fault: it may arrive after the response.
      const pending = report && this.#pending.get(report.token);
      // Without `onProgress` the request sent no token, so a report must not extend its timeout.
      if (report === undefined || !pending?.onProgress) return;
      const { progress } = report;
      if (progress === undefined) return this.#port.fault(() => new Error(`${notification.method}: "progress" must be a number`));
      this.#renew(pending, this.#port.clock.monotonic());
      pending.onProgress(progress);
    } catch (thrown) {
      this.#port.handlers.error(toError(thrown));
    }
  }

  /** Rejects all pending requests, because the connection has closed. */
  close(why: string, cause: unknown): void {
    for (const [id, { method }] of this.#pending) this.fail(id, new ConnectionError('closed', `${method}: ${why}`, { cause }));
  }
}
