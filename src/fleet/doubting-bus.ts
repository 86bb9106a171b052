import { BoundedMap } from '../bounds/bounded-map.ts';
import { inBackground } from '../bounds/times.ts';
import { isUndeliverable } from './engine.ts';
import type { Bus } from './engine.ts';

/** A bus that takes no process for gone while the engine may have been away for all. */
export interface DoubtingBus extends Bus {
  /** The process has said that it leaves, or its engine knows that it has ended. */
  left(process: string): void;
  /** It has said that it lives. */
  lives(process: string): void;
}

/** Processes whose end is remembered. */
const mostLeft = 1000;

/**
 * A lease runs out where its process has died, and where it could not be renewed: an engine that stood still for longer than
 * a lease, and goes on, has forgotten the leases of all. Which of the two it was is known only while this process has had no
 * trouble with the engine itself. For one lease after trouble (a call that failed or took half of a lease, a lease of
 * its own that ran out, a connection that was cut) nobody but those that said so is taken for gone: what is sent to them
 * is refused as by an engine that is away, and comes again. `self`: the name under which `bus` was joined.
 */
export function doubtingBus(bus: Bus, self: string): DoubtingBus {
  const { leaseMs } = bus;
  const ended = new BoundedMap<string, true>(mostLeft);
  /** Ends the doubts; undefined: there are none. */
  let doubts: ReturnType<typeof setTimeout> | undefined;
  const trouble = (): void => {
    clearTimeout(doubts);
    doubts = inBackground(setTimeout(() => (doubts = undefined), leaseMs));
  };

  async function watched<T>(call: () => Promise<T>): Promise<T> {
    let slow = false;
    const timer = inBackground(setTimeout(() => {
      slow = true;
      trouble();
    }, leaseMs / 2));
    try {
      return await call();
    } catch (thrown) {
      if (!isUndeliverable(thrown)) trouble();
      throw thrown;
    } finally {
      clearTimeout(timer);
      if (slow) trouble();
    }
  }

  /** Which of them have gone for certain. */
  async function gone(processes: readonly string[]): Promise<readonly string[]> {
    // Asked at once: where the lease of this process is out too, the engine was away.
    const found = await watched(() => bus.gone([...processes, self]));
    if (found.includes(self)) trouble();
    return found.filter((name) => name !== self && (ended.has(name) || doubts === undefined));
  }

  return {
    leaseMs,
    gone,
    async send(process, message) {
      try {
        await watched(() => bus.send(process, message));
      } catch (thrown) {
        if (!isUndeliverable(thrown) || (await gone([process])).includes(process)) throw thrown;
        throw new Error(`the lease of the process ${process.slice(0, 40)} is out, and it is not known whether it has gone`, { cause: thrown });
      }
    },
    tell: (topic, message) => watched(() => bus.tell(topic, message)),
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
      clearTimeout(doubts);
      return bus.leave();
    },
    left: (process) => void ended.set(process, true),
    lives: (process) => void ended.delete(process),
  };
}
