import { quote } from '../../../bounds/quote.ts';
import { refuse, refuseSession } from './error-response.ts';
import type { HttpRequest } from './http-request.ts';
import { readAccept } from './posting.ts';
import type { EndpointServices } from './services.ts';
import type { Session } from './session.ts';

/** Keeps the messages of streams, so that a client that reconnects gets those that it missed. */
export interface EventStore {
  /** Stores a message: JSON, without a line break. `seq` counts the messages of a stream from 1. Must not throw. */
  append(session: string, stream: string, seq: number, text: string): void;
  /** Returns the messages after `seq`, in order; undefined if one of them was dropped, or the stream is unknown. */
  after(session: string, stream: string, seq: number): MissedMessages | Promise<MissedMessages>;
  /** Drops the messages of a session that has ended. */
  drop(session: string): void;
}

/** The texts of messages; undefined: they are not available. */
export type MissedMessages = readonly string[] | undefined;

/** Bytes of memory that a stream takes besides its messages, and a message besides its text. */
const streamBytes = 512;
const eventBytes = 64;

/** Bytes of memory of a message. A string may take two bytes for each character. */
const weigh = (text: string): number => 2 * text.length + eventBytes;

interface EventLog {
  session: string;
  stream: string;
  /** The sequence number of the first message. */
  first: number;
  /** The number of messages in the log. */
  count: number;
  /** Each holds one message, or several with line breaks between them. */
  texts: string[];
  /** The number of texts at the end of `texts` that are not joined yet. */
  loose: number;
  /** In bytes. */
  size: number;
}

/** A log with more bytes is not joined, because a text is held whole until its last message is dropped. */
const maxJoined = 65_536;

/**
 * Joins the messages written in a row: most streams are one call and its few messages. The texts outlive the young
 * generation of the garbage collector, which does less work for one text than for eleven.
 */
function join(log: EventLog): void {
  if (log.loose > 1 && log.size <= maxJoined) log.texts.push(log.texts.splice(-log.loose).join('\n'));
  log.loose = 0;
}

/** Drops the first message. Returns its weight. */
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

/** The logs of a session: one log, or several by stream id. */
type SessionLogs = EventLog | Map<string, EventLog> | undefined;

const find = (logs: SessionLogs, stream: string): EventLog | undefined =>
  logs instanceof Map ? logs.get(stream) : logs?.stream === stream ? logs : undefined;

const logsOf = (logs: SessionLogs): Iterable<EventLog> => logs instanceof Map ? logs.values() : logs ? [logs] : [];

/**
 * Keeps messages in memory. Both limits are in bytes: of one stream, and of all streams. Long function: its short
 * functions share the logs and their total size.
 */
export function memoryEventStore(maxPerStream: number, maxInAll: number): EventStore {
  // The log used last is at the end. Most sessions have one stream with messages: its log needs no map.
  const sessions = new Map<string, NonNullable<SessionLogs>>();
  let size = 0;
  /** The log at the very end. Most messages belong to the same stream as the one before. */
  let last: EventLog | undefined;

  /** Frees more room than needed: in a map with many deletions, finding the oldest log costs more than dropping it. */
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

  /** The log of a stream, moved to the end. */
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
      // V8 gives an array literal of one member room for one, and a growing array room for 17.
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

/** Opens the stream for messages that belong to no request, or resumes a stream. Never throws. */
export function listen(services: EndpointServices, request: HttpRequest, session: Session): void {
  if (!readAccept(request.mcp.accept)?.sse) {
    return refuse(services, request, 406, 'Not acceptable: Accept must list text/event-stream');
  }
  const last = request.header('last-event-id');
  if (last === undefined || services.store === undefined) {
    session.listen(request);
    return session.sendBacklog();
  }
  resume(services, request, session, last).catch((thrown) => {
    services.report(thrown);
    request.destroy();
  });
}

/** 2025-11-25 basic/transports#resumability-and-redelivery. */
async function resume(
  services: EndpointServices, request: HttpRequest, session: Session, last: string,
): Promise<void> {
  const [, name = '', digits] = /^([a-z\d]+)-(\d{1,15})$/.exec(last) ?? [];
  const seq = Number(digits);
  const stream = session.streams?.get(name);
  let texts: readonly string[] | undefined;
  let end: number | undefined;
  do {
    // Messages may be added while the store answers: its list is complete only if none was.
    end = stream?.seq;
    texts = end === seq ? [] : await services.store?.after(session.id, name, seq);
  } while (stream?.seq !== end);
  if (session.ended) return refuseSession(services, request);
  if (texts === undefined) {
    return refuse(services, request, 400, `The stream cannot be resumed after event ${quote(last)}`);
  }
  const live = session.streams?.get(name);
  const carrier = live ?? session.endedStream(name);
  if (live) session.resumed(live);
  carrier.attach(request, { missed: { seq, texts }, listening: live?.request === undefined });
  if (live === undefined) carrier.finish();
}
