import type { HeadScanner } from './head-scanner.ts';

/**
 * Names of fields that have one value. Two of them could be read as the first, the last, or a list, by this program and by a
 * proxy in front of it: a head that repeats one is refused.
 */
const single: readonly string[] = [
  'host', 'content-length', 'transfer-encoding', 'content-type', 'authorization', 'proxy-authorization', 'origin', 'expect',
  'location', 'content-encoding', 'mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id', 'dpop',
];

/** The fields of a head, in their order. */
export class FieldSection {
  readonly #names: string[] = [];
  readonly #values: string[] = [];

  /** `head`: the octets of a head, as characters; `scanner`: where its fields are. */
  constructor(head: string, { marks }: HeadScanner) {
    // Names are compared without case. Of a character below U+0100 the lower case is one character as well.
    const lower = head.toLowerCase();
    for (let i = 0; i < marks.length; i += 4) {
      let end = marks[i + 3] as number;
      const start = marks[i + 2] as number;
      // RFC 9112, 5.1: white space around the value is not part of it.
      while (end > start && (head.charCodeAt(end - 1) === 32 || head.charCodeAt(end - 1) === 9)) end--;
      this.#names.push(lower.slice(marks[i], marks[i + 1]));
      this.#values.push(head.slice(start, end));
    }
  }

  /** The value of a field, by its lower-case name; those of several lines are joined: RFC 9110, 5.3. */
  get(name: string): string | undefined {
    const names = this.#names;
    let at = names.indexOf(name);
    if (at < 0) return undefined;
    let value = this.#values[at] as string;
    while ((at = names.indexOf(name, at + 1)) >= 0) value += `${name === 'cookie' ? ';' : ','} ${this.#values[at] as string}`;
    return value;
  }

  /** The name of a field that stands twice and must not; undefined: there is none. */
  get repeated(): string | undefined {
    const names = this.#names;
    return names.find((name, at) => names.indexOf(name) !== at && single.includes(name));
  }

  /** Whether a list of tokens has this one: RFC 9110, 5.6.1. */
  lists(name: string, token: string): boolean {
    const value = this.get(name)?.toLowerCase();
    return value !== undefined && (value === token || value.split(',').some((one) => one.trim() === token));
  }

  * [Symbol.iterator](): Generator<readonly [name: string, value: string]> {
    for (const [i, name] of this.#names.entries()) yield [name, this.#values[i] as string];
  }
}
