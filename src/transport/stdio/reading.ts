import type { Clock } from '../../bounds/clock.ts';
import type { Readable } from 'node:stream';
import type { Budget } from '../../bounds/budget.ts';
import { ByteGatherer } from '../../bounds/budget.ts';
import { createFramer } from '../../jsonrpc/framing.ts';
import type { Decoded, Refusal, Unchecked } from '../../jsonrpc/message.ts';
import { beginReading, defaultMaxNoiseBytes, noiseAfter, noiseFault, othersFirst, readEnough } from '../../bounds/reading.ts';
import type { Trace } from '../trace.ts';

/** The limits for the bytes that are read at once: all that a pipe delivers, or fewer if the last ones took long. */
const mostAtOnce = 65_536;
const leastAtOnce = 512;

/** The callbacks and limits of `readMessages`. */
export interface ReadMessages<D extends Unchecked | Decoded> {
  readonly trace?: Trace | undefined;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly maxMessageBytes?: number | undefined;
  readonly maxNoiseBytes?: number | undefined;
  /** Decodes a line: `decode`, or `decodeUnchecked` if the connection checks responses. */
  decode(text: string): D;
  /** Called with each message. `text`: its line; undefined if the line was dropped. */
  message(decoded: D | Refusal, text?: string): void;
  /** The stream has ended. */
  end(): void;
  /** Called when reading has stopped because more than `maxNoiseBytes` arrived without a valid message. */
  noisy(why: string): void;
}

/** A stream that is being read. */
export interface StreamReading {
  /** `true`: pauses reading. `false`: resumes. */
  pause(on: boolean): void;
  /** Stops reading for good. */
  stop(): void;
}

/**
 * Reads the messages of a stream without blocking other peers: a pipe delivers two megabytes in one turn of the event
 * loop, which may be a million lines. After 8 milliseconds timers and other streams run, and the remaining bytes wait.
 * Long function: its short functions share the bytes that wait and the time of the turn.
 */
export function readMessages<D extends Unchecked | Decoded>(stream: Readable, sink: ReadMessages<D>): StreamReading {
  const { trace, clock, maxNoiseBytes = defaultMaxNoiseBytes } = sink;
  const framer = createFramer({
    line(text) {
      trace?.({ direction: 'received', text, at: clock.now() });
      receive(sink.decode(text), text);
    },
    refused: receive,
  }, sink.maxMessageBytes, sink.budget);
  let unread: Uint8Array = none;
  let atOnce = mostAtOnce;
  let noise = 0;
  let paused = false;
  let yielding = false;
  let stopped = false;

  function receive(decoded: D | Refusal, text?: string): void {
    noise = noiseAfter(noise, decoded.kind);
    sink.message(decoded, text);
  }

  function go(): void {
    while (unread.length > 0 && !paused && !yielding) {
      const part = unread.length > atOnce ? unread.subarray(0, atOnce) : unread;
      unread = part === unread ? none : unread.subarray(atOnce);
      beginReading(clock);
      // Before `push`: a message in this part resets the noise to 0, and the bytes after it in this part are not counted.
      noise += part.length;
      framer.push(part);
      // If a message of this part stopped the reading, drop the unfinished line at the end of the part.
      if (stopped) return framer.close();
      if (noise > maxNoiseBytes) {
        stop();
        return sink.noisy(noiseFault(maxNoiseBytes));
      }
      yielding = readEnough(clock);
      atOnce = yielding ? Math.max(leastAtOnce, atOnce / 4) : Math.min(mostAtOnce, atOnce * 2);
      if (yielding) {
        othersFirst(clock, () => {
          yielding = false;
          go();
        });
      }
    }
    if (paused || yielding) stream.pause();
    else if (stream.isPaused()) stream.resume();
  }

  function onData(chunk: Uint8Array): void {
    // Node emits data of an exited child's stdout even while the stream is paused: append it.
    if (unread.length > 0) {
      const both = new ByteGatherer();
      both.push(unread);
      both.push(chunk);
      chunk = both.take();
    }
    unread = chunk;
    go();
  }

  function onEnd(): void {
    framer.push(unread);
    unread = none;
    framer.end();
    sink.end();
  }

  function stop(): void {
    stream.off('data', onData).off('end', onEnd).pause();
    paused = stopped = true;
    unread = none;
    framer.close();
  }

  stream.on('data', onData).on('end', onEnd);
  return {
    stop,
    pause(on) {
      paused = on;
      // `sink.message` may pause: the loop in `go` checks `paused`.
      if (!on) go();
    },
  };
}

const none = new Uint8Array(0);
