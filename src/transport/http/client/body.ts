import { joinBytes } from '../../../jsonrpc/bytes.ts';
import { ConnectionError, errorMessage, toError } from '../../../jsonrpc/errors.ts';
import { HttpError } from '../../port.ts';
import { AuthorizationFailed } from './authorization.ts';
import type { HttpAnswer } from './sender.ts';

/** The media type, without its parameters; '' where none is given. */
export function mediaType(answer: HttpAnswer): string {
  return answer.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export const isOk = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300;

export function isStream(answer: HttpAnswer): boolean {
  return isOk(answer) && mediaType(answer) === 'text/event-stream';
}

/**
 * Reads a body to its end. One that is over `maxBytes` is cut off there where `cut` says so; otherwise it
 * throws an `HttpError`. The length that the server announces is not trusted: the body may be compressed.
 */
export async function readBody(
  answer: HttpAnswer, maxBytes: number, cut: boolean = false,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    answer.read((chunk) => {
      if (size > maxBytes) return;
      parts.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      resolve();
      answer.cancel();
    }).then(resolve, reject);
  });
  if (size > maxBytes && !cut) {
    throw new HttpError(answer.status, '', `the answer is over the limit of ${maxBytes} bytes`);
  }
  return joinBytes(parts, size);
}

/** The start of a body, mostly for a person: what is not UTF-8 in it is replaced. `maxBytes`: 1000. */
export async function readText(answer: HttpAnswer, maxBytes: number = 1000): Promise<string> {
  return new TextDecoder().decode(await readBody(answer, maxBytes, true));
}

/** What `failed` may be told. The runtime's own words for a failed fetch are often in its cause. */
export function toFailure(thrown: unknown): Error {
  if (thrown instanceof AuthorizationFailed) return toError(thrown.thrown);
  if (thrown instanceof HttpError || thrown instanceof ConnectionError) return thrown;
  const cause = thrown instanceof Error && thrown.cause;
  const why = errorMessage(thrown) + (cause ? `: ${errorMessage(cause)}` : '');
  return new ConnectionError('closed', why, { cause: thrown });
}
