// A trip takes place while time stands still: no timer comes due, and no clock goes on. How many turns of the event loop a
// message takes then does not depend on what else the machine does.

const longestDelay = 2 ** 31 - 1;

/** Stops the time of this process. Returns what lets it go on. Timers that were started meanwhile never come due. */
export function stopTime() {
  const { setTimeout, setInterval } = globalThis;
  const now = Date.now();
  const monotonic = performance.now();
  const real = { now: Date.now, monotonic: performance.now };
  Date.now = () => now;
  performance.now = () => monotonic;
  // A delay of 0 asks for the next turn, and not for a time.
  globalThis.setTimeout = (run, ms = 0, ...given) => (ms > 0 ? setTimeout(run, longestDelay).unref() : setTimeout(run, 0, ...given));
  globalThis.setInterval = (run) => setInterval(run, longestDelay).unref();
  return () => {
    Date.now = real.now;
    performance.now = real.monotonic;
    Object.assign(globalThis, { setTimeout, setInterval });
  };
}
