import { internalError } from '../jsonrpc/errors.ts';

/**
 * Bounds how many requests for tasks each requester may make in a second of the clock. 2025-11-25
 * basic/utilities/tasks#task-isolation-and-access-control.
 */
export class RequestRate {
  readonly #max: number;
  readonly #now: () => number;
  /** Of the current second alone. */
  readonly #counts = new Map<unknown, number>();
  #second = 0;

  constructor(maxRequestsPerSecond: number, now: () => number = Date.now) {
    this.#max = maxRequestsPerSecond;
    this.#now = now;
  }

  /** Counts a request. Throws `-32603` where its requester, a name or an object, has made too many in this second. */
  count(requester: unknown): void {
    const second = Math.floor(this.#now() / 1000);
    // A clock that was set back begins anew, too.
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    const made = (this.#counts.get(requester) ?? 0) + 1;
    this.#counts.set(requester, made);
    if (made > this.#max) throw internalError(`Too many requests for tasks: the limit is ${this.#max} a second`);
  }
}
