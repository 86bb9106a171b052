import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredTask } from '../store.ts';
import { answerName, linesWithin, readLines, readSegment, segmentName, segmentNumber } from './segment.ts';
import type { Segment } from './segment.ts';

/** A task's folder, read. */
export interface TaskFolder {
  readonly task: StoredTask;
  /** The number of the last segment. */
  readonly last: number;
  /** How many bytes of each segment count, as the next lease has to say it. */
  readonly cut: readonly number[];
  /** Until when the last lease holds; 0: it was given back, or there is none. Infinity: nobody knows yet. */
  readonly until: number;
}

const isMissing = (error: unknown): boolean => (error as { code?: string }).code === 'ENOENT';

/** `undefined` where there is no such file. */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Reads a task's folder; undefined where there is no task in it. Segments may grow meanwhile: what is read is what they
 * held at some moment during the call. `below`: reads the segments before this one alone.
 */
export async function readTaskFolder(path: string, id: string, below: number = Infinity): Promise<TaskFolder | undefined> {
  const names = await ifThere(readdir(path));
  const numbers = names?.map(segmentNumber).filter((n) => n !== undefined && n < below) as number[] | undefined;
  if (!names || !numbers?.length) return undefined;
  const last = Math.max(...numbers);
  const segments: Segment[] = [];
  for (let n = 0; n <= last; n++) {
    const bytes = await ifThere(readFile(join(path, segmentName(n))));
    // Deleted while it was read.
    if (!bytes) return undefined;
    segments.push(readSegment(bytes));
  }
  const first = segments[0]?.lines[0];
  if (first?.k !== 'task') return undefined;

  // The last lease that has said what counts of those before it.
  const lease = segments.findLastIndex(({ lines }) => lines[0]?.k === 'lease');
  const said = lease > 0 ? segments[lease]?.lines[0] : undefined;
  const cut = segments.map(({ ends }, n) =>
    (said?.k === 'lease' && n < lease ? said.cut[n] ?? 0 : ends.at(-1) ?? 0));

  const records: string[] = [];
  let waiting: readonly string[] | undefined;
  let end: string | undefined;
  let ms = 0;
  segments.forEach((segment, n) => {
    for (const line of linesWithin(segment, cut[n] as number)) {
      if (line.k === 'lease') {
        waiting = undefined;
        ms = line.ms;
      } else if (line.k === 'renew') ms = line.ms;
      else if (line.k === 'end') end = line.end;
      else if (line.k === 'add') {
        records.push(...line.r);
        waiting = line.w;
      }
    }
  });

  let until = 0;
  if (end === undefined && last > 0 && waiting === undefined) {
    const written = await ifThere(stat(join(path, segmentName(last))));
    // A segment without a first line: somebody is about to take the task, or died on the way.
    const born = (segments[last]?.lines.length ?? 0) > 0;
    until = (written?.mtimeMs ?? 0) + (born ? ms : unbornMs);
  }

  const answers = new Map<string, string>();
  await Promise.all(names.filter((name) => name.startsWith('answer-')).map(async (name) => {
    const bytes = await ifThere(readFile(join(path, name)));
    const [answer] = bytes ? readLines(bytes).values as [{ key: string; answer: string }?] : [];
    if (answer) answers.set(answer.key, answer.answer);
  }));
  const { owner, createdAt, expiresAt, head } = first;
  return { task: { id, owner, createdAt, expiresAt, head, records, answers, waiting, end }, last, cut, until };
}

/** The name beside the segment of the end: whoever looks for work need not read more. It may be missing. */
export const endedName = 'ended';

/**
 * From when on somebody could take a task, in milliseconds since the epoch: 0: now. Infinity: not before the folder
 * changes. undefined: never, it has ended, or there is none. Reads no more than it must.
 */
export async function dueAt(path: string): Promise<number | undefined> {
  const names = await ifThere(readdir(path));
  if (!names || names.includes(endedName)) return undefined;
  const last = Math.max(-1, ...names.map((name) => segmentNumber(name) ?? -1));
  // Somebody is about to create it.
  if (last < 0) return Infinity;
  const name = join(path, segmentName(last));
  const [bytes, written] = await Promise.all([ifThere(readFile(name)), ifThere(stat(name))]);
  if (!bytes || !written) return undefined;
  const { lines } = readSegment(bytes);
  const [first] = lines;
  if (last === 0) return first?.k === 'task' ? 0 : written.mtimeMs + unbornMs / 50;
  if (first?.k === 'end') return undefined;
  const given = lines.findLast((line) => line.k === 'add');
  if (given?.k === 'add' && given.w) return given.w.every((key) => names.includes(answerName(key))) ? 0 : Infinity;
  const renewed = lines.findLast((line) => line.k === 'renew' || line.k === 'lease');
  return written.mtimeMs + (renewed ? (renewed as { ms: number }).ms : unbornMs);
}

/** How long a segment may be without its first line before it counts as nobody's. */
const unbornMs = 5_000;
