import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewTask } from '../store.ts';
import { dueAt, ifThere, readTaskFolder } from './task-folder.ts';

export type KnownTask = Pick<NewTask, 'id' | 'owner' | 'createdAt' | 'expiresAt'>;

/** What is left of tasks that were never quite there, or not quite deleted, goes after this time. */
const leftoverMs = 3_600_000;
/** How old the list of tasks may be for a count of them. */
const listedMs = 1_000;

/** What a process knows of the tasks in a folder, so that it need not read all of them each time. */
export class FolderIndex {
  readonly #path: string;
  /** What never changes of the tasks that there are. */
  readonly #known = new Map<string, KnownTask>();
  readonly #ended = new Set<string>();
  /** Tasks that are not due before `until`, unless their folder changes. */
  readonly #checked = new Map<string, { changedAt: number | undefined; until: number }>();
  #listedAt = 0;

  constructor(path: string) {
    this.#path = path;
  }

  created({ id, owner, createdAt, expiresAt }: KnownTask): void {
    this.#known.set(id, { id, owner, createdAt, expiresAt });
  }

  ended(id: string): void {
    this.#ended.add(id);
    this.#checked.delete(id);
  }

  /** Ids of tasks that somebody could take now, but for those that this process has. */
  async due(limit: number, held: ReadonlySet<string>): Promise<string[]> {
    const due: string[] = [];
    const ids = await this.#ids();
    // From anywhere on: workers that begin together do not all want the same.
    const from = Math.floor(Math.random() * ids.length);
    for (const id of [...ids.slice(from), ...ids.slice(0, from)]) {
      if (due.length >= limit) break;
      if (this.#ended.has(id) || held.has(id)) continue;
      const path = join(this.#path, id);
      const changedAt = (await ifThere(stat(path)))?.mtimeMs;
      const checked = this.#checked.get(id);
      if (checked && checked.changedAt === changedAt && checked.until > Date.now()) continue;
      const until = await dueAt(path);
      if (until === undefined) this.ended(id);
      else if (until <= Date.now()) due.push(id);
      else this.#checked.set(id, { changedAt, until });
    }
    return due;
  }

  /** How many tasks there are, of one owner where one is named: those of other processes may be a second old. */
  async count(owner: string | undefined): Promise<number> {
    const all = Date.now() - this.#listedAt < listedMs ? [...this.#known.values()] : await this.all();
    return owner === undefined ? all.length : all.filter((task) => task.owner === owner).length;
  }

  /** All tasks, the oldest first. */
  async all(): Promise<KnownTask[]> {
    const names = await this.#ids();
    const there = new Set(names);
    for (const id of this.#known.keys()) if (!there.has(id)) this.#known.delete(id);
    await Promise.all(names.filter((id) => !this.#known.has(id)).map(async (id) => {
      const found = await readTaskFolder(join(this.#path, id), id);
      if (found) this.created(found.task);
    }));
    this.#listedAt = Date.now();
    return [...this.#known.values()].sort((one, other) => one.createdAt - other.createdAt);
  }

  /** Deletes tasks whose time is over, and what processes have left that died meanwhile; tells of each task. */
  async expire(now: number, gone: (id: string) => void): Promise<void> {
    const over = (await this.all()).filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now);
    for (const { id } of over) {
      const aside = join(this.#path, `.gone-${id}`);
      const moved = await ifThere(rename(join(this.#path, id), aside).then(() => true));
      this.#known.delete(id);
      this.#ended.delete(id);
      this.#checked.delete(id);
      if (!moved) continue;
      await rm(aside, { recursive: true, force: true });
      gone(id);
    }
    for (const name of await readdir(this.#path)) {
      if (this.#known.has(name)) continue;
      const changedAt = (await ifThere(stat(join(this.#path, name))))?.mtimeMs ?? now;
      if (changedAt < now - leftoverMs) await rm(join(this.#path, name), { recursive: true, force: true });
    }
  }

  async #ids(): Promise<string[]> {
    return (await readdir(this.#path)).filter((name) => !name.startsWith('.'));
  }
}
