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

export type Replay = readonly string[] | undefined;

interface Log {
  session: string;
  stream: string;
  /** The sequence number of `texts[0]`. */
  first: number;
  texts: string[];
  size: number;
}

/** Keeps messages in memory, at most so many characters of one stream and of all. */
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

  return {
    append(session, stream, seq, text) {
      let log = last;
      if (log?.session !== session || log.stream !== stream) {
        const logs = sessions.get(session) ?? new Map<string, Log>();
        last = log = logs.get(stream) ?? { session, stream, first: seq, texts: [], size: 0 };
        sessions.delete(session);
        sessions.set(session, logs);
        logs.delete(stream);
        logs.set(stream, log);
      }
      log.texts.push(text);
      log.size += text.length;
      size += text.length;
      let gone = 0;
      while (log.size > maxPerStream && gone < log.texts.length - 1) {
        const { length } = log.texts[gone++] as string;
        log.size -= length;
        size -= length;
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
