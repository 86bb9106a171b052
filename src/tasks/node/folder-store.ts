import { systemClock } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import type { Clock } from '../../bounds/clock.ts';
import { link, readdir, rename, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { LeaseTime } from '../store.ts';
import { isWaiting, LeaseLost, pageOf, Watchers } from '../store.ts';
import type { Lease, LeasedTask, ListedTask, NewTask, TaskStore } from '../store.ts';
import { FolderIndex } from './folder-index.ts';
import { markFolder } from './marked-folder.ts';
import { answerName, endedName, isId, newName, segmentName, segmentNumber, unfinishedName } from './names.ts';
import { clearFolder, ifOurs, ifThere, makeFile, makeFolder, writeAll } from './private-files.ts';
import { sealLine } from './segment.ts';
import { Sightings } from './sightings.ts';
import { Syncing } from './sync.ts';
import { readTaskFolder } from './task-folder.ts';
import type { TaskFolder } from './task-folder.ts';

/** A lease of this process, and the segment that it writes. */
interface HeldLease {
  readonly lease: Lease;
  readonly file: FileHandle;
  ms: number;
  time: LeaseTime;
  records: number;
  /** The write that is under way; the next one begins after its last byte. */
  writing: Promise<void>;
  /** The lease was found to be over, perhaps during other work; its file is closed. */
  dropped: boolean;
}

/** The options of `folderStore`. */
export interface FolderStoreOptions {
  /** The clock. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Keeps tasks in a folder, for any number of processes of one user on one machine. The file system must be local, with
 * hard links. Each task is a folder of numbered segments. Each number is given only once, to the process that makes the
 * file: it is a lease, or the end. So the next lease breaks the one before, and nothing can be written after the end.
 *
 * The folder and its contents are for their user only (700, 600). Nothing else belongs in it, and the store does not
 * touch files that it has not made. If the folder holds anything else, it rejects with an error whose `code` is
 * `foreign_folder`.
 *
 * @param path the folder; it is made if it does not exist
 */
export async function folderStore(path: string, options: FolderStoreOptions = {}): Promise<TaskStore> {
  checkOptions('folderStore: path', path, 'string');
  checkOptions('folderStore: options', options, { clock: 'object' });
  await markFolder(path);
  return new FolderStore(path, options.clock ?? systemClock);
}

class FolderStore implements TaskStore {
  readonly durable = true;
  readonly #path: string;
  readonly #syncing = new Syncing();
  readonly #watchers = new Watchers();
  readonly #held = new Map<string, HeldLease>();
  readonly #clock: Clock;
  readonly #sightings: Sightings;
  readonly #index: FolderIndex;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.#sightings = new Sightings(clock);
    this.#index = new FolderIndex(path, this.#sightings, clock);
  }

  readonly watch: TaskStore['watch'] = (listener) => this.#watchers.watch(listener);

  async create(task: NewTask): Promise<void> {
    const { id, owner, createdAt, expiresAt, head } = task;
    if (!isId(id)) throw new RangeError(`${JSON.stringify(id.slice(0, 100))} is not the id of a task`);
    const folder = this.#folder(id);
    const aside = join(this.#path, newName());
    try {
      await makeFolder(aside);
      const file = await makeFile(join(aside, segmentName(0)), sealLine({ k: 'task', owner, createdAt, expiresAt, head }));
      await file.datasync().finally(() => file.close());
      await rename(aside, folder);
    } catch (error) {
      await clearFolder(aside).catch(() => {});
      if (isTaken(error)) throw new Error(`the task ${id} exists`, { cause: error });
      throw error;
    }
    await Promise.all([this.#syncing.folder(folder), this.#syncing.folder(this.#path)]);
    this.#index.created(task);
    this.#watchers.tell(id, 'due');
  }

  async load(id: string): Promise<TaskFolder['task'] | undefined> {
    return (await this.#read(id))?.task;
  }

  async lease(id: string, ms: number): Promise<LeasedTask | undefined> {
    const before = await this.#read(id);
    if (!before || !this.#isFree(before)) return undefined;
    const fence = before.last + 1;
    const time = new LeaseTime(ms, this.#clock);
    const folder = this.#folder(id);
    const file = await this.#named(folder, segmentName(fence), sealLine({ k: 'lease', ms }));
    if (!file) return undefined;
    const lease: Lease = { id, fence };
    const held: HeldLease = { lease, file, ms, time, records: 0, writing: Promise.resolve(), dropped: false };
    try {
      // Reads after the segment has its name: the worker that had the task before finds this name at its next write,
      // and all that was acknowledged until then is read here.
      const found = await readTaskFolder(folder, id, fence);
      if (!found) return void await file.close();
      held.records = found.task.records.length;
      await this.#write(held, sealLine({ k: 'cut', cut: found.cut }));
      await Promise.all([file.datasync(), this.#syncing.folder(folder)]);
      if (await this.#overtaken(held) !== undefined) return void await file.close();
      this.#held.set(`${id}/${fence}`, held);
      return { lease, task: { ...found.task, waiting: undefined } };
    } catch (error) {
      await file.close().catch(() => {});
      throw error;
    }
  }

  async renew(lease: Lease, ms: number): Promise<void> {
    const held = this.#of(lease);
    const time = new LeaseTime(ms, this.#clock);
    const now = this.#clock.now() / 1000;
    if (ms !== held.ms) await this.#write(held, sealLine({ k: 'renew', ms }));
    await this.#using(held, held.file.utimes(now, now));
    await this.#check(held);
    held.ms = ms;
    held.time = time;
  }

  async append(lease: Lease, after: number, records: readonly string[]): Promise<void> {
    await this.#add(lease, after, records);
    this.#watchers.tell(lease.id, 'written');
  }

  async release(
    lease: Lease, after: number, records: readonly string[], waiting: readonly string[],
  ): Promise<void> {
    const held = await this.#add(lease, after, records, waiting);
    await this.#drop(held);
    this.#watchers.tell(lease.id, waiting.length > 0 ? 'written' : 'due');
  }

  async answer(id: string, answers: ReadonlyMap<string, string>): Promise<readonly string[]> {
    const found = await this.#read(id);
    if (!found || found.task.end !== undefined) return [];
    const { task } = found;
    const wanted = [...answers].filter(([key]) => task.waiting?.includes(key) && !task.answers.has(key));
    const folder = this.#folder(id);
    const taken = await Promise.all(wanted.map(async ([key, answer]) =>
      (await this.#linkNew(folder, answerName(key), sealLine({ key, answer })) ? key : undefined)));
    await this.#syncing.folder(folder);
    const after = await this.#read(id);
    if (after) this.#watchers.tell(id, isWaiting(after.task) ? 'written' : 'due');
    return taken.filter((key) => key !== undefined);
  }

  async end(id: string, end: string, lease?: Lease): Promise<boolean> {
    const line = sealLine({ k: 'end', end });
    const folder = this.#folder(id);
    let number = 0;
    if (lease) {
      const held = this.#of(lease);
      number = lease.fence + 1;
      if (!await this.#linkNew(folder, segmentName(number), line)) {
        await this.#drop(held);
        throw new LeaseLost(lease, 'another worker has the task, or it has ended');
      }
      await this.#drop(held);
    } else {
      for (let found = await this.#read(id); ; found = await this.#read(id)) {
        if (!found || found.task.end !== undefined) return false;
        number = found.last + 1;
        if (await this.#linkNew(folder, segmentName(number), line)) break;
      }
    }
    await this.#syncing.folder(folder);
    await link(join(folder, segmentName(number)), join(folder, endedName)).catch(() => {});
    this.#index.ended(id);
    this.#watchers.tell(id, 'ended');
    return true;
  }

  due(limit: number): Promise<readonly string[]> {
    const held = new Set<string>();
    for (const one of this.#held.values()) {
      // The lease was not given back: its run was suspended with the machine or the process, or could not write.
      if (one.time.isOver) void this.#drop(one);
      else held.add(one.lease.id);
    }
    return this.#index.due(limit, held);
  }

  async list(owner: string, after: string | undefined, limit: number): Promise<readonly ListedTask[]> {
    return pageOf((await this.#index.all()).filter((task) => task.owner === owner), after, limit);
  }

  count(owner?: string): Promise<number> {
    return this.#index.count(owner);
  }

  async expire(now: number): Promise<readonly string[]> {
    const gone: string[] = [];
    await this.#index.expire(now, (id) => {
      gone.push(id);
      this.#watchers.tell(id, 'ended');
    });
    return gone;
  }

  async close(): Promise<void> {
    this.#watchers.clear();
    await Promise.all(Array.from(this.#held.values(), (held) => this.#drop(held)));
  }

  #folder(id: string): string {
    return join(this.#path, id);
  }

  async #read(id: string): Promise<TaskFolder | undefined> {
    // An id from the wire must not name another folder.
    return isId(id) ? readTaskFolder(this.#folder(id), id) : undefined;
  }

  #isFree({ task, lease }: TaskFolder): boolean {
    if (task.end !== undefined || isWaiting(task)) return false;
    return !lease || this.#sightings.left(task.id, lease.segment, lease.writtenAt, lease.ms) === 0;
  }

  /** Returns the lease if this process holds it and it has not expired; otherwise throws `LeaseLost`. */
  #of(lease: Lease): HeldLease {
    const held = this.#held.get(`${lease.id}/${lease.fence}`);
    if (!held) throw new LeaseLost(lease, 'this process does not hold it');
    if (!held.time.isOver) return held;
    void this.#drop(held);
    throw new LeaseLost(lease, 'it has expired');
  }

  async #add(lease: Lease, after: number, records: readonly string[], waiting?: readonly string[]): Promise<HeldLease> {
    const held = this.#of(lease);
    if (held.records !== after) throw new LeaseLost(lease, `there are ${held.records} records, not ${after}`);
    held.records += records.length;
    await this.#write(held, sealLine({ k: 'add', r: records, w: waiting }), () => held.file.datasync());
    await this.#check(held);
    return held;
  }

  /**
   * Appends a line. After an incomplete line nothing more could be read: then the lease is over, and the next lease
   * records how many bytes of this segment count.
   */
  #write(held: HeldLease, line: string, then?: () => Promise<void>): Promise<void> {
    const writing = held.writing.then(async () => {
      await writeAll(held.file, line);
      await then?.();
    });
    held.writing = writing;
    return this.#using(held, writing);
  }

  /** Waits for work on the file of a lease. Any failure ends the lease. */
  async #using<T>(held: HeldLease, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (held.dropped) throw new LeaseLost(held.lease, 'it has expired');
      await this.#drop(held);
      throw error;
    }
  }

  /**
   * Throws `LeaseLost` if there is a later segment: the next lease may not have read the last write, which then does
   * not count.
   */
  async #check(held: HeldLease): Promise<void> {
    const why = await this.#overtaken(held);
    if (why === undefined) return;
    await this.#drop(held);
    throw new LeaseLost(held.lease, why);
  }

  async #overtaken({ lease: { id, fence } }: HeldLease): Promise<string | undefined> {
    const names = await ifOurs(readdir(this.#folder(id)));
    if (!names?.includes(segmentName(fence))) return 'the task is gone';
    const later = names.some((name) => (segmentNumber(name) ?? 0) > fence);
    return later ? 'another worker has the task, or it has ended' : undefined;
  }

  async #drop(held: HeldLease): Promise<void> {
    held.dropped = true;
    this.#held.delete(`${held.lease.id}/${held.lease.fence}`);
    await held.file.close().catch(() => {});
  }

  /**
   * Makes a file, and gives it its name when it is complete; the file stays open at its end. Undefined if the name
   * exists, or the task is gone.
   */
  async #named(folder: string, name: string, text: string, sync = false): Promise<FileHandle | undefined> {
    const aside = join(folder, unfinishedName());
    const file = await ifThere(makeFile(aside, text));
    if (!file) return undefined;
    try {
      if (sync) await file.datasync();
      await link(aside, join(folder, name));
      return file;
    } catch (error) {
      await file.close().catch(() => {});
      if (isTaken(error) || (error as { code?: string }).code === 'ENOENT') return undefined;
      throw error;
    } finally {
      // If this fails, the file is deleted with its task.
      await unlink(aside).catch(() => {});
    }
  }

  /** Writes and syncs a file, and gives it a new name. False if the name exists, or the task is gone. */
  async #linkNew(folder: string, name: string, text: string): Promise<boolean> {
    const file = await this.#named(folder, name, text, true);
    await file?.close();
    return file !== undefined;
  }
}

/** Whether the name exists already. */
const isTaken = (error: unknown): boolean => ['EEXIST', 'ENOTEMPTY'].includes((error as { code?: string }).code ?? '');
