import type { Clock } from '../../../bounds/clock.ts';
import { ConnectionError } from '../../../jsonrpc/errors.ts';
import { beginReading, noiseAfter, noiseFault } from '../../../bounds/reading.ts';
import { HttpError } from '../http-error.ts';
import { sseParser } from '../sse-parser.ts';
import type { SseParser } from '../sse-parser.ts';
import { AuthorizationFailed } from './authorization.ts';
import { isStream, readText } from './body.ts';
import type { HttpClientLimits } from './options.ts';
import type { PostedRequest, PostedRequests } from './posted-request.ts';
import type { HttpAnswer } from './sender.ts';

/** What `follow` needs of the transport. */
export interface ResumptionPort {
  readonly requests: PostedRequests;
  readonly limits: HttpClientLimits;
  readonly clock: Clock;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
  /** Asks for a stream, from the event after this one on; '': from now on. */
  get(posted: PostedRequest, lastEventId: string): Promise<HttpAnswer>;
  /** Throws where an error status says that the session is gone. */
  checkSession(status: number, posted: PostedRequest, body: string): void;
}

/** Bytes of a stream that are read at once, before the reader looks whether the server takes our answers. */
const heardAtOnce = 8192;

/** A stream that is read, and resumed where it breaks. */
class Following {
  readonly #posted: PostedRequest;
  readonly #at: ResumptionPort;
  #lastEventId = '';
  #retry: number | undefined;
  /** Reconnections since the last event, since the last message, and failed ones since one that succeeded. */
  #attempts: number;
  #empty: number;
  #failures = 0;
  #noise = 0;

  constructor(posted: PostedRequest, at: ResumptionPort, begun: boolean) {
    this.#posted = posted;
    this.#at = at;
    // The GET stream is connected at once.
    this.#attempts = this.#empty = begun ? 0 : -1;
  }

  /** Reads to the end of the stream, or until nothing more is wanted of it. Why it broke, if it did. */
  async read(answer: HttpAnswer): Promise<unknown> {
    const { requests, limits: { maxMessageBytes } } = this.#at;
    const parser = sseParser({
      lastEventId: this.#lastEventId,
      maxEventBytes: maxMessageBytes,
      onEvent: ({ type, data }) => {
        this.#attempts = 0;
        if (type !== 'message' || data === '') return;
        this.#empty = 0;
        const decoded = requests.heard(data);
        this.#noise = noiseAfter(this.#noise, decoded.kind);
        requests.deliver(decoded, this.#posted);
      },
      onRefused: (why) => {
        // It may have been the answer, and is not sent again.
        requests.refuse(this.#posted, () => new HttpError(200, '', `${why} (the limit is ${maxMessageBytes} bytes)`));
      },
    });
    parser.retry = this.#retry;
    const cause = await answer.read((chunk) => this.#hear(chunk, 0, parser, answer)).catch((thrown: unknown) => thrown);
    ({ lastEventId: this.#lastEventId, retry: this.#retry } = parser);
    return cause;
  }

  /** A chunk may hold a thousand questions: they are heard a few at a time, and the next ones wait for answers taken. */
  #hear(chunk: Uint8Array, from: number, parser: SseParser, answer: HttpAnswer): Promise<void> | undefined {
    const { requests, limits, clock } = this.#at;
    for (let at = from; at < chunk.length; at += heardAtOnce) {
      const part = chunk.subarray(at, at + heardAtOnce);
      beginReading(clock);
      this.#noise += part.length;
      parser.push(part);
      if (this.#noise > limits.maxNoiseBytes) {
        answer.cancel();
        return undefined;
      }
      const relief = requests.relief();
      if (relief) return relief.then(() => this.#hear(chunk, at + heardAtOnce, parser, answer));
    }
    return undefined;
  }

  /** Asks for the rest of the stream. Undefined where the server has no such stream; throws where it is lost. */
  async resume(cause: unknown): Promise<HttpAnswer | undefined> {
    const { limits: { maxNoiseBytes, reconnectAttempts }, wait } = this.#at;
    const posted = this.#posted;
    for (;; this.#attempts++, this.#empty++) {
      if (this.#at.requests.over(posted)) return undefined;
      if (this.#noise > maxNoiseBytes) throw new ConnectionError('closed', `the stream was given up: ${noiseFault(maxNoiseBytes)}`);
      // 2026-07-28 basic/transports/streamable-http#receiving-messages: its streams are not resumable.
      const resumeAfter = sendable(this.#lastEventId);
      const resumable = posted.id === undefined || (!posted.modern && resumeAfter !== '');
      if (!resumable || this.#failures >= reconnectAttempts) {
        const why = `the stream is lost (attempts to resume it: ${this.#failures})`;
        throw new ConnectionError('closed', why, { cause });
      }
      if (this.#attempts >= 0) await wait(delay(this.#attempts, this.#empty, this.#retry, this.#at), posted.cancellation.signal);
      if (this.#at.requests.over(posted)) return undefined;
      try {
        const opened = await this.#open(resumeAfter);
        this.#failures = 0;
        this.#attempts++;
        this.#empty++;
        return opened;
      } catch (thrown) {
        if (isRefusal(thrown)) throw thrown;
        cause = thrown;
        this.#failures++;
      }
    }
  }

  async #open(resumeAfter: string): Promise<HttpAnswer | undefined> {
    const posted = this.#posted;
    const opened = await this.#at.get(posted, resumeAfter);
    if (isStream(opened)) return opened;
    const body = await readText(opened);
    // 2025-11-25 basic/transports#listening-for-messages-from-the-server: 405 means that the server has no such stream.
    if (opened.status === 405 && posted.id === undefined) return undefined;
    this.#at.checkSession(opened.status, posted, body);
    throw new HttpError(opened.status, body, `GET: HTTP ${opened.status}`);
  }
}

/**
 * Reads the stream that answers a request, and resumes it where it breaks; without an answer it begins with a GET.
 * Resolves once nothing more is wanted of it, rejects where it is lost.
 * Source: 2025-11-25 basic/transports#resumability-and-redelivery.
 */
export async function follow(posted: PostedRequest, at: ResumptionPort, answer?: HttpAnswer): Promise<void> {
  const following = new Following(posted, at, answer !== undefined);
  posted.streaming = true;
  for (let stream = answer ?? await following.resume(undefined); stream !== undefined;) {
    stream = await following.resume(await following.read(stream));
  }
}

/**
 * The id as `Last-Event-ID` carries it: its bytes in UTF-8, a character each (WHATWG HTML 9.2.3). '' where it has characters
 * that a header may not have: a stream cannot be resumed after such an id.
 */
function sendable(id: string): string {
  if (!/[^\t\x20-\x7e]/.test(id)) return id;
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(id)) return '';
  return Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('');
}

/** Whether asking again would be answered the same. */
export const isRefusal = (thrown: unknown): boolean => thrown instanceof AuthorizationFailed
  || (thrown instanceof HttpError && thrown.status < 500 && thrown.status !== 429);

/**
 * Milliseconds before the next reconnection. The server's `retry` is never undercut. A shorter one than
 * `reconnectMinMs` is not taken at its word: while no message comes, that time doubles, up to `reconnectInitialMs`.
 */
export function delay(
  attempts: number, empty: number, retry: number | undefined, { limits, random }: ResumptionPort,
): number {
  const { reconnectMinMs, reconnectInitialMs, reconnectMaxMs } = limits;
  if (retry !== undefined && attempts === 0) {
    return Math.max(retry, Math.min(reconnectInitialMs, reconnectMinMs * 2 ** empty));
  }
  const most = Math.min(reconnectMaxMs, reconnectInitialMs * 2 ** attempts);
  return Math.max(retry ?? 0, reconnectMinMs, Math.round(most * (0.5 + random() / 2)));
}
