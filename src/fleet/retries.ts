import type { Clock, Timer } from '../bounds/clock.ts';
import { isUndeliverable } from './engine.ts';

/** Milliseconds after a failed attempt in which `Retries` repeats no attempt. */
const pauseMs = 250;

/** Repeats attempts until the engine is back and they succeed. */
export class Retries {
  readonly #clock: Clock;
  readonly #most: number;
  /** The waiting attempts, by name. */
  readonly #waiting = new Map<string, () => Promise<void>>();
  #running = 0;
  #pause: Timer | undefined;
  #ended = false;

  /** `most`: how many attempts run at once. */
  constructor(clock: Clock, most: number = Infinity) {
    this.#clock = clock;
    this.#most = most;
  }

  /**
   * Begins an attempt, or queues it. It replaces a queued attempt of the same name, which would do the same. An attempt
   * that fails with `Undeliverable` is given up; after any other error it is repeated.
   */
  add(name: string, attempt: () => Promise<void>): void {
    if (this.#ended) return;
    const known = this.#waiting.has(name);
    this.#waiting.set(name, attempt);
    // During a pause only new attempts begin: they may be for another process. One that waits begins at its end, or in its turn.
    if (!known) this.#begin(name);
  }

  /** Drops the waiting attempts. */
  end(): void {
    this.#ended = true;
    this.#waiting.clear();
    this.#pause?.stop();
  }

  #begin(name: string): void {
    const attempt = this.#waiting.get(name);
    if (attempt === undefined || this.#running >= this.#most) return;
    this.#waiting.delete(name);
    this.#running++;
    attempt().catch((thrown: unknown) => {
      if (this.#ended || isUndeliverable(thrown)) return;
      if (!this.#waiting.has(name)) this.#waiting.set(name, attempt);
      this.#pause ??= this.#clock.after(pauseMs, () => {
        this.#pause = undefined;
        this.#beginAll();
      }, true);
    }).finally(() => {
      this.#running--;
      if (this.#pause === undefined) this.#beginAll();
    });
  }

  #beginAll(): void {
    for (const name of [...this.#waiting.keys()]) this.#begin(name);
  }
}
