import { ByteGatherer, peerBudget } from '../../../bounds/budget.ts';
import { ConnectionError, errorMessage, toError } from '../../../jsonrpc/errors.ts';
import { AuthorizationFailed, HttpError } from '../http-error.ts';
import type { HttpAnswer } from './sender.ts';

/** The smallest block that `ByteGatherer` allocates. */
const smallestBlock = 1024;

/** The media type of a `Content-Type` field, without its parameters, in lower case; '' without a field. RFC 9110, 8.3.1. */
export function mediaType(contentType: string | null | undefined): string {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export const isOk = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300;

export function isStream(answer: HttpAnswer): boolean {
  return isOk(answer) && mediaType(answer.header('content-type')) === 'text/event-stream';
}

/**
 * Reads a body to its end. If it is longer than `maxBytes`, it is cut off there if `cut` is true; otherwise this rejects
 * with an `HttpError`. The announced length is not trusted: the body may be compressed.
 */
export function readBody(answer: HttpAnswer, maxBytes: number, cut?: boolean): Promise<Uint8Array> {
  // Enough for chunks of any size. The budget of the process also counts all responses that are being read.
  const gathered = new ByteGatherer(peerBudget(2 * maxBytes + smallestBlock));
  return new Promise((resolve, reject) => {
    let ended = false;
    const fail = (thrown: unknown): void => {
      gathered.clear();
      reject(thrown);
    };
    const end = (): void => resolve(gathered.take());
    const pass = (limit: string): void => {
      ended = true;
      if (cut) end();
      else fail(new HttpError(answer.status, '', `the answer is over ${limit}`));
      answer.cancel();
    };
    answer.read((chunk) => {
      if (ended) return;
      const part = chunk.subarray(0, maxBytes - gathered.length);
      if (!gathered.push(part)) pass('the limit of bytes held at a time');
      else if (part.length < chunk.length) pass(`the limit of ${maxBytes} bytes`);
    }).then(end, fail);
  });
}

/** The start of a body, mostly for a person: invalid UTF-8 is replaced. `maxBytes`: 1000. */
export async function readText(answer: HttpAnswer, maxBytes: number = 1000): Promise<string> {
  return new TextDecoder().decode(await readBody(answer, maxBytes, true));
}

/** The error for `failed`. The runtime's reason for a failed fetch is often in the `cause`. */
export function toFailure(thrown: unknown): Error {
  if (thrown instanceof AuthorizationFailed) return toError(thrown.thrown);
  if (thrown instanceof HttpError || thrown instanceof ConnectionError) return thrown;
  const cause = thrown instanceof Error && thrown.cause;
  const why = errorMessage(thrown) + (cause ? `: ${errorMessage(cause)}` : '');
  return new ConnectionError('closed', why, { cause: thrown });
}
