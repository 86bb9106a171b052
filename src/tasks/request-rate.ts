import { systemClock } from '../bounds/clock.ts';
import type { Clock, Timer } from '../bounds/clock.ts';
import { internalError } from '../jsonrpc/internal-exports.ts';

/**
 * Limits how many requests for tasks each requester may make per second. 2025-11-25
 * basic/utilities/tasks#task-isolation-and-access-control.
 */
export class RequestRate {
  readonly #max: number;
  readonly #clock: Clock;
  /** By requester, in the current second. A requester may be a connection: the next second releases it. */
  readonly #counts = new Map<unknown, number>();
  #second = 0;
  #timer: Timer | undefined;

  constructor(maxRequestsPerSecond: number, clock: Clock = systemClock) {
    this.#max = maxRequestsPerSecond;
    this.#clock = clock;
  }

  /** How many requesters are held. */
  get size(): number {
    return this.#counts.size;
  }

  /** Counts a request of `requester`, a name or an object. Throws `-32603` if it has made too many in this second. */
  count(requester: unknown): void {
    const second = Math.floor(this.#clock.monotonic() / 1000);
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    this.#timer ??= this.#clock.after(1000, () => this.#expire(), true);
    const made = (this.#counts.get(requester) ?? 0) + 1;
    this.#counts.set(requester, made);
    if (made > this.#max) throw internalError(`Too many requests for tasks: the limit is ${this.#max} a second`);
  }

  /** Releases the requesters when their second is over. If there are newer counts, it runs again after one second. */
  #expire(): void {
    this.#timer = undefined;
    if (Math.floor(this.#clock.monotonic() / 1000) !== this.#second) this.#counts.clear();
    else this.#timer = this.#clock.after(1000, () => this.#expire(), true);
  }
}
