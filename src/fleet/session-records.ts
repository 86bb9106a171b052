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
  /** Streams before it whose client has opened another one itself, the last one first: they do not go on. */
  readonly replaced?: readonly string[] | undefined;
}

/** What the store has of a session: all that a process needs to serve it. */
export interface StoredRecord {
  readonly agreed: Agreed;
  readonly principal: string | undefined;
  /** What `logging/setLevel` asked for. */
  readonly level: LoggingLevel | undefined;
  /** The URIs of the resources that the client watches. */
  readonly watched: readonly string[];
  /** When the handshake was: milliseconds since the epoch. */
  readonly opened: number;
  readonly listener: ListenerRecord | undefined;
}

/** The record as text. */
export function writeRecord(record: StoredRecord): string {
  return JSON.stringify(record);
}

/** Reads a record. Throws where the text is malformed: another program has written it. */
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
  throw new Error('the store holds something else than a session in the place of a session');
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

/** A record as it was known last. */
export interface Known {
  readonly record: StoredRecord;
  readonly version: number;
  /** When the store was told last that the session is in use: milliseconds since the epoch. 0: not since this process knows it. */
  touched: number;
}

/** The records of sessions as this process knows them. An older one never replaces a newer one. */
export interface RecordCache {
  /** Undefined: the store has to be asked. Records leave in the order of their last use. */
  get(id: string): Known | undefined;
  /** As the store has it; undefined: it has none. */
  load(id: string): Promise<Known | undefined>;
  /**
   * Puts another record in the place of a session's, and tells it with `tell`; unless `next` returns undefined. Returns
   * the newest that is known then; undefined: the session has ended.
   */
  change(id: string, next: (record: StoredRecord) => StoredRecord | undefined): Promise<Known | undefined>;
  /** Takes a record that another process has told. Undefined: it is not newer, or its session is not used here. */
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
  /** How many readings of each record are under way: a record that is told meanwhile may be newer than their result. */
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
