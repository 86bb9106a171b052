import type { Clock } from '../bounds/clock.ts';
import { openThingBytes } from '../bounds/budget.ts';
import type { Budget } from '../bounds/budget.ts';
import type { Decoded, Unchecked } from '../jsonrpc/message.ts';
import { beginReading, defaultMaxNoiseBytes, noiseAfter, noiseFault, othersFirst, readEnough } from '../bounds/reading.ts';
import type { Trace } from './trace.ts';

/** Bytes of a peer that need not wait where others hold all that may be held: they are read at once. */
const leastWaiting = 1_048_576;

/** Who reads a port, and within which limits. */
export interface PortReader<D extends Decoded | Unchecked> {
  readonly trace: Trace | undefined;
  readonly clock: Clock;
  /** Charged with the messages that wait. */
  readonly budget: Budget;
  readonly maxNoiseBytes: number | undefined;
  /** What a message says, as text or bytes: `decode`, or `decodeUnchecked` where the connection judges answers. */
  decode(data: string | Uint8Array): D;
  /** The same for a message that was posted as a value. */
  decodeValue(data: unknown): D;
  message(decoded: D): void;
  /** Reading goes on after a rest. */
  resumed?(): void;
  /** Nothing more will be read. */
  givenUp(why: string): void;
}

/** A port that is being read. */
export interface PortReading {
  /** Takes what one event carries: JSON text, its bytes, or the value itself. */
  take(data: unknown): void;
  /** Reads nothing more until others have had their turn. */
  rest(): void;
  /** Calls back once all that has come is read. */
  end(then: () => void): void;
  /** Reads nothing more, and drops what waits. */
  stop(): void;
}

/**
 * Reads the messages of a port so that nobody else starves: a port cannot be told to wait, and a runtime hands over a
 * thousand messages in one turn of the event loop. After some milliseconds others have their turn; what comes
 * meanwhile waits, as far as the budget allows. Who posts more before it is read is given up. Long function: its short
 * functions share the messages that wait and the time of the turn.
 */
export function readPort<D extends Decoded | Unchecked>(reader: PortReader<D>): PortReading {
  const { trace, clock, budget, maxNoiseBytes = defaultMaxNoiseBytes } = reader;
  let waiting: unknown[] = [];
  /** What is charged for them. */
  let held = 0;
  let resting = false;
  let noise = 0;
  let stopped = false;
  let ended: (() => void) | undefined;

  function take(data: unknown): void {
    if (stopped) return;
    if (resting) {
      const weight = weightOf(data);
      if (budget.charge(weight)) {
        held += weight;
        waiting.push(data);
        return;
      }
      if (held > leastWaiting) return giveUp('it posted faster than it was read');
      // What may not be held is not put off, nor is what came before it.
      go(true);
    }
    if (!stopped) read(data);
  }

  function read(data: unknown): void {
    beginReading(clock);
    trace?.({ direction: 'received', text: typeof data === 'string' ? data : '(not text)', at: clock.now() });
    // We send text. Others may post the message as an object: it meets the same limits.
    const decoded = typeof data === 'string' || data instanceof Uint8Array ? reader.decode(data) : reader.decodeValue(data);
    noise = noiseAfter(noise + lengthOf(data), decoded.kind);
    if (noise > maxNoiseBytes) return giveUp(noiseFault(maxNoiseBytes));
    reader.message(decoded);
    if (readEnough(clock)) rest();
  }

  function rest(): void {
    if (resting) return;
    resting = true;
    othersFirst(clock, () => {
      resting = false;
      reader.resumed?.();
      go();
    });
  }

  function go(all: boolean = false): void {
    let taken = 0;
    while (taken < waiting.length && (all || !resting) && !stopped) {
      const data = waiting[taken++];
      release(weightOf(data));
      read(data);
    }
    waiting = waiting.slice(taken);
    if (waiting.length === 0) ended?.();
  }

  function release(bytes: number): void {
    held -= bytes;
    budget.release(bytes);
  }

  function giveUp(why: string): void {
    stop();
    reader.givenUp(why);
  }

  function stop(): void {
    stopped = true;
    release(held);
    waiting = [];
    ended = undefined;
  }

  return {
    take, rest, stop,
    end(then) {
      if (waiting.length === 0) return then();
      ended = then;
    },
  };
}

const lengthOf = (data: unknown): number => (typeof data === 'string' || data instanceof Uint8Array ? data.length : 0);

/** Bytes of memory that a message takes while it waits, as far as that is known. */
const weightOf = (data: unknown): number => (typeof data === 'string' ? 64 + 2 * data.length : openThingBytes + lengthOf(data));
