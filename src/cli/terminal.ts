/**
 * Colours and tables for the terminal. It owns no stream.
 */
import { truncate, width } from '../explain/safe-text.ts';

/** Paints text, or returns it as it is where colour is off. */
export type Paint = (text: string) => string;

/** The paints that are in use. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly blue: Paint;
  readonly magenta: Paint;
  readonly cyan: Paint;
}

/**
 * Whether to use colour. `FORCE_COLOR` decides first (`0` and `false`: no, anything else: yes), then
 * `NO_COLOR` (no-color.org: no, unless empty), then `TERM=dumb` (no), then whether the stream is a terminal.
 */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTTY: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR) return false;
  return isTTY && env.TERM !== 'dumb';
}

/** The paints, real ones or blanks. */
export function style(colour: boolean): Style {
  const paint = (on: number, off: number): Paint =>
    colour ? (text) => (text === '' ? text : `\x1b[${on}m${text}\x1b[${off}m`) : (text) => text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    blue: paint(34, 39),
    magenta: paint(35, 39),
    cyan: paint(36, 39),
  };
}

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
