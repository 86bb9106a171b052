/** Formats tables and lines for the terminal; writes to no stream. */
import { truncate, width } from '../explain/safe-text.ts';
import type { Paint } from '../host/node/style.ts';

/** The layout of a table. */
export interface TableOptions {
  /** The most columns of a line; the widest cells are cut to fit. Default: no limit. */
  readonly columns?: number | undefined;
  /** Cells that do not fit are wrapped instead of cut. Default: false. */
  readonly wrap?: boolean | undefined;
  /** The indexes of the columns whose cells are never cut, such as names. Default: none. */
  readonly whole?: readonly number[] | undefined;
  /** The indexes of the columns that are aligned right, such as numbers. Default: none. */
  readonly right?: readonly number[] | undefined;
  /** Colours the heads. Default: unchanged. */
  readonly head?: Paint | undefined;
}

/**
 * A table as lines: heads, a rule, rows. Two spaces between columns; lines have no trailing spaces. Cells may be
 * coloured. Text from the wire must be `visible` already.
 */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  options: TableOptions = {},
): string[] {
  const { columns = Infinity, right = [], whole = [], wrap: folds = false, head = (text) => text } = options;
  const natural = heads.map((text, i) => rows.reduce((most, row) => Math.max(most, width(row[i] ?? '')), width(text)));
  const widths = fitted(natural, columns - 2 * (heads.length - 1), whole);
  const line = (cells: readonly string[], paint: Paint): string =>
    widths
      .map((columns, i) => {
        const cell = truncate(cells[i] ?? '', columns);
        const space = ' '.repeat(columns - width(cell));
        return right.includes(i) ? space + paint(cell) : paint(cell) + (i === widths.length - 1 ? '' : space);
      })
      .join('  ')
      .trimEnd();
  const lines = (cells: readonly string[], paint: Paint): string[] => {
    if (!folds) return [line(cells, paint)];
    const folded = widths.map((columns, i) => fold(cells[i] ?? '', columns));
    const high = Math.max(...folded.map(({ length }) => length));
    return Array.from({ length: high }, (_, at) => line(folded.map((parts) => parts[at] ?? ''), paint));
  };
  return [
    ...lines(heads, head),
    widths.map((columns) => '─'.repeat(columns)).join('  '),
    ...rows.flatMap((row) => lines(row, (text) => text)),
  ];
}

/** Column widths that fit into `room`: the widest columns shrink, except those in `whole`. */
function fitted(natural: readonly number[], room: number, whole: readonly number[]): number[] {
  const widths = [...natural];
  const given = widths.map((_, i) => i).filter((i) => !whole.includes(i));
  const sum = (): number => widths.reduce((a, b) => a + b, 0);
  // A cell may have a megabyte: limit its width first, since the loop takes one column at a time.
  if (sum() > room) for (const i of given) widths[i] = Math.min(widths[i] ?? 0, Math.max(1, room));
  for (let over = sum() - room; over > 0; over--) {
    const widest = given.reduce((best, i) => ((widths[i] ?? 0) > (widths[best] ?? 0) ? i : best), given[0] ?? -1);
    if (widest < 0 || (widths[widest] ?? 0) <= 1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Splits a text without colours into pieces of at most `columns`, at a blank if possible. */
function fold(text: string, columns: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let wide = 0;
  for (const char of text) {
    const takes = width(char);
    if (wide + takes > columns && piece !== '') {
      const blank = piece.lastIndexOf(' ') + 1;
      const at = blank > piece.length / 2 ? blank : piece.length;
      pieces.push(piece.slice(0, at).trimEnd());
      piece = piece.slice(at);
      wide = width(piece);
    }
    piece += char;
    wide += takes;
  }
  return [...pieces, piece];
}

/** Lines of at most `columns`, split between words; a longer word gets its own line. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && width(line) + 1 + width(word) > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
