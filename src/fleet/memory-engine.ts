import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { BoundedMap } from '../bounds/bounded-map.ts';
import { checkOptions } from '../bounds/options.ts';
import { Undeliverable } from './engine.ts';
import type { Bus, BusHandler, KeptSession, SessionStore, SpentStore, StoringEngine, StreamStore } from './engine.ts';

/** A process that has joined. */
interface JoinedProcess {
  readonly inbox: string[];
  handler: BusHandler | undefined;
  /** A microtask that reads the inbox is scheduled. */
  reading: boolean;
}

/** The options of `memoryEngine`. */
export interface MemoryEngineOptions {
  /** The most sessions: above this, the session that was used longest ago is dropped. 100,000. */
  readonly maxSessions?: number | undefined;
  /** The most bytes of events of one stream: the oldest events are dropped first. 2 MiB. */
  readonly maxBytesPerStream?: number | undefined;
  /** The same for all streams together: the stream that was written longest ago is dropped first. 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** The clock. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Returns an engine in the memory of this process, with all stores, for endpoints that share it and for tests. A
 * process that has joined holds its lease until it leaves: it can die only with this memory.
 */
export function memoryEngine(options: MemoryEngineOptions = {}): StoringEngine {
  checkOptions('memoryEngine: options', options, { maxSessions: 'number', maxBytesPerStream: 'number', maxBytes: 'number', clock: 'object' });
  const { maxSessions = 100_000, maxBytesPerStream = 2 * 1024 * 1024, maxBytes = 64 * 1024 * 1024, clock = systemClock } = options;
  const members = new Map<string, JoinedProcess>();

  function read(member: JoinedProcess): void {
    if (member.handler === undefined || member.reading) return;
    member.reading = true;
    void Promise.resolve().then(() => {
      member.reading = false;
      for (const message of member.inbox.splice(0)) member.handler?.message(message);
    });
  }

  return {
    sessions: memorySessions(maxSessions, clock),
    streams: memoryStreams(maxBytesPerStream, maxBytes, clock),
    spent: memorySpent(clock),
    async join(process): Promise<Bus> {
      if (members.has(process)) throw new Error(`the name ${process} is taken`);
      const own: JoinedProcess = { inbox: [], handler: undefined, reading: false };
      members.set(process, own);
      return {
        leaseMs: 10_000,
        async send(to, message) {
          const member = members.get(to);
          if (member === undefined) throw new Undeliverable(to);
          member.inbox.push(message);
          read(member);
        },
        async tell(topic, message) {
          for (const { handler } of members.values()) void Promise.resolve().then(() => handler?.told(topic, message));
        },
        gone: async (processes) => processes.filter((name) => !members.has(name)),
        receive(handler) {
          own.handler = handler;
          read(own);
        },
        async leave() {
          if (members.get(process) === own) members.delete(process);
          own.handler = undefined;
          own.inbox.length = 0;
        },
      };
    },
  };
}

interface MemorySession {
  text: string;
  version: number;
  readonly owner: string | undefined;
  /** Milliseconds since the epoch. */
  until: number;
}

/**
 * Records in memory. Expired ones are removed whenever the map has doubled since the last removal. Above `max`, the
 * record that was used longest ago is dropped.
 */
function memorySessions(max: number, clock: Clock): SessionStore {
  const records = new BoundedMap<string, MemorySession>(max);
  let sweepAt = 1000;

  function alive(id: string): MemorySession | undefined {
    const kept = records.get(id);
    if (kept === undefined || kept.until > clock.now()) return kept;
    records.delete(id);
    return undefined;
  }

  function sweep(): void {
    for (const id of records.keys()) alive(id);
    sweepAt = Math.max(1000, 2 * records.size);
  }

  return {
    async create(id, owner, text, ttlMs) {
      if (alive(id)) throw new Error(`the session ${id.slice(0, 40)} exists already`);
      records.set(id, { owner, text, version: 1, until: clock.now() + ttlMs });
      if (records.size > sweepAt) sweep();
    },
    async load(id) {
      const kept = alive(id);
      return kept && { text: kept.text, version: kept.version };
    },
    async touch(id, ttlMs) {
      const kept = alive(id);
      if (kept === undefined) return false;
      kept.until = clock.now() + ttlMs;
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

/** The bytes of an event besides its text, which may take two bytes per character. */
const eventBytes = 64;
const weigh = (text: string): number => 2 * text.length + eventBytes;

interface StreamLog {
  readonly head: string;
  /** The number of `texts[0]`. */
  first: number;
  texts: string[];
  over: boolean;
  /** Milliseconds since the epoch. */
  until: number;
  /** In bytes. */
  size: number;
}

/** Events in memory, within limits in bytes per stream and in all. Each write is synchronous. */
function memoryStreams(maxPerStream: number, maxInAll: number, clock: Clock): StreamStore {
  // By session and stream; the stream that was written last is at the end.
  const logs = new Map<string, StreamLog>();
  const streamsOf = new Map<string, Set<string>>();
  let size = 0;

  function remove(session: string, key: string): void {
    size -= logs.get(key)?.size ?? 0;
    logs.delete(key);
    const keys = streamsOf.get(session);
    keys?.delete(key);
    if (keys?.size === 0) streamsOf.delete(session);
  }

  function add(log: StreamLog, text: string): void {
    const added = weigh(text);
    log.texts.push(text);
    log.size += added;
    size += added;
    while (log.size > maxPerStream && log.texts.length > 1) {
      const dropped = weigh(log.texts.shift() as string);
      log.first++;
      log.size -= dropped;
      size -= dropped;
    }
  }

  return {
    append({ session, stream, head, first, texts, over, ttlMs }) {
      const key = `${session} ${stream}`;
      const log = logs.get(key) ?? { head, first, texts: [], over: false, until: 0, size: 0 };
      if (log.over) return;
      logs.delete(key);
      logs.set(key, log);
      const keys = streamsOf.get(session);
      if (keys) keys.add(key);
      else streamsOf.set(session, new Set([key]));
      log.until = clock.now() + ttlMs;
      log.over = over;
      for (const text of texts.slice(log.first + log.texts.length - first)) add(log, text);
      for (const [oldest, { until }] of logs) {
        if (oldest === key || (size <= maxInAll && until > clock.now())) break;
        remove(oldest.slice(0, oldest.indexOf(' ')), oldest);
      }
    },
    async after(session, stream, number) {
      const key = `${session} ${stream}`;
      const log = logs.get(key);
      if (log && log.until <= clock.now()) remove(session, key);
      const from = number + 1 - (log?.first ?? 0);
      if (!logs.has(key) || log === undefined || from < 0) return undefined;
      return { head: log.head, texts: log.texts.slice(from), over: log.over };
    },
    async drop(session) {
      for (const key of [...streamsOf.get(session) ?? []]) remove(session, key);
    },
  };
}

/** Remembers used names in memory, each until it expires. */
function memorySpent(clock: Clock): SpentStore {
  const spent = new Map<string, number>();
  let sweepAt = 1000;
  return {
    async spend(kind, name, expiresAt) {
      const key = `${kind} ${name}`;
      const now = clock.now();
      if ((spent.get(key) ?? 0) > now) return false;
      spent.set(key, expiresAt);
      if (spent.size > sweepAt) {
        for (const [known, at] of spent) if (at <= now) spent.delete(known);
        sweepAt = Math.max(1000, 2 * spent.size);
      }
      return true;
    },
  };
}
