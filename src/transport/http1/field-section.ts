import { HttpFault } from './fault.ts';
import { tabFault } from './head-scanner.ts';
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
  #tab = false;

  /** `head`: the octets of a head, as characters; `scanner`: where its fields are. */
  constructor(head: string, { marks }: HeadScanner) {
    // Names are compared without case. Of a character below U+0100 the lower case is one character as well.
    const lower = head.toLowerCase();
    for (let i = 0; i < marks.length; i += 4) {
      let end = marks[i + 3] as number;
      const start = marks[i + 2] as number;
      // RFC 9112, 5.1: white space around the value is not part of it.
      while (end > start && head.charCodeAt(end - 1) === 32) end--;
      if (head.charCodeAt(end - 1) === 9) this.#tab = true;
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

  /** Why this head is refused: a tab at the end of a value, or a field that stands twice and must not. */
  get refused(): HttpFault | undefined {
    if (this.#tab) return tabFault();
    const names = this.#names;
    const twice = names.find((name, at) => names.indexOf(name) !== at && single.includes(name));
    return twice === undefined ? undefined : new HttpFault(`the field ${twice} stands twice`);
  }

  /** Whether a list of tokens has this one: RFC 9110, 5.6.1. */
  lists(name: string, token: string): boolean {
    const value = this.get(name)?.toLowerCase();
    return value !== undefined && (value === token || value.split(',').some((one) => one.trim() === token));
  }

  /** The fields in the order in which they came. */
  * [Symbol.iterator](): Generator<readonly [name: string, value: string]> {
    for (const [i, name] of this.#names.entries()) yield [name, this.#values[i] as string];
  }
}
