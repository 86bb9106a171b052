// Transcripts: what passes on the wire, with the prose that explains it. README.md beside them tells their form.

/** One message of a transcript. */
export interface Line {
  /** Who speaks. */
  readonly from: 'client' | 'server';
  /** The message, its placeholders not filled in; for `-!>` the text as it stands. */
  readonly json: unknown;
  /** Sent as it stands, because it is no JSON or must not be written anew. */
  readonly raw: boolean;
  /** May change places with its neighbours that are so marked too. */
  readonly anyOrder: boolean;
  /** Where it begins, for failures: the file's line, counted from 1. */
  readonly at: number;
}

export interface Transcript {
  /** What the placeholders that the file defines stand for: `<meta> is {…}`. */
  readonly defined: ReadonlyMap<string, unknown>;
  readonly lines: readonly Line[];
  /** The first paragraph of the prose. */
  readonly title: string;
}

const arrows: Readonly<Record<string, Pick<Line, 'from' | 'raw' | 'anyOrder'>>> = {
  '-->': { from: 'client', raw: false, anyOrder: false },
  '-!>': { from: 'client', raw: true, anyOrder: false },
  '<--': { from: 'server', raw: false, anyOrder: false },
  '<~~': { from: 'server', raw: false, anyOrder: true },
};

/** Reads a transcript. Throws where a message is not JSON, naming the line. */
export function parseTranscript(text: string): Transcript {
  const defined = new Map<string, unknown>();
  const lines: Line[] = [];
  const prose: string[] = [];
  const source = text.split('\n');
  for (let at = 0; at < source.length; at++) {
    const line = source[at] ?? '';
    const arrow = arrows[line.slice(0, 3)];
    const definition = /^(<[a-z][a-z0-9 -]*>) is (.*)$/.exec(line);
    if (arrow === undefined && definition === null) {
      if (/^\s*(-|<|\{)/.test(line)) throw new SyntaxError(`line ${at + 1} is neither prose nor a message`);
      prose.push(line);
      continue;
    }
    const begins = at + 1;
    let body = definition === null ? line.slice(4) : definition[2] ?? '';
    // What is indented belongs to the message above it.
    while (/^ +\S/.test(source[at + 1] ?? '')) body += ` ${source[++at]?.trim()}`;
    if (definition !== null) defined.set(definition[1] ?? '', parseJson(body, begins));
    else if (arrow !== undefined) lines.push({ ...arrow, json: arrow.raw ? body : parseJson(body, begins), at: begins });
  }
  const title = prose.join('\n').trim().split('\n\n')[0] ?? '';
  return { defined, lines, title: title.replaceAll('\n', ' ') };
}

/** Throws for what is no JSON, naming the line. */
export function parseJson(body: string, at: number): unknown {
  try {
    return JSON.parse(body);
  } catch (thrown) {
    throw new SyntaxError(`line ${at}: ${(thrown as Error).message}`);
  }
}

const placeholder = /^<[a-z][a-z0-9 -]*>$/;

/** Puts what is known in the place of placeholders. Throws for one that nothing was seen of. */
export function fill(json: unknown, known: ReadonlyMap<string, unknown>): unknown {
  if (typeof json === 'string' && placeholder.test(json)) {
    if (!known.has(json)) throw new Error(`nothing is known of ${json}`);
    return known.get(json);
  }
  if (Array.isArray(json)) return json.map((item) => fill(item, known));
  if (!isRecord(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, fill(value, known)]));
}

/**
 * The first difference between a message and what was expected, as `path: expected …, got …`; undefined for none.
 * A placeholder takes what it meets and keeps it in `known`; `<any>` takes anything and keeps nothing.
 */
export function difference(expected: unknown, got: unknown, known: Map<string, unknown>, path: string = ''): string | undefined {
  if (expected === '<any>') return got === undefined ? `${path}: is missing` : undefined;
  if (typeof expected === 'string' && placeholder.test(expected)) {
    if (known.has(expected)) return difference(known.get(expected), got, new Map(), `${path} (${expected})`);
    if (got === undefined) return `${path}: is missing`;
    known.set(expected, got);
    return undefined;
  }
  if (Array.isArray(expected) && Array.isArray(got)) {
    if (expected.length !== got.length) return `${path}: expected ${expected.length} items, got ${got.length}`;
    return first(expected.map((_, index) => String(index)), (key) =>
      difference(expected[Number(key)], got[Number(key)], known, `${path}/${key}`));
  }
  if (isRecord(expected) && isRecord(got)) {
    const extra = Object.keys(got).find((key) => !Object.hasOwn(expected, key));
    if (extra !== undefined) return `${path}/${extra}: expected nothing, got ${JSON.stringify(got[extra])}`;
    return first(Object.keys(expected), (key) =>
      (Object.hasOwn(got, key) ? difference(expected[key], got[key], known, `${path}/${key}`) : `${path}/${key}: is missing`));
  }
  if (Object.is(expected, got)) return undefined;
  return `${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
}

function first(keys: readonly string[], find: (key: string) => string | undefined): string | undefined {
  for (const key of keys) {
    const found = find(key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
