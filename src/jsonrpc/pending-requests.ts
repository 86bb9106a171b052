import type { Clock, Timer } from '../bounds/clock.ts';
import { checkOptions, longestTimerMs } from '../bounds/options.ts';
import { encode, checkResponse } from './codec.ts';
import { ConnectionError, invalidRequestCode, parseErrorCode, RpcError, toError } from './errors.ts';
import type {
  Decoded, ErrorObject, Failure, Notification, Params, Refusal, Request, RequestId, Success, UncheckedResponse,
} from './message.ts';
import { notify } from './inbound-request.ts';
import type { Outlet } from './inbound-request.ts';
import type { Stop } from './stop.ts';

/** `progress` grows with each report; `total` is in the same unit, when it is known. */
export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** What a request may be given. */
export interface RequestOptions {
  /** Cancels the request: the peer is told, and the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait for the answer; each report under a progress token that the request gave starts them anew. 0: no limit. */
  timeoutMs?: number | undefined;
  /** Milliseconds to wait in all, whatever the progress. 0: no limit. */
  maxTimeoutMs?: number | undefined;
  /** Called with each `notifications/progress` of this request. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Gets a result that comes after the call was cancelled, or its time was up. */
  onLate?: ((result: Record<string, unknown>) => void) | undefined;
}

/** The rules of the protocol above JSON-RPC for a pending request. */
export interface RequestRules {
  /** The parameters with a token by which the peer reports progress on this request. */
  withToken(params: Params | undefined, token: RequestId): Params;
  /** What a notification reports; undefined: no progress. Its `progress` is undefined where it is malformed. */
  progressOf(notification: Notification): { token: RequestId; progress: Progress | undefined } | undefined;
  /** The notification that cancels a request; undefined where such a request must not be cancelled. */
  cancellationOf(id: RequestId, method: string, reason: unknown): Notification | undefined;
}

/** What requests need of their connection. */
export interface RequestPort {
  readonly outlet: Pick<Outlet, 'send'>;
  readonly clock: Clock;
  readonly limits: { readonly timeoutMs: number; readonly maxTimeoutMs: number };
  /** Why nothing can be sent any more; undefined while it can. */
  readonly closed: (() => Error) | undefined;
  /** Makes ids that are unique beyond this connection. May throw: the request is then not sent. */
  readonly newId?: (() => RequestId) | undefined;
  readonly handlers: {
    error(error: Error): void;
    /** A caller stopped waiting for the answer to our request. Return true to suppress the cancellation. */
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
  /** When `maxTimeoutMs` are over. */
  deadline: number;
  /** When the request is given up. */
  due: number;
  signal: Stop | undefined;
  onAbort: (() => void) | undefined;
}

function ignore(): void {}

const isUnread = ({ code }: ErrorObject): boolean => code === parseErrorCode || code === invalidRequestCode;

/** Whether a value is a number of milliseconds that a timer accepts. */
const isTime = (ms: unknown): boolean => typeof ms === 'number' && ms >= 0 && ms <= longestTimerMs;

/** When a request is given up: after `timeoutMs`, and at `deadline` at the latest. */
const dueAt = (now: number, timeoutMs: number, deadline: number): number =>
  timeoutMs > 0 ? Math.min(now + timeoutMs, deadline) : deadline;

/** How many abandoned requests are remembered: a late answer to one is not the peer's fault. */
const maxAbandoned = 256;

/** Our requests to one peer that are not answered yet, with their timeouts, progress and cancellation. */
export class PendingRequests {
  readonly #port: RequestPort;
  readonly #rules: RequestRules;
  #nextId = 1;
  /** One timer for all, which is over when the first of them may be: one for each takes a tenth of a call. */
  #timer: Timer | undefined;
  #due = Infinity;
  /** Those that have a limit at all. The others keep no timer. */
  #limited = 0;
  /** When the clocks were stopped; undefined: they run. */
  #stopped: number | undefined;
  #pending = new Map<RequestId, Pending>();
  readonly #abandoned = new Map<RequestId, RequestOptions['onLate']>();

  constructor(port: RequestPort, rules: RequestRules) {
    this.#port = port;
    this.#rules = rules;
  }

  /** How many wait. */
  get size(): number {
    return this.#pending.size;
  }

  /**
   * Asks the peer. Rejects with `RpcError` where the peer answers with an error, with `ConnectionError` where
   * the time is up or the connection closes, with the signal's reason where the caller cancels.
   * `outlet` is where the request goes, when it belongs to a request of the peer's.
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
        // A client hands on all options of the call, which have more members.
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

  /** Gives a request its `timeoutMs` from now on. */
  #renew(pending: Pending, now: number): void {
    const { timeoutMs, deadline } = pending;
    pending.due = dueAt(now, timeoutMs, deadline);
    if (pending.due < this.#due) this.#startTimer(pending.due, now);
  }

  /** The timer runs until then, which is earlier than before. */
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
        // The peer could not be told. The other requests do not wait longer for that.
        this.#port.handlers.error(toError(thrown));
      }
    }
  }

  /** Stops the clocks of all requests, because no message passes; or lets them run again, each with its whole `timeoutMs`. */
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

  /** The caller no longer waits. The peer is told. */
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
    // An entry stays reachable from the old table of a Map that has grown (bench/NOTES.md), so it must not hold the answer.
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
   * Fails one request of ours: it could not be delivered, or the caller no longer waits. A late answer to it is not a fault.
   * Returns the request's method; undefined where no such request waits.
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

  /** Takes an answer, judged or not. False: no request of ours has its id. */
  takeResponse(answer: UncheckedResponse | Extract<Decoded, { kind: 'success' | 'failure' }>): boolean {
    const decoded = answer.kind === 'response' ? checkResponse(answer) : answer;
    return decoded.kind === 'refusal' ? this.refused(decoded) : this.settle(decoded.message);
  }

  /** Takes an answer that is well formed. False: as for `takeResponse`. */
  settle(response: Success | Failure): boolean {
    // An error without an id says that a message of ours could not be read.
    const id = response.id ?? ('error' in response && isUnread(response.error) ? this.#only : undefined);
    if (id === undefined) return false;
    const pending = this.#take(id);
    if (pending === undefined) {
      const onLate = this.#abandoned.get(id);
      const expected = this.#abandoned.delete(id);
      if (onLate && 'result' in response) onLate(response.result);
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

  /** The request that a message without an id is about: the only one that waits. */
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

  /** Takes a notification, which may report progress. */
  notice(notification: Notification): void {
    try {
      const report = this.#rules.progressOf(notification);
      // A late report is not a fault: it crosses the answer on the wire.
      const pending = report && this.#pending.get(report.token);
      // Without a listener the request gave no token, and a peer that reports on it must not prolong it.
      if (report === undefined || !pending?.onProgress) return;
      const { progress } = report;
      if (progress === undefined) return this.#port.fault(() => new Error(`${notification.method}: "progress" must be a number`));
      this.#renew(pending, this.#port.clock.monotonic());
      pending.onProgress(progress);
    } catch (thrown) {
      this.#port.handlers.error(toError(thrown));
    }
  }

  /** The connection has closed: whatever waits fails. */
  close(why: string, cause: unknown): void {
    for (const [id, { method }] of this.#pending) this.fail(id, new ConnectionError('closed', `${method}: ${why}`, { cause }));
  }
}
