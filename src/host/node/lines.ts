import { columnsOf } from './frame.ts';

/** A stream that may be a terminal. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Writes lines to a stream. On a terminal, a line that does not fit continues after a mark, so that no part of it
 * looks like the beginning of one of our lines. Text from the wire must be `visible` already; colours of `style` pass.
 */
export function linesTo(stream: Screen): (line: string) => void {
  return (line) => void stream.write(`${rowsOn(stream, line).join('\n')}\n`);
}

/** The rows that a line takes on this stream. */
export const rowsOn = (stream: Omit<Screen, 'write'>, line: string): string[] => (stream.isTTY ? hanging(line, stream.columns || 80) : [line]);

/** The rows of a line: the first unchanged, the others after `  ┆ `. */
export function hanging(line: string, columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  let wide = 0;
  // A colour takes no column; only colours of `style` occur here.
  for (const part of line.split(/(\x1b\[[0-9;]*m)/)) {
    if (part.startsWith('\x1b')) {
      row += part;
      continue;
    }
    for (const char of part) {
      const takes = columnsOf(char);
      if (wide + takes > columns) {
        // Break between words if the last word begins in the second half of the row.
        const blank = row.lastIndexOf(' ') + 1;
        const at = blank > row.length / 2 ? blank : row.length;
        rows.push(row.slice(0, at));
        row = `  ┆ ${row.slice(at)}`;
        wide = columnsOf(row.replace(/\x1b\[[0-9;]*m/g, ''));
      }
      row += char;
      wide += takes;
    }
  }
  rows.push(row);
  return rows;
}
