import type { Timer } from '../../bounds/clock.ts';
import { frameKinds, frameOverhead, leastFrameBytes, linkState, mostFrameBytes, noLink, numberAt, numberBytes, readFrame, writeFrame } from './frame.ts';
import type { Frame, FrameKind } from './frame.ts';
import type { ByteLink, ByteLinkEvents, ByteLinkParts } from './byte-link.ts';
import { pump } from './pump.ts';

/** Sizes and times of a link. */
export interface LinkLimits {
  /** Bytes of a frame on the wire, 20 to 256: at most the size that the radio or the buffer of the port accepts. 128. */
  readonly mtu: number;
  /** Data frames that may be sent and not acknowledged, 1 to 64. 8. */
  readonly window: number;
  /** Milliseconds after which a side without a link repeats its hello. 1000. */
  readonly helloMs: number;
  /** Milliseconds of silence after which a poll is sent. 5000. */
  readonly keepaliveMs: number;
  /** Milliseconds without a frame from the other side after which the link ends. 20,000. */
  readonly deadMs: number;
}

/** Defaults of `LinkLimits`. */
export const defaultLinkLimits: LinkLimits = { mtu: 128, window: 8, helloMs: 1000, keepaliveMs: 5000, deadMs: 20_000 };

/** The dependencies of a `SerialLink`. */
export interface LinkParts extends ByteLinkParts {
  readonly limits: LinkLimits;
  /** Creates an identifier that earlier links of this side did not have, from 0 to 2^32 - 1. */
  readonly newId: () => number;
}

const noBytes = new Uint8Array(0);

/** The initial retry time: twice the time of a window of frames at 9,600 baud, plus 200 ms. */
const firstRetryMs = ({ mtu, window }: LinkLimits): number => 200 + (2 * window * mtu * 10_000) / 9600;

/** The limits of the retry time, in milliseconds. RFC 6298. */
const [leastRetryMs, mostRetryMs] = [50, 30_000] as const;

/** The distance from `from` forward to `to`, modulo 256. */
const distance = (from: number, to: number): number => (to - from) & 255;

/**
 * A reliable stream of bytes over a wire that loses, damages, repeats and delays them. docs/serial.md has the rules.
 *
 * Each side sends a hello with its identifier, and a welcome with both identifiers, which together identify the link. The
 * checksum of each frame of the link includes both: a side that was reset begins another link, and late frames of the old
 * link are dropped. Data frames have numbers; only the expected frame is accepted, and the sender goes back to a missing one.
 */
export class SerialLink implements ByteLink {
  readonly #parts: LinkParts;
  readonly #events: ByteLinkEvents;
  readonly #write: () => void;
  #id = 0;
  /** The identifier of the other side; undefined: there is no link. */
  #peer: number | undefined;
  /** The last identifiers of the other side, newest last: a late welcome with one of them begins no link. */
  #before: number[] = [];
  #state = noLink;
  /** True after the first frame of this link has arrived: the other side knows the link. */
  #confirmed = false;
  #closed = false;

  // Sending. Numbers count up for the whole link; frames carry them modulo 256.
  /** Bytes to be cut into frames, and their number. */
  #queue: Uint8Array[] = [];
  #queued = 0;
  /** Payloads without an acknowledgement; the first has the number `#base`. */
  #unacknowledged: Uint8Array[] = [];
  #base = 0;
  /** The number of these payloads that were sent since the last `#goBack`. */
  #sent = 0;
  #peerWindow = 1;
  /** Frames to send before data: acknowledgements, polls and other control frames. */
  #urgent: Uint8Array[] = [];

  // Receiving.
  #expected = 0;
  /** The number in the last reject frame that we sent. */
  #rejected = -1;
  #owesAck = false;
  #paused = false;
  /** Bytes received since the last zero. */
  #part = new Uint8Array(mostFrameBytes);
  #partLength = 0;

  // Time.
  #timer: Timer | undefined;
  #timerAt = Infinity;
  #heardAt = 0;
  #spokeAt = 0;
  #helloAt = 0;
  /** When the first unacknowledged frame was last sent; undefined: all are acknowledged. */
  #waitingSince: number | undefined;
  #retryMs: number;
  #smoothed = 0;
  #variation = 0;
  /** The frame whose round trip is measured: its number, and when it was sent. It must not be sent twice. */
  #measured: { readonly number: number; readonly at: number } | undefined;

  constructor(parts: LinkParts, events: ByteLinkEvents) {
    this.#parts = parts;
    this.#events = events;
    this.#write = pump(parts.write, () => {
      if (this.#closed) return undefined;
      const bytes = this.#urgent.shift() ?? this.#nextData();
      // A data frame may need a retry timer.
      this.#wake();
      return bytes;
    });
    this.#retryMs = firstRetryMs(parts.limits);
  }

  /** Sends a hello, and repeats it until there is a link. */
  open(): void {
    this.#id = this.#parts.newId();
    this.#partLength = 0;
    this.#hello();
  }

  push(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length && !this.#closed;) {
      const zero = bytes.indexOf(0, from);
      const end = zero < 0 ? bytes.length : zero;
      const length = this.#partLength + end - from;
      // Bytes that are too long for a frame are noise: only their number is kept.
      if (length < mostFrameBytes) this.#part.set(bytes.subarray(from, end), this.#partLength);
      this.#partLength = Math.min(length, mostFrameBytes);
      from = end + 1;
      if (zero < 0) break;
      if (length > 0 && length < mostFrameBytes) this.#take(readFrame(this.#part.slice(0, length), this.#state));
      this.#partLength = 0;
    }
    if (this.#owesAck) this.#sayUrgently(frameKinds.ack);
    this.#pump();
  }

  /** Queues bytes, to be sent in order when the window has room. */
  send(bytes: Uint8Array): void {
    if (this.#closed || this.#peer === undefined) return;
    this.#parts.budget.hold(bytes.length);
    this.#queue.push(bytes);
    this.#queued += bytes.length;
    this.#pump();
  }

  get waiting(): number {
    return this.#queued;
  }

  pause(on: boolean): void {
    if (this.#paused === on || this.#closed) return;
    this.#paused = on;
    if (this.#peer === undefined) return;
    this.#sayUrgently(frameKinds.ack);
    this.#pump();
  }

  reset(): void {
    this.#sayBye();
    this.#forget();
    this.open();
  }

  close(): void {
    if (this.#closed) return;
    this.#sayBye();
    this.#forget();
    this.#closed = true;
    this.#timer?.stop();
  }

  #sayBye(): void {
    if (this.#peer !== undefined) void this.#parts.write(this.#frame(frameKinds.bye, noBytes, this.#state));
  }

  // The link.

  /** Sends a hello if there is no link, otherwise repeats the welcome. */
  #hello(): void {
    this.#helloAt = this.#parts.clock.monotonic();
    if (this.#peer !== undefined) this.#sayUrgently(frameKinds.welcome, bothNumbers(this.#id, this.#peer));
    else {
      // The zero before the frame ends a frame that noise has begun.
      const frame = this.#frame(frameKinds.hello, numberBytes(this.#id), noLink);
      const both = new Uint8Array(frame.length + 1);
      both.set(frame, 1);
      this.#urgent.push(both);
    }
    this.#pump();
    this.#wake();
  }

  #take(frame: Frame | undefined): void {
    // A terminal with echo sends our frames back.
    if (!frame || frame.side === this.#parts.side) return;
    const { kind, payload } = frame;
    if (kind === frameKinds.hello) {
      if (payload.length !== 4) return;
      this.#sayUrgently(frameKinds.welcome, bothNumbers(this.#id, numberAt(payload, 0)));
    } else if (kind === frameKinds.welcome) {
      if (payload.length === 8 && numberAt(payload, 4) === this.#id) this.#welcomed(numberAt(payload, 0), frame);
    } else if (this.#peer !== undefined) this.#hear(frame);
  }

  /** Handles a welcome with our identifier: opens the link with the sender. */
  #welcomed(peer: number, { window }: Frame): void {
    if (peer === this.#peer) {
      // The other side does not know yet that we have the link.
      this.#owesAck = true;
      return;
    }
    if (this.#before.includes(peer)) return;
    if (this.#peer !== undefined) {
      this.#before = [...this.#before.slice(-7), this.#peer];
      this.#lost('the other side was reset');
    }
    if (this.#closed) return;
    this.#peer = peer;
    this.#state = linkState(this.#id, peer);
    this.#peerWindow = Math.max(1, window);
    this.#heardAt = this.#parts.clock.monotonic();
    // The other side may have missed our welcome.
    this.#hello();
    this.#sayUrgently(frameKinds.ack);
    this.#events.opened();
  }

  /** Drops the link and all bytes in transit, and reports this. */
  #lost(why: string): void {
    this.#forget();
    this.#events.lost(why);
  }

  /** Drops the link and opens another one, with a new identifier, so that a late welcome for the old one is ignored. */
  #begin(why: string): void {
    this.#lost(why);
    if (!this.#closed) this.open();
  }

  #forget(): void {
    this.#parts.budget.release(this.#queued + sum(this.#unacknowledged));
    this.#peer = undefined;
    this.#state = noLink;
    this.#confirmed = this.#owesAck = false;
    this.#queue = [];
    this.#unacknowledged = [];
    this.#urgent = [];
    this.#queued = this.#base = this.#sent = this.#expected = 0;
    this.#rejected = -1;
    this.#waitingSince = this.#measured = undefined;
    this.#retryMs = firstRetryMs(this.#parts.limits);
    this.#smoothed = this.#variation = 0;
  }

  // Frames of the link.

  #hear(frame: Frame): void {
    const { kind, number, expected, window } = frame;
    this.#heardAt = this.#parts.clock.monotonic();
    this.#confirmed = true;
    if (kind === frameKinds.bye) return this.#begin('the other side has closed the link');
    this.#acknowledge(expected, window);
    if (kind === frameKinds.reject && distance(this.#base, expected) === 0) this.#goBack();
    if (kind === frameKinds.poll) this.#owesAck = true;
    if (kind === frameKinds.data) this.#receive(number, frame.payload);
  }

  #receive(number: number, payload: Uint8Array): void {
    this.#owesAck = true;
    if (number === (this.#expected & 255)) {
      // The sender will send it again.
      if (this.#paused) return;
      this.#expected++;
      this.#events.bytes(payload);
    } else if (distance(this.#expected, number) < 128 && this.#rejected !== this.#expected) {
      // A frame is missing: tell the sender once to go back to it. After that its retry timer applies.
      this.#rejected = this.#expected;
      this.#owesAck = false;
      this.#sayUrgently(frameKinds.reject);
    }
  }

  /** Handles the acknowledgement in a frame: the other side expects `expected` next, and accepts `window` frames from there. */
  #acknowledge(expected: number, window: number): void {
    const count = distance(this.#base, expected);
    // An acknowledgement of frames that were never sent, or an old one.
    if (count > this.#unacknowledged.length) return;
    // The other side dropped the frames that arrived while its window was 0.
    if (this.#peerWindow === 0 && window > 0) this.#goBack();
    this.#peerWindow = window;
    if (count === 0) return;
    const now = this.#parts.clock.monotonic();
    this.#parts.budget.release(sum(this.#unacknowledged.splice(0, count)));
    this.#base += count;
    this.#sent = Math.max(0, this.#sent - count);
    if (this.#measured && this.#measured.number < this.#base) {
      this.#measure(now - this.#measured.at);
      this.#measured = undefined;
    }
    this.#waitingSince = this.#unacknowledged.length > 0 ? now : undefined;
  }

  /** Updates the retry time after a round trip of `ms`. RFC 6298, 2. */
  #measure(ms: number): void {
    if (this.#smoothed === 0) {
      this.#smoothed = ms;
      this.#variation = ms / 2;
    } else {
      this.#variation += (Math.abs(this.#smoothed - ms) - this.#variation) / 4;
      this.#smoothed += (ms - this.#smoothed) / 8;
    }
    this.#retryMs = Math.min(mostRetryMs, Math.max(leastRetryMs, this.#smoothed + 4 * this.#variation));
  }

  /** Sends all unacknowledged frames again. */
  #goBack(): void {
    this.#sent = 0;
    // Karn: the acknowledgement of a frame that was sent twice does not measure a round trip.
    this.#measured = undefined;
  }

  // Writing.

  #frame(kind: FrameKind, payload: Uint8Array, state: number, number: number = this.#base + this.#sent): Uint8Array {
    const { side, limits } = this.#parts;
    this.#spokeAt = this.#parts.clock.monotonic();
    return writeFrame({ kind, side, number: number & 255, expected: this.#expected & 255, window: this.#paused ? 0 : limits.window, payload }, state);
  }

  #sayUrgently(kind: FrameKind, payload: Uint8Array = noBytes): void {
    if (kind === frameKinds.ack) this.#owesAck = false;
    // A newer frame includes the acknowledgement of an older one; and a flood of polls must not fill the memory.
    if (this.#urgent.length >= 4) this.#urgent.shift();
    this.#urgent.push(this.#frame(kind, payload, kind === frameKinds.welcome ? noLink : this.#state));
  }

  /** Writes all frames that may be written now. */
  #pump(): void {
    this.#write();
    if (!this.#closed) this.#wake();
  }

  /** The next data frame: one to send again, or a new one. Undefined: there is no data, or no room in the window. */
  #nextData(): Uint8Array | undefined {
    if (this.#peer === undefined || this.#sent >= Math.min(this.#peerWindow, this.#parts.limits.window)) return undefined;
    const again = this.#sent < this.#unacknowledged.length;
    const payload = again ? this.#unacknowledged[this.#sent] : this.#cut();
    if (!payload) return undefined;
    if (!again) this.#unacknowledged.push(payload);
    const number = this.#base + this.#sent;
    const frame = this.#frame(frameKinds.data, payload, this.#state, number);
    if (this.#sent === 0) this.#waitingSince = this.#spokeAt;
    if (!again) this.#measured ??= { number, at: this.#spokeAt };
    this.#sent++;
    // This frame contains the acknowledgement.
    this.#owesAck = false;
    return frame;
  }

  /** Cuts the next payload from the queue. It stays charged until it is acknowledged. */
  #cut(): Uint8Array | undefined {
    if (this.#queued === 0) return undefined;
    const payload = new Uint8Array(Math.min(this.#queued, this.#parts.limits.mtu - frameOverhead));
    for (let length = 0; length < payload.length;) {
      const first = this.#queue[0] as Uint8Array;
      const part = first.subarray(0, payload.length - length);
      payload.set(part, length);
      length += part.length;
      if (part.length === first.length) this.#queue.shift();
      else this.#queue[0] = first.subarray(part.length);
    }
    this.#queued -= payload.length;
    return payload;
  }

  // Time.

  /** When `#tick` has something to do, by the monotonic clock. */
  #dueAt(): number {
    const { helloMs, keepaliveMs, deadMs } = this.#parts.limits;
    if (this.#peer === undefined) return this.#helloAt + helloMs;
    const retry = this.#waitingSince === undefined ? Infinity : this.#waitingSince + this.#retryMs;
    return Math.min(
      this.#confirmed ? Infinity : this.#helloAt + helloMs, retry,
      this.#heardAt + deadMs, Math.max(this.#spokeAt, this.#heardAt) + keepaliveMs,
    );
  }

  #wake(): void {
    const at = this.#dueAt();
    // An earlier timer calls `#wake` again.
    if (this.#timer && this.#timerAt <= at) return;
    this.#timer?.stop();
    this.#timerAt = at;
    const { clock } = this.#parts;
    this.#timer = clock.after(Math.max(1, Math.ceil(at - clock.monotonic())), () => {
      this.#timer = undefined;
      this.#tick();
      if (!this.#closed) this.#wake();
    }, true);
  }

  #tick(): void {
    const { clock, limits } = this.#parts;
    const now = clock.monotonic();
    if (this.#closed || now < this.#dueAt()) return;
    if (this.#peer !== undefined && now >= this.#heardAt + limits.deadMs) {
      return this.#begin(`the other side was silent for ${limits.deadMs} ms`);
    }
    if (!this.#confirmed && now >= this.#helloAt + limits.helloMs) return this.#hello();
    if (this.#waitingSince !== undefined && now >= this.#waitingSince + this.#retryMs) {
      this.#retryMs = Math.min(mostRetryMs, this.#retryMs * 2);
      this.#waitingSince = now;
      this.#goBack();
    } else this.#sayUrgently(frameKinds.poll);
    this.#pump();
  }
}

function bothNumbers(mine: number, theirs: number): Uint8Array {
  const bytes = new Uint8Array(8);
  bytes.set(numberBytes(mine));
  bytes.set(numberBytes(theirs), 4);
  return bytes;
}

function sum(parts: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const part of parts) bytes += part.length;
  return bytes;
}

/** Throws a RangeError for invalid limits. */
export function checkLimits(limits: LinkLimits): void {
  const allowed = [
    ['mtu', leastFrameBytes, mostFrameBytes], ['window', 1, 64], ['helloMs', 1, Infinity], ['keepaliveMs', 1, Infinity],
    ['deadMs', limits.keepaliveMs + 1, Infinity],
  ] as const;
  for (const [name, least, most] of allowed) {
    const value = limits[name];
    if (value >= least && value <= most && (most === Infinity || Number.isInteger(value))) continue;
    throw new RangeError(`frames: ${name} is ${value}, expected ${least} to ${most}`);
  }
}
