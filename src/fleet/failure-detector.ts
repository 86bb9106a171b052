import type { Clock, Timer } from '../bounds/clock.ts';
import { BoundedMap } from '../bounds/bounded-map.ts';
import { toError } from '../jsonrpc/internal-exports.ts';
import { isUndeliverable } from './engine.ts';
import type { Bus } from './engine.ts';

/**
 * A bus that does not take a process for gone while the engine may have been away. It also calls listeners when a
 * process has gone.
 */
export interface FailureDetector extends Bus {
  /** Calls `listener` once when the process has gone. Returns a function that removes the listener. */
  watch(process: string, listener: () => void): () => void;
  /** Called after an undeliverable message: calls the process's listeners now, before the next check. */
  failed(process: string): void;
  /** Called when the process has certainly gone: it has announced that, or the engine knows that it has ended. */
  left(process: string): void;
  /** Called when the process has announced that it lives. */
  lives(process: string): void;
  /** Removes all listeners. */
  end(): void;
}

/** The most processes whose end is remembered. */
const mostLeft = 1000;

/**
 * Makes a failure detector. A lease expires in two cases: its process has died, or the engine stood still for longer
 * than a lease and nobody could renew. Only a process that had no trouble with the engine can tell the two apart.
 * Trouble is: a call that failed or took half of a lease, an own lease that expired, a lost connection. For one lease
 * after trouble, only processes that have announced their end count as gone; a message to any other fails as if the
 * engine were away, and its sender tries again.
 *
 * Processes with listeners are checked at least four times per lease and four times per second. `self` is the name
 * under which `bus` was joined. Long function: its short functions share the watched processes and the time of the last
 * trouble.
 */
export function failureDetector(bus: Bus, self: string, report: (error: Error) => void, clock: Clock): FailureDetector {
  const { leaseMs } = bus;
  const ended = new BoundedMap<string, true>(mostLeft);
  const watched = watchedProcesses(gone, Math.max(10, Math.min(250, leaseMs / 4)), report, clock);
  /** Runs for one lease after the last trouble; undefined if there was none. */
  let doubts: Timer | undefined;
  const trouble = (): void => {
    doubts?.stop();
    doubts = clock.after(leaseMs, () => (doubts = undefined), true);
  };

  /** Calls the engine, and notes trouble if the call fails or is slow. */
  async function ask<T>(call: () => Promise<T>): Promise<T> {
    let slow = false;
    const timer = clock.after(leaseMs / 2, () => {
      slow = true;
      trouble();
    }, true);
    try {
      return await call();
    } catch (thrown) {
      if (!isUndeliverable(thrown)) trouble();
      throw thrown;
    } finally {
      timer?.stop();
      if (slow) trouble();
    }
  }

  /** Returns the processes that have certainly gone. */
  async function gone(processes: readonly string[]): Promise<readonly string[]> {
    // Ask about this process in the same call: if its lease has expired too, the engine was away, and nothing is certain.
    const found = await ask(() => bus.gone([...processes, self]));
    if (found.includes(self)) trouble();
    return found.filter((name) => ended.has(name) || doubts === undefined);
  }

  return {
    leaseMs,
    gone,
    async send(process, message) {
      try {
        await ask(() => bus.send(process, message));
      } catch (thrown) {
        if (!isUndeliverable(thrown) || (await gone([process])).includes(process)) throw thrown;
        throw new Error(`the lease of the process ${process.slice(0, 40)} has expired, but the process may still run`, { cause: thrown });
      }
    },
    tell: (topic, message) => ask(() => bus.tell(topic, message)),
    receive: (handler) => bus.receive({
      ...handler,
      gap() {
        trouble();
        handler.gap();
      },
      lost() {
        trouble();
        handler.lost();
      },
    }),
    leave() {
      doubts?.stop();
      return bus.leave();
    },
    watch: watched.on,
    failed: watched.gone,
    left(process) {
      ended.set(process, true);
      watched.gone(process);
    },
    lives: (process) => void ended.delete(process),
    end: watched.end,
  };
}

/** Processes with listeners. Calls `findGone` every `everyMs` milliseconds, but only while there is a listener. */
function watchedProcesses(
  findGone: (processes: readonly string[]) => Promise<readonly string[]>, everyMs: number, report: (error: Error) => void,
  clock: Clock,
) {
  const listenersOf = new Map<string, Set<() => void>>();
  let timer: Timer | undefined;

  function gone(process: string): void {
    const listeners = listenersOf.get(process);
    listenersOf.delete(process);
    for (const listener of listeners ?? []) listener();
  }

  function arm(): void {
    timer ??= clock.after(everyMs, () => {
      findGone([...listenersOf.keys()]).then((found) => found.forEach(gone), (thrown: unknown) => report(toError(thrown)))
        .finally(() => {
          timer = undefined;
          if (listenersOf.size > 0) arm();
        });
    }, true);
  }

  return {
    gone,
    on(process: string, listener: () => void): () => void {
      const listeners = listenersOf.get(process) ?? new Set();
      listenersOf.set(process, listeners.add(listener));
      arm();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && listenersOf.get(process) === listeners) listenersOf.delete(process);
      };
    },
    end() {
      listenersOf.clear();
      timer?.stop();
    },
  };
}
