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
  /**
   * Calls `run` once what runs now has ended; where the runtime can tell, as soon as no microtask is left that was there. Who
   * calls it from a microtask waits for all of them.
   */
  soon(run: () => void): void;
}

/** The runtime's own clock and timers. The times are its own functions, because each message reads them. */
export const systemClock: Clock = /* @__PURE__ */ makeSystemClock();

function makeSystemClock(): Clock {
  const after: Clock['after'] = (ms, run, background) => {
    // Looked up at each call, so that programs may replace them. Browsers have neither.
    const { setImmediate, clearImmediate } = globalThis;
    if (ms <= 0 && setImmediate) return { stop: clearImmediate.bind(undefined, setImmediate(run)) };
    if (typeof setTimeout !== 'function') return undefined;
    const handle = setTimeout(run, ms);
    // Where timers are numbers, they keep nothing alive.
    if (background) (handle as Partial<typeof handle>).unref?.();
    return { stop: clearTimeout.bind(undefined, handle) };
  };
  return {
    now: Date.now,
    // A runtime without a steady clock uses the one that may be set.
    monotonic: typeof performance === 'object' ? performance.now.bind(performance) : Date.now,
    after,
    soon: globalThis.process?.nextTick ?? globalThis.setImmediate ?? ((run) => void (after(0, run) ?? Promise.resolve().then(run))),
  };
}

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
