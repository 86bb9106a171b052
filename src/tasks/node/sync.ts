import { open } from 'node:fs/promises';

/** Syncs folders, so that their entries survive a power cut. Concurrent calls for a folder share one sync. */
export class Syncing {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  /** Syncs the names in a folder. Names that exist before this call are safe when it resolves. */
  folder(path: string): Promise<void> {
    const running = this.#running.get(path);
    if (!running) return this.#start(path);
    // The running sync may have begun before the name was made, so all calls from now on share the next one.
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
