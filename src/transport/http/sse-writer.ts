// The writing half of the server-sent events codec: text/event-stream, WHATWG HTML 9.2.5 and 9.2.6.

/** One event to write. */
export interface SseFields {
  /** The event's type; without it a reader sees `message`. Not empty, no line break, no NUL. */
  readonly event?: string | undefined;
  /** The text. A line break of any kind in it is read back as LF. */
  readonly data: string;
  /** The id that a reader names in `Last-Event-ID`. Empty resets it. No line break, no NUL. */
  readonly id?: string | undefined;
  /** Milliseconds to wait before reconnecting: a whole number, 0 or more. */
  readonly retry?: number | undefined;
}

/** A comment: keeps a connection open, and no reader sees an event. */
export const sseHeartbeat: string = ':\n\n';

/**
 * Writes one event, to its closing blank line. No value can add a field: data goes out as one line each, and
 * a type or an id that holds a line break is refused. Throws a TypeError that names the field.
 */
export function sseEvent({ event, id, retry, data }: SseFields): string {
  const head = field('event', event) + field('id', id) + field('retry', retry);
  return `${head}data: ${data.replace(/\r\n?|\n/g, '\ndata: ')}\n\n`;
}

function field(name: 'event' | 'id' | 'retry', value: string | number | undefined): string {
  if (value === undefined) return '';
  // One line break here would let a value write fields, or events, of its own; a reader drops an id with NUL.
  if (!(name === 'retry' ? /^\d+$/ : /^[^\r\n\0]*$/).test(`${value}`)) {
    throw new TypeError(`SSE ${name} is malformed`);
  }
  return `${name}: ${value}\n`;
}
