import type { Clock } from '../../../bounds/clock.ts';
import { ConnectionError } from '../../../jsonrpc/errors.ts';
import { beginReading, noiseAfter, noiseFault } from '../../../bounds/reading.ts';
import { AuthorizationFailed, HttpError } from '../http-error.ts';
import { sseParser } from '../sse-parser.ts';
import type { SseParser } from '../sse-parser.ts';
import { isStream, readText } from './body.ts';
import type { HttpClientLimits } from './options.ts';
import type { PostedRequest, PostedRequests } from './posted-request.ts';
import type { HttpAnswer } from './sender.ts';

/** The parts of the transport that `follow` needs. */
export interface ResumptionPort {
  readonly requests: PostedRequests;
  readonly limits: HttpClientLimits;
  readonly clock: Clock;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Returns 0 or more, below 1. */
  random(): number;
  /** Opens a stream that starts after the event with this id; '': with the next event. */
  get(posted: PostedRequest, lastEventId: string): Promise<HttpAnswer>;
  /** Throws if an error status means that the session is gone. */
  checkSession(status: number, posted: PostedRequest, body: string): void;
}

/** Bytes of a stream that are read at once, before the reader checks whether the server accepts our answers. */
const heardAtOnce = 8192;

/** Reads a stream, and resumes it when it breaks. */
class Following {
  readonly #posted: PostedRequest;
  readonly #at: ResumptionPort;
  #lastEventId = '';
  #retry: number | undefined;
  /** Reconnections since the last event and since the last message; failed ones since the last success. */
  #attempts: number;
  #empty: number;
  #failures = 0;
  #noise = 0;

  constructor(posted: PostedRequest, at: ResumptionPort, begun: boolean) {
    this.#posted = posted;
    this.#at = at;
    // The first GET is sent without a delay.
    this.#attempts = this.#empty = begun ? 0 : -1;
  }

  /** Reads to the end of the stream, or until the request is over. Resolves to the error that broke it, if any. */
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
        // The dropped event may have been the answer, which is not sent again.
        requests.refuse(this.#posted, () => new HttpError(200, '', `${why} (the limit is ${maxMessageBytes} bytes)`));
      },
    });
    parser.retry = this.#retry;
    const cause = await answer.read((chunk) => this.#hear(chunk, 0, parser, answer)).catch((thrown: unknown) => thrown);
    ({ lastEventId: this.#lastEventId, retry: this.#retry } = parser);
    return cause;
  }

  /** Reads a chunk in small parts, since it may hold a thousand questions. The next part waits until answers are accepted. */
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

  /** Reopens the stream. Undefined if the request is over or the server has no such stream; throws if the stream is lost. */
  async resume(cause: unknown): Promise<HttpAnswer | undefined> {
    const { limits: { maxNoiseBytes, reconnectAttempts }, wait } = this.#at;
    const posted = this.#posted;
    for (;; this.#attempts++, this.#empty++) {
      if (this.#at.requests.over(posted)) return undefined;
      if (this.#noise > maxNoiseBytes) throw new ConnectionError('closed', `the stream was closed: ${noiseFault(maxNoiseBytes)}`);
      // 2026-07-28 basic/transports/streamable-http#receiving-messages: streams of this revision are not resumable.
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
 * Reads the stream that answers a request, and resumes it when it breaks. Without `answer` it begins with a GET.
 * Resolves when no more of it is needed, rejects if it is lost.
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
 * The id as a `Last-Event-ID` header: its bytes in UTF-8, one character each (WHATWG HTML 9.2.3). '' if it has
 * characters that a header must not have: a stream cannot be resumed after such an id.
 */
function sendable(id: string): string {
  if (!/[^\t\x20-\x7e]/.test(id)) return id;
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(id)) return '';
  return Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('');
}

/** Whether the same request would fail again. */
export const isRefusal = (thrown: unknown): boolean => thrown instanceof AuthorizationFailed
  || (thrown instanceof HttpError && thrown.status < 500 && thrown.status !== 429);

/**
 * Milliseconds before the next reconnection, at least the server's `retry`. A `retry` shorter than `reconnectMinMs` is
 * raised to it; while no message comes, that minimum doubles, up to `reconnectInitialMs`.
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
