import { randomUUID } from 'node:crypto';
import { Kvm } from '@nats-io/kv';
import type { KV, KvEntry } from '@nats-io/kv';
import { retrying } from 'barewire/fleet';
import type { SessionStore } from 'barewire/fleet';
import { isConflict, partOf } from './place.ts';
import type { Place } from './place.ts';

/** A record in the bucket, as JSON. */
interface Kept {
  readonly id: string;
  readonly owner?: string | undefined;
  readonly text: string;
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** The id of the write: its writer recognizes it if the confirmation was lost. */
  readonly by: string;
}

/** Stores records in one bucket by id; another bucket has, for each owner, the ids in order of use. */
export async function natsSessions({ js, name, answerMs }: Place, keepMs: number, replicas: number): Promise<SessionStore> {
  const settings = { ttl: keepMs, history: 1, replicas };
  const manager = new Kvm(js);
  const records: KV = await manager.create(`${name}_sessions`, settings);
  const owners: KV = await manager.create(`${name}_owners`, settings);
  const keyOf = (owner: string, id: string): string => `${partOf(owner)}.${partOf(id)}`;
  const call = <T>(attempt: () => Promise<T>): Promise<T> => retrying(answerMs, attempt);

  interface Found {
    readonly entry: KvEntry | null;
    readonly kept: Kept | undefined;
  }

  async function find(id: string): Promise<Found> {
    const entry = await records.get(partOf(id));
    const kept = entry?.operation === 'PUT' ? entry.json<Kept>() : undefined;
    return { entry, kept: kept && kept.until > Date.now() ? kept : undefined };
  }

  /** Replaces the found entry by a record. False: another process has written in between. */
  async function put(entry: KvEntry | null, kept: Kept): Promise<boolean> {
    try {
      await records.put(partOf(kept.id), JSON.stringify(kept), { previousSeq: entry?.revision ?? 0 });
      return true;
    } catch (thrown) {
      if (isConflict(thrown)) return false;
      throw thrown;
    }
  }

  /**
   * Changes the record with this id, retrying on conflicts. Returns the new record; undefined if it does not exist or `change`
   * returned none.
   */
  async function rewrite(id: string, change: (kept: Kept) => Omit<Kept, 'by'> | undefined): Promise<Kept | undefined> {
    const by = randomUUID();
    return call(async () => {
      for (;;) {
        const { entry, kept } = await find(id);
        if (kept?.by === by) return kept;
        const changed = kept && change(kept);
        if (changed === undefined) return undefined;
        if (await put(entry, { ...changed, by })) return { ...changed, by };
      }
    });
  }

  const used = async ({ owner, id }: Kept): Promise<void> => {
    if (owner !== undefined) await call(() => owners.put(keyOf(owner, id), id));
  };

  return {
    async create(id, owner, text, ttlMs) {
      const by = randomUUID();
      const record: Kept = { id, owner, text, version: 1, until: Date.now() + ttlMs, by };
      const made = await call(async () => {
        for (;;) {
          const { entry, kept } = await find(id);
          if (kept) return kept.by === by;
          if (await put(entry, record)) return true;
        }
      });
      if (!made) throw new Error(`the session ${id.slice(0, 40)} exists already`);
      await used(record);
    },
    async load(id) {
      const { kept } = await call(() => find(id));
      return kept && { text: kept.text, version: kept.version };
    },
    async touch(id, ttlMs) {
      const kept = await rewrite(id, (found) => ({ ...found, until: Date.now() + ttlMs }));
      if (kept) await used(kept);
      return kept !== undefined;
    },
    async replace(id, version, text) {
      return await rewrite(id, (found) => (
        found.version === version ? { ...found, text, version: version + 1 } : undefined
      )) !== undefined;
    },
    async delete(id) {
      const { entry, kept } = await call(() => find(id));
      if (entry?.operation !== 'PUT') return false;
      await call(() => records.purge(partOf(id)));
      if (kept?.owner !== undefined) await call(() => owners.purge(keyOf(kept.owner as string, id)));
      return kept !== undefined;
    },
    async of(owner) {
      const keys = await call(async () => {
        const list: string[] = [];
        for await (const key of await owners.keys(`${partOf(owner)}.*`)) list.push(key);
        return list;
      });
      const found = await Promise.all(keys.map(async (key) => {
        const id = (await call(() => owners.get(key)))?.string();
        return id !== undefined && (await call(() => find(id))).kept ? id : undefined;
      }));
      return found.filter((id) => id !== undefined);
    },
  };
}
