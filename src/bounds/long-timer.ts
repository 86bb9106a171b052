import type { Clock, Timer } from './clock.ts';
import { longestTimerMs } from './options.ts';

/** Calls `run` at the time `at`, by `now`. A time that is too long for one timer is split. Returns undefined if the runtime has no timers. */
export function atTime(clock: Clock, at: number, run: () => void, background?: boolean): Timer | undefined {
  const left = at - clock.now();
  let timer = clock.after(Math.max(0, Math.min(left, longestTimerMs)), () => {
    if (left <= longestTimerMs) run();
    else timer = atTime(clock, at, run, background);
  }, background);
  return timer && { stop: () => timer?.stop() };
}
