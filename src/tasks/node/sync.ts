import { open } from 'node:fs/promises';

/** Syncs files and folders, so that what was written survives a power cut. Who waits for the same shares one sync. */
export class Syncing {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  /** Syncs a folder: the names in it. What was named before this call is safe when it resolves. */
  folder(path: string): Promise<void> {
    const running = this.#running.get(path);
    if (!running) return this.#start(path);
    // The one under way may have begun before the name was made: everybody who comes now shares the next.
    let next = this.#next.get(path);
    if (!next) {
      next = running.catch(() => {}).then(() => {
        this.#next.delete(path);
        return this.#start(path);
      });
      this.#next.set(path, next);
    }
    return next;
  }

  #start(path: string): Promise<void> {
    const running = syncFolder(path).finally(() => this.#running.delete(path));
    this.#running.set(path, running);
    return running;
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
