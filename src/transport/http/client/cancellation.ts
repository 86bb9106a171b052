import { ConnectionError } from '../../../jsonrpc/errors.ts';

/**
 * Cancels one HTTP request and the reading of its response. An AbortController is made only when a sender reads `signal`;
 * other senders set `onCancel`.
 */
export class Cancellation {
  cancelled = false;
  /** Called once, on cancellation. There is only one listener: the sender of the current request. */
  onCancel: (() => void) | undefined;
  #controller: AbortController | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.cancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Cancels the request, once. */
  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.onCancel?.();
    this.#controller?.abort();
  }

  /**
   * Removes the listeners of a finished request. A Map's old table, from before it grew, keeps its entries reachable until
   * it is collected, which takes long: an entry of a finished request must not keep the whole request in memory.
   */
  release(): void {
    this.onCancel = this.#controller = undefined;
  }

  /** Throws if the request was cancelled. */
  check(): void {
    if (this.cancelled) throw new ConnectionError('closed', 'the request was cancelled');
  }
}
