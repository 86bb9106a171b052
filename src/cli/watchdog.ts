import { every, systemClock } from '../bounds/clock.ts';

/** Ends a request that nobody answers. */
export interface Watchdog {
  /**
   * Runs with a signal that aborts, with a reason to read, when the other side has been silent for too long.
   */
  guard<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Something was heard. */
  heard(): void;
  /** A person is thinking: no time passes until `resume`. */
  pause(): void;
  resume(): void;
}

/**
 * @param silenceMs milliseconds without any message
 * @param totalMs   milliseconds for one request, however much is said
 */
export function createWatchdog(silenceMs: number, totalMs: number): Watchdog {
  const everyMs = Math.max(5, Math.min(250, silenceMs / 4));
  let silent = 0;
  let paused = false;
  return {
    async guard(run) {
      const controller = new AbortController();
      let total = 0;
      silent = 0;
      const timer = every(systemClock, everyMs, () => {
        if (paused) return;
        silent += everyMs;
        total += everyMs;
        if (silent >= silenceMs) {
          controller.abort(new Error(`no answer: ${silenceMs / 1000} s without a message`));
        }
        else if (total >= totalMs) controller.abort(new Error(`no answer within ${totalMs / 1000} s`));
      });
      // Raced: a transport that does not look at the signal must not hold up the tour.
      let onAbort: (() => void) | undefined;
      const aborted = new Promise<never>((_, reject) => {
        onAbort = () => reject(controller.signal.reason);
        controller.signal.addEventListener('abort', onAbort);
      });
      try {
        return await Promise.race([run(controller.signal), aborted]);
      } finally {
        timer?.stop();
      }
    },
    heard: () => {
      silent = 0;
    },
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
      silent = 0;
    },
  };
}
