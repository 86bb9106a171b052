import { every } from '../../bounds/clock.ts';
import type { Timer } from '../../bounds/clock.ts';
import { processBudget } from '../../bounds/budget.ts';
import type { Endpoint } from '../http/server/endpoint.ts';
import type { Body } from '../http/server/http-request.ts';
import { fieldLine } from './head-writer.ts';
import { defaultHttp1Limits } from './limits.ts';
import type { Http1Limits } from './limits.ts';
import type { DecoderOptions } from './message-decoder.ts';
import { latin1 } from './octets.ts';
import type { Latin1 } from './octets.ts';
import type { Pipe } from './pipe.ts';
import { ServerConnection } from './server-connection.ts';

/** Functions of a runtime that replace slower ones in plain JavaScript. */
export interface Runtime {
  readonly latin1?: Latin1 | undefined;
  /** Returns the length of a text in UTF-8, in octets. */
  readonly byteLength?: ((text: string) => number) | undefined;
  /** Runs a function after all input of a turn of the event loop was read. Default: after all microtasks. */
  readonly later?: ((run: () => void) => void) | undefined;
}

/** One second, the unit of all deadlines. */
const tickMs = 1000;

/** The connections of a server, and their shared limits, clock and write order. */
export class Connections {
  readonly limits: Http1Limits;
  readonly decoding: DecoderOptions;
  readonly byteLength: (text: string) => number;
  /** Whether the server has begun to close. */
  closing = false;
  readonly #endpoint: Endpoint;
  readonly #later: (run: () => void) => void;
  readonly #open = new Set<ServerConnection>();
  readonly #keepAlive: string;
  #tick = 1;
  #timer: Timer | undefined;
  #date: string | undefined;
  #due: ServerConnection[] | undefined;
  /** The connection of the latest request. It may be the only one, so its responses are written at once. */
  #latest: ServerConnection | undefined;
  #emptied: (() => void) | undefined;

  constructor(endpoint: Endpoint, limits: Partial<Http1Limits> = {}, runtime: Runtime = {}) {
    this.#endpoint = endpoint;
    const all = this.limits = { ...defaultHttp1Limits, ...limits };
    const { maxHeadBytes, maxFields, maxExtensionBytes } = all;
    this.decoding = { limits: { maxHeadBytes, maxFields, maxExtensionBytes }, budget: processBudget(), latin1: runtime.latin1 ?? latin1 };
    this.byteLength = runtime.byteLength ?? byteLength;
    this.#later = runtime.later ?? ((run) => endpoint.clock.soon(run));
    const seconds = Math.floor(this.limits.keepAliveMs / 1000);
    this.#keepAlive = fieldLine('connection', 'keep-alive') + (seconds > 0 ? fieldLine('keep-alive', `timeout=${seconds}`) : '');
  }

  get size(): number {
    return this.#open.size;
  }

  [Symbol.iterator](): Iterator<ServerConnection> {
    return this.#open.values();
  }

  /** Serves a connection over a pipe. Undefined: there are too many connections, and the pipe was broken off. */
  add(pipe: Pipe): ServerConnection | undefined {
    if (this.#open.size >= this.limits.maxConnections) {
      pipe.destroy();
      return undefined;
    }
    const connection = new ServerConnection(this.#endpoint, this, pipe, this.closing);
    this.#open.add(connection);
    // A runtime without timers calls `tick` itself.
    this.#timer ??= every(this.#endpoint.clock, tickMs, () => this.tick());
    return connection;
  }

  remove(connection: ServerConnection): void {
    this.#open.delete(connection);
    if (this.#latest === connection) this.#latest = undefined;
    if (this.#open.size > 0) return;
    this.#timer?.stop();
    this.#timer = this.#date = undefined;
    this.#emptied?.();
  }

  /** Resolves when the last connection is closed. */
  empty(): Promise<void> {
    return new Promise((resolve) => {
      this.#emptied = resolve;
      if (this.#open.size === 0) resolve();
    });
  }

  /** Call this once a second. */
  tick(): void {
    this.#tick++;
    this.#date = undefined;
    for (const connection of this.#open) if (connection.deadline !== 0 && connection.deadline < this.#tick) connection.expire();
  }

  /** The tick after which `ms` milliseconds have passed. */
  after(ms: number): number {
    return this.#tick + Math.ceil(ms / tickMs);
  }

  /** RFC 9110, 6.6.1. */
  get dateLine(): string {
    return this.#date ??= fieldLine('date', new Date(this.#endpoint.clock.now()).toUTCString());
  }

  get keepAliveLines(): string {
    return this.dateLine + this.#keepAlive;
  }

  get closeLines(): string {
    return this.dateLine + closeLine;
  }

  /** A connection has read its input and has text to write. Writes at once if the previous request came on it too. */
  settle(connection: ServerConnection): void {
    const again = this.#latest === connection;
    this.#latest = connection;
    if (again && !connection.streams) connection.flush();
    else this.flushLater(connection);
  }

  // All responses of a turn are written after all input was read. Writing each at once wakes its reader while others are
  // still being read, and costs both sides more (bench/NOTES.md).
  flushLater(connection: ServerConnection): void {
    connection.due = true;
    if (this.#due === undefined) {
      this.#due = [];
      this.#later(() => {
        const due = this.#due ?? [];
        this.#due = undefined;
        for (const one of due) one.flush();
      });
    }
    this.#due.push(connection);
  }

  /** The body for the endpoint: as text if the runtime has no `TextDecoder`. */
  bodyOf(body: Body): Body {
    if (typeof TextDecoder === 'function' || !(body instanceof Uint8Array)) return body;
    try {
      return decodeURIComponent(latin1(body, 0, body.length).replace(/[^]/g, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`));
    } catch {
      return { fault: 'unreadable' };
    }
  }
}

const closeLine = 'connection: close\r\n';

function byteLength(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) length += unit < 0x800 ? 1 : 2;
    // A surrogate pair takes four octets: its two units, plus two added for the first.
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++;
  }
  return length;
}
