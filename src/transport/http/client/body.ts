import { joinBytes } from '../../../jsonrpc/bytes.ts';
import { ConnectionError, errorMessage } from '../../../jsonrpc/errors.ts';
import { HttpError } from '../../port.ts';
import type { SseParser } from '../sse-parser.ts';

/** The media type, without its parameters; '' where none is given. */
export function mediaType(response: Response): string {
  return (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function isStream(response: Response): boolean {
  return response.ok && response.body !== null && mediaType(response) === 'text/event-stream';
}

/**
 * Reads a body to its end. One that is over `maxBytes` is cut off there where `cut` says so; otherwise it
 * throws an `HttpError`. The length that the server announces is not trusted: the body may be compressed.
 */
export async function readBody(
  response: Response, maxBytes: number, cut: boolean = false,
): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    if (size > maxBytes) {
      // Not waited for: a server could keep the stream from ending.
      reader.cancel().catch(() => {});
      if (cut) break;
      throw new HttpError(response.status, '', `the answer is over the limit of ${maxBytes} bytes`);
    }
  }
  return joinBytes(parts, size);
}

/** The start of a body, mostly for a person: what is not UTF-8 in it is replaced. `maxBytes`: 1000. */
export async function readText(response: Response, maxBytes: number = 1000): Promise<string> {
  return new TextDecoder().decode(await readBody(response, maxBytes, true));
}

/** Feeds a stream to its parser. Resolves at its end, throws where it broke. */
export async function pump(response: Response, parser: SseParser): Promise<void> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.push(value);
  }
}

/** What `failed` may be told. The runtime's own words for a failed fetch are often in its cause. */
export function toFailure(thrown: unknown): Error {
  if (thrown instanceof HttpError || thrown instanceof ConnectionError) return thrown;
  const cause = thrown instanceof Error && thrown.cause;
  const why = errorMessage(thrown) + (cause ? `: ${errorMessage(cause)}` : '');
  return new ConnectionError('closed', why, { cause: thrown });
}
