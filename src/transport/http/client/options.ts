import type { Clock } from '../../../bounds/clock.ts';
import type { Shape } from '../../../bounds/options.ts';
import { defaultMaxNoiseBytes } from '../../../bounds/reading.ts';
import type { Trace } from '../../trace.ts';
import type { HttpAuthorization } from './authorization.ts';
import type { HttpSender } from './sender.ts';

/** Bounds on what a server can make the client hold, and on how long the client tries. */
export interface HttpClientLimits {
  /** Bytes of one answer, or of one event of a stream. 16 MiB. */
  maxMessageBytes: number;
  /**
   * Bytes that a stream may carry without a message among them, each event without a message counted as 100 more; then it is
   * given up. 256 MiB.
   */
  maxNoiseBytes: number;
  /**
   * Reconnections of a stream in a row that the server may refuse before it is given up; and times that an answer to a
   * question is brought again where the server cannot be reached or answers 429 or 5xx. 5.
   */
  reconnectAttempts: number;
  /**
   * Milliseconds before any reconnection at least, doubled while none brings a message. A server's `retry` that is
   * longer is kept to. 100 ms.
   */
  reconnectMinMs: number;
  /** Milliseconds before the first reconnection without a `retry` of the server's; then doubled. 1 s. */
  reconnectInitialMs: number;
  /** Milliseconds between reconnections at most, unless the server's `retry` asks for more. 30 s. */
  reconnectMaxMs: number;
  /** Milliseconds a stream may stay open after its answer, so that its connection can be used again. 1 s. */
  lingerMs: number;
  /**
   * Milliseconds for which requests wait after a legacy handshake, once the server has taken
   * `notifications/initialized`, until it has answered the GET that opens its stream. Those that may ask (`tools/call`,
   * `prompts/get`, `resources/read`) of a client that answers questions wait for `endpointMs`. 250 ms.
   */
  listenMs: number;
  /**
   * Milliseconds to wait for the `endpoint` event of an HTTP+SSE server; and for which requests wait until a legacy server
   * has taken `notifications/initialized`, and those that may ask until it has answered the GET. 10 s.
   */
  endpointMs: number;
  /** Milliseconds that ending the session may take at `close`. 2 s. */
  closeMs: number;
}

/** The limits that hold where none is given. */
export const defaultHttpClientLimits: HttpClientLimits = {
  maxMessageBytes: 16_777_216,
  maxNoiseBytes: defaultMaxNoiseBytes,
  reconnectAttempts: 5,
  reconnectMinMs: 100,
  reconnectInitialMs: 1000,
  reconnectMaxMs: 30_000,
  lingerMs: 1000,
  listenMs: 250,
  endpointMs: 10_000,
  closeMs: 2000,
};

/** Header fields, by name. */
export type HeaderValues = Readonly<Record<string, string>>;

/** What `httpTransport` may be given, whatever it sends with. */
export interface HttpTransportOptions {
  /** Headers for every HTTP request; a function is asked before each one, so that a token can be renewed. */
  readonly headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>) | undefined;
  /** Gets in where the server wants credentials, such as `oauth` of barewire/oauth. */
  readonly auth?: HttpAuthorization | undefined;
  /** Sees each message; `around: httpTrace(see)` shows heads and events too. */
  readonly trace?: Trace | undefined;
  /** Goes around what sends each HTTP request: `httpTrace(see)`. */
  readonly around?: ((sender: HttpSender) => HttpSender) | undefined;
  readonly limits?: Partial<HttpClientLimits> | undefined;
  /** What time it is. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
  /** From 0 up to 1, for the jitter of reconnections. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** For `checkOptions`. */
export const httpTransportShape: Shape<HttpTransportOptions> = {
  headers: 'object or function', auth: 'object', trace: 'function', around: 'function', limits: defaultHttpClientLimits,
  clock: 'object', random: 'function',
};

/** Resolves after `ms` milliseconds, or as soon as the signal aborts. */
export function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer?.stop();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(ms, done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
