import type { Clock } from '../../bounds/clock.ts';
import type { Readable } from 'node:stream';
import type { Budget } from '../../bounds/budget.ts';
import { ByteGatherer } from '../../bounds/budget.ts';
import { createFramer } from '../../jsonrpc/framing.ts';
import type { Decoded, Refusal, Unchecked } from '../../jsonrpc/message.ts';
import { beginReading, defaultMaxNoiseBytes, noiseAfter, noiseFault, othersFirst, readEnough } from '../../bounds/reading.ts';
import type { Trace } from '../trace.ts';

/** Bytes that are taken at once: all that a pipe hands over, or less where the last ones took long. */
const mostAtOnce = 65_536;
const leastAtOnce = 512;

/** Takes what was read, and says within which limits. */
export interface ReadMessages<D extends Unchecked | Decoded> {
  readonly trace?: Trace | undefined;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly maxMessageBytes?: number | undefined;
  readonly maxNoiseBytes?: number | undefined;
  /** What a line says: by `decode`, or by `decodeUnchecked` where the connection judges answers. */
  decode(text: string): D;
  /** `text` is its line; undefined where that was not kept. */
  message(decoded: D | Refusal, text?: string): void;
  /** The stream has ended. */
  end(): void;
  /** Nothing more will be read: what came for too long was no message. */
  noisy(why: string): void;
}

/** A stream that is being read. */
export interface StreamReading {
  /** `true`: reads nothing for now. `false`: reads on. */
  pause(on: boolean): void;
  /** Reads nothing more. */
  stop(): void;
}

/**
 * Reads the messages of a stream so that nobody else starves: a pipe hands over two megabytes in one turn of the event
 * loop, which may be a million lines. After some milliseconds others have their turn, and what has come waits.
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
      // Before it is read: a message in this part sets the count to 0, so that what follows it there is not counted.
      noise += part.length;
      framer.push(part);
      // Who stops in the middle of a part keeps nothing of the line that it ends with.
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
    // Node empties the stdout of a child that has exited even while it is paused: what comes is added.
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
      // A pause may come from what is being read: the loop sees it.
      if (!on) go();
    },
  };
}

const none = new Uint8Array(0);
