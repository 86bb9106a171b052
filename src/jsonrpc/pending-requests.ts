import { encode, judgeAnswer } from './codec.ts';
import * as errorCodes from './error-codes.ts';
import { ConnectionError, RpcError, toError } from './errors.ts';
import type {
  Decoded, ErrorObject, Failure, Notification, Params, Refusal, Request, RequestId, Success, UnjudgedAnswer,
} from './message.ts';
import { notify } from './outlet.ts';
import type { Outlet } from './outlet.ts';
import type { Stop } from './stop.ts';
import { checkTimes, clock } from './times.ts';

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
  /** Milliseconds to wait for the answer; each progress report starts them anew. 0: no limit. */
  timeoutMs?: number | undefined;
  /** Milliseconds to wait in all, whatever the progress. 0: no limit. */
  maxTimeoutMs?: number | undefined;
  /** Called with each `notifications/progress` of this request. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Gets a result that comes after the call was cancelled, or its time was up. */
  onLate?: ((result: Record<string, unknown>) => void) | undefined;
}

/** What the protocol above JSON-RPC says of a request of ours while it waits. */
export interface RequestRules {
  /** The parameters with a token by which the peer reports progress on this request. */
  withToken(params: Params | undefined, token: RequestId): Params;
  /** What a notification reports; undefined: no progress. Its `progress` is undefined where it is malformed. */
  progressOf(notification: Notification): { token: RequestId; progress: Progress | undefined } | undefined;
  /** Tells the peer that nobody waits any longer; undefined: such a request must not be cancelled. */
  cancellationOf(id: RequestId, method: string, reason: unknown): Notification | undefined;
}

/** What requests need of the connection that they go over. */
export interface RequestPort {
  readonly outlet: Pick<Outlet, 'send'>;
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
  /** Tells of what the peer has done wrong. */
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
  /** When nobody waits any longer. */
  due: number;
  signal: Stop | undefined;
  onAbort: (() => void) | undefined;
}

function ignore(): void {}

const isUnread = ({ code }: ErrorObject): boolean => code === errorCodes.parseError || code === errorCodes.invalidRequest;

/** How many requests that nobody waits for are remembered: a late answer to one is no fault of the peer's. */
const maxAbandoned = 256;

/** Our requests to one peer that are not answered yet, with their timeouts, progress and cancellation. */
export class PendingRequests {
  readonly #port: RequestPort;
  readonly #rules: RequestRules;
  #nextId = 1;
  /** One timer for all, which is over when the first of them may be: one for each takes a tenth of a call. */
  #timer: ReturnType<typeof setTimeout> | undefined;
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
      const { signal, onProgress, onLate } = options;
      const { closed, limits } = this.#port;
      if (closed) throw closed();
      signal?.throwIfAborted();
      const id = this.#port.newId?.() ?? this.#nextId++;
      const sent = onProgress ? this.#rules.withToken(params, id) : params;
      const { timeoutMs = limits.timeoutMs, maxTimeoutMs = limits.maxTimeoutMs } = options;
      if (options.timeoutMs !== undefined || options.maxTimeoutMs !== undefined) checkTimes({ timeoutMs, maxTimeoutMs });
      const pending: Pending = {
        method, resolve, reject, onProgress, onLate, signal, timeoutMs, maxTimeoutMs,
        deadline: maxTimeoutMs > 0 ? (this.#stopped ?? clock()) + maxTimeoutMs : Infinity,
        due: 0,
        onAbort: signal && (() => this.#giveUp(id, signal.reason)),
      };
      if (pending.onAbort) signal?.addEventListener('abort', pending.onAbort, { once: true });
      this.#pending.set(id, pending);
      this.#startClock(pending);
      if (pending.due < Infinity) this.#limited++;
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
  #startClock(pending: Pending): void {
    const { timeoutMs, deadline } = pending;
    pending.due = timeoutMs > 0 ? Math.min(clock() + timeoutMs, deadline) : deadline;
    this.#startTimer(pending.due);
  }

  /** Sees to it that the timer is over by then. */
  #startTimer(due: number): void {
    if (due >= this.#due || this.#stopped !== undefined || typeof setTimeout !== 'function') return;
    this.#stopTimer();
    this.#due = due;
    this.#timer = setTimeout(() => this.#giveUpDue(due), Math.ceil(Math.max(0, due - clock())));
  }

  #stopTimer(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#due = Infinity;
  }

  #giveUpDue(until: number): void {
    this.#due = Infinity;
    for (const [id, { method, due, deadline, timeoutMs, maxTimeoutMs }] of this.#pending) {
      if (due > until) {
        this.#startTimer(due);
        continue;
      }
      try {
        const within = due < deadline ? timeoutMs : maxTimeoutMs;
        this.#giveUp(id, new ConnectionError('timeout', `${method}: no answer within ${within} ms`));
      } catch (thrown) {
        // The peer could not be told: that is no reason for others to wait on.
        this.#port.handlers.error(toError(thrown));
      }
    }
  }

  /** Stops the clocks of all requests, because nothing passes; or lets them run on, `timeoutMs` from its start. */
  hold(on: boolean): void {
    const now = clock();
    const late = on ? 0 : now - (this.#stopped ?? now);
    this.#stopped = on ? this.#stopped ?? now : undefined;
    this.#stopTimer();
    for (const pending of this.#pending.values()) {
      pending.deadline += late;
      this.#startClock(pending);
    }
  }

  /** The caller no longer waits: the peer is told. */
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
    // What a Map held while it grew stays reachable from its old table: what is left there must not lead to the answer.
    pending.resolve = pending.reject = ignore;
    pending.signal = pending.onAbort = undefined;
    this.#pending.delete(id);
    if (this.size === 0) this.#pending = new Map();
    if (due < Infinity && --this.#limited === 0) this.#stopTimer();
    if (onAbort) signal?.removeEventListener('abort', onAbort);
    return { method, resolve, reject, onLate };
  }

  /**
   * Fails one request of ours: it could not be delivered, or its answer is not to be waited for. A late answer
   * will be expected. Returns the request's method; undefined where no such request waits.
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
  answered(answer: UnjudgedAnswer | Extract<Decoded, { kind: 'success' | 'failure' }>): boolean {
    const decoded = answer.kind === 'answer' ? judgeAnswer(answer) : answer;
    return decoded.kind === 'refusal' ? this.refused(decoded) : this.settle(decoded.message);
  }

  /** Takes an answer that is well formed. False: as for `answered`. */
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
  refused({ id, answer, lost, error: { code } }: Refusal): boolean {
    if (answer === undefined) return false;
    const asked = id ?? (lost && this.#only);
    if (asked === undefined || !this.#pending.has(asked)) return false;
    const error = new RpcError(code, answer);
    this.fail(asked, error);
    this.#port.handlers.error(error);
    return true;
  }

  /** Takes a notification, which may report progress. */
  notice(notification: Notification): void {
    try {
      const report = this.#rules.progressOf(notification);
      // A late report is no fault: it crosses the answer on the wire.
      const pending = report && this.#pending.get(report.token);
      if (report === undefined || pending === undefined) return;
      const { progress } = report;
      if (progress === undefined) return this.#port.fault(() => new Error(`${notification.method}: "progress" must be a number`));
      this.#startClock(pending);
      pending.onProgress?.(progress);
    } catch (thrown) {
      this.#port.handlers.error(toError(thrown));
    }
  }

  /** The connection has closed: whatever waits fails. */
  close(why: string, cause: unknown): void {
    for (const [id, { method }] of this.#pending) this.fail(id, new ConnectionError('closed', `${method}: ${why}`, { cause }));
  }
}
