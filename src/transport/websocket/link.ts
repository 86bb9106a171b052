import type { Budget } from '../../bounds/budget.ts';
import type { Clock, Timer } from '../../bounds/clock.ts';
import { quote } from '../../bounds/quote.ts';
import { refusal, tooLarge } from '../../jsonrpc/message.ts';
import { invalidRequestCode } from '../../jsonrpc/errors.ts';
import { defaultMaxMessageBytes } from '../../jsonrpc/framing.ts';
import type { Decoded, Refusal, Unchecked } from '../../jsonrpc/message.ts';
import { readPort } from '../port-reading.ts';
import type { PortReading } from '../port-reading.ts';
import type { Trace } from '../trace.ts';
import type { WebSocketEvent, WebSocketLike } from './socket.ts';

/** The options of both roles. */
export interface WebSocketOptions {
  /** Called with each message; `sent`: from this side. */
  readonly trace?: Trace | undefined;
  /** Bytes of one message in UTF-8; a longer one is refused. 16 MiB. Give the socket a slightly higher limit (`maxPayload` of `ws`). */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Bytes that may arrive without a valid message; each invalid frame adds 100. Then the connection is closed. 256 MiB.
   */
  readonly maxNoiseBytes?: number | undefined;
  /** Bytes that may wait to be sent; a result that does not fit becomes an error. 16 MiB. Reading pauses while 1 MiB waits. */
  readonly maxWaitingBytes?: number | undefined;
  /** Milliseconds without any waiting bytes being sent, after which the connection is closed. 60,000. */
  readonly stallMs?: number | undefined;
}

/** The close codes of both roles: in browsers `close` accepts only 1000 and codes from 3000 on. */
export const normalClosure = 1000;
/** The other side broke a limit. */
export const givenUpClosure = 4000;

/** Milliseconds between two reads of `bufferedAmount`: a WebSocket has no event for free room. */
const lookMs = 20;
/** Bytes that may wait without being charged or watched. */
const littleWaiting = 65_536;
/** Bytes that may wait while this side still reads. */
const maxUnsent = 1_048_576;

/** The callbacks of a link. */
export interface LinkEvents<D extends Decoded | Unchecked> {
  readonly clock: Clock;
  readonly budget: Budget;
  /** `decode`, or `decodeUnchecked` if the connection checks responses. */
  decode(text: string): D;
  message(decoded: D | Refusal): void;
  /** The socket is closed, or was closed by this link because the other side broke a limit. Called once, and not after `close`. */
  gone(why: string): void;
}

/**
 * A WebSocket with one message in each text frame. Reading has limits and yields to other peers; `bufferedAmount` gives
 * the backpressure for writing.
 */
export class SocketLink<D extends Decoded | Unchecked> {
  readonly #socket: WebSocketLike;
  readonly #options: WebSocketOptions;
  readonly #events: LinkEvents<D>;
  readonly #reading: PortReading;
  #open = true;
  /** The charged bytes: those that wait to be sent. */
  #charged = 0;
  #looking: Timer | undefined;
  /** True while reading is paused because too many bytes wait to be sent. */
  #paused = false;
  /** When the number of waiting bytes last became smaller. */
  #tookAt = 0;

  constructor(socket: WebSocketLike, options: WebSocketOptions, events: LinkEvents<D>) {
    this.#socket = socket;
    this.#options = options;
    this.#events = events;
    const { clock, budget } = events;
    const binary = (): Refusal => refusal(null, invalidRequestCode, 'Invalid request: a message is a text frame, not a binary one');
    this.#reading = readPort<D | Refusal>({
      trace: options.trace, budget, maxNoiseBytes: options.maxNoiseBytes,
      // While reading is paused, `rest` lasts until the next `#look`.
      clock: {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        soon: (run) => clock.soon(run),
        after: (ms, run, background) => clock.after(this.#paused ? lookMs : ms, run, background),
      },
      decode: (data) => (typeof data === 'string' ? this.#decode(data) : binary()),
      decodeValue: binary,
      message: (decoded) => {
        events.message(decoded);
        if (this.#paused) this.#reading.rest();
      },
      resumed: () => {
        if (this.#paused) this.#reading.rest();
      },
      givenUp: (why) => this.giveUp(why),
    });
    socket.addEventListener('message', this.#onMessage);
    socket.addEventListener('close', this.#onClose);
    socket.addEventListener('error', this.#onError);
  }

  readonly #onMessage = ({ data }: WebSocketEvent): void => this.#reading.take(data);

  // Earlier messages are read first.
  readonly #onClose = ({ code, reason }: WebSocketEvent): void => this.#reading.end(() => {
    // In workerd the program must answer the closing handshake.
    if (this.#socket.readyState === 2) this.#socket.close(normalClosure);
    this.#finish(`the other side closed the connection (code ${code ?? 1005})${reason ? `: ${quote(reason, 200)}` : ''}`);
  });

  /** A `close` event with code 1006 follows; if the error has a message, report that instead. */
  readonly #onError = ({ message }: WebSocketEvent): void => {
    if (message) this.#finish(`the connection failed: ${quote(message, 200)}`);
  };

  #decode(text: string): D | Refusal {
    const { maxMessageBytes: most = defaultMaxMessageBytes } = this.#options;
    return isLonger(text, most) ? tooLarge(`the limit of ${most} bytes`, text) : this.#events.decode(text);
  }

  /** Sends one message. Does nothing after the link has closed. */
  send(text: string): void {
    const { trace } = this.#options;
    const socket = this.#socket;
    // Some sockets throw before the `close` event, while they are closing.
    if (!this.#open || socket.readyState !== 1) return;
    trace?.({ direction: 'sent', text, at: this.#events.clock.now() });
    socket.send(text);
    if (this.#waiting > littleWaiting) this.#look();
  }

  get #waiting(): number {
    return this.#socket.bufferedAmount ?? 0;
  }

  /** True if a text of this length may be sent now. Droppable messages may use half of the room. */
  room(length: number, droppable: boolean = false): boolean {
    const { maxWaitingBytes = defaultMaxMessageBytes } = this.#options;
    const waiting = this.#waiting;
    if (waiting <= littleWaiting) return true;
    return waiting + length <= (droppable ? maxWaitingBytes / 2 : maxWaitingBytes) && this.#events.budget.fits(length);
  }

  /** Charges the waiting bytes, pauses reading if there are too many, and repeats this until few wait. */
  #look(): void {
    const { clock } = this.#events;
    const waiting = this.#waiting;
    const now = clock.monotonic();
    if (waiting < this.#charged || this.#charged === 0) this.#tookAt = now;
    this.#charge(waiting > littleWaiting ? waiting : 0);
    this.#pause(waiting > maxUnsent);
    const { stallMs = 60_000 } = this.#options;
    if (this.#charged > 0 && now - this.#tookAt >= stallMs) return this.giveUp(`it read none of the sent bytes within ${stallMs} ms`);
    if (this.#charged > 0) {
      this.#looking ??= clock.after(lookMs, () => {
        this.#looking = undefined;
        this.#look();
      });
    }
  }

  #charge(bytes: number): void {
    this.#events.budget.hold(bytes - this.#charged);
    this.#charged = bytes;
  }

  #pause(on: boolean): void {
    if (on === this.#paused) return;
    this.#paused = on;
    const socket = this.#socket;
    if (on) {
      socket.pause?.();
      this.#reading.rest();
    } else socket.resume?.();
  }

  /** Closes the connection because the other side broke a limit, and reports the reason. */
  giveUp(why: string): void {
    if (!this.#open) return;
    this.#close(givenUpClosure, why);
    this.#finish(`the other side was disconnected: ${why}`);
  }

  /** Closes the connection and sends `reason` to the other side. */
  close(reason: string): void {
    if (!this.#open) return;
    this.#close(normalClosure, reason);
    this.#stop();
  }

  #close(code: number, reason: string): void {
    const socket = this.#socket;
    // A paused socket would not read the other side's close frame.
    this.#pause(false);
    if (socket.readyState < 2) socket.close(code, closeReason(reason));
  }

  #finish(why: string): void {
    if (!this.#open) return;
    this.#stop();
    this.#events.gone(why);
  }

  #stop(): void {
    const socket = this.#socket;
    this.#open = false;
    this.#looking?.stop();
    this.#reading.stop();
    this.#charge(0);
    socket.removeEventListener('message', this.#onMessage);
    socket.removeEventListener('close', this.#onClose);
    // The listener for `error` stays: in Node an error without a listener would end the process.
  }
}

/** True if a text has more than `most` bytes in UTF-8. */
function isLonger(text: string, most: number): boolean {
  if (text.length > most) return true;
  return text.length * 3 > most && new TextEncoder().encode(text).length > most;
}

/** Shortens the reason for a close frame. RFC 6455, 5.5: a control frame has at most 125 bytes, 2 of them for the code. */
function closeReason(reason: string): string {
  const bytes = new TextEncoder().encode(reason);
  if (bytes.length <= 123) return reason;
  // Drop a character that was cut in two.
  const text = new TextDecoder().decode(bytes.subarray(0, 120));
  return `${text.endsWith('\uFFFD') ? text.slice(0, -1) : text}…`;
}
