import type { Clock } from '../../../bounds/clock.ts';
import { ConnectionError } from '../../../jsonrpc/errors.ts';
import type { Decoded } from '../../../jsonrpc/message.ts';
import { beginReading, noiseAfter, noiseFault } from '../../../bounds/reading.ts';
import { sseParser } from '../sse-parser.ts';
import type { SseParserOptions } from '../sse-parser.ts';
import { AuthorizationFailed, HttpError } from '../http-error.ts';
import { isStream } from './body.ts';
import type { HttpClientLimits } from './options.ts';
import type { PostedRequest } from './posted-request.ts';
import type { ResumptionPort } from './resumption.ts';
import type { HttpAnswer } from './sender.ts';

/** The stream of an HTTP+SSE server. */
export interface HttpSse {
  /** The URL to post messages to; undefined if the stream is not one of HTTP+SSE. */
  readonly endpoint: Promise<URL | undefined>;
  /** Resolves at the end of the stream; with an error if an error ended it. */
  readonly ended: Promise<unknown>;
}

/**
 * Reads the stream of HTTP+SSE: first an `endpoint` event, then messages. The endpoint must have
 * the origin of `url`, because it gets every message, and the credentials.
 * 2024-11-05 basic/transports#http-with-sse.
 */
export function readHttpSse(
  answer: HttpAnswer, url: URL, onMessage: (text: string) => Decoded,
  { maxNoiseBytes, ...options }: Pick<SseParserOptions, 'maxEventBytes' | 'onRefused'> & Pick<HttpClientLimits, 'maxNoiseBytes'>,
  relief: () => Promise<void> | undefined,
  clock: Clock,
): HttpSse {
  let noise = 0;
  let settle: ((found?: Promise<URL>) => void) | undefined;
  const endpoint = new Promise<URL | undefined>((resolve) => {
    settle = resolve;
  });
  const parser = sseParser({
    ...options,
    onEvent({ type, data }) {
      if (settle === undefined) {
        if (type === 'message') noise = noiseAfter(noise, onMessage(data).kind);
        return;
      }
      settle(type === 'endpoint' ? locate(data, url) : undefined);
      settle = undefined;
    },
  });
  const ended = answer.read((chunk) => {
    beginReading(clock);
    // Count before reading: a message in this chunk resets the count to 0.
    noise += chunk.length;
    parser.push(chunk);
    if (noise <= maxNoiseBytes) return relief();
    answer.cancel();
    return undefined;
  }).catch((cause: unknown) => cause).then((cause) => (
    noise > maxNoiseBytes ? new ConnectionError('closed', `the stream was closed: ${noiseFault(maxNoiseBytes)}`) : cause
  ));
  ended.then(() => settle?.());
  return { endpoint, ended };
}

async function locate(text: string, base: URL): Promise<URL> {
  const found = new URL(text, base);
  if (found.origin === base.origin) return found;
  throw new ConnectionError('closed', `the server names an endpoint on another origin: ${found.origin}`);
}

/** An `endpoint` event must come within this many bytes, if it is the first event. */
const maxFirstEvent = 8192;

/** The type of the stream's first event, and the response with its whole body. Undefined: no event, or a long one. */
export async function firstEvent(answer: HttpAnswer): Promise<{ type: string | undefined; whole: HttpAnswer }> {
  const seen: Uint8Array[] = [];
  let length = 0;
  let goOn: ((read: Parameters<HttpAnswer['read']>[0]) => void) | undefined;
  const reader = new Promise<Parameters<HttpAnswer['read']>[0]>((resolve) => (goOn = resolve));
  let next: Parameters<HttpAnswer['read']>[0] | undefined;
  let body: Promise<void> = Promise.resolve();
  const type = await new Promise<string | undefined>((resolve) => {
    let found = false;
    const tell = (first?: string): void => {
      found = true;
      resolve(first);
    };
    const parser = sseParser({ maxEventBytes: maxFirstEvent, onEvent: ({ type }) => found || tell(type), onRefused: () => tell() });
    body = answer.read((chunk) => {
      if (next) return next(chunk);
      // The sender may reuse the chunk's buffer.
      seen.push(chunk.slice());
      length += chunk.length;
      parser.push(chunk);
      if (!found && length > maxFirstEvent) tell();
      // Pause until the rest of the body is read.
      return found ? reader.then(() => {}) : undefined;
    });
    body.then(() => tell(), () => tell());
  });
  return {
    type,
    // Not spread: the response may be an instance of a class.
    whole: {
      status: answer.status,
      header: (name) => answer.header(name),
      fields: () => answer.fields(),
      cancel: () => answer.cancel(),
      async read(onChunk) {
        for (const chunk of seen.splice(0)) await onChunk(chunk);
        next = onChunk;
        goOn?.(onChunk);
        await body;
      },
    },
  };
}

/**
 * Looks for the transport HTTP+SSE at the address of Streamable HTTP. Resolves with the endpoint for POSTs and the stream
 * of answers; undefined if the server does not have it. Rejects if its endpoint is not usable.
 * 2025-11-25 basic/transports#backwards-compatibility.
 */
export function findHttpSse(base: URL, port: ResumptionPort): Promise<{ endpoint: URL; stream: PostedRequest } | undefined> {
  const stream = port.requests.begin({}, undefined);
  return beginHttpSse(base, stream, () => port.get(stream, ''), port);
}

/** Like `findHttpSse`, for a stream that was requested before: `open` returns its response. */
export async function beginHttpSse(
  base: URL, stream: PostedRequest, open: () => HttpAnswer | Promise<HttpAnswer>, { requests, limits, clock, wait }: ResumptionPort,
): Promise<{ endpoint: URL; stream: PostedRequest } | undefined> {
  const timer = new AbortController();
  let endpoint: URL | undefined;
  wait(limits.endpointMs, timer.signal).then(() => endpoint ?? stream.cancellation.cancel());
  try {
    const answer = await open();
    if (!isStream(answer)) {
      answer.cancel();
      return undefined;
    }
    stream.streaming = true;
    const hear = (text: string): Decoded => {
      const decoded = requests.heard(text);
      requests.deliver(decoded, stream);
      return decoded;
    };
    const read = readHttpSse(answer, base, hear, {
      maxEventBytes: limits.maxMessageBytes,
      maxNoiseBytes: limits.maxNoiseBytes,
      onRefused: (why) => requests.refuseOne(() => new HttpError(200, '', `the stream: ${why}`)),
    }, () => requests.relief(), clock);
    endpoint = await read.endpoint;
    if (endpoint === undefined) return undefined;
    read.ended.then((cause) => {
      const why = cause instanceof ConnectionError ? cause.message : 'the server ended its stream';
      if (!requests.over(stream)) requests.receiver?.closed(why, cause);
      requests.end(stream);
    });
    return { endpoint, stream };
  } catch (thrown) {
    if (thrown instanceof ConnectionError || thrown instanceof AuthorizationFailed) throw thrown;
    return undefined;
  } finally {
    // If no endpoint came, this also ends the stream.
    timer.abort();
    if (endpoint === undefined) requests.end(stream);
  }
}
