import type { Clock } from '../../bounds/clock.ts';
import type { Writable } from 'node:stream';
import type { Budget } from '../../bounds/budget.ts';

/** Writes lines to a stream, all lines of one turn of the event loop together. */
export interface LineWriter {
  /** Queues one message; it is written, with its newline, before the next turn of the event loop. */
  write(text: string): void;
  /** Writes the queued messages now. Resolves when the stream has written them, or has failed. */
  flush(): Promise<void>;
  /** True after `write` of the stream returned false, until `drain`. Further messages stay in memory, which is charged. */
  readonly full: boolean;
  /**
   * True if `length` more characters may wait in a full stream: at most 16 Mi in total, 8 Mi for droppable messages, and
   * not more than the budget allows.
   */
  room(length: number, droppable?: boolean): boolean;
  /** Releases the charge for unwritten bytes, when the stream has ended. */
  close(): void;
}

/** Characters that may wait in a full stream. */
const maxWaiting = 16_777_216;

/** UTF-16 units: a batch of this length is written at once, so that the peer can begin to read. */
const large = 65_536;

/**
 * Creates a `LineWriter`. `onRoom` is called each time a full stream has room again, `onFull` when it becomes full. `budget`
 * is charged with the bytes that wait in a full stream. The writer keeps the current `write` of the stream, so that a later
 * replacement (`divertConsole`) does not affect it.
 */
export function lineWriter(stream: Writable, onRoom?: () => void, budget?: Budget, onFull?: () => void): LineWriter {
  const { write } = stream;
  let batch = '';
  let full = false;
  /** The charged bytes: those that wait in the full stream. */
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
      // The tick runs after all current microtasks, so that the responses of handlers that are ready go out together.
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

/** Resolves when the promise resolves (it must not reject), or after `ms` milliseconds. */
export function within(clock: Clock, ms: number, promise: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    void promise.then(() => {
      timer?.stop();
      resolve();
    });
  });
}
