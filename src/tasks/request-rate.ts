import { internalError } from '../jsonrpc/door.ts';
import { inBackground } from '../bounds/times.ts';

/**
 * Bounds how many requests for tasks each requester may make in a second of the clock. 2025-11-25
 * basic/utilities/tasks#task-isolation-and-access-control.
 */
export class RequestRate {
  readonly #max: number;
  readonly #now: () => number;
  /** Of the current second alone. A requester may be a connection: the next second lets go of those that are over. */
  readonly #counts = new Map<unknown, number>();
  #second = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(maxRequestsPerSecond: number, now: () => number = Date.now) {
    this.#max = maxRequestsPerSecond;
    this.#now = now;
  }

  /** How many requesters are held. */
  get size(): number {
    return this.#counts.size;
  }

  /** Counts a request. Throws `-32603` where its requester, a name or an object, has made too many in this second. */
  count(requester: unknown): void {
    const second = Math.floor(this.#now() / 1000);
    // A clock that was set back begins anew, too.
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    if (typeof setTimeout === 'function') this.#timer ??= inBackground(setTimeout(() => this.#expire(), 1000));
    const made = (this.#counts.get(requester) ?? 0) + 1;
    this.#counts.set(requester, made);
    if (made > this.#max) throw internalError(`Too many requests for tasks: the limit is ${this.#max} a second`);
  }

  /** Lets go of requesters whose second is over; looks again where one has come since. */
  #expire(): void {
    this.#timer = undefined;
    if (Math.floor(this.#now() / 1000) !== this.#second) this.#counts.clear();
    else this.#timer = inBackground(setTimeout(() => this.#expire(), 1000));
  }
}
