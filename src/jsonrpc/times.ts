/** The longest time that timers keep, in milliseconds: 24 days. A longer one is over at once. */
export const longestTimerMs = 0x7fffffff;

/**
 * Milliseconds of a clock that nobody sets: differences alone mean something. A runtime that has none gives the
 * system's clock.
 */
export const clock = (): number => (typeof performance === 'object' ? performance : Date).now();

/** A timer that keeps no process alive. Where timers are numbers, there is nothing to be done. */
export function inBackground(timer: ReturnType<typeof setTimeout>): ReturnType<typeof setTimeout> {
  if (typeof timer === 'object') timer.unref?.();
  return timer;
}

/** Throws a RangeError for a time (a member called `…Ms`) that no timer keeps: negative, not finite, or too long. */
export function checkTimes(options: object): void {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (!name.endsWith('Ms') || value === undefined) continue;
    if (typeof value !== 'number' || !(value >= 0 && value <= longestTimerMs)) {
      throw new RangeError(`${name} must be 0 to ${longestTimerMs} milliseconds, not ${String(value)}`);
    }
  }
}
