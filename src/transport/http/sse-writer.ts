// The writing half of the server-sent events codec: text/event-stream, WHATWG HTML 9.2.5 and 9.2.6.

/** One event to write. */
export interface SseFields {
  /** The event's type; default: the reader sees `message`. Not empty, no line break, no NUL. */
  readonly event?: string | undefined;
  /** The text. A reader gets each line break in it, of any kind, as LF. */
  readonly data: string;
  /** The id that a reader sends as `Last-Event-ID`. Empty resets it. No line break, no NUL. */
  readonly id?: string | undefined;
  /** Milliseconds to wait before reconnecting: a whole number, 0 or more. */
  readonly retry?: number | undefined;
}

/** A comment: it keeps a connection open, and a reader sees no event. */
export const sseHeartbeat: string = ':\n\n';

/**
 * Writes one event, including its closing blank line. No value can add a field: each line of data becomes a `data` field,
 * and a line break in a type or an id throws. Throws a TypeError that names the field.
 */
export function sseEvent({ event, id, retry, data }: SseFields): string {
  const head = field('event', event) + field('id', id) + field('retry', retry);
  return `${head}data: ${data.replace(/\r\n?|\n/g, '\ndata: ')}\n\n`;
}

function field(name: 'event' | 'id' | 'retry', value: string | number | undefined): string {
  if (value === undefined) return '';
  // A line break would let the value add fields or events. A reader ignores an id with NUL.
  if (!(name === 'retry' ? /^\d+$/ : /^[^\r\n\0]*$/).test(`${value}`)) {
    throw new TypeError(`SSE ${name} is malformed`);
  }
  return `${name}: ${value}\n`;
}
