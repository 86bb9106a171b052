import { ByteGatherer } from '../bounds/budget.ts';
import type { Budget } from '../bounds/budget.ts';
import { decodeUtf8, endLength, tooLarge, unreadable } from './message.ts';
import { need } from './errors.ts';
import type { Refusal } from './message.ts';

const LF = 10;
const CR = 13;

/** 16 MiB: room for an image or a document in base64, but a limit on the memory that a peer can occupy. */
export const defaultMaxMessageBytes: number = 16_777_216;

/** The callbacks of a framer. */
export interface FramerEvents {
  /** Called with each line, without its newline. Never empty. */
  line(text: string): void;
  /**
   * Called for each dropped line: it was over the limit, or not UTF-8. The stream continues with the next line. The
   * refusal has the id of the message if the first or last 256 bytes show it.
   */
  refused(refusal: Refusal): void;
}

/** Splits bytes at newlines. Owns no stream: pass chunks to `push`, then call `end`. */
export interface Framer {
  /** Reads a chunk before it returns, except for an unfinished line, which may keep a reference to the chunk. */
  push(chunk: Uint8Array): void;
  /** Ends the stream. An unfinished line counts as a line, since the last newline is often forgotten. */
  end(): void;
  /** Drops the unfinished line and releases its charge, when its reader has gone. */
  close(): void;
}

/**
 * The framing of the stdio transport. 2026-07-28 basic/transports/stdio: one message per line.
 * CRLF counts as LF and empty lines are skipped, because people type input and tools convert newlines.
 * `maxBytes` limits one line; a longer line is refused, and skipped to its end without being stored.
 * `budget` is charged with the bytes of an unfinished line; a line that does not fit is refused too.
 * Long function: a state machine whose functions share the bytes of an unfinished line.
 */
export function createFramer(
  events: FramerEvents, maxBytes: number = defaultMaxMessageBytes, budget?: Budget,
): Framer {
  need('TextDecoder', 'reading bytes');
  const held = new ByteGatherer(budget);
  /** The ends of a line that is too large to be stored. */
  let skipped: Skipped | undefined;

  const overLimit = `the limit of ${maxBytes} bytes`;

  function keep(part: Uint8Array): void {
    if (part.length === 0) return;
    if (skipped === undefined) {
      // The byte after the limit may be the CR of a line that just fits.
      const fits = held.length + part.length <= maxBytes + 1;
      if (fits && held.push(part)) return;
      skipped = new Skipped(fits ? 'the limit of bytes held at a time' : overLimit);
      skipped.push(held.take());
    }
    skipped.push(part);
  }

  /** Emits or refuses the unfinished line, if there is one, at its end. */
  function finishHeld(): void {
    const refused = skipped && tooLarge(skipped.over, skipped.ends());
    const bytes = held.take();
    skipped = undefined;
    if (refused) events.refused(refused);
    else emitLine(bytes);
  }

  function emitLine(bytes: Uint8Array): void {
    if (bytes.at(-1) === CR) bytes = bytes.subarray(0, -1);
    if (bytes.length === 0) return;
    if (bytes.length > maxBytes) {
      skipped = new Skipped(overLimit);
      skipped.push(bytes);
      return finishHeld();
    }
    let text: string;
    try {
      text = decodeUtf8(bytes);
    } catch {
      return events.refused(unreadable(bytes, 'the message is not valid UTF-8'));
    }
    events.line(text);
  }

  /**
   * Emits several complete lines. Decodes them together, because a call of the decoder costs more than a short line.
   */
  function emitRun(bytes: Uint8Array): void {
    // One of the lines may be too long: check each by its bytes.
    if (bytes.length > maxBytes) return emitEach(bytes);
    let text: string;
    try {
      text = decodeUtf8(bytes);
    } catch {
      return emitEach(bytes);
    }
    for (let start = 0; start < text.length;) {
      const end = text.indexOf('\n', start);
      const stop = text.charCodeAt(end - 1) === CR ? end - 1 : end;
      if (stop > start) events.line(text.slice(start, stop));
      start = end + 1;
    }
  }

  /** Decodes line by line, so that only the invalid line is lost. */
  function emitEach(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(LF, start);
      emitLine(bytes.subarray(start, end));
      start = end + 1;
    }
  }

  return {
    push(chunk) {
      const last = chunk.lastIndexOf(LF);
      if (last < 0) return keep(chunk);
      let start = 0;
      if (held.length > 0 || skipped !== undefined) {
        start = chunk.indexOf(LF) + 1;
        keep(chunk.subarray(0, start - 1));
        finishHeld();
      }
      if (last >= start) emitRun(chunk.subarray(start, last + 1));
      if (last + 1 < chunk.length) keep(chunk.subarray(last + 1));
    },
    end: finishHeld,
    close() {
      skipped = undefined;
      held.clear();
    },
  };
}

/** A message that is too large to be stored: the exceeded limit, and its first and last characters. */
class Skipped {
  /** The exceeded limit. */
  readonly over: string;
  readonly #utf8 = new TextDecoder();
  #head = '';
  #tail = '';
  /** Bytes that still fit into the head. */
  #room = endLength;

  constructor(over: string) {
    this.over = over;
  }

  #text(bytes: Uint8Array): string {
    return this.#utf8.decode(bytes, { stream: true });
  }

  /** Adds the next part of the message. */
  push(part: Uint8Array): void {
    const first = part.subarray(0, this.#room);
    this.#room -= first.length;
    this.#head += this.#text(first);
    this.#tail = (this.#tail + this.#text(part.subarray(-endLength))).slice(-endLength);
  }

  /** Both ends, with `…` for the part between them. */
  ends(): string {
    return `${this.#head}…${this.#tail}`;
  }
}
