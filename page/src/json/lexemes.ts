// Keeps numbers as they were typed, by JSON Pointer, where JavaScript would write them otherwise.
import { nodeOfText } from './node.ts';
import type { JsonNode } from './node.ts';
import { isJsonNumber, numberOf } from './number.ts';

/** The text of a number, by the JSON Pointer of its place. */
export type Lexemes = Readonly<Record<string, string>>;

/** Appends a member name or an index to a JSON Pointer. RFC 6901. */
export const below = (path: string, name: string | number): string =>
  `${path}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The numbers of a JSON text that `JSON.stringify` would write otherwise. */
export function lexemesOf(text: string): Lexemes {
  const found: [string, string][] = [];
  const look = (node: JsonNode, path: string, depth: number): void => {
    if (node.kind === 'number') {
      if (JSON.stringify(Number(node.lexeme)) !== node.lexeme) found.push([path, node.lexeme]);
    } else if (depth < 200) for (const { name, node: one } of node.entries()) look(one, below(path, name), depth + 1);
  };
  look(nodeOfText(text), '', 0);
  // fromEntries calls no setter, so `__proto__` is an ordinary name.
  return Object.fromEntries(found);
}

/** Parses JSON; a number too large for JavaScript becomes the largest finite one. Throws if the text is not JSON. */
export function parseNearest(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown) => (value === Infinity ? Number.MAX_VALUE : value === -Infinity ? -Number.MAX_VALUE : value));
}

/** Keeps the lexemes that are JSON numbers and equal the number at their place in `value`. */
export function fitting(value: unknown, lexemes: Lexemes): Lexemes {
  return Object.fromEntries(Object.entries(lexemes).filter(([path, lexeme]) => isJsonNumber(lexeme) && numberOf(lexeme) === valueAt(value, path)));
}

function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const step of path.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? at[name as keyof typeof at] : undefined;
  }
  return at;
}

/** A copy of `value`; each number that has a lexeme is replaced by `put(lexeme)`. */
export function replaced(value: unknown, lexemes: Lexemes, put: (lexeme: string) => unknown, path: string = ''): unknown {
  if (typeof value === 'number') return Object.hasOwn(lexemes, path) ? put(lexemes[path] as string) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one: unknown, at) => replaced(one, lexemes, put, below(path, at)));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, lexemes, put, below(path, name))]));
}

/** The JSON text of `value`, with numbers as they were typed. `space`: as in `JSON.stringify`. */
export function print(value: unknown, lexemes: Lexemes, space?: number): string {
  const kept = fitting(value, lexemes);
  if (Object.keys(kept).length === 0) return JSON.stringify(value, undefined, space);
  const mark = `number ${Math.random().toString(36).slice(2)} `;
  const text = JSON.stringify(replaced(value, kept, (lexeme) => mark + lexeme), undefined, space);
  return text.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}
