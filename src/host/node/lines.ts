import { columnsOf } from './frame.ts';

/** A stream that may be a terminal. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Writes lines to a stream. At a terminal a line that does not fit goes on behind a mark, so that no part of it stands
 * where a line of ours would begin. What came from the wire must be `visible` already; colours of `style` pass.
 */
export function linesTo(stream: Screen): (line: string) => void {
  return (line) => void stream.write(`${rowsOn(stream, line).join('\n')}\n`);
}

/** The rows that a line takes on this stream. */
export const rowsOn = (stream: Omit<Screen, 'write'>, line: string): string[] => (stream.isTTY ? hanging(line, stream.columns || 80) : [line]);

/** The rows of a line: the first as it is, the others behind `  ┆ `. */
export function hanging(line: string, columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  let wide = 0;
  // A colour takes no column; only those of `style` are here.
  for (const part of line.split(/(\x1b\[[0-9;]*m)/)) {
    if (part.startsWith('\x1b')) {
      row += part;
      continue;
    }
    for (const char of part) {
      const takes = columnsOf(char);
      if (wide + takes > columns) {
        // Between words, where the last one begins in the second half of the row.
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
