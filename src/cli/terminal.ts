/**
 * Tables and lines for the terminal. It owns no stream.
 */
import { truncate, width } from '../explain/safe-text.ts';
import type { Paint } from '../host/node/style.ts';

/** How a table is laid out. */
export interface TableOptions {
  /** The most columns that a line may take; the widest cells are cut to fit. Default: no limit. */
  readonly columns?: number | undefined;
  /** Cells that do not fit go on in the next line instead of being cut. Default: false. */
  readonly wrap?: boolean | undefined;
  /** The indexes of the columns whose cells are never cut, such as names. Default: none. */
  readonly whole?: readonly number[] | undefined;
  /** The indexes of the columns whose cells stand to the right, such as numbers. Default: none. */
  readonly right?: readonly number[] | undefined;
  /** Paints the heads. Default: as they are. */
  readonly head?: Paint | undefined;
}

/**
 * A table as lines: heads, a rule, rows; two spaces between columns, none at the end of a line. Cells may be
 * painted; what came from the wire must be `visible` already.
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

/** The widths of columns that have so much room together: the widest ones give way, but those that stay whole. */
function fitted(natural: readonly number[], room: number, whole: readonly number[]): number[] {
  const widths = [...natural];
  const given = widths.map((_, i) => i).filter((i) => !whole.includes(i));
  const sum = (): number => widths.reduce((a, b) => a + b, 0);
  // A cell of a megabyte: no column is wider than the room.
  if (sum() > room) for (const i of given) widths[i] = Math.min(widths[i] ?? 0, Math.max(1, room));
  for (let over = sum() - room; over > 0; over--) {
    const widest = given.reduce((best, i) => ((widths[i] ?? 0) > (widths[best] ?? 0) ? i : best), given[0] ?? -1);
    if (widest < 0 || (widths[widest] ?? 0) <= 1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** A text without colours in pieces of at most so many columns, cut between words where there is a blank. */
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

/** Lines of at most so many columns, cut between words; a longer word has a line of its own. */
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
