import { toError } from '../jsonrpc/errors.ts';
import { inBackground } from '../bounds/times.ts';
import type { Bus } from './engine.ts';

/** Tells when another process of the fleet has gone. Asks the bus only while somebody waits for that. */
export interface GoneWatch {
  /** Calls `listener` once when the process has gone. Returns what takes the listener away. */
  on(process: string, listener: () => void): () => void;
  /** The process is known to have gone. */
  left(process: string): void;
  /** Nobody is told any more. */
  end(): void;
}

/** Makes one. It asks four times a lease, and at least four times a second. */
export function watchGone(bus: Bus, report: (error: Error) => void): GoneWatch {
  const waiting = new Map<string, Set<() => void>>();
  const everyMs = Math.max(10, Math.min(250, bus.leaseMs / 4));
  let timer: ReturnType<typeof setTimeout> | undefined;

  function left(process: string): void {
    const listeners = waiting.get(process);
    waiting.delete(process);
    for (const listener of listeners ?? []) listener();
  }

  function arm(): void {
    timer ??= setTimeout(() => {
      bus.gone([...waiting.keys()]).then((gone) => gone.forEach(left), (thrown: unknown) => report(toError(thrown)))
        .finally(() => {
          timer = undefined;
          if (waiting.size > 0) arm();
        });
    }, everyMs);
    inBackground(timer);
  }

  return {
    on(process, listener) {
      const listeners = waiting.get(process) ?? new Set();
      waiting.set(process, listeners.add(listener));
      arm();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && waiting.get(process) === listeners) waiting.delete(process);
      };
    },
    left,
    end() {
      waiting.clear();
      clearTimeout(timer);
    },
  };
}
