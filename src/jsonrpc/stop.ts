import type { Abortable } from './inbound.ts';

/** What is needed of a signal. An `AbortSignal` has it, and `stopOf` makes it. */
export interface Stop {
  /** Why it was aborted; undefined before. */
  readonly reason: unknown;
  /** Throws `reason` once it was aborted. */
  throwIfAborted(): void;
  /** Calls back at the abort, once. */
  addEventListener(type: 'abort', listener: () => void, options: { once: true }): void;
  /** Takes a listener away that was not called yet. */
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A request of the peer's as what stops a request of ours. It makes no signal, which costs far more. */
export function stopOf(request: Abortable): Stop {
  return {
    get reason() {
      return request.why?.();
    },
    throwIfAborted() {
      if (request.why) throw request.why();
    },
    addEventListener(_type, listener) {
      (request.listeners ??= new Set()).add(listener);
    },
    removeEventListener(_type, listener) {
      request.listeners?.delete(listener);
    },
  };
}
