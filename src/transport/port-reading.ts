import type { Clock } from '../bounds/clock.ts';
import { openThingBytes } from '../bounds/budget.ts';
import type { Budget } from '../bounds/budget.ts';
import type { Decoded, Unchecked } from '../jsonrpc/message.ts';
import { beginReading, defaultMaxNoiseBytes, noiseAfter, noiseFault, othersFirst, readEnough } from '../bounds/reading.ts';
import type { Trace } from './trace.ts';

/** If the budget has no room for a message: a peer with at most this many bytes waiting is read at once; any other is disconnected. */
const leastWaiting = 1_048_576;

/** The user of a port's messages, and the limits. */
export interface PortReader<D extends Decoded | Unchecked> {
  readonly trace: Trace | undefined;
  readonly clock: Clock;
  /** Charged with the messages that wait. */
  readonly budget: Budget;
  readonly maxNoiseBytes: number | undefined;
  /** Decodes a message in text or bytes: `decode`, or `decodeUnchecked` if the connection checks responses. */
  decode(data: string | Uint8Array): D;
  /** Decodes a message that was posted as a value. */
  decodeValue(data: unknown): D;
  message(decoded: D): void;
  /** Called when reading resumes after a pause. */
  resumed?(): void;
  /** Called when the peer broke a limit: no more is read. */
  givenUp(why: string): void;
}

/** A port that is being read. */
export interface PortReading {
  /** Takes the data of one event: JSON text, its bytes, or the message as a value. */
  take(data: unknown): void;
  /** Pauses reading until others have had a turn. */
  rest(): void;
  /** Calls back when all messages that have come are read. */
  end(then: () => void): void;
  /** Stops reading, and drops the messages that wait. */
  stop(): void;
}

/**
 * Reads the messages of a port without starving other connections: a port has no backpressure, and a runtime delivers
 * a thousand messages in one turn of the event loop. After some milliseconds others get a turn; messages that come
 * meanwhile wait, as far as the budget allows. A peer that posts more is disconnected. Long function: its short
 * functions share the waiting messages and the state of the turn.
 */
export function readPort<D extends Decoded | Unchecked>(reader: PortReader<D>): PortReading {
  const { trace, clock, budget, maxNoiseBytes = defaultMaxNoiseBytes } = reader;
  let waiting: unknown[] = [];
  /** Bytes charged to the budget for `waiting`. */
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
      if (held > leastWaiting) return giveUp('it posted messages faster than they were read');
      // There is no budget to keep this message: read it now, after those that came before it.
      go(true);
    }
    if (!stopped) read(data);
  }

  function read(data: unknown): void {
    beginReading(clock);
    trace?.({ direction: 'received', text: typeof data === 'string' ? data : '(not text)', at: clock.now() });
    // We send text. A peer may post the message as a value instead: the same limits apply.
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

/** Bytes of memory that a waiting message takes. For a posted value, an estimate. */
const weightOf = (data: unknown): number => (typeof data === 'string' ? 64 + 2 * data.length : openThingBytes + lengthOf(data));
