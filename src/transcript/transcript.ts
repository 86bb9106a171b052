import { errorMessage } from '../jsonrpc/errors.ts';

// A transcript is text: what passes on the wire, a line a message, with the prose that explains it.
//
// - `-->` is said by the client, `<--` by the server. What is indented belongs to the line above.
// - `<~~` is said by the server too, and may change places with its neighbours that are so marked.
// - `-!>` and `<!-` are said as they stand, because they are no messages.
// - `<meta> is {…}` says what a placeholder stands for. One that was not defined takes what it meets first, and stands
//   for that afterwards. `"<any>"` is anything at all.
// - Every other line is prose.

/** One message of a transcript. */
export interface Line {
  /** Who speaks. */
  readonly from: 'client' | 'server';
  /** The message, its placeholders not filled in; for `-!>` and `<!-` the text as it stands. */
  readonly json: unknown;
  /** Sent as it stands, because it is no JSON or must not be written anew. */
  readonly raw: boolean;
  /** May change places with its neighbours that are so marked too. */
  readonly anyOrder: boolean;
  /** Where it begins, for failures: the file's line, counted from 1. */
  readonly at: number;
}

/** A `.wire` file, read. */
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
  '<!-': { from: 'server', raw: true, anyOrder: false },
  '<~~': { from: 'server', raw: false, anyOrder: true },
};

/** Reads a transcript. Throws a `SyntaxError` where a message is not JSON, naming the line. */
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
    throw new SyntaxError(`line ${at}: ${errorMessage(thrown)}`);
  }
}
