import { randomUUID } from 'node:crypto';
import { Kvm } from '@nats-io/kv';
import { retrying } from 'barewire/fleet';
import type { SpentStore } from 'barewire/fleet';
import { isConflict, partOf } from './place.ts';
import type { Place } from './place.ts';

interface Spent {
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Stores single-use marks in a bucket. */
export async function natsSpent({ js, name, answerMs }: Place, keepMs: number, replicas: number): Promise<SpentStore> {
  const bucket = await new Kvm(js).create(`${name}_spent`, { ttl: keepMs, history: 1, replicas });
  return {
    async spend(kind, what, expiresAt) {
      const key = `${kind}.${partOf(what)}`;
      const own: Spent = { by: randomUUID(), until: expiresAt };
      return retrying(answerMs, async () => {
        for (;;) {
          const entry = await bucket.get(key);
          const found = entry?.operation === 'PUT' ? entry.json<Spent>() : undefined;
          if (found && found.until > Date.now()) return found.by === own.by;
          try {
            await bucket.put(key, JSON.stringify(own), { previousSeq: entry?.revision ?? 0 });
            return true;
          } catch (thrown) {
            if (!isConflict(thrown)) throw thrown;
          }
        }
      });
    },
  };
}
