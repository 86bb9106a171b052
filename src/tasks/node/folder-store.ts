import { link, mkdir, open, readdir, unlink, utimes } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isWaiting, LeaseLost, pageOf, Watchers } from '../store.ts';
import type { Lease, LeasedTask, Listed, NewTask, TaskStore } from '../store.ts';
import { FolderIndex } from './folder-index.ts';
import { answerName, sealLine, segmentName, segmentNumber } from './segment.ts';
import { Syncing } from './sync.ts';
import { endedName, ifThere, readTaskFolder } from './task-folder.ts';
import type { TaskFolder } from './task-folder.ts';

/** A lease of this process: the segment that it writes. */
interface Held {
  readonly lease: Lease;
  readonly file: FileHandle;
  ms: number;
  until: number;
  records: number;
  /** A line was written in part: what would follow could not be read. */
  torn: boolean;
}

/**
 * Keeps tasks in a folder, for as many processes of one machine as one likes; the file system must be a local one, with
 * hard links. A task is a folder of its own. Its segments are numbered, and each number is given once, to whoever makes
 * the file: a lease, or the end. So the next lease breaks the one before, and neither can be written after the end.
 *
 * @param path the folder; it is made where there is none
 */
export async function folderStore(path: string): Promise<TaskStore> {
  await mkdir(path, { recursive: true });
  return new FolderStore(path);
}

class FolderStore implements TaskStore {
  readonly durable = true;
  readonly #path: string;
  readonly #syncing = new Syncing();
  readonly #watchers = new Watchers();
  readonly #held = new Map<string, Held>();
  readonly #index: FolderIndex;

  constructor(path: string) {
    this.#path = path;
    this.#index = new FolderIndex(path);
  }

  readonly watch: TaskStore['watch'] = (listener) => this.#watchers.watch(listener);

  async create(task: NewTask): Promise<void> {
    const { id, owner, createdAt, expiresAt, head } = task;
    if (!/^[a-z0-9-]{1,100}$/.test(id)) throw new RangeError(`${JSON.stringify(id.slice(0, 100))} is no id of a task`);
    const folder = this.#folder(id);
    await mkdir(folder);
    await this.#writeNew(join(folder, segmentName(0)), sealLine({ k: 'task', owner, createdAt, expiresAt, head }));
    await Promise.all([this.#syncing.folder(folder), this.#syncing.folder(this.#path)]);
    this.#index.created(task);
    this.#watchers.tell(id, 'due');
  }

  async load(id: string): Promise<TaskFolder['task'] | undefined> {
    return (await this.#read(id))?.task;
  }

  async lease(id: string, ms: number): Promise<LeasedTask | undefined> {
    const before = await this.#read(id);
    if (!before || !isFree(before)) return undefined;
    const fence = before.last + 1;
    const asked = Date.now();
    const folder = this.#folder(id);
    const name = join(folder, segmentName(fence));
    const file = await open(name, 'ax').catch((error: { code?: string }) => {
      if (error.code === 'EEXIST' || error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!file) return undefined;
    const lease: Lease = { id, fence };
    try {
      // After the name is there: whoever had the task before finds it at the next write, and what was acknowledged
      // until then is read here.
      const found = await readTaskFolder(folder, id, fence);
      if (!found) return void await file.close();
      await file.write(sealLine({ k: 'lease', ms, cut: found.cut }));
      await Promise.all([file.datasync(), this.#syncing.folder(folder)]);
      const held: Held = {
        lease, file, ms, until: asked + ms, records: found.task.records.length, torn: false,
      };
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
    if (ms !== held.ms) await this.#write(held, sealLine({ k: 'renew', ms }));
    const now = new Date();
    await ifThere(utimes(join(this.#folder(lease.id), segmentName(lease.fence)), now, now));
    await this.#check(held);
    held.ms = ms;
    held.until = now.getTime() + ms;
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
    if (waiting.length === 0) {
      // A line in a file changes no folder: others are told that there is something to take.
      const now = new Date();
      await ifThere(utimes(this.#folder(lease.id), now, now));
    }
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
    return this.#index.due(limit, new Set(Array.from(this.#held.values(), ({ lease }) => lease.id)));
  }

  async list(owner: string, after: string | undefined, limit: number): Promise<readonly Listed[]> {
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
    // What comes from the wire names no other folder.
    return /^[a-z0-9-]{1,100}$/.test(id) ? readTaskFolder(this.#folder(id), id) : undefined;
  }

  /** The lease, where this process holds it and its time is not over. */
  #of(lease: Lease): Held {
    const held = this.#held.get(`${lease.id}/${lease.fence}`);
    if (!held) throw new LeaseLost(lease, 'it is not held here');
    if (held.until <= Date.now()) throw new LeaseLost(lease, 'its time is over');
    if (held.torn) throw new LeaseLost(lease, 'a write has failed in the middle');
    return held;
  }

  async #add(lease: Lease, after: number, records: readonly string[], waiting?: readonly string[]): Promise<Held> {
    const held = this.#of(lease);
    if (held.records !== after) throw new LeaseLost(lease, `there are ${held.records} records, not ${after}`);
    held.records += records.length;
    await this.#write(held, sealLine({ k: 'add', r: records, w: waiting }));
    await held.file.datasync();
    await this.#check(held);
    return held;
  }

  async #write(held: Held, line: string): Promise<void> {
    try {
      const { bytesWritten } = await held.file.write(line);
      if (bytesWritten !== Buffer.byteLength(line)) throw new Error('the disk took a part of a line');
    } catch (error) {
      held.torn = true;
      throw error;
    }
  }

  /** What was written counts only if nobody has taken the task before: then the next lease does not read it. */
  async #check(held: Held): Promise<void> {
    const why = await this.#overtaken(held);
    if (why === undefined) return;
    await this.#drop(held);
    throw new LeaseLost(held.lease, why);
  }

  async #overtaken({ lease: { id, fence } }: Held): Promise<string | undefined> {
    const names = await ifThere(readdir(this.#folder(id)));
    if (!names?.includes(segmentName(fence))) return 'the task is gone';
    const later = names.some((name) => (segmentNumber(name) ?? 0) > fence);
    return later ? 'another worker has the task, or it has ended' : undefined;
  }

  async #drop(held: Held): Promise<void> {
    this.#held.delete(`${held.lease.id}/${held.lease.fence}`);
    await held.file.close().catch(() => {});
  }

  async #writeNew(name: string, text: string): Promise<void> {
    const file = await open(name, 'wx');
    try {
      await file.write(text);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  /** Writes aside, syncs, and gives it a name that must not exist. False: there is one of that name. */
  async #linkNew(folder: string, name: string, text: string): Promise<boolean> {
    const aside = join(folder, `.${randomBytes(8).toString('hex')}`);
    const written = await ifThere(this.#writeNew(aside, text).then(() => true));
    if (!written) return false;
    try {
      await link(aside, join(folder, name));
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === 'EEXIST') return false;
      throw error;
    } finally {
      await ifThere(unlink(aside));
    }
  }
}

function isFree({ task, until }: TaskFolder): boolean {
  return task.end === undefined && until <= Date.now() && !isWaiting(task);
}
