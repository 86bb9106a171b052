import { HttpFault } from './fault.ts';
import { tabFault } from './head-scanner.ts';
import type { HeadScanner } from './head-scanner.ts';

/**
 * Names of fields with a single value. If such a field were repeated, this program and a proxy in front of it could read it
 * differently (the first, the last, or a list): such a head is refused.
 */
const single: readonly string[] = [
  'host', 'content-length', 'transfer-encoding', 'content-type', 'authorization', 'proxy-authorization', 'origin', 'expect',
  'location', 'content-encoding', 'mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id', 'dpop',
];

/** The fields of a head, in order. */
export class FieldSection {
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  #tab = false;

  /** `head`: the octets of a head, as characters; `scanner`: the positions of its fields. */
  constructor(head: string, { marks }: HeadScanner) {
    // Names are case-insensitive. Lower case keeps the length of characters below U+0100.
    const lower = head.toLowerCase();
    for (let i = 0; i < marks.length; i += 4) {
      let end = marks[i + 3] as number;
      const start = marks[i + 2] as number;
      // RFC 9112, 5.1: white space around the value does not belong to it.
      while (end > start && head.charCodeAt(end - 1) === 32) end--;
      if (head.charCodeAt(end - 1) === 9) this.#tab = true;
      this.#names.push(lower.slice(marks[i], marks[i + 1]));
      this.#values.push(head.slice(start, end));
    }
  }

  /** The value of a field, by its lower-case name. Values of several lines are joined: RFC 9110, 5.3. */
  get(name: string): string | undefined {
    const names = this.#names;
    let at = names.indexOf(name);
    if (at < 0) return undefined;
    let value = this.#values[at] as string;
    while ((at = names.indexOf(name, at + 1)) >= 0) value += `${name === 'cookie' ? ';' : ','} ${this.#values[at] as string}`;
    return value;
  }

  /** Why this head is refused: a value ends with a tab, or a field with a single value is repeated. */
  get refused(): HttpFault | undefined {
    if (this.#tab) return tabFault();
    const names = this.#names;
    const twice = names.find((name, at) => names.indexOf(name) !== at && single.includes(name));
    return twice === undefined ? undefined : new HttpFault(`the field ${twice} is repeated`);
  }

  /** Whether a list field contains a token: RFC 9110, 5.6.1. */
  lists(name: string, token: string): boolean {
    const value = this.get(name)?.toLowerCase();
    return value !== undefined && (value === token || value.split(',').some((one) => one.trim() === token));
  }

  /** The fields in the order received. */
  * [Symbol.iterator](): Generator<readonly [name: string, value: string]> {
    for (const [i, name] of this.#names.entries()) yield [name, this.#values[i] as string];
  }
}
