// Time stands still during a trip: no timer fires, and no clock advances. So the number of event loop turns for a message does
// not depend on the machine's load.

const longestDelay = 2 ** 31 - 1;

/** Stops the time of this process; returns a function that restarts it. Timers started meanwhile never fire. */
export function stopTime() {
  const { setTimeout, setInterval } = globalThis;
  const now = Date.now();
  const monotonic = performance.now();
  const real = { now: Date.now, monotonic: performance.now };
  Date.now = () => now;
  performance.now = () => monotonic;
  // A delay of 0 means the next turn, not a time.
  globalThis.setTimeout = (run, ms = 0, ...given) => (ms > 0 ? setTimeout(run, longestDelay).unref() : setTimeout(run, 0, ...given));
  globalThis.setInterval = (run) => setInterval(run, longestDelay).unref();
  return () => {
    Date.now = real.now;
    performance.now = real.monotonic;
    Object.assign(globalThis, { setTimeout, setInterval });
  };
}
