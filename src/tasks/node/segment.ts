import { createHash } from 'node:crypto';

/**
 * A segment is a file of lines, each with a checksum: what is after a line that is torn is not read. The first line of
 * a task's segment 0 says what it is to do. Each further segment is a lease, or the end; its first line says which.
 */
export type Line =
  | { readonly k: 'task'; readonly owner: string; readonly createdAt: number; readonly expiresAt: number | null; readonly head: string }
  /** `cut`: how many bytes of each earlier segment count. */
  | { readonly k: 'lease'; readonly ms: number; readonly cut: readonly number[] }
  | { readonly k: 'end'; readonly end: string }
  /** Records; with `w`, the task was given back, and waits for these answers. */
  | { readonly k: 'add'; readonly r: readonly string[]; readonly w?: readonly string[] }
  | { readonly k: 'renew'; readonly ms: number };

/** What a file says. */
export interface Segment {
  readonly lines: readonly Line[];
  /** For each line, the bytes up to and with it. */
  readonly ends: readonly number[];
}

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** One line with its checksum. */
export function sealLine(value: unknown): string {
  const text = JSON.stringify(value);
  return `${checksum(text)} ${text}\n`;
}

const newline = 0x0a;

/** The values of whole lines, up to the first that is torn or damaged. */
export function readLines(bytes: Buffer): { values: unknown[]; ends: number[] } {
  const values: unknown[] = [];
  const ends: number[] = [];
  for (let from = 0; ;) {
    const to = bytes.indexOf(newline, from);
    if (to < 0) break;
    const line = bytes.toString('utf8', from, to);
    const text = line.slice(17);
    if (line[16] !== ' ' || line.slice(0, 16) !== checksum(text)) break;
    values.push(JSON.parse(text));
    ends.push(from = to + 1);
  }
  return { values, ends };
}

/** Reads a segment. */
export function readSegment(bytes: Buffer): Segment {
  const { values, ends } = readLines(bytes);
  return { lines: values as Line[], ends };
}

/** The lines of a segment that count, where so many bytes of it do. */
export function linesWithin({ lines, ends }: Segment, bytes: number): readonly Line[] {
  return lines.filter((_, i) => (ends[i] as number) <= bytes);
}

/** The name of a segment. */
export const segmentName = (number: number): string => `${String(number).padStart(8, '0')}.log`;

/** The number of a segment; undefined for the names of other files. */
export function segmentNumber(name: string): number | undefined {
  const match = /^(\d{8,})\.log$/.exec(name);
  return match ? Number(match[1]) : undefined;
}

/** The name of the file of an answer: keys are any text, and some file systems know no case. */
export const answerName = (key: string): string =>
  `answer-${createHash('sha256').update(key).digest('hex').slice(0, 40)}`;
