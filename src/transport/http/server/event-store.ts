/** Keeps the messages of streams, so that a client that reconnects gets what it missed. */
export interface EventStore {
  /** Keeps a message: JSON, without a line break. `seq` counts the messages of a stream from 1. Must not throw. */
  append(session: string, stream: string, seq: number, text: string): void;
  /**
   * The messages after `seq`, in order; undefined where one of them is not kept any more,
   * or the stream never was.
   */
  after(session: string, stream: string, seq: number): MissedMessages | Promise<MissedMessages>;
  /** The session has ended. */
  drop(session: string): void;
}

/** The texts of messages; undefined: they are not kept. */
export type MissedMessages = readonly string[] | undefined;

/** What a stream that is kept costs beside its messages, and a message beside its text, in bytes. */
const streamBytes = 512;
const eventBytes = 64;

/** The memory that a message takes: a string may take two bytes a character. */
const weigh = (text: string): number => 2 * text.length + eventBytes;

interface EventLog {
  session: string;
  stream: string;
  /** The sequence number of the first message. */
  first: number;
  /** How many messages are kept. */
  count: number;
  /** One message each, or several with a line break between them. */
  texts: string[];
  /** How many of `texts`, the last ones, are still to be joined. */
  loose: number;
  /** In bytes. */
  size: number;
}

/** A longer stream is not joined: a text is held whole until its last message is dropped. In bytes. */
const maxJoined = 65_536;

/**
 * Joins what was written in a row: most streams are one call and its few messages. What is kept outlives the young
 * generation, and one text costs the collector less than eleven.
 */
function join(log: EventLog): void {
  if (log.loose > 1 && log.size <= maxJoined) log.texts.push(log.texts.splice(-log.loose).join('\n'));
  log.loose = 0;
}

/** Drops the first message. Returns what it weighed. */
function dropFirst(log: EventLog): number {
  const text = log.texts[0] as string;
  const end = text.indexOf('\n');
  log.first++;
  log.count--;
  if (end >= 0) {
    log.texts[0] = text.slice(end + 1);
    return weigh(text.slice(0, end));
  }
  log.texts.shift();
  log.loose = Math.min(log.loose, log.texts.length);
  return weigh(text);
}

/** The logs of a session: one, or several by the names of their streams. */
type SessionLogs = EventLog | Map<string, EventLog> | undefined;

const find = (logs: SessionLogs, stream: string): EventLog | undefined =>
  logs instanceof Map ? logs.get(stream) : logs?.stream === stream ? logs : undefined;

const logsOf = (logs: SessionLogs): Iterable<EventLog> => logs instanceof Map ? logs.values() : logs ? [logs] : [];

/**
 * Keeps messages in memory, at most so many bytes of one stream and of all. Long function: its short functions share
 * the logs and the size of all of them.
 */
export function memoryEventStore(maxPerStream: number, maxInAll: number): EventStore {
  // What was used last is at the end. Most sessions have one stream with messages: its log needs no map.
  const sessions = new Map<string, NonNullable<SessionLogs>>();
  let size = 0;
  /** The log at the very end: most messages follow one of their own stream. */
  let last: EventLog | undefined;

  /**
   * Makes room for some more at once: finding the oldest in a map that was used long
   * costs more than dropping it.
   */
  function shrink(): void {
    last = undefined;
    for (const [session, logs] of sessions) {
      for (const log of logsOf(logs)) {
        if (size <= maxInAll * 0.99) return;
        size -= log.size;
        if (logs instanceof Map) logs.delete(log.stream);
      }
      sessions.delete(session);
    }
  }

  /** The log of a stream, as the one that was used last. */
  function use(session: string, stream: string, seq: number): EventLog {
    let logs = sessions.get(session);
    let log = find(logs, stream);
    if (log === undefined) {
      log = { session, stream, first: seq, count: 0, texts: [], loose: 0, size: streamBytes };
      size += streamBytes;
    }
    if (logs instanceof Map) logs.delete(stream);
    else if (logs !== undefined && logs !== log) logs = new Map([[logs.stream, logs]]);
    if (logs instanceof Map) logs.set(stream, log);
    // The session of the last log is at the end already.
    if (last?.session !== session) sessions.delete(session);
    sessions.set(session, logs ?? log);
    return log;
  }

  return {
    append(session, stream, seq, text) {
      if (last?.session !== session || last.stream !== stream) {
        if (last) join(last);
        last = use(session, stream, seq);
      }
      const log = last;
      let added = weigh(text);
      // A list made with its first member has room for one; V8 gives one that grows room for 17.
      if (log.count === 0) log.texts = [text];
      else log.texts.push(text);
      log.loose++;
      log.count++;
      while (log.size + added > maxPerStream && log.count > 1) added -= dropFirst(log);
      log.size += added;
      size += added;
      if (size > maxInAll) shrink();
    },
    after(session, stream, seq) {
      const log = find(sessions.get(session), stream);
      if (log === undefined) return undefined;
      const texts = log.texts.flatMap((text) => text.split('\n'));
      const from = seq + 1 - log.first;
      return from < 0 || from > texts.length ? undefined : texts.slice(from);
    },
    drop(session) {
      for (const log of logsOf(sessions.get(session))) size -= log.size;
      sessions.delete(session);
      last = undefined;
    },
  };
}
