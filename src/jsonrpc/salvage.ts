import { invalid } from './codec.ts';
import type { Refusal } from './message.ts';

/** How much of either end of a message is looked at, in bytes. */
const endBytes = 256;

// A function, since a bundler cannot leave out a template with a tag.
const member = (): string => String.raw`"(?:jsonrpc|id|method)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+)\s*`;

/** A message that is too large to be held: its first and its last characters. */
export class Skipped {
  readonly #over: string;
  readonly #utf8 = new TextDecoder();
  #head = '';
  #tail = '';
  /** Bytes that the head still takes. */
  #room = endBytes;

  /** `over`: what it is too large for. */
  constructor(over: string) {
    this.#over = over;
  }

  #text(bytes: Uint8Array): string {
    return this.#utf8.decode(bytes, { stream: true });
  }

  /** Takes some more of it. */
  push(part: Uint8Array): void {
    const first = part.subarray(0, this.#room);
    this.#room -= first.length;
    this.#head += this.#text(first);
    this.#tail = (this.#tail + this.#text(part.subarray(-endBytes))).slice(-endBytes);
  }

  /**
   * Its refusal. The id, and whether it is a response, are read from the members before the large one and after it: whoever
   * waits for that answer need not wait until the time is up. What looks like a member before the last brace is one: in a
   * string its quotation marks would be escaped.
   */
  refusal(): Refusal {
    const head = this.#head;
    const opening = new RegExp(String.raw`^\s*\{\s*(?:${member()},\s*)*`).exec(head)?.[0] ?? '';
    const closing = new RegExp(String.raw`(?:,\s*${member()})+\}\s*$`).exec(this.#tail)?.[0] ?? '}';
    let found: Record<string, unknown> = {};
    try {
      // The large member, and what else is not known, stand between them.
      found = JSON.parse(`${opening}"":0${closing}`) as typeof found;
    } catch {
      // No object, or an escape that is none.
    }
    if (head.startsWith('"params"', opening.length)) found['method'] ??= '';
    return { ...invalid(`the message is over ${this.#over}`, found), lost: true };
  }
}
