import { ConnectionError } from '../../../jsonrpc/errors.ts';

/**
 * Cancels one HTTP request and the reading of its answer. It is an AbortController that is made only where somebody
 * needs the signal: a sender that does not, is told through `onCancel`.
 */
export class Cancellation {
  cancelled = false;
  /** Called once when it is cancelled. There is one listener: the sender of the request that is under way. */
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
   * The request is over, and nobody is to be told any more. What a Map held while it grew stays reachable from its old
   * table until that is collected, which takes long: what is over must not lead to the whole request.
   */
  release(): void {
    this.onCancel = this.#controller = undefined;
  }

  /** Throws where it was cancelled. */
  check(): void {
    if (this.cancelled) throw new ConnectionError('closed', 'the request was cancelled');
  }
}
