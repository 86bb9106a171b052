import { errorMessage } from '../jsonrpc/internal-exports.ts';

// A transcript is text: the messages on the wire, one on each line, with prose that explains them.
//
// - `-->` marks a line of the client, `<--` one of the server. An indented line continues the line above.
// - `<~~` also marks a line of the server; it may change places with neighbours that have the same mark.
// - `-!>` and `<!-` mark lines that are sent unchanged, because they are not messages.
// - `<meta> is {…}` defines a placeholder. A placeholder without a definition takes the first value that it meets, and
//   keeps it. `"<any>"` matches anything.
// - Every other line is prose.

/** One message of a transcript. */
export interface Line {
  /** The side that sends it. */
  readonly from: 'client' | 'server';
  /** The message with its placeholders; for `-!>` and `<!-` the unchanged text. */
  readonly json: unknown;
  /** Sent unchanged, because it is not JSON or `JSON.stringify` would write it differently. */
  readonly raw: boolean;
  /** May change places with neighbours that have the same mark. */
  readonly anyOrder: boolean;
  /** The line of the file where it begins, counted from 1, for failures. */
  readonly at: number;
}

/** A parsed `.wire` file. */
export interface Transcript {
  /** The values of the placeholders that the file defines: `<meta> is {…}`. */
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

/** Parses a transcript. Throws a `SyntaxError` that names the line if a message is not JSON. */
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
    // An indented line continues the message above it.
    while (/^ +\S/.test(source[at + 1] ?? '')) body += ` ${source[++at]?.trim()}`;
    if (definition !== null) defined.set(definition[1] ?? '', parseJson(body, begins));
    else if (arrow !== undefined) lines.push({ ...arrow, json: arrow.raw ? body : parseJson(body, begins), at: begins });
  }
  const title = prose.join('\n').trim().split('\n\n')[0] ?? '';
  return { defined, lines, title: title.replaceAll('\n', ' ') };
}

/** Parses JSON; throws an error that names the line if the text is not JSON. */
export function parseJson(body: string, at: number): unknown {
  try {
    return JSON.parse(body);
  } catch (thrown) {
    throw new SyntaxError(`line ${at}: ${errorMessage(thrown)}`);
  }
}
