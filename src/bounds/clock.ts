/** A pending call of `Clock.after` or `every`. */
export interface Timer {
  /** Cancels the pending call. Does nothing after the call. */
  stop(): void;
}

/**
 * The source of time and timers. Servers, clients, listeners, stores and engines receive a `Clock`; no other code reads
 * the time or starts a timer. So the same code runs with the clock of a test, and on runtimes without timers.
 */
export interface Clock {
  /** Milliseconds since 1970, for times that people and other processes read. May jump, also backwards. */
  now(): number;
  /** Milliseconds of a clock that never jumps, for timeouts: only differences have a meaning. */
  monotonic(): number;
  /**
   * Calls `run` after `ms` milliseconds; with 0 in the next turn of the event loop, after the events of other peers.
   * `background`: the process may exit before. Returns undefined if the runtime has no timers: `run` is never called.
   */
  after(ms: number, run: () => void, background?: boolean): Timer | undefined;
  /**
   * Calls `run` after the current synchronous code. When called from a microtask, `run` waits until all microtasks
   * have run, if the runtime can do that.
   */
  soon(run: () => void): void;
}

/** The clock and timers of the runtime. `now` and `monotonic` are its functions without a wrapper, because each message calls them. */
export const systemClock: Clock = /* @__PURE__ */ makeSystemClock();

function makeSystemClock(): Clock {
  const after: Clock['after'] = (ms, run, background) => {
    // Read at each call, because programs may replace these globals. Browsers have neither.
    const { setImmediate, clearImmediate } = globalThis;
    if (ms <= 0 && setImmediate) return { stop: clearImmediate.bind(undefined, setImmediate(run)) };
    if (typeof setTimeout !== 'function') return undefined;
    const handle = setTimeout(run, ms);
    // In browsers timers are numbers without `unref`, and keep no process alive.
    if (background) (handle as Partial<typeof handle>).unref?.();
    return { stop: clearTimeout.bind(undefined, handle) };
  };
  return {
    now: Date.now,
    // A runtime without `performance` has only a clock that may jump.
    monotonic: typeof performance === 'object' ? performance.now.bind(performance) : Date.now,
    after,
    soon: globalThis.process?.nextTick ?? globalThis.setImmediate ?? ((run) => void (after(0, run) ?? Promise.resolve().then(run))),
  };
}

/** Calls `run` every `ms` milliseconds, until `stop()`. Returns undefined if the runtime has no timers. */
export function every(clock: Clock, ms: number, run: () => void, background?: boolean): Timer | undefined {
  let timer: Timer | undefined;
  const wait = (): Timer | undefined => timer = clock.after(ms, () => {
    wait();
    run();
  }, background);
  return wait() && { stop: () => timer?.stop() };
}

/** Resolves after `ms` milliseconds; never if the runtime has no timers. */
export const pause = (clock: Clock, ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
