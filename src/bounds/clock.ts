/** What runs later, until it is stopped. */
export interface Timer {
  /** It no longer runs. Does nothing where it has run. */
  stop(): void;
}

/**
 * The time, and what makes things happen later. Servers, clients, listeners, stores and engines are handed one; nothing else
 * reads a clock or starts a timer. So the same code runs by the clock of a test, and where there are no timers.
 */
export interface Clock {
  /** Milliseconds since 1970: for what people and other processes read. It may be set, also back. */
  now(): number;
  /** Milliseconds of a clock that is never set: only differences mean something. Limits of time are measured with it. */
  monotonic(): number;
  /**
   * Calls `run` after `ms` milliseconds; after 0 in the next turn of the event loop, when other peers have had theirs.
   * `background`: the process may end before. Returns undefined where the runtime has no timers: `run` is never called.
   */
  after(ms: number, run: () => void, background?: boolean): Timer | undefined;
  /** Calls `run` when no microtask is left, or soon after, where the runtime cannot tell. */
  soon(run: () => void): void;
}

/** What some runtimes have. */
const runtime: {
  readonly process?: { readonly nextTick?: ((run: () => void) => void) | undefined } | undefined;
  readonly setImmediate?: ((run: () => void) => unknown) | undefined;
  readonly clearImmediate?: ((handle: unknown) => void) | undefined;
} = globalThis as object;

/** The runtime's own clock and timers. They are looked up at each call, so that programs may replace them. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // A runtime without a steady clock uses the one that may be set.
  monotonic: () => (typeof performance === 'object' ? performance : Date).now(),
  after(ms, run, background) {
    if (ms <= 0 && runtime.setImmediate) {
      const handle = runtime.setImmediate(run);
      return { stop: () => runtime.clearImmediate?.(handle) };
    }
    if (typeof setTimeout !== 'function') return undefined;
    const handle = setTimeout(run, ms);
    // Where timers are numbers, they keep nothing alive.
    if (background && typeof handle === 'object') handle.unref?.();
    return { stop: () => clearTimeout(handle) };
  },
  soon(run) {
    // A tick that a microtask asks for comes when no microtask is left. It spares the turn of the event loop.
    if (runtime.process?.nextTick) Promise.resolve().then(() => runtime.process?.nextTick?.(run));
    else if (!systemClock.after(0, run)) Promise.resolve().then(run);
  },
};

/** Calls `run` every `ms` milliseconds, until it is stopped. Undefined where there are no timers. */
export function every(clock: Clock, ms: number, run: () => void, background?: boolean): Timer | undefined {
  let timer: Timer | undefined;
  const wait = (): Timer | undefined => timer = clock.after(ms, () => {
    wait();
    run();
  }, background);
  return wait() && { stop: () => timer?.stop() };
}

/** Resolves after `ms` milliseconds. */
export const pause = (clock: Clock, ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
