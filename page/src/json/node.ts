// A JSON value as its text writes it: numbers keep their digits, and duplicate members stay. A node is a range of the text; its members
// are located only on request.
import { isExact } from './number.ts';
import { endOf, skipSpace } from './scan.ts';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'other';

/** One value of JSON. */
export interface JsonNode {
  readonly kind: JsonKind;
  /** The text of the value; '' for an object or array made by `nodeOfValue`. */
  readonly lexeme: string;
  /** The content of a string; for other kinds the lexeme. */
  readonly text: string;
  /** The number of members or items. */
  readonly size: number;
  /** Members or items from index `from` up to, not including, `to`; none for a scalar. Default: all. */
  entries(from?: number, to?: number): readonly JsonEntry[];
}

export interface JsonEntry {
  readonly name: string;
  readonly node: JsonNode;
  /** Another member of this object has the same name. */
  readonly twice: boolean;
}

/** The root value of a text that `JSON.parse` accepts. Throws a `SyntaxError` for any other text. */
export function nodeOfText(text: string): JsonNode {
  JSON.parse(text);
  return spanOf(text, skipSpace(text, 0));
}

const kinds: Readonly<Record<string, JsonKind>> = { '{': 'object', '[': 'array', '"': 'string', t: 'boolean', f: 'boolean', n: 'null' };

function spanOf(text: string, from: number): JsonNode {
  const kind = kinds[text[from] ?? ''] ?? 'number';
  let places: Places | undefined;
  const inside = (): Places => places ??= kind === 'object' || kind === 'array' ? placesIn(text, from, kind === 'object') : nowhere;
  const lexeme = (): string => text.slice(from, endOf(text, from));
  return {
    kind,
    get lexeme() {
      return lexeme();
    },
    get text() {
      return kind === 'string' ? String(JSON.parse(lexeme())) : lexeme();
    },
    get size() {
      return inside().values.length;
    },
    entries(first = 0, end = Infinity) {
      const { names, twice, values } = inside();
      return values.slice(first, end).map((value, at) => {
        const name = names?.[first + at] ?? String(first + at);
        return { name, node: spanOf(text, value), twice: twice.has(name) };
      });
    },
  };
}

/** Where the values of an object or array begin, and the member names of an object. */
interface Places {
  readonly names: readonly string[] | undefined;
  /** Names that occur more than once. */
  readonly twice: ReadonlySet<string>;
  readonly values: readonly number[];
}

const nowhere: Places = { names: undefined, twice: new Set(), values: [] };

function placesIn(text: string, from: number, named: boolean): Places {
  const names: string[] = [];
  const values: number[] = [];
  const known = new Set<string>();
  const twice = new Set<string>();
  let at = skipSpace(text, from + 1);
  while (at < text.length && text[at] !== '}' && text[at] !== ']') {
    if (named) {
      const end = endOf(text, at);
      const name = String(JSON.parse(text.slice(at, end)));
      if (known.has(name)) twice.add(name);
      known.add(name);
      names.push(name);
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    values.push(at);
    at = skipSpace(text, endOf(text, at));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return { names: named ? names : undefined, twice, values };
}

/** A node for a value that was parsed already. */
export function nodeOfValue(value: unknown): JsonNode {
  const kind = kindOf(value);
  const lexeme = kind === 'object' || kind === 'array' ? '' : kind === 'string' ? JSON.stringify(value) : String(value);
  let names: readonly string[] | undefined;
  const named = (): readonly string[] => names ??= typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return {
    kind, lexeme, text: kind === 'string' ? value as string : lexeme,
    get size() {
      return named().length;
    },
    entries: (from = 0, to = Infinity) => named().slice(from, to)
      .map((name) => ({ name, node: nodeOfValue((value as Readonly<Record<string, unknown>>)[name]), twice: false })),
  };
}

function kindOf(value: unknown): JsonKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'object': case 'string': case 'number': case 'boolean': return typeof value as JsonKind;
    default: return 'other';
  }
}

/** Whether JavaScript rounds this number. For a parsed value: whether it may have been rounded. */
export const isRounded = ({ kind, lexeme }: JsonNode): boolean => kind === 'number' && (!isExact(lexeme) || /^-?\d{16,}$/.test(lexeme) && !Number.isSafeInteger(Number(lexeme)));

/** Losses if JavaScript parses a text. */
export interface JsonLosses {
  /** Members whose name occurs more than once in their object. */
  readonly twice: number;
  /** Numbers that JavaScript rounds. */
  readonly rounded: number;
}

/** Counts the losses in a whole value, down to `depth` levels. */
export function lossesOf(node: JsonNode, depth: number = 200): JsonLosses {
  let [twice, rounded] = [0, isRounded(node) ? 1 : 0];
  if (depth > 0) {
    for (const entry of node.entries()) {
      const inside = lossesOf(entry.node, depth - 1);
      twice += inside.twice + (entry.twice ? 1 : 0);
      rounded += inside.rounded;
    }
  }
  return { twice, rounded };
}
