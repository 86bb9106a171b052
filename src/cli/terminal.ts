/**
 * Tables and lines for the terminal. It owns no stream.
 */
import { truncate, width } from '../explain/safe-text.ts';
import type { Paint } from '../host/node/style.ts';

/** How a table is laid out. */
export interface TableOptions {
  /** The most columns that a line may take; the widest cells are cut to fit. Default: no limit. */
  readonly columns?: number | undefined;
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
  const { columns = Infinity, right = [], head = (text) => text } = options;
  const widths = heads.map((text, i) => Math.max(width(text), ...rows.map((row) => width(row[i] ?? ''))));
  const gaps = 2 * (heads.length - 1);
  for (let over = widths.reduce((a, b) => a + b, gaps) - columns; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= 1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  const line = (cells: readonly string[], paint: Paint): string =>
    widths
      .map((columns, i) => {
        const cell = truncate(cells[i] ?? '', columns);
        const space = ' '.repeat(columns - width(cell));
        return right.includes(i) ? space + paint(cell) : paint(cell) + (i === widths.length - 1 ? '' : space);
      })
      .join('  ')
      .trimEnd();
  return [
    line(heads, head),
    widths.map((columns) => '─'.repeat(columns)).join('  '),
    ...rows.map((row) => line(row, (text) => text)),
  ];
}

/** Lines of at most so many columns, cut between words; a longer word stands alone. */
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
