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

/** What a last segment says, so that it need not be read again. */
interface KnownSegment {
  readonly number: number;
  readonly size: number;
  /** It was given back, and waits for these answers: names of files. Nothing follows in this segment. */
  readonly waits: readonly string[] | undefined;
  /** It is a lease of so many milliseconds. */
  readonly ms: number;
}

/** What is left of tasks that were never quite there goes after this time. */
const leftoverMs = 3_600_000;
/** How old the list of tasks may be for a count of them. */
const listedMs = 1_000;

/** What a process knows of the tasks in a folder, so that it need not read all of them each time. */
export class FolderIndex {
  readonly #path: string;
  readonly #sightings: Sightings;
  readonly #clock: Clock;
  /** What never changes of the tasks that there are. */
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

  /** Ids of tasks that somebody could take now, but for those that this process has. */
  async due(limit: number, held: ReadonlySet<string>): Promise<string[]> {
    const due: string[] = [];
    const ids = await this.#ids();
    // From anywhere on: workers that begin together do not all want the same.
    const from = Math.floor(Math.random() * ids.length);
    for (const id of [...ids.slice(from), ...ids.slice(0, from)]) {
      if (due.length >= limit) break;
      if (!this.#ended.has(id) && !held.has(id) && await this.#isDue(id)) due.push(id);
    }
    return due;
  }

  /**
   * Whether somebody could take a task. Goes by names and sizes: where file times are coarse, two changes may have the same.
   */
  async #isDue(id: string): Promise<boolean> {
    const path = join(this.#path, id);
    const names = await ifOurs(readdir(path)) ?? [];
    const last = names.reduce((max, name) => Math.max(max, segmentNumber(name) ?? -1), -1);
    // No task: deleted meanwhile, or never one of the store's.
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

  /** Undefined where it is the end, or cannot be read. */
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

  /** How many tasks there are, of one owner where one is named: those of other processes may be a second old. */
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

  /** Deletes tasks whose time is over, and what processes have left that died meanwhile; tells of each task. */
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

  /** Deletes what somebody has begun to make, or to delete, if that was long ago. */
  async #clear(name: string, now: number): Promise<void> {
    const path = join(this.#path, name);
    const found = await ifThere(lstat(path));
    if (!found || found.mtimeMs >= now - leftoverMs) return;
    if (isGone(name)) return clearFolder(path);
    // A mark that was not finished.
    if (found.isFile()) return void await ifThere(unlink(path));
    // The machine may have slept, and whoever makes it be awake again: under this name it cannot be finished any more.
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
