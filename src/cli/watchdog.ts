import { every, systemClock } from '../bounds/clock.ts';

/** Ends a request without an answer. */
export interface Watchdog {
  /** Runs a function with a signal that aborts if the server is silent too long. The abort reason is for people. */
  guard<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Call this for each message from the server. */
  heard(): void;
  /** Stops the time until `resume`, while a person is thinking. */
  pause(): void;
  resume(): void;
}

/**
 * @param silenceMs milliseconds without a message
 * @param totalMs milliseconds for one request, even if messages arrive
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
      // A race, since the transport may ignore the signal.
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
