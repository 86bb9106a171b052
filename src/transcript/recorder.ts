import { bag } from '../explain/words.ts';
import { isPlaceholder } from './difference.ts';

/** Columns after which a message is broken into several lines. */
const columns = 120;

/** Members whose values a server makes anew in each session; the client brings them back in members of the second list. */
const made: readonly string[] = ['requestState', 'nextCursor', 'taskId', 'elicitationId'];
const brought: readonly string[] = ['requestState', 'cursor', 'taskId', 'elicitationId'];
const nouns: Readonly<Record<string, string>> = { requestState: 'state', nextCursor: 'cursor', taskId: 'task', elicitationId: 'page' };

/** Writes what passes as a transcript. */
export interface Recorder {
  /** The lines of the transcript for one message, with their ends. `text` is one message as it passed. */
  add(from: 'client' | 'server', text: string): string;
}

/**
 * Writes messages as a transcript, one after the other. What a server makes anew in each session (`requestState`,
 * cursors, ids of tasks and pages) becomes a placeholder, so that the transcript fits the next session too. A line that
 * is no JSON, or whose numbers JavaScript would change, is kept as it stands.
 */
export function recorder(): Recorder {
  const placeholders = new Map<string, string>();
  const counts = new Map<string, number>();
  const defined = new Set<string>();
  const open = new Set<string>();

  function placeholderOf(member: string, text: string): string {
    const known = placeholders.get(text);
    if (known !== undefined) return known;
    const noun = nouns[member] ?? member;
    const count = (counts.get(noun) ?? 0) + 1;
    counts.set(noun, count);
    const name = `<${noun} ${count}>`;
    placeholders.set(text, name);
    return name;
  }

  /** The message with placeholders in it; texts that only look like some are added to `lookalikes`. */
  function replaced(value: unknown, from: 'client' | 'server', lookalikes: Set<string>, member: string = ''): unknown {
    if (typeof value === 'string') {
      if (from === 'server' && made.includes(member)) return placeholderOf(member, value);
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
    add(from, text) {
      const message = exactly(text);
      if (message === undefined) return `${from === 'client' ? '-!>' : '<!-'} ${text.replaceAll(/[\r\n]+/g, ' ')}\n`;
      const { id, method } = bag(message);
      const lookalikes = new Set<string>();
      const json = replaced(message, from, lookalikes);
      const definitions = [...lookalikes].filter((one) => !defined.has(one)).map((one) => {
        defined.add(one);
        return `${one} is ${JSON.stringify(one)}\n`;
      });
      // While several requests are open, nothing says in which order they are answered.
      const arrow = from === 'client' ? '-->' : open.size > 1 ? '<~~' : '<--';
      if (id !== undefined && from === 'client' && method !== undefined) open.add(String(id));
      if (id !== undefined && from === 'server' && method === undefined) open.delete(String(id));
      return `${definitions.join('')}${arrow} ${layout(json, 4, 4).trimStart()}\n`;
    },
  };
}

/** The value of a JSON text that `JSON.stringify` would write with the same numbers; undefined: it is none. */
function exactly(text: string): unknown {
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)) {
    if (!token.startsWith('"') && token.replace(/\D/g, '').length > 15) return undefined;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** JSON in one line where it fits, else a line a member. */
function layout(value: unknown, indent: number, used: number): string {
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
