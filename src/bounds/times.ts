import { longestTimerMs } from './options.ts';

/**
 * Milliseconds of a monotonic clock: only differences mean something. A runtime without such a clock uses the
 * system's clock.
 */
export const clock = (): number => (typeof performance === 'object' ? performance : Date).now();

/** Lets the process end while this timer runs. Where timers are numbers, there is nothing to do. */
export function inBackground(timer: ReturnType<typeof setTimeout>): ReturnType<typeof setTimeout> {
  if (typeof timer === 'object') timer.unref?.();
  return timer;
}

/** Whether a value is a number of milliseconds that a timer accepts. */
export const isTime = (ms: unknown): boolean => typeof ms === 'number' && ms >= 0 && ms <= longestTimerMs;
