/** How much of either end of a message is looked at: bytes, or characters. */
const endLength = 256;

// A function, since a bundler cannot leave out a template with a tag.
const member = (): string => String.raw`"(?:jsonrpc|id|method)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+)\s*`;

/**
 * What stands at both ends of a message that cannot be read whole: so the caller that waits for that answer need not
 * wait until the time is up. `members` are those before the first other member, and after the last; `next` is the name of the first other
 * one. What looks like a member before the last brace is one: in a string its quotation marks would be escaped.
 */
export function outerMembers(text: string): { members: Record<string, unknown>; next: string } {
  const head = text.slice(0, endLength);
  const opening = new RegExp(String.raw`^\s*\{\s*(?:${member()},\s*)*`).exec(head)?.[0] ?? '';
  const closing = new RegExp(String.raw`(?:,\s*${member()})+\}\s*$`).exec(text.slice(-endLength))?.[0] ?? '}';
  const next = /^"(\w+)"/.exec(head.slice(opening.length))?.[1] ?? '';
  try {
    // What cannot be read stands between them.
    return { members: JSON.parse(`${opening}"":0${closing}`) as Record<string, unknown>, next };
  } catch {
    // It is not an object, or an escape is malformed.
    return { members: {}, next: '' };
  }
}

/** A message that is too large to be held: what it is too large for, its first and its last characters. */
export class Skipped {
  /** What it is too large for. */
  readonly over: string;
  readonly #utf8 = new TextDecoder();
  #head = '';
  #tail = '';
  /** Bytes that the head still takes. */
  #room = endLength;

  constructor(over: string) {
    this.over = over;
  }

  #text(bytes: Uint8Array): string {
    return this.#utf8.decode(bytes, { stream: true });
  }

  /** Takes some more of it. */
  push(part: Uint8Array): void {
    const first = part.subarray(0, this.#room);
    this.#room -= first.length;
    this.#head += this.#text(first);
    this.#tail = (this.#tail + this.#text(part.subarray(-endLength))).slice(-endLength);
  }

  /** Its ends, with a mark for what stood between them. */
  ends(): string {
    return `${this.#head}…${this.#tail}`;
  }
}
