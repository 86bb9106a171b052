import { ConnectionError } from '../../../jsonrpc/errors.ts';
import { noiseAfter, onlyNoise } from '../../../jsonrpc/noise.ts';
import { beginReading } from '../../../jsonrpc/turn.ts';
import { HttpError } from '../../port.ts';
import { sseParser } from '../sse-parser.ts';
import { AuthorizationFailed } from './authorization.ts';
import { isStream, readText } from './body.ts';
import type { HttpClientLimits } from './options.ts';
import type { PostedRequest, PostedRequests } from './posted-request.ts';
import type { HttpAnswer } from './sender.ts';

/** What following a stream needs of the transport. */
export interface Resumption {
  readonly requests: PostedRequests;
  readonly limits: HttpClientLimits;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
  /** Asks for a stream, from the event after this one on; '': from now on. */
  get(posted: PostedRequest, lastEventId: string): Promise<HttpAnswer>;
  /** Throws where an error status says that the session is gone. */
  checkSession(status: number, posted: PostedRequest, body: string): void;
}

/** Bytes of a stream that are read before it is asked whether the server takes our answers. */
const heardAtOnce = 8192;

/**
 * Reads the stream that answers a request, and resumes it where it breaks; without an answer it begins with a GET.
 * Resolves once nothing more is wanted of it, rejects where it is lost.
 * Source: 2025-11-25 basic/transports#resumability-and-redelivery.
 */
export async function follow(posted: PostedRequest, at: Resumption, answer?: HttpAnswer): Promise<void> {
  const { requests, limits } = at;
  const { cancellation } = posted;
  posted.streaming = true;
  let lastEventId = '';
  let retry: number | undefined;
  // Reconnections since the last event, since the last message, and failed ones since one that succeeded.
  let attempts = answer ? 0 : -1;
  let empty = attempts;
  let failures = 0;
  let cause: unknown;
  const { maxNoiseBytes } = limits;
  let noise = 0;
  for (;; attempts++, empty++) {
    if (answer !== undefined) {
      const parser = sseParser({
        lastEventId,
        maxEventBytes: limits.maxMessageBytes,
        onEvent({ type, data }) {
          attempts = 0;
          if (type !== 'message' || data === '') return;
          empty = 0;
          const decoded = requests.heard(data);
          noise = noiseAfter(noise, decoded);
          requests.deliver(decoded, posted);
        },
        onRefused(why) {
          // It may have been the answer, and is not sent again.
          requests.refuse(posted, () => new HttpError(200, '', `${why} (the limit is ${limits.maxMessageBytes} bytes)`));
        },
      });
      parser.retry = retry;
      // A chunk may hold a thousand questions: they are heard a few at a time, and the next ones wait for answers taken.
      const hear = (chunk: Uint8Array, from: number = 0): Promise<void> | undefined => {
        for (let at = from; at < chunk.length; at += heardAtOnce) {
          const part = chunk.subarray(at, at + heardAtOnce);
          beginReading();
          noise += part.length;
          parser.push(part);
          if (noise > maxNoiseBytes) {
            answer?.cancel();
            return undefined;
          }
          const relief = requests.relief();
          if (relief) return relief.then(() => hear(chunk, at + heardAtOnce));
        }
        return undefined;
      };
      cause = await answer.read((chunk) => hear(chunk)).catch((thrown: unknown) => thrown);
      ({ lastEventId, retry } = parser);
    }
    if (requests.over(posted)) return;
    if (noise > maxNoiseBytes) throw new ConnectionError('closed', `the stream was given up: ${onlyNoise(maxNoiseBytes)}`);
    // 2026-07-28 basic/transports/streamable-http#receiving-messages: its streams are not resumable.
    const resumable = posted.id === undefined || (!posted.modern && lastEventId !== '');
    if (!resumable || failures >= limits.reconnectAttempts) {
      const why = `the stream is lost (attempts to resume it: ${failures})`;
      throw new ConnectionError('closed', why, { cause });
    }
    // The GET stream is connected at once.
    if (attempts >= 0) await at.wait(delay(attempts, empty, retry, at), cancellation.signal);
    if (requests.over(posted)) return;
    answer = undefined;
    try {
      const opened = await at.get(posted, lastEventId);
      if (isStream(opened)) {
        answer = opened;
        failures = 0;
        continue;
      }
      const body = await readText(opened);
      // 2025-11-25 basic/transports#listening-for-messages-from-the-server: 405 means that there is none.
      if (opened.status === 405 && posted.id === undefined) return;
      at.checkSession(opened.status, posted, body);
      throw new HttpError(opened.status, body, `GET: HTTP ${opened.status}`);
    } catch (thrown) {
      if (isRefusal(thrown)) throw thrown;
      cause = thrown;
      failures++;
    }
  }
}

/** Whether asking again would be answered the same. */
export const isRefusal = (thrown: unknown): boolean => thrown instanceof AuthorizationFailed
  || (thrown instanceof HttpError && thrown.status < 500 && thrown.status !== 429);

/**
 * Milliseconds before the next reconnection. The server's `retry` is never undercut. A shorter one than
 * `reconnectMinMs` is not taken at its word: while no message comes, that time doubles, up to `reconnectInitialMs`.
 */
export function delay(
  attempts: number, empty: number, retry: number | undefined, { limits, random }: Resumption,
): number {
  const { reconnectMinMs, reconnectInitialMs, reconnectMaxMs } = limits;
  if (retry !== undefined && attempts === 0) {
    return Math.max(retry, Math.min(reconnectInitialMs, reconnectMinMs * 2 ** empty));
  }
  const most = Math.min(reconnectMaxMs, reconnectInitialMs * 2 ** attempts);
  return Math.max(retry ?? 0, reconnectMinMs, Math.round(most * (0.5 + random() / 2)));
}
