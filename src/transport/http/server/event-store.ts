/** Keeps the messages of streams, so that a client that reconnects gets what it missed. */
export interface EventStore {
  /** Keeps a message. `seq` counts the messages of a stream from 1. Must not throw. */
  append(session: string, stream: string, seq: number, text: string): void;
  /**
   * The messages after `seq`, in order; undefined where one of them is not kept any more,
   * or the stream never was.
   */
  after(session: string, stream: string, seq: number): Replay | Promise<Replay>;
  /** The session has ended. */
  drop(session: string): void;
}

/** The texts of messages; undefined: they are not kept. */
export type Replay = readonly string[] | undefined;

/** What a stream that is kept costs beside its messages, and a message beside its text, in bytes. */
const streamBytes = 512;
const eventBytes = 64;

/** The memory that a message takes: a string may take two bytes a character. */
const weigh = (text: string): number => 2 * text.length + eventBytes;

interface Log {
  session: string;
  stream: string;
  /** The sequence number of `texts[0]`. */
  first: number;
  texts: string[];
  /** In bytes. */
  size: number;
}

/** Keeps messages in memory, at most so many bytes of one stream and of all. */
export function memoryEventStore(maxPerStream: number, maxInAll: number): EventStore {
  // Both maps have what was used last at their end.
  const sessions = new Map<string, Map<string, Log>>();
  let size = 0;
  /** The log at the very end: most messages follow one of their own stream. */
  let last: Log | undefined;

  /**
   * Makes room for some more at once: finding the oldest in a map that was used long
   * costs more than dropping it.
   */
  function shrink(): void {
    last = undefined;
    for (const [session, logs] of sessions) {
      for (const [stream, log] of logs) {
        if (size <= maxInAll * 0.99) return;
        size -= log.size;
        logs.delete(stream);
      }
      sessions.delete(session);
    }
  }

  /** The log of a stream, as the one that was used last. */
  function use(session: string, stream: string, seq: number): Log {
    const logs = sessions.get(session) ?? new Map<string, Log>();
    let log = logs.get(stream);
    if (log === undefined) {
      log = { session, stream, first: seq, texts: [], size: streamBytes };
      size += streamBytes;
    }
    sessions.delete(session);
    sessions.set(session, logs);
    logs.delete(stream);
    logs.set(stream, log);
    return log;
  }

  return {
    append(session, stream, seq, text) {
      if (last?.session !== session || last.stream !== stream) last = use(session, stream, seq);
      const log = last;
      const added = weigh(text);
      log.texts.push(text);
      log.size += added;
      size += added;
      let gone = 0;
      while (log.size > maxPerStream && gone < log.texts.length - 1) {
        const dropped = weigh(log.texts[gone++] as string);
        log.size -= dropped;
        size -= dropped;
      }
      if (gone > 0) log.texts.splice(0, gone);
      log.first += gone;
      if (size > maxInAll) shrink();
    },
    after(session, stream, seq) {
      const log = sessions.get(session)?.get(stream);
      const from = seq + 1 - (log?.first ?? 0);
      return log === undefined || from < 0 || from > log.texts.length ? undefined : log.texts.slice(from);
    },
    drop(session) {
      for (const log of sessions.get(session)?.values() ?? []) size -= log.size;
      sessions.delete(session);
      last = undefined;
    },
  };
}
