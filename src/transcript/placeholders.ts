import { isPlaceholder } from './difference.ts';

/** Columns after which a message is broken into several lines. */
const columns = 120;

/**
 * `made`: members whose values a server creates anew in each session. `brought`: members in which the client sends them
 * back.
 */
const made: readonly string[] = ['requestState', 'nextCursor', 'taskId', 'elicitationId'];
const brought: readonly string[] = ['requestState', 'cursor', 'taskId', 'elicitationId'];
const nouns: Readonly<Record<string, string>> = { requestState: 'state', nextCursor: 'cursor', taskId: 'task', elicitationId: 'page' };

/** Replaces values that a server creates anew in each session by placeholders. */
export interface Placeholders {
  /** The placeholder of a value, named by a noun: `<session 1>`. The same for the same value. */
  of(noun: string, text: string): string;
  /** The placeholder of a known value; else the value. */
  known(text: string): string;
  /**
   * A message with its placeholders, and the lines that define texts which only look like placeholders. Undefined:
   * the text is not JSON, or `JSON.stringify` would write it differently.
   */
  message(from: 'client' | 'server', text: string): { readonly json: unknown; readonly definitions: string } | undefined;
}

/** Makes a `Placeholders` that is still empty. */
export function createPlaceholders(): Placeholders {
  const placeholders = new Map<string, string>();
  const counts = new Map<string, number>();
  const defined = new Set<string>();

  function of(noun: string, text: string): string {
    const known = placeholders.get(text);
    if (known !== undefined) return known;
    const count = (counts.get(noun) ?? 0) + 1;
    counts.set(noun, count);
    const name = `<${noun} ${count}>`;
    placeholders.set(text, name);
    return name;
  }

  /** The message with its placeholders; texts that only look like placeholders are added to `lookalikes`. */
  function replaced(value: unknown, from: 'client' | 'server', lookalikes: Set<string>, member: string = ''): unknown {
    if (typeof value === 'string') {
      if (from === 'server' && made.includes(member)) return of(nouns[member] ?? member, value);
      const known = brought.includes(member) ? placeholders.get(value) : undefined;
      if (known !== undefined) return known;
      if (isPlaceholder(value)) lookalikes.add(value);
      return value;
    }
    if (Array.isArray(value)) return value.map((item) => replaced(item, from, lookalikes));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, from, lookalikes, name)]));
  }

  return {
    of,
    known: (text) => placeholders.get(text) ?? text,
    message(from, text) {
      const message = exactly(text);
      if (message === undefined) return undefined;
      const lookalikes = new Set<string>();
      const json = replaced(message, from, lookalikes);
      const definitions = [...lookalikes].filter((one) => !defined.has(one)).map((one) => {
        defined.add(one);
        return `${one} is ${JSON.stringify(one)}\n`;
      });
      return { json, definitions: definitions.join('') };
    },
  };
}

/** The value of a JSON text, if `JSON.stringify` would write it with the same numbers; otherwise undefined. */
function exactly(text: string): unknown {
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\[^])*"?|-?\d[\d.eE+-]*/g)) {
    if (!token.startsWith('"') && token.replace(/\D/g, '').length > 15) return undefined;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** JSON on one line if it fits, else one line for each member. */
export function layout(value: unknown, indent: number, used: number): string {
  const line = inLine(value);
  if (used + line.length <= columns || typeof value !== 'object' || value === null) return line;
  const space = ' '.repeat(indent);
  const inner = Array.isArray(value)
    ? value.map((item) => layout(item, indent + 2, indent))
    : Object.entries(value).map(([name, one]) => {
      const key = `${JSON.stringify(name)}: `;
      return key + layout(one, indent + 2, indent + key.length);
    });
  const [left, right] = Array.isArray(value) ? '[]' : '{}';
  return `${left}\n${inner.map((one) => `${space}${one}`).join(',\n')}\n${' '.repeat(Math.max(2, indent - 2))}${right}`;
}

function inLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${inLine(one)}`).join(', ')}}`;
}
