import type { Budget } from './budget.ts';
import { ByteGatherer } from './bytes.ts';
import { decodeUtf8 } from './codec.ts';
import * as errorCodes from './error-codes.ts';
import { need } from './errors.ts';
import type { ErrorObject } from './message.ts';

const LF = 10;
const CR = 13;

/** 16 MiB: room for an image or a document in base64, and still a bound on what a peer can make us hold. */
export const defaultMaxMessageBytes: number = 16 * 1024 * 1024;

export interface FramerEvents {
  /** One line, without its end. Never empty. */
  line(text: string): void;
  /** A line that was dropped: over the limit, or not UTF-8. The stream goes on with the next one. */
  refused(error: ErrorObject): void;
}

/** Splits bytes at newlines. Owns no stream: feed it with `push`, end it with `end`. */
export interface Framer {
  /** The bytes are read before `push` returns, except for an unfinished line, which may keep its chunk. */
  push(chunk: Uint8Array): void;
  /** The stream is over: a line that never ended is handed out, since the last newline is often forgotten. */
  end(): void;
}

/**
 * The framing of the stdio transport. 2026-07-28 basic/transports/stdio: one message a line.
 * CRLF is taken for LF and empty lines are skipped, because people type and tools convert.
 * `maxBytes` bounds one line; a longer one is refused by name and skipped to its end without being held.
 * `budget` is charged with what is held of an unfinished line; a line that does not fit is refused likewise.
 */
export function createFramer(
  events: FramerEvents, maxBytes: number = defaultMaxMessageBytes, budget?: Budget,
): Framer {
  need('TextDecoder', 'reading bytes');
  const held = new ByteGatherer(budget);
  /** Why the rest of the line is skipped. */
  let skipping: string | undefined;

  const overLimit = `the limit of ${maxBytes} bytes`;

  function hold(part: Uint8Array): void {
    if (skipping !== undefined) return;
    // One byte more than the limit may still be the CR of a line that just fits.
    if (held.length + part.length > maxBytes + 1) skip(overLimit);
    else if (!held.push(part)) skip('what may be held at a time');
  }

  function skip(over: string): void {
    skipping = over;
    held.clear();
  }

  /** The held line has reached its end. */
  function finishHeld(): void {
    const over = skipping;
    skipping = undefined;
    if (over !== undefined) refuseLength(over);
    else emitLine(held.take());
  }

  function emitLine(bytes: Uint8Array): void {
    if (bytes.length > 0 && bytes[bytes.length - 1] === CR) bytes = bytes.subarray(0, -1);
    if (bytes.length === 0) return;
    if (bytes.length > maxBytes) return refuseLength(overLimit);
    let text: string;
    try {
      text = decodeUtf8(bytes);
    } catch {
      return events.refused({
        code: errorCodes.parseError, message: 'Parse error: the message is not valid UTF-8',
      });
    }
    events.line(text);
  }

  function refuseLength(over: string): void {
    events.refused({ code: errorCodes.invalidRequest, message: `Invalid request: the message is over ${over}` });
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
      const stop = end > start && text.charCodeAt(end - 1) === CR ? end - 1 : end;
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
      if (last < 0) return hold(chunk);
      let start = 0;
      if (held.length > 0 || skipping !== undefined) {
        start = chunk.indexOf(LF) + 1;
        hold(chunk.subarray(0, start - 1));
        finishHeld();
      }
      if (last >= start) emitRun(chunk.subarray(start, last + 1));
      hold(chunk.subarray(last + 1));
    },
    end() {
      if (held.length > 0 || skipping !== undefined) finishHeld();
    },
  };
}
