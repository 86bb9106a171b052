import { longestTimerMs } from './options.ts';

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

/** Whether these are milliseconds that a timer keeps. */
export const isTime = (ms: unknown): boolean => typeof ms === 'number' && ms >= 0 && ms <= longestTimerMs;
