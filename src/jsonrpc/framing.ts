import type { Budget } from '../bounds/budget.ts';
import { ByteGatherer } from '../bounds/budget.ts';
import { decodeUtf8, endLength, tooLarge, unreadable } from './codec.ts';
import { need } from './errors.ts';
import type { Refusal } from './message.ts';

const LF = 10;
const CR = 13;

/** 16 MiB: room for an image or a document in base64, and still a bound on what a peer can make us hold. */
export const defaultMaxMessageBytes: number = 16_777_216;

/** What a framer tells its owner. */
export interface FramerEvents {
  /** One line, without its end. Never empty. */
  line(text: string): void;
  /**
   * A line that was dropped: over the limit, or not UTF-8. The stream goes on with the next one. Its id is said
   * where the line is too long and its beginning or its end tells.
   */
  refused(refusal: Refusal): void;
}

/** Splits bytes at newlines. Owns no stream: feed it with `push`, end it with `end`. */
export interface Framer {
  /** The bytes are read before `push` returns, except for an unfinished line, which may keep its chunk. */
  push(chunk: Uint8Array): void;
  /** The stream is over: a line that never ended is handed out, since the last newline is often forgotten. */
  end(): void;
  /** Nobody reads any more: drops the unfinished line, and gives back what was charged for it. */
  close(): void;
}

/**
 * The framing of the stdio transport. 2026-07-28 basic/transports/stdio: one message a line.
 * CRLF is taken for LF and empty lines are skipped, because people type and tools convert.
 * `maxBytes` bounds one line; a longer one is refused by name and skipped to its end without being held.
 * `budget` is charged with what is held of an unfinished line; a line that does not fit is refused likewise.
 * Long function: a state machine whose functions share the bytes of an unfinished line.
 */
export function createFramer(
  events: FramerEvents, maxBytes: number = defaultMaxMessageBytes, budget?: Budget,
): Framer {
  need('TextDecoder', 'reading bytes');
  const held = new ByteGatherer(budget);
  /** Of a line that is too large to be held. */
  let skipped: Skipped | undefined;

  const overLimit = `the limit of ${maxBytes} bytes`;

  function keep(part: Uint8Array): void {
    if (part.length === 0) return;
    if (skipped === undefined) {
      // One byte more than the limit may still be the CR of a line that just fits.
      const fits = held.length + part.length <= maxBytes + 1;
      if (fits && held.push(part)) return;
      skipped = new Skipped(fits ? 'what may be held at a time' : overLimit);
      skipped.push(held.take());
    }
    skipped.push(part);
  }

  /** The held line, if there is one, has reached its end. */
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
   * Whole lines in one run of bytes: decoded in one go,
   * because a decoder's call costs more than a short line.
   */
  function emitRun(bytes: Uint8Array): void {
    // A line in it may be too long: each is judged by its bytes.
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

  /** The careful way for a run that holds something bad: line by line, so that only the bad one is lost. */
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

/** A message that is too large to be held: what it is too large for, its first and its last characters. */
class Skipped {
  /** What it is too large for. */
  readonly over: string;
  readonly #utf8 = new TextDecoder();
  #head = '';
  #tail = '';
  /** Bytes that the head still takes. */
  #room = endLength;

  constructor(over: string) {
    this.over = over;
  }

  #text(bytes: Uint8Array): string {
    return this.#utf8.decode(bytes, { stream: true });
  }

  /** Takes some more of it. */
  push(part: Uint8Array): void {
    const first = part.subarray(0, this.#room);
    this.#room -= first.length;
    this.#head += this.#text(first);
    this.#tail = (this.#tail + this.#text(part.subarray(-endLength))).slice(-endLength);
  }

  /** Its ends, with a mark for what stood between them. */
  ends(): string {
    return `${this.#head}…${this.#tail}`;
  }
}
