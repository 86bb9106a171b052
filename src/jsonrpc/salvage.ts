import { invalid } from './codec.ts';
import type { Refusal } from './message.ts';

/** How much of either end of a message is looked at, in bytes. */
export const endBytes = 256;

const member = String.raw`"(?:jsonrpc|id|method)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+)\s*`;

/**
 * The refusal of a message that was too large to keep, from its first and last bytes. Members of the outermost
 * object that stand before its large one, or after it, say its id and whether it is a response: whoever waits for
 * that answer need not wait until the time is up. In JSON what looks like a member before the last brace is one:
 * in a string its quotation marks would be escaped.
 */
export function refuseLarge(head: Uint8Array, tail: Uint8Array, over: string): Refusal {
  const utf8 = new TextDecoder();
  const start = utf8.decode(head);
  const opening = new RegExp(String.raw`^\s*\{\s*(?:${member},\s*)*`).exec(start)?.[0] ?? '';
  const closing = new RegExp(String.raw`(?:,\s*${member})+\}\s*$`).exec(utf8.decode(tail))?.[0] ?? '';
  let found: Record<string, unknown> = {};
  try {
    found = JSON.parse(`{${(opening + closing).match(new RegExp(member, 'g')) ?? ''}}`) as typeof found;
  } catch {
    // An escape that is none.
  }
  if (start.startsWith('"params"', opening.length)) found['method'] ??= '';
  const refused = invalid(`the message is over ${over}`, found);
  return refused.answer === undefined ? refused : { ...refused, lost: true };
}
