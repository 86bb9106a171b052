import { longestTimerMs } from '../../bounds/options.ts';

// The reading half of the server-sent events codec: text/event-stream, WHATWG HTML 9.2.6. It has no stream:
// the caller pushes bytes, and a callback gets the events.

/** One event. */
export interface SseEvent {
  /** The event's type; `message` if it names none. */
  readonly type: string;
  /** The event's data lines, joined with LF. */
  readonly data: string;
  /** The last event id of the stream, from this or an earlier event; '' before the first. */
  readonly id: string;
  /** The reconnection time of the stream in milliseconds, as last set; undefined if never set. */
  readonly retry: number | undefined;
}

/** Why an event was dropped: it has more than `maxEventBytes`, or is not UTF-8. */
export type SseRefusal = 'event too large' | 'invalid UTF-8';

/** The options of `sseParser`. No callback may throw. */
export interface SseParserOptions {
  readonly onEvent: (event: SseEvent) => void;
  /** Called once for each dropped event; the parser goes on with the next event. */
  readonly onRefused?: (why: SseRefusal) => void;
  /** Limit of the data lines of one event together, and of any line, in bytes. Default 4 MiB. */
  readonly maxEventBytes?: number;
  /**
   * How to treat invalid UTF-8: 'refuse' drops the event, 'replace' reads U+FFFD as the WHATWG rules say.
   * Default 'refuse': MCP messages are UTF-8 (basic/transports), and a repaired message differs from the one
   * sent.
   */
  readonly utf8?: 'refuse' | 'replace';
  /** The last event id from before a reconnection. Default ''. */
  readonly lastEventId?: string;
}

/** A parser of one stream. There is no end call: an event that is unfinished when the stream ends is dropped. */
export interface SseParser {
  /** Reads the next bytes, of any length. They are not kept: the caller may reuse them. */
  push(bytes: Uint8Array): void;
  /** The id to send as `Last-Event-ID` on reconnection: that of the last finished event, with data or without. */
  lastEventId: string;
  /** The reconnection time in milliseconds, at most 2^31 - 1 (the longest timer), or undefined. */
  retry: number | undefined;
}

const CR = 13;
const LF = 10;
const NOTHING: Uint8Array = new Uint8Array(0);

/**
 * Makes a parser. Takes linear time however the input is cut, and holds at most one event. Long function: a state
 * machine whose functions share the bytes of an unfinished line and the fields of an unfinished event.
 */
export function sseParser(options: SseParserOptions): SseParser {
  const { onEvent, onRefused, maxEventBytes = 4 * 1024 * 1024, utf8 = 'refuse', lastEventId = '' } = options;
  const decoder = new TextDecoder('utf-8', { fatal: utf8 === 'refuse', ignoreBOM: true });
  const parser: SseParser = { push, lastEventId, retry: undefined };
  // The event so far.
  let type = '';
  let id = lastEventId;
  let data: string[] = [];
  let dataBytes = 0;
  let refused = false;
  // The start of a line that has not ended yet: the first `held` bytes of `buffer`, which doubles as it grows.
  let buffer = NOTHING;
  let held = 0;
  let overlong = false;
  let fresh = true;
  let skipLf = false;

  function refuse(why: SseRefusal): void {
    if (!refused) onRefused?.(why);
    refused = true;
    data = [];
    dataBytes = 0;
  }

  // Adds to the unfinished line. If the line gets too long, the rest of it is dropped.
  function hold(bytes: Uint8Array): void {
    const size = held + bytes.length;
    overlong ||= dataBytes + size > maxEventBytes;
    if (overlong) {
      held = 0;
      return refuse('event too large');
    }
    if (size > buffer.length) {
      const grown = new Uint8Array(2 * size);
      grown.set(buffer.subarray(0, held));
      buffer = grown;
    }
    buffer.set(bytes, held);
    held = size;
  }

  function dispatch(): void {
    const lines = data;
    const named = type || 'message';
    parser.lastEventId = id;
    type = '';
    data = [];
    dataBytes = 0;
    refused = false;
    if (lines.length) onEvent({ type: named, data: lines.join('\n'), id, retry: parser.retry });
  }

  function endLine(bytes: Uint8Array): void {
    const first = fresh;
    fresh = false;
    if (held || overlong || dataBytes + bytes.length > maxEventBytes) {
      hold(bytes);
      bytes = buffer.subarray(0, held);
      // Drop the buffer: after one long line it would stay large for the rest of the stream.
      buffer = NOTHING;
      held = 0;
      if (overlong) {
        overlong = false;
        return;
      }
    }
    let line: string;
    try {
      line = decoder.decode(bytes);
    } catch {
      return refuse('invalid UTF-8');
    }
    if (first && line.startsWith('\ufeff')) line = line.slice(1);
    if (!line) return dispatch();
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (name === 'data' && !refused) {
      data.push(value);
      dataBytes += bytes.length;
    } else if (name === 'event') type = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) parser.retry = Math.min(Number(value), longestTimerMs);
  }

  function push(bytes: Uint8Array): void {
    let start = skipLf && bytes[0] === LF ? 1 : 0;
    if (bytes.length) skipLf = false;
    // Search again only after passing the previous CR or LF, so that each search reads every byte once.
    let cr = bytes.indexOf(CR, start);
    let lf = bytes.indexOf(LF, start);
    while (cr >= 0 || lf >= 0) {
      const end = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr;
      endLine(bytes.subarray(start, end));
      start = end + 1;
      if (end === cr) {
        if (bytes[start] === LF) start++;
        else skipLf = start === bytes.length;
      }
      if (cr >= 0 && cr < start) cr = bytes.indexOf(CR, start);
      if (lf >= 0 && lf < start) lf = bytes.indexOf(LF, start);
    }
    if (start < bytes.length) hold(bytes.subarray(start));
  }

  return parser;
}
