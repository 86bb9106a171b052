import type { Clock } from '../../bounds/clock.ts';
import { lstat, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewTask } from '../store.ts';
import { answerName, endedName, goneName, isGone, isId, isNew, segmentName, segmentNumber } from './names.ts';
import { clearFolder, ifOurs, ifThere } from './private-files.ts';
import { readSegment } from './segment.ts';
import type { Sightings } from './sightings.ts';
import { leaseMsOf, readTaskFolder } from './task-folder.ts';

export type KnownTask = Pick<NewTask, 'id' | 'owner' | 'createdAt' | 'expiresAt'>;

/** The contents of a task's last segment, cached. */
interface KnownSegment {
  readonly number: number;
  readonly size: number;
  /** If the task was given back: the files of the answers that it waits for. Nothing follows in this segment. */
  readonly waits: readonly string[] | undefined;
  /** The time of the lease, in milliseconds. */
  readonly ms: number;
}

/** Unfinished files and folders are deleted after this time, in milliseconds. */
const leftoverMs = 3_600_000;
/** How old the list of tasks may be for `count`, in milliseconds. */
const listedMs = 1_000;

/** A cache of the tasks in a folder, so that not all of them are read each time. */
export class FolderIndex {
  readonly #path: string;
  readonly #sightings: Sightings;
  readonly #clock: Clock;
  /** The constant data of all tasks. */
  readonly #known = new Map<string, KnownTask>();
  readonly #ended = new Set<string>();
  readonly #segments = new Map<string, KnownSegment>();
  #listedAt = -Infinity;

  constructor(path: string, sightings: Sightings, clock: Clock) {
    this.#clock = clock;
    this.#path = path;
    this.#sightings = sightings;
  }

  created({ id, owner, createdAt, expiresAt }: KnownTask): void {
    this.#known.set(id, { id, owner, createdAt, expiresAt });
  }

  ended(id: string): void {
    this.#ended.add(id);
    this.#segments.delete(id);
    this.#sightings.forget(id);
  }

  /** Ids of tasks that a worker could lease now, without the tasks that this process holds. */
  async due(limit: number, held: ReadonlySet<string>): Promise<string[]> {
    const due: string[] = [];
    const ids = await this.#ids();
    // Starts at a random task, so that workers that begin together do not all try the same ones.
    const from = Math.floor(Math.random() * ids.length);
    for (const id of [...ids.slice(from), ...ids.slice(0, from)]) {
      if (due.length >= limit) break;
      if (!this.#ended.has(id) && !held.has(id) && await this.#isDue(id)) due.push(id);
    }
    return due;
  }

  /**
   * Whether a worker could lease a task. Compares names and sizes: if file times are coarse, two changes may have the
   * same time.
   */
  async #isDue(id: string): Promise<boolean> {
    const path = join(this.#path, id);
    const names = await ifOurs(readdir(path)) ?? [];
    const last = names.reduce((max, name) => Math.max(max, segmentNumber(name) ?? -1), -1);
    // Not a task: deleted meanwhile, or not made by the store.
    if (last < 0) return false;
    if (names.includes(endedName)) {
      this.ended(id);
      return false;
    }
    const known = this.#segments.get(id);
    if (known?.number === last && known.waits) return known.waits.every((name) => names.includes(name));
    const name = join(path, segmentName(last));
    const written = await ifOurs(stat(name));
    if (!written) return false;
    const now = known?.number === last && known.size === written.size ? known : await this.#readLast(id, name, last);
    if (!now) return false;
    this.#segments.set(id, now);
    if (now.waits) return now.waits.every((answer) => names.includes(answer));
    return last === 0 || this.#sightings.left(id, last, written.mtimeMs, now.ms) === 0;
  }

  /** Reads the last segment; undefined if it is the end, or cannot be read. */
  async #readLast(id: string, name: string, number: number): Promise<KnownSegment | undefined> {
    const bytes = await ifOurs(readFile(name));
    if (!bytes) return undefined;
    const { lines } = readSegment(bytes);
    if (lines[0]?.k === 'end') {
      this.ended(id);
      return undefined;
    }
    if (number === 0 && lines[0]?.k !== 'task') return undefined;
    const given = lines.findLast((line) => line.k === 'add');
    const waits = given && 'w' in given ? given.w?.map(answerName) : undefined;
    return { number, size: bytes.length, waits, ms: leaseMsOf(lines) };
  }

  /** The number of tasks; only those of `owner` if given. New tasks of other processes may be missing for a second. */
  async count(owner: string | undefined): Promise<number> {
    const all = this.#clock.monotonic() - this.#listedAt < listedMs ? [...this.#known.values()] : await this.all();
    return owner === undefined ? all.length : all.filter((task) => task.owner === owner).length;
  }

  /** All tasks, the oldest first. */
  async all(): Promise<KnownTask[]> {
    const names = await this.#ids();
    const there = new Set(names);
    for (const kept of [this.#known, this.#ended, this.#segments]) {
      for (const id of kept.keys()) if (!there.has(id)) this.#forget(id);
    }
    await Promise.all(names.filter((id) => !this.#known.has(id)).map(async (id) => {
      const found = await readTaskFolder(join(this.#path, id), id);
      if (found) this.created(found.task);
    }));
    this.#listedAt = this.#clock.monotonic();
    return [...this.#known.values()].sort((one, other) => one.createdAt - other.createdAt);
  }

  /** Deletes expired tasks, and calls `gone` for each. Also deletes old unfinished files of processes that died. */
  async expire(now: number, gone: (id: string) => void): Promise<void> {
    const over = (await this.all()).filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now);
    for (const { id } of over) {
      const aside = join(this.#path, goneName());
      const moved = await ifThere(rename(join(this.#path, id), aside).then(() => true));
      this.#forget(id);
      if (!moved) continue;
      await clearFolder(aside);
      gone(id);
    }
    for (const name of await readdir(this.#path)) if (isNew(name) || isGone(name)) await this.#clear(name, now);
  }

  /** Deletes a file or folder that some process began to make, or to delete, long ago. */
  async #clear(name: string, now: number): Promise<void> {
    const path = join(this.#path, name);
    const found = await ifThere(lstat(path));
    if (!found || found.mtimeMs >= now - leftoverMs) return;
    if (isGone(name)) return clearFolder(path);
    // An unfinished mark file.
    if (found.isFile()) return void await ifThere(unlink(path));
    // After a sleep of the machine, its process may still be making it. Under the new name it cannot be finished any more.
    const aside = join(this.#path, goneName());
    if (await ifThere(rename(path, aside).then(() => true))) await clearFolder(aside);
  }

  #forget(id: string): void {
    this.#known.delete(id);
    this.#ended.delete(id);
    this.#segments.delete(id);
    this.#sightings.forget(id);
  }

  async #ids(): Promise<string[]> {
    return (await readdir(this.#path)).filter(isId);
  }
}
