import type { Clock } from '../../bounds/clock.ts';
import type { Writable } from 'node:stream';
import type { Budget } from '../../bounds/budget.ts';

/** Writes lines to a stream, all the lines of one turn of the event loop at once. */
export interface LineWriter {
  /** Queues one message; it is written, with its newline, before the loop turns. */
  write(text: string): void;
  /** Writes what is queued now. Resolves once the stream has taken it, or has failed. */
  flush(): Promise<void>;
  /** Whether the stream asked to wait. Writing on is allowed, and is held in memory, which is charged. */
  readonly full: boolean;
  /**
   * Whether so many characters more may wait in a full stream: 16 Mi in all, 8 Mi where they may be lost, and no
   * more than the budget has.
   */
  room(length: number, droppable?: boolean): boolean;
  /** The stream is over: gives back what was charged for what it never took. */
  close(): void;
}

/** Characters that may wait in a full stream. */
const maxWaiting = 16_777_216;

/** A batch this long, in UTF-16 units, is written at once: the peer can begin to read. */
const large = 65_536;

/**
 * `onRoom` is called each time a full stream has room again: one listener for the whole life of the stream. `onFull` is called
 * when the stream asks to wait.
 * `budget` is charged with what waits in a full stream.
 * The stream's `write` is taken now: what replaces the method later is for others.
 */
export function lineWriter(stream: Writable, onRoom?: () => void, budget?: Budget, onFull?: () => void): LineWriter {
  const { write } = stream;
  let batch = '';
  let full = false;
  /** Bytes that wait in the full stream and are charged. */
  let charged = 0;

  function send(): void {
    if (batch === '') return;
    const text = batch;
    batch = '';
    if (!stream.writable || write.call(stream, text, 'utf8')) return;
    full = true;
    charge(stream.writableLength);
    onFull?.();
  }

  function charge(bytes: number): void {
    budget?.hold(bytes - charged);
    charged = bytes;
  }

  stream.on('drain', () => {
    full = false;
    charge(0);
    onRoom?.();
  });

  return {
    get full() {
      return full;
    },
    write(text) {
      // A tick runs once the microtasks of the turn have run,
      // and with them the handlers that were ready to answer.
      if (batch === '') process.nextTick(send);
      batch += text;
      batch += '\n';
      if (batch.length >= large) send();
    },
    room(length, droppable) {
      if (!full) return true;
      const most = droppable ? maxWaiting / 2 : maxWaiting;
      return charged + batch.length + length <= most && (budget?.fits(batch.length + length) ?? true);
    },
    close: () => charge(0),
    flush() {
      send();
      return new Promise((resolve) => {
        if (!stream.writable) resolve();
        else write.call(stream, '', 'utf8', () => resolve());
      });
    },
  };
}

/** Resolves once the promise has (it must not reject), or after `ms` milliseconds. */
export function within(clock: Clock, ms: number, promise: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    void promise.then(() => {
      timer?.stop();
      resolve();
    });
  });
}
