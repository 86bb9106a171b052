import type { Clock, Timer } from '../../src/bounds/clock.ts';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { SerialChannel } from '../../src/transport/serial/index.ts';

/** Virtual time, which passes only when nothing else is left to do: a day takes seconds. */
export class VirtualTime implements Clock {
  readonly #clock = manualClock();
  #held: Promise<void> = Promise.resolve();

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(ms: number, run: () => void): Timer | undefined {
    return this.#clock.after(ms, run);
  }

  soon(run: () => void): void {
    this.#clock.soon(run);
  }

  /** Stops the time until the promise settles: for an external program's turn. */
  hold(promise: Promise<void>): void {
    this.#held = Promise.all([this.#held, promise]).then(() => undefined);
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.#clock.waiting;
  }

  /** Advances time step by step until `done()` or the end; promises settle in between. */
  async run(untilMs: number, done: () => boolean = () => false): Promise<void> {
    while (!done()) {
      for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#held;
      const { due } = this.#clock;
      if (done() || due === undefined || due > untilMs) break;
      // Whole milliseconds: fractions would not add up to the due time.
      this.#pass(Math.ceil(due) - this.monotonic());
    }
    if (!done() && untilMs !== Infinity) this.#pass(untilMs - this.monotonic());
  }

  #pass(ms: number): void {
    if (ms >= 0) this.#clock.tick(this.now() + ms);
  }
}

/** The probabilities of faults for each frame (the bytes up to a zero). */
export interface Faults {
  readonly dropped: number;
  readonly flipped: number;
  readonly repeated: number;
  readonly delayed: number;
}

export const noFaults: Faults = { dropped: 0, flipped: 0, repeated: 0, delayed: 0 };

/** One direction of a serial line: ten bits per byte, with faults. */
class Direction {
  readonly time: VirtualTime;
  readonly baud: number;
  readonly random: () => number;
  faults: Faults;
  listener: ((bytes: Uint8Array) => void) | undefined;
  bytes = 0;
  /** When the line is free again. */
  #free = 0;

  constructor(time: VirtualTime, baud: number, faults: Faults, random: () => number) {
    this.time = time;
    this.baud = baud;
    this.faults = faults;
    this.random = random;
  }

  /** Resolves when the bytes have been sent, like a port with flow control. */
  write(bytes: Uint8Array): Promise<void> {
    const { time, baud, random } = this;
    this.bytes += bytes.length;
    const start = Math.max(time.monotonic(), this.#free);
    this.#free = start + (bytes.length * 10_000) / baud;
    const lag = random() < this.faults.delayed ? random() * 3000 : 0;
    if (random() >= this.faults.dropped) {
      const carried = bytes.slice();
      if (random() < this.faults.flipped) {
        const at = Math.floor(random() * carried.length);
        carried[at] = (carried[at] as number) ^ (1 << Math.floor(random() * 8));
      }
      const times = random() < this.faults.repeated ? 2 : 1;
      for (let i = 0; i < times; i++) time.after(this.#free + lag * (i + 1) + i * 20 - time.monotonic(), () => this.#arrive(carried.slice()));
    }
    return new Promise((resolve) => void time.after(this.#free - time.monotonic(), resolve));
  }

  /** Delivers bytes in pieces, like a port. */
  #arrive(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const length = 1 + Math.floor(this.random() * 16);
      this.listener?.(bytes.subarray(at, at + length));
      at += length;
    }
  }
}

/** A line between two ends; a fresh machine can replace the one at either end. */
export class Line {
  readonly #ways: readonly [Direction, Direction];

  constructor(time: VirtualTime, random: () => number, faults: Faults = noFaults, baud: number = 9600) {
    this.#ways = [new Direction(time, baud, faults, random), new Direction(time, baud, faults, random)];
  }

  set faults(faults: Faults) {
    for (const way of this.#ways) way.faults = faults;
  }

  /** Bytes written by both ends. */
  get bytes(): number {
    return this.#ways[0].bytes + this.#ways[1].bytes;
  }

  /** Takes over one end. Its previous owner receives and sends nothing more. */
  end(index: 0 | 1): SerialChannel {
    const out = this.#ways[index];
    const back = this.#ways[1 - index] as Direction;
    let mine: ((bytes: Uint8Array) => void) | undefined;
    return {
      write: (bytes) => (mine && back.listener === mine ? out.write(bytes) : undefined),
      read(data) {
        back.listener = mine = (bytes) => data(bytes);
      },
    };
  }
}
