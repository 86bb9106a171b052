import type { StreamStore } from './engine.ts';

/** What an event costs beside its text, in bytes; a text may take two bytes a character. */
const eventBytes = 64;
const weigh = (text: string): number => 2 * text.length + eventBytes;

interface Log {
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

/** Events in memory: at most so many bytes of one stream and of all. Nothing here is waited for. */
export function memoryStreams(maxPerStream: number, maxInAll: number): StreamStore {
  // By session and stream; the stream that was written last is at the end.
  const logs = new Map<string, Log>();
  const streamsOf = new Map<string, Set<string>>();
  let size = 0;

  function remove(session: string, key: string): void {
    size -= logs.get(key)?.size ?? 0;
    logs.delete(key);
    const keys = streamsOf.get(session);
    keys?.delete(key);
    if (keys?.size === 0) streamsOf.delete(session);
  }

  function add(log: Log, text: string): void {
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
      log.until = Date.now() + ttlMs;
      log.over = over;
      for (const text of texts.slice(log.first + log.texts.length - first)) add(log, text);
      for (const [oldest, { until }] of logs) {
        if (oldest === key || (size <= maxInAll && until > Date.now())) break;
        remove(oldest.slice(0, oldest.indexOf(' ')), oldest);
      }
    },
    async after(session, stream, number) {
      const key = `${session} ${stream}`;
      const log = logs.get(key);
      if (log && log.until <= Date.now()) remove(session, key);
      const from = number + 1 - (log?.first ?? 0);
      if (!logs.has(key) || log === undefined || from < 0) return undefined;
      return { head: log.head, texts: log.texts.slice(from), over: log.over };
    },
    async drop(session) {
      for (const key of [...streamsOf.get(session) ?? []]) remove(session, key);
    },
  };
}
