import { ConnectionError } from '../../../jsonrpc/errors.ts';
import { sseParser } from '../sse-parser.ts';
import type { SseParserOptions } from '../sse-parser.ts';
import { pump } from './body.ts';

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
  response: Response, url: URL, onMessage: (text: string) => void,
  options: Pick<SseParserOptions, 'maxEventBytes' | 'onRefused'>,
): HttpSse {
  let settle: ((found?: Promise<URL>) => void) | undefined;
  const endpoint = new Promise<URL | undefined>((resolve) => {
    settle = resolve;
  });
  const ended = pump(response, sseParser({
    ...options,
    onEvent({ type, data }) {
      if (settle === undefined) {
        if (type === 'message') onMessage(data);
        return;
      }
      settle(type === 'endpoint' ? locate(data, url) : undefined);
      settle = undefined;
    },
  })).catch((cause: unknown) => cause);
  ended.then(() => settle?.());
  return { endpoint, ended };
}

async function locate(text: string, base: URL): Promise<URL> {
  const found = new URL(text, base);
  if (found.origin === base.origin) return found;
  throw new ConnectionError('closed', `the server names an endpoint on another origin: ${found.origin}`);
}
