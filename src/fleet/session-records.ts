import { BoundedMap } from '../bounds/bounded-map.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';
import type { LoggingLevel } from '../protocol/index.ts';
import { isImplementation, isLoggingLevel } from '../protocol/internal-exports.ts';
import type { Agreed } from '../transport/internal-exports.ts';
import type { KeptSession, SessionStore } from './engine.ts';

/** The GET stream of a session, and the process that writes it. */
export interface ListenerRecord {
  readonly process: string;
  readonly stream: string;
  /** Earlier streams that the client itself replaced by a new GET, the last one first: they do not go on. */
  readonly replaced?: readonly string[] | undefined;
}

/** The stored record of a session: all that a process needs to serve it. */
export interface StoredRecord {
  readonly agreed: Agreed;
  readonly principal: string | undefined;
  /** The level of `logging/setLevel`. */
  readonly level: LoggingLevel | undefined;
  /** The URIs of the resources to which the client has subscribed. */
  readonly watched: readonly string[];
  /** The time of the handshake: milliseconds since the epoch. */
  readonly opened: number;
  readonly listener: ListenerRecord | undefined;
}

/** The record as text. */
export function writeRecord(record: StoredRecord): string {
  return JSON.stringify(record);
}

/** Reads a record. Throws if the text is malformed, because another program has written it. */
export function readRecord(text: string): StoredRecord {
  const value: unknown = JSON.parse(text);
  if (isObject(value)) {
    const { agreed, principal, level, watched, opened, listener } = value;
    if (isAgreed(agreed) && (principal === undefined || typeof principal === 'string')
      && (level === undefined || isLoggingLevel(level)) && isTexts(watched)
      && typeof opened === 'number' && (listener === undefined || isListener(listener))) {
      return { agreed, principal, level, watched, opened, listener };
    }
  }
  throw new Error('the record of a session in the store is malformed');
}

function isAgreed(value: unknown): value is Agreed {
  return isObject(value) && typeof value['version'] === 'string' && isImplementation(value['client'])
    && isObject(value['capabilities']);
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function isListener(value: unknown): value is ListenerRecord {
  return isObject(value) && typeof value['process'] === 'string' && typeof value['stream'] === 'string'
    && (value['replaced'] === undefined || isTexts(value['replaced']));
}

/** The last known record of a session. */
export interface Known {
  readonly record: StoredRecord;
  readonly version: number;
  /** When this process last told the store that the session is in use: milliseconds of the monotonic clock. -Infinity: not yet. */
  touched: number;
}

/** A cache of session records. An older record never replaces a newer one. */
export interface RecordCache {
  /** Returns the cached record; undefined: ask the store. The record that was used longest ago is dropped first. */
  get(id: string): Known | undefined;
  /** Reads the record from the store; undefined if it has none. */
  load(id: string): Promise<Known | undefined>;
  /**
   * Replaces a session's record and announces it with `tell`, unless `next` returns undefined. Returns the newest known
   * record then; undefined: the session has ended.
   */
  change(id: string, next: (record: StoredRecord) => StoredRecord | undefined): Promise<Known | undefined>;
  /** Takes a record from another process. Undefined if it is not newer, or its session is not used here. */
  hear(id: string, version: number, text: string): Known | undefined;
  forget(id: string): void;
  /** Drops all records: each may have changed. */
  clear(): void;
}

export interface RecordCacheOptions {
  readonly sessions: SessionStore;
  readonly max: number;
  /** Whether messages about this session matter here, even if its record has left the cache. */
  readonly wanted: (id: string) => boolean;
  /** Sends a new record to all processes. Never rejects. */
  readonly tell: (id: string, kept: KeptSession) => Promise<void>;
}

/** Makes a cache of at most `max` records. Long function: its short functions share the records and the time of their last use. */
export function recordCache({ sessions, max, wanted, tell }: RecordCacheOptions): RecordCache {
  const records = new BoundedMap<string, Known>(max);
  /**
   * How many reads of each record are under way: a record that another process sends meanwhile may be newer than their
   * result.
   */
  const loading = new Map<string, number>();

  function remember(id: string, { text, version }: KeptSession): Known {
    const before = records.get(id);
    const known = before && before.version >= version ? before : { record: readRecord(text), version, touched: before?.touched ?? -Infinity };
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
      // If another process was faster, try again with its record.
      for (let known = records.get(id) ?? await load(id); known; known = await load(id)) {
        const record = next(known.record);
        if (record === undefined) return known;
        if (!await sessions.replace(id, known.version, writeRecord(record))) continue;
        // The engine chooses the version.
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
