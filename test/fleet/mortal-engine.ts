import { memoryEngine } from '../../src/fleet/index.ts';
import type { Bus, FleetEngine } from '../../src/fleet/index.ts';

/** A process's access to an engine. It can be cut off as if the process had been killed. */
export interface Handle {
  readonly engine: FleetEngine;
  /** Stops all traffic in both directions; the lease then expires by itself. */
  kill(): void;
}

/** Returns a factory of handles for one in-memory engine whose leases expire. */
export function mortalEngine(leaseMs: number): () => Handle {
  const hub = memoryEngine();

  return () => {
    let alive = true;
    const buses: Bus[] = [];
    const guard = <A extends unknown[], R>(call: (...args: A) => R) => (...args: A): R | Promise<never> =>
      alive ? call(...args) : Promise.reject(new Error('killed'));
    const { sessions, streams, spent } = hub;
    if (!sessions || !streams) throw new Error('the memory engine keeps sessions and streams');
    return {
      engine: {
        async join(process) {
          const bus = await hub.join(process);
          buses.push(bus);
          return {
            leaseMs,
            send: guard(bus.send),
            tell: guard(bus.tell),
            gone: guard(bus.gone),
            leave: async () => alive ? bus.leave() : undefined,
            receive: (handler) => bus.receive({
              message: (text) => alive ? handler.message(text) : undefined,
              told: (topic, text) => alive ? handler.told(topic, text) : undefined,
              gap: () => handler.gap(),
              lost: () => handler.lost(),
            }),
          };
        },
        sessions: {
          create: guard(sessions.create), load: guard(sessions.load), touch: guard(sessions.touch),
          replace: guard(sessions.replace), delete: guard(sessions.delete), of: guard(sessions.of),
        },
        streams: { append: guard(streams.append), after: guard(streams.after), drop: guard(streams.drop) },
        spent,
      },
      kill() {
        alive = false;
        setTimeout(() => {
          for (const bus of buses) void bus.leave();
        }, leaseMs);
      },
    };
  };
}
