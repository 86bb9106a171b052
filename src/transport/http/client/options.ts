import type { Clock } from '../../../bounds/clock.ts';
import type { Shape } from '../../../bounds/options.ts';
import { defaultMaxNoiseBytes } from '../../../bounds/reading.ts';
import type { Trace } from '../../trace.ts';
import type { HttpSender } from './sender.ts';

/** Bounds on the memory that a server can make the client hold, and on the client's retries. */
export interface HttpClientLimits {
  /** Bytes of one response, or of one stream event. 16 MiB. */
  maxMessageBytes: number;
  /**
   * Bytes that a stream may carry without a message among them; an event without a message counts as 100 more. Then it is
   * closed. 256 MiB.
   */
  maxNoiseBytes: number;
  /**
   * Failed reconnections in a row before a stream is closed; also how often the answer to a question is posted again if
   * the server cannot be reached or answers 429 or 5xx. 5.
   */
  reconnectAttempts: number;
  /**
   * Minimum milliseconds before a reconnection, doubled while none brings a message. A longer `retry` of the server
   * is obeyed. 100 ms.
   */
  reconnectMinMs: number;
  /** Milliseconds before the first reconnection if the server sent no `retry`; doubled each time. 1 s. */
  reconnectInitialMs: number;
  /** Maximum milliseconds between reconnections, unless the server's `retry` is longer. 30 s. */
  reconnectMaxMs: number;
  /** Milliseconds that a stream may stay open after its answer, so that its connection can be reused. 1 s. */
  lingerMs: number;
  /**
   * Milliseconds that requests wait after a legacy handshake for the response to the GET that opens the server's stream,
   * once the server has accepted `notifications/initialized`. Requests that may cause a question (`tools/call`,
   * `prompts/get`, `resources/read`) wait up to `endpointMs` instead, if the client answers questions. 250 ms.
   */
  listenMs: number;
  /**
   * Milliseconds to wait for the `endpoint` event of an HTTP+SSE server; also until a legacy server has accepted
   * `notifications/initialized`, and, for requests that may cause a question, until it has answered the GET. 10 s.
   */
  endpointMs: number;
  /** Milliseconds that `close` may take to end the session. 2 s. */
  closeMs: number;
}

/** The defaults of `HttpClientLimits`. */
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

/** The options of `httpTransport`, for any sender. */
export interface HttpTransportOptions {
  /** Headers for every HTTP request; a function is called before each one, so that a token can be renewed. */
  readonly headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>) | undefined;
  /** Provides credentials for a server that requires them, such as `oauth` of barewire/oauth. */
  readonly auth?: HttpAuthorization | undefined;
  /** Called with each message; `around: httpTrace(see)` shows heads and events too. */
  readonly trace?: Trace | undefined;
  /** Wraps the sender of HTTP requests: `httpTrace(see)`. */
  readonly around?: ((sender: HttpSender) => HttpSender) | undefined;
  readonly limits?: Partial<HttpClientLimits> | undefined;
  /** Time and timers. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
  /** Returns 0 or more, below 1; for the jitter of reconnections. Default `Math.random`. */
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

/**
 * Provides credentials for the HTTP transport: `httpTransport(url, { auth })`. It is called for every POST, GET and DELETE,
 * and for each redirect within the origin; credentials never go to another origin.
 */
export interface HttpAuthorization {
  /**
   * Returns header fields for a request that is about to be sent (`Authorization`, `DPoP`). They replace those of the
   * option `headers`. If it throws, the request fails with that error.
   */
  headers(request: HttpTarget): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * Called when the server answers 401 or 403, or 400 with a challenge that contains `use_dpop_nonce`. True: the request is
   * sent again with new headers, at most three times. False: the request fails with an `HttpError`. If it throws, the
   * request fails with that error.
   */
  refused(answer: HttpRefusal): Promise<boolean>;
  /** Called after a status below 300, for example to read a `DPoP-Nonce`. */
  accepted?(answer: Pick<HttpRefusal, 'url' | 'header'>): void;
  /**
   * Names the user of the credentials, for the client's cache: a result of one user is never given to another. Called
   * before each cached result is used. Default: the value of `authorization` that was sent last.
   */
  context?(): string | Promise<string>;
}

/** The target of a request. `url` has no fragment. */
export interface HttpTarget {
  readonly method: string;
  readonly url: string;
}

/** A refusal that other credentials may resolve. */
export interface HttpRefusal extends HttpTarget {
  readonly status: number;
  /** The value of a response header, by its lower-case name. */
  header(name: string): string | undefined;
  /** The start of the body: 1000 bytes. */
  readonly body: string;
  /** The same object that `headers` returned for the refused request. */
  readonly sent: Readonly<Record<string, string>>;
  /** 1 for the first refusal of this request. */
  readonly attempt: number;
}
