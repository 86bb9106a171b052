import { peerBudget } from '../../bounds/budget.ts';
import type { Budget } from '../../bounds/budget.ts';
import type { Clock } from '../../bounds/clock.ts';
import { createFramer, defaultMaxMessageBytes } from '../../jsonrpc/framing.ts';
import type { Framer } from '../../jsonrpc/framing.ts';
import type { Refusal } from '../../jsonrpc/message.ts';
import type { Trace } from '../trace.ts';
import type { SerialChannel } from './channel.ts';
import type { LinkSide } from './frame.ts';
import { lines } from './lines.ts';
import type { SerialFraming } from './byte-link.ts';

/** The options of both roles. */
export interface SerialOptions {
  /** The framing of the wire; both sides must use the same. Default: `lines`. */
  readonly framing?: SerialFraming | undefined;
  /** Called with each message; `sent`: from this side. */
  readonly trace?: Trace | undefined;
  /** Bytes of one message; a longer one is refused. 1 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Bytes that may wait to be sent; a result that does not fit becomes an error. 1 MiB. */
  readonly maxWaitingBytes?: number | undefined;
  /** Default: the clock of the runtime. */
  readonly clock?: Clock | undefined;
}

/** Bytes that may wait while progress and log messages are still sent: on a slow wire they are dropped early. */
const littleWaiting = 4096;

const defaultSerialBytes = 1_048_576;

/** The callbacks of `serialMessages`. */
export interface SerialReader {
  readonly side: LinkSide;
  readonly clock: Clock;
  opened(): void;
  /** Called with the text of each message. */
  line(text: string): void;
  refused(refusal: Refusal): void;
  lost(why: string): void;
  /** The channel has closed. */
  gone(why: string): void;
}

/** Messages over a channel. */
export interface SerialMessages {
  readonly budget: Budget;
  /** Begins to read the channel, and opens the first link. */
  open(): void;
  send(text: string): void;
  room(length: number, droppable?: boolean): boolean;
  reset(): void;
  /** Ends the link and closes the channel. */
  close(): Promise<void>;
}

/** Writes. A channel that fails says so with `closed`: a failed write only ends, also the last one, for which nobody waits. */
function write(channel: SerialChannel, bytes: Uint8Array): Promise<void> | void {
  try {
    const written = channel.write(bytes);
    return written ? written.catch(() => {}) : undefined;
  } catch {
    return undefined;
  }
}

/** Sends and receives messages over a channel, as lines of JSON like over stdio. */
export function serialMessages(channel: SerialChannel, options: SerialOptions, reader: SerialReader): SerialMessages {
  const { framing = lines, trace, maxMessageBytes = defaultSerialBytes, maxWaitingBytes = defaultSerialBytes } = options;
  const { clock, side } = reader;
  const budget = peerBudget();
  const utf8 = new TextEncoder();
  let framer: Framer | undefined;
  let closed = false;
  const wire = framing({ side, clock, budget, write: (bytes) => write(channel, bytes) }, {
    opened() {
      framer?.close();
      framer = createFramer({
        line(text) {
          trace?.({ direction: 'received', text, at: clock.now() });
          reader.line(text);
        },
        refused: (refusal) => reader.refused(refusal),
      }, Math.min(maxMessageBytes, defaultMaxMessageBytes), budget);
      reader.opened();
    },
    bytes(bytes) {
      framer?.push(bytes);
      wire.pause(wire.waiting > maxWaitingBytes);
    },
    lost(why) {
      framer?.close();
      framer = undefined;
      reader.lost(why);
    },
  });

  return {
    budget,
    open() {
      channel.read((bytes) => {
        if (!closed) wire.push(bytes);
      }, (why) => {
        if (!closed) reader.gone(why === undefined ? 'the wire was closed' : `the wire failed: ${why}`);
      });
      wire.open();
    },
    send(text) {
      trace?.({ direction: 'sent', text, at: clock.now() });
      wire.send(utf8.encode(`${text}\n`));
    },
    room: (length, droppable) => wire.waiting + length <= (droppable ? littleWaiting : maxWaitingBytes),
    reset: () => wire.reset(),
    async close() {
      if (closed) return;
      closed = true;
      wire.close();
      framer?.close();
      await channel.close?.();
    },
  };
}
