import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredTask } from '../store.ts';
import { isAnswer, segmentName, segmentNumber } from './names.ts';
import { ifOurs, ifThere } from './private-files.ts';
import { linesWithin, readLines, readSegment } from './segment.ts';
import type { SegmentLine, Segment } from './segment.ts';

/** A lease as its file describes it. */
export interface WrittenLease {
  readonly segment: number;
  /** When its file was written or renewed last, in milliseconds since the epoch. */
  readonly writtenAt: number;
  /** How long it holds after that, in milliseconds. */
  readonly ms: number;
}

/** A task's folder, parsed. */
export interface TaskFolder {
  readonly task: StoredTask;
  /** The number of the last segment. */
  readonly last: number;
  /** How many bytes of each segment count: the next lease records this. */
  readonly cut: readonly number[];
  /** The last lease; undefined if none was given, if it was given back, or if the task has ended. */
  readonly lease: WrittenLease | undefined;
}

/**
 * Reads a task's folder; undefined if it holds no task. Segments may grow meanwhile: the result is their content at
 * some moment during the call. `below`: reads only the segments before this one.
 */
export async function readTaskFolder(path: string, id: string, below: number = Infinity): Promise<TaskFolder | undefined> {
  const names = await ifOurs(readdir(path));
  const numbers = names?.map(segmentNumber).filter((n) => n !== undefined && n < below) as number[] | undefined;
  if (!names || !numbers?.length) return undefined;
  const last = Math.max(...numbers);
  const segments: Segment[] = [];
  for (let n = 0; n <= last; n++) {
    const bytes = await ifOurs(readFile(join(path, segmentName(n))));
    // Deleted while it was read, or not made by the store.
    if (!bytes) return undefined;
    segments.push(readSegment(bytes));
  }
  const first = segments[0]?.lines[0];
  if (first?.k !== 'task') return undefined;
  const cut = cutOf(segments);
  const { records, waiting, end } = contentOf(segments, cut);
  const lease = end === undefined && waiting === undefined ? await leaseOf(path, last, segments[last]?.lines ?? []) : undefined;
  const answers = await answersIn(path, names);
  const { owner, createdAt, expiresAt, head } = first;
  return { task: { id, owner, createdAt, expiresAt, head, records, answers, waiting, end }, last, cut, lease };
}

/** How many bytes of each segment count: the last `cut` line defines this for all earlier segments. */
function cutOf(segments: readonly Segment[]): number[] {
  const sayings = segments.map(({ lines }) => lines.find((line) => 'cut' in line));
  const by = sayings.findLastIndex((line) => line !== undefined);
  const said = sayings[by];
  return segments.map(({ ends }, n) =>
    (said && 'cut' in said && n < by ? said.cut?.[n] ?? 0 : ends.at(-1) ?? 0));
}

function contentOf(segments: readonly Segment[], cut: readonly number[]): Pick<StoredTask, 'records' | 'waiting' | 'end'> {
  const records: string[] = [];
  let waiting: readonly string[] | undefined;
  let end: string | undefined;
  segments.forEach((segment, n) => {
    for (const line of linesWithin(segment, cut[n] as number)) {
      if (line.k === 'lease') waiting = undefined;
      else if (line.k === 'end') end = line.end;
      else if (line.k === 'add') {
        records.push(...line.r);
        waiting = line.w;
      }
    }
  });
  return { records, waiting, end };
}

/**
 * Returns the lease of a segment. If it is damaged, the time is 0: a segment gets its name when it is complete, so a
 * damaged one was complete before, and its worker has lost it.
 */
async function leaseOf(path: string, segment: number, lines: readonly SegmentLine[]): Promise<WrittenLease | undefined> {
  if (segment === 0) return undefined;
  const written = await ifThere(stat(join(path, segmentName(segment))));
  return { segment, writtenAt: written?.mtimeMs ?? 0, ms: leaseMsOf(lines) };
}

/** How long a lease holds after the last write to its file, in milliseconds. */
export function leaseMsOf(lines: readonly SegmentLine[]): number {
  const said = lines.findLast((line) => line.k === 'renew' || line.k === 'lease');
  return said && 'ms' in said ? said.ms : 0;
}

async function answersIn(path: string, names: readonly string[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  await Promise.all(names.filter(isAnswer).map(async (name) => {
    const bytes = await ifOurs(readFile(join(path, name)));
    const [answer] = bytes ? readLines(bytes).values as [{ key?: unknown; answer?: unknown } | null | undefined] : [];
    if (typeof answer?.key === 'string' && typeof answer.answer === 'string') answers.set(answer.key, answer.answer);
  }));
  return answers;
}
