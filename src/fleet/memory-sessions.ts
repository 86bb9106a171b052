import { BoundedMap } from '../bounds/bounded-map.ts';
import type { KeptSession, SessionStore } from './engine.ts';

interface Kept {
  text: string;
  version: number;
  readonly owner: string | undefined;
  /** Milliseconds since the epoch. */
  until: number;
}

/**
 * Records in memory. Expired ones are swept whenever the map has doubled since the last sweep; over `max`, the record goes
 * that was used longest ago.
 */
export function memorySessions(max: number): SessionStore {
  const records = new BoundedMap<string, Kept>(max);
  let sweepAt = 1000;

  function alive(id: string): Kept | undefined {
    const kept = records.get(id);
    if (kept === undefined || kept.until > Date.now()) return kept;
    records.delete(id);
    return undefined;
  }

  function sweep(): void {
    for (const id of records.keys()) alive(id);
    sweepAt = Math.max(1000, 2 * records.size);
  }

  return {
    async create(id, owner, text, ttlMs) {
      if (alive(id)) throw new Error(`there is a session ${id.slice(0, 40)}`);
      records.set(id, { owner, text, version: 1, until: Date.now() + ttlMs });
      if (records.size > sweepAt) sweep();
    },
    async load(id) {
      const kept = alive(id);
      return kept && { text: kept.text, version: kept.version };
    },
    async touch(id, ttlMs) {
      const kept = alive(id);
      if (kept === undefined) return false;
      kept.until = Date.now() + ttlMs;
      records.set(id, kept);
      return true;
    },
    async replace(id, version, text) {
      const kept = alive(id);
      if (kept?.version !== version) return false;
      kept.text = text;
      kept.version++;
      return true;
    },
    async delete(id) {
      return alive(id) !== undefined && records.delete(id);
    },
    async of(owner) {
      return [...records].filter(([id, kept]) => kept.owner === owner && alive(id)).map(([id]) => id);
    },
  };
}
