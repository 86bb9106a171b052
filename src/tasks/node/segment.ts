import { createHash } from 'node:crypto';

/**
 * A segment is a file of lines, each with a checksum. Lines after a torn line are not read. The first line of a task's
 * segment 0 is the task. Each further segment is a lease, or the end, as its first line shows.
 */
export type SegmentLine =
  | { readonly k: 'task'; readonly owner: string; readonly createdAt: number; readonly expiresAt: number | null; readonly head: string }
  /** Earlier versions wrote `cut` here. */
  | { readonly k: 'lease'; readonly ms: number; readonly cut?: readonly number[] }
  /** How many bytes of each earlier segment count. */
  | { readonly k: 'cut'; readonly cut: readonly number[] }
  | { readonly k: 'end'; readonly end: string }
  /** Records; with `w`, the task was given back, and waits for these answers. */
  | { readonly k: 'add'; readonly r: readonly string[]; readonly w?: readonly string[] }
  | { readonly k: 'renew'; readonly ms: number };

/** A parsed segment file. */
export interface Segment {
  readonly lines: readonly SegmentLine[];
  /** For each line, the offset of its end in the file. */
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
    try {
      values.push(JSON.parse(text));
    } catch {
      // The checksum is right but this is not JSON, so the store has not written it.
      break;
    }
    ends.push(from = to + 1);
  }
  return { values, ends };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const areSizes = (value: unknown): boolean => Array.isArray(value) && value.every(Number.isSafeInteger);

/** Whether the store writes such a line. */
function isLine(value: unknown): value is SegmentLine {
  const line = (value ?? {}) as Record<string, unknown>;
  switch (line['k']) {
    case 'task': return isText(line['owner']) && isText(line['head']) && Number.isFinite(line['createdAt'])
      && (line['expiresAt'] === null || Number.isFinite(line['expiresAt']));
    case 'lease': return Number.isFinite(line['ms']) && (line['cut'] === undefined || areSizes(line['cut']));
    case 'renew': return Number.isFinite(line['ms']);
    case 'cut': return areSizes(line['cut']);
    case 'end': return isText(line['end']);
    case 'add': return areTexts(line['r']) && (line['w'] === undefined || areTexts(line['w']));
    default: return false;
  }
}

/** Parses a segment, up to the first line that the store does not write. */
export function readSegment(bytes: Buffer): Segment {
  const { values, ends } = readLines(bytes);
  const stray = values.findIndex((value) => !isLine(value));
  const whole = stray < 0 ? values.length : stray;
  return { lines: values.slice(0, whole) as SegmentLine[], ends: ends.slice(0, whole) };
}

/** The lines in the first `bytes` bytes of a segment. */
export function linesWithin({ lines, ends }: Segment, bytes: number): readonly SegmentLine[] {
  return lines.filter((_, i) => (ends[i] as number) <= bytes);
}
