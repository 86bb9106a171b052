import { BoundedMap } from '../bounds/bounded-map.ts';
import type { KeptSession, SessionStore } from './engine.ts';
import { readRecord, writeRecord } from './stored-record.ts';
import type { StoredRecord } from './stored-record.ts';

/** A record as it was known last. */
export interface Known {
  readonly record: StoredRecord;
  readonly version: number;
  /** When the store was told last that the session is in use: milliseconds since the epoch. 0: not since this process knows it. */
  touched: number;
}

/** The records of sessions as this process knows them. An older one never takes the place of a newer one. */
export interface RecordCache {
  /** Undefined: the store has to be asked. The one that was asked for last is the last to leave. */
  get(id: string): Known | undefined;
  /** As the store has it; undefined: it has none. */
  load(id: string): Promise<Known | undefined>;
  /**
   * Puts another record in the place of a session's, and tells it with `tell`; unless `next` returns undefined. Returns
   * the newest that is known then; undefined: the session has ended.
   */
  change(id: string, next: (record: StoredRecord) => StoredRecord | undefined): Promise<Known | undefined>;
  /** Another process has told a record. Undefined: nothing new, or of a session that nobody here asks about. */
  hear(id: string, version: number, text: string): Known | undefined;
  forget(id: string): void;
  /** Every record may be another by now. */
  clear(): void;
}

export interface RecordCacheOptions {
  readonly sessions: SessionStore;
  readonly max: number;
  /** Whether what is told of a session matters here though its record has left the cache. */
  readonly wanted: (id: string) => boolean;
  /** Tells all processes of a new record. Never rejects. */
  readonly tell: (id: string, kept: KeptSession) => Promise<void>;
}

/** Makes one that holds `max` records. */
export function recordCache({ sessions, max, wanted, tell }: RecordCacheOptions): RecordCache {
  const records = new BoundedMap<string, Known>(max);
  /** How often each is being read in the store: what is told meanwhile may be newer than what comes back. */
  const loading = new Map<string, number>();

  function remember(id: string, { text, version }: KeptSession): Known {
    const before = records.get(id);
    const known = before && before.version >= version ? before : { record: readRecord(text), version, touched: before?.touched ?? 0 };
    records.set(id, known);
    return known;
  }

  async function loadKept(id: string): Promise<KeptSession | undefined> {
    loading.set(id, (loading.get(id) ?? 0) + 1);
    try {
      const kept = await sessions.load(id);
      if (kept) remember(id, kept);
      return kept;
    } finally {
      const others = (loading.get(id) ?? 1) - 1;
      if (others > 0) loading.set(id, others);
      else loading.delete(id);
    }
  }

  const load = async (id: string): Promise<Known | undefined> => {
    const kept = await loadKept(id);
    return kept && remember(id, kept);
  };

  return {
    get(id) {
      const known = records.get(id);
      if (known) records.set(id, known);
      return known;
    },
    load,
    async change(id, next) {
      // Another process may be faster; each time one of them is done.
      for (let known = records.get(id) ?? await load(id); known; known = await load(id)) {
        const record = next(known.record);
        if (record === undefined) return known;
        if (!await sessions.replace(id, known.version, writeRecord(record))) continue;
        // The version is the engine's to choose.
        const written = await loadKept(id);
        if (written === undefined) break;
        await tell(id, written);
        return remember(id, written);
      }
      return undefined;
    },
    hear(id, version, text) {
      const known = records.get(id);
      if (known ? known.version >= version : !loading.has(id) && !wanted(id)) return undefined;
      return remember(id, { text, version });
    },
    forget: (id) => void records.delete(id),
    clear: () => records.clear(),
  };
}
