import { isRequestId } from './codec.ts';
import * as errorCodes from './error-codes.ts';
import type { Refusal, RequestId } from './message.ts';

/** How much of either end of a message is looked at, in bytes. */
export const endBytes = 256;

const member = String.raw`"(jsonrpc|id|method)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*`;

/**
 * The refusal of a message that was too large to keep, from its first and last bytes. Members of the outermost
 * object that stand before its large one, or after it, say its id and whether it is a response: whoever waits for
 * that answer need not wait until the time is up. In JSON what looks like a member before the last brace is one:
 * in a string its quotation marks would be escaped.
 */
export function refuseLarge(head: Uint8Array, tail: Uint8Array, over: string): Refusal {
  const utf8 = new TextDecoder();
  const start = utf8.decode(head);
  const opening = start.match(new RegExp(String.raw`^\s*\{\s*(?:${member},\s*)*`))?.[0] ?? '';
  const closing = utf8.decode(tail).match(new RegExp(String.raw`(?:,\s*${member})+\}\s*$`))?.[0] ?? '';
  let id: RequestId | null = null;
  let isCall = /^"params"/.test(start.slice(opening.length));
  for (const [, name, value = ''] of (opening + closing).matchAll(new RegExp(member, 'g'))) {
    if (name === 'method') isCall = true;
    if (name !== 'id') continue;
    const read = readId(value);
    if (isRequestId(read)) id = read;
  }
  const what = `the message is over ${over}`;
  const refusal: Refusal = {
    kind: 'refusal', id, error: { code: errorCodes.invalidRequest, message: `Invalid request: ${what}` },
  };
  return isCall ? refusal : { ...refusal, answer: `Invalid answer: ${what}`, lost: true };
}

function readId(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An escape that is none.
    return undefined;
  }
}
