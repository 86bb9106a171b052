import { glyphs, head } from '../../explain/safe-text.ts';
import type { Paint } from './style.ts';

/** Options for framing a server's text. */
export interface FrameOptions {
  /** Columns of the screen. 80. */
  readonly columns?: number | undefined;
  /** The largest number of rows of text; one more row counts the omitted characters. 30. */
  readonly rows?: number | undefined;
  /** The mark before each row. `│`. */
  readonly mark?: string | undefined;
  /** Paints the mark, and the count of characters that were left out. */
  readonly dim?: Paint | undefined;
  /** Paints the text. */
  readonly paint?: Paint | undefined;
}

const plain: Paint = (text) => text;

/**
 * A server's text as rows for a terminal: each begins with a mark, and none is wider than the screen, so that no part of the text looks
 * like one of our lines. A text that is too long ends with `└` and a count; no row of text begins with `└`.
 */
export function framed(text: string, { columns = 80, rows: most = 30, mark = '│', dim = plain, paint = plain }: FrameOptions = {}): string[] {
  const { rows, used } = rowsOf(text, Math.max(10, columns - mark.length - 2), most);
  const shown = rows.map((row) => `${dim(mark)} ${paint(row)}`);
  const left = text.length - used;
  return left === 0 ? shown : [...shown, dim(`└ ${left.toLocaleString('en')} characters more were left out`)];
}

/** The width to write for: the columns of the terminal, 80 if they are unknown; 1,000 for a file or a pipe, where nothing wraps. */
export function columnsFor(stream: { readonly isTTY?: boolean; readonly columns?: number }): number {
  return stream.isTTY ? stream.columns || 80 : 1_000;
}

interface Cell {
  readonly shown: string;
  /** UTF-16 units of the text. */
  readonly units: number;
  readonly columns: number;
  readonly kind: 'end' | 'blank' | 'other';
}

/** The first rows of a text, each of at most `columns` columns, and how many UTF-16 units of the text they hold. */
export function rowsOf(text: string, columns: number, most: number): { readonly rows: readonly string[]; readonly used: number } {
  // A row holds at most as many units as columns, and a line end.
  const cells = cellsOf(head(text, most * (columns + 2)));
  const rows: string[] = [];
  let used = 0;
  for (let at = 0; at < cells.length && rows.length < most;) {
    let wide = 0;
    let blank = at;
    let stop = at;
    for (let cell; (cell = cells[stop]) !== undefined && cell.kind !== 'end' && wide + cell.columns <= columns; stop++) {
      wide += cell.columns;
      if (cell.kind === 'blank') blank = stop + 1;
    }
    const ended = cells[stop]?.kind === 'end';
    // Break between words if the last word begins in the second half of the row.
    if (!ended && stop < cells.length && blank > (at + stop) / 2) stop = blank;
    rows.push(cells.slice(at, stop).map(({ shown }) => shown).join(''));
    const next = ended ? stop + 1 : stop;
    for (const { units } of cells.slice(at, next)) used += units;
    at = next;
  }
  return { rows: rows.length === 0 ? [''] : rows, used };
}

function cellsOf(text: string): Cell[] {
  const cells: Cell[] = [];
  for (const { came, shown } of glyphs(text, '\n\r\t')) {
    if (came === '\n' && cells.at(-1)?.shown === '\r') cells.splice(-1, 1, { shown: '\n', units: 2, columns: 0, kind: 'end' });
    else if (came === '\n' || came === '\r') cells.push({ shown: came, units: 1, columns: 0, kind: 'end' });
    else if (came === '\t') cells.push({ shown: '    ', units: 1, columns: 4, kind: 'blank' });
    else cells.push({ shown, units: came.length, columns: columnsOf(shown), kind: came === ' ' ? 'blank' : 'other' });
  }
  return cells;
}

/**
 * The columns of a text, rather too many than too few: a row that is too wide would wrap without a mark. All
 * characters from U+1100 on count as wide, except punctuation, arrows and the lines of tables.
 */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const char of text) columns += char < '\u1100' || (char >= '\u2010' && char < '\u2600') ? 1 : 2;
  return columns;
}
