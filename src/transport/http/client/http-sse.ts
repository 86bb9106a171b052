import { ConnectionError } from '../../../jsonrpc/errors.ts';
import type { Decoded } from '../../../jsonrpc/message.ts';
import { noiseAfter, onlyNoise } from '../../../jsonrpc/noise.ts';
import { beginReading } from '../../../jsonrpc/turn.ts';
import { sseParser } from '../sse-parser.ts';
import type { SseParserOptions } from '../sse-parser.ts';
import { AuthorizationFailed } from './authorization.ts';
import { isStream } from './body.ts';
import type { HttpClientLimits } from './options.ts';
import type { PostedRequest, PostedRequests } from './posted-request.ts';
import type { Requester } from './requester.ts';
import type { HttpAnswer } from './sender.ts';

/** The stream of an HTTP+SSE server. */
export interface HttpSse {
  /** Where messages are posted; undefined where the stream turns out to be something else. */
  readonly endpoint: Promise<URL | undefined>;
  /** Resolves at the end of the stream, to the error that broke it, if one did. */
  readonly ended: Promise<unknown>;
}

/**
 * Reads the stream of the old transport: first an `endpoint` event, then messages. The endpoint must be on
 * the origin of `url`: whoever answers there is sent everything, credentials included.
 * 2024-11-05 basic/transports#http-with-sse.
 */
export function readHttpSse(
  answer: HttpAnswer, url: URL, onMessage: (text: string) => Decoded,
  { maxNoiseBytes, ...options }: Pick<SseParserOptions, 'maxEventBytes' | 'onRefused'> & Pick<HttpClientLimits, 'maxNoiseBytes'>,
  relief: () => Promise<void> | undefined,
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
        if (type === 'message') noise = noiseAfter(noise, onMessage(data));
        return;
      }
      settle(type === 'endpoint' ? locate(data, url) : undefined);
      settle = undefined;
    },
  });
  const ended = answer.read((chunk) => {
    beginReading();
    // Before it is read: a message in this chunk sets the count to 0.
    noise += chunk.length;
    parser.push(chunk);
    if (noise <= maxNoiseBytes) return relief();
    answer.cancel();
    return undefined;
  }).catch((cause: unknown) => cause).then((cause) => (
    noise > maxNoiseBytes ? new ConnectionError('closed', `the stream was given up: ${onlyNoise(maxNoiseBytes)}`) : cause
  ));
  ended.then(() => settle?.());
  return { endpoint, ended };
}

async function locate(text: string, base: URL): Promise<URL> {
  const found = new URL(text, base);
  if (found.origin === base.origin) return found;
  throw new ConnectionError('closed', `the server names an endpoint on another origin: ${found.origin}`);
}

/** What looking for the old transport needs of the new one. */
export interface Fallback {
  readonly base: URL;
  readonly requests: PostedRequests;
  readonly limits: HttpClientLimits;
  readonly request: Requester;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * Looks for the old transport at the same address. Resolves with the endpoint that messages are posted to and the
 * stream that they come on, or with undefined where it is not there; rejects where its endpoint is not usable.
 * 2025-11-25 basic/transports#backwards-compatibility.
 */
export async function findHttpSse(
  { base, requests, limits, request, wait }: Fallback,
): Promise<{ endpoint: URL; stream: PostedRequest } | undefined> {
  const stream = requests.begin({}, undefined);
  const timer = new AbortController();
  let endpoint: URL | undefined;
  wait(limits.endpointMs, timer.signal).then(() => endpoint ?? stream.cancellation.cancel());
  try {
    const answer = await request.send('GET', base, stream, { own: { accept: 'text/event-stream' } });
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
      onRefused: (why) => requests.refuse(stream, () => new Error(`the stream: ${why}`), true),
    }, () => requests.relief());
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
    // Without an endpoint this ends the stream, too.
    timer.abort();
    if (endpoint === undefined) requests.end(stream);
  }
}
