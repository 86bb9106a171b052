import promises from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// A disk with faults, for tests and for the workers of the chaos run: replaces functions of `node:fs/promises` for every importer. No right
// to mount a file system is needed.

/** The state of the disk. All members may be changed at any time. */
export interface Disk {
  /** Bytes that writes may still take. The write that exceeds it is cut, and later ones fail with ENOSPC. */
  room: number;
  /** The unit to which file times are cut, in milliseconds. 0: that of the file system. */
  tickMs: number;
  /** True: written files get the time of `Date.now()`, which a test may set. */
  stamps: boolean;
  /** `shown` changes a file time that the real clock has set; `kept` changes a time given to `utimes`. */
  times: { shown(ms: number): number; kept(ms: number): number };
  /** Whether `sync` really syncs. Without it the tests are faster, and no test cuts the power. */
  syncs: boolean;
  /** Called before each write to a file, with its byte count; the write waits for the promise. */
  onWrite: (bytes: number) => void | Promise<void>;
}

const full = (): Error => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

/** Replaces the real disk until `restore`. */
export async function replaceDisk(): Promise<Disk & { restore(): void }> {
  const disk: Disk = { room: Infinity, tickMs: 0, stamps: false, syncs: false, onWrite: () => {}, times: { shown: (ms) => ms, kept: (ms) => ms } };
  const { stat, lstat } = promises;
  const handle = await promises.open(process.execPath, 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { write, utimes, sync, datasync } = prototype;
  const take = write as (this: FileHandle, data: Uint8Array, offset: number, length: number) => Promise<{ bytesWritten: number }>;
  const cut = (ms: number): number => (disk.tickMs > 0 ? Math.floor(ms / disk.tickMs) * disk.tickMs : ms);
  const coarse = (look: typeof stat): typeof stat => (async (path: string) => {
    const found = await look(path);
    for (const name of ['mtimeMs', 'ctimeMs'] as const) found[name] = cut(disk.times.shown(found[name]));
    return found;
  }) as (path: string) => Promise<Stats> as typeof stat;

  prototype.write = async function patched(this: FileHandle, data: Buffer | string, offset = 0, length?: number) {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data.subarray(offset, offset + (length ?? data.length - offset));
    await disk.onWrite(bytes.length);
    if (disk.room <= 0 && bytes.length > 0) throw full();
    const taken = Math.min(bytes.length, disk.room);
    disk.room -= taken;
    const { bytesWritten } = await take.call(this, bytes, 0, taken);
    if (disk.stamps) await utimes.call(this, cut(Date.now()) / 1000, cut(Date.now()) / 1000);
    return { bytesWritten, buffer: data };
  } as typeof write;
  prototype.utimes = function patched(this: FileHandle, read: number, written: number) {
    const kept = (seconds: number): number => disk.times.kept(seconds * 1000) / 1000;
    return utimes.call(this, kept(read), kept(written));
  } as typeof utimes;
  for (const [name, real] of [['sync', sync], ['datasync', datasync]] as const) {
    prototype[name] = async function patched(this: FileHandle) {
      if (disk.syncs) await real.call(this);
    };
  }
  promises.stat = coarse(stat);
  promises.lstat = coarse(lstat as typeof stat) as typeof lstat;
  syncBuiltinESMExports();
  return Object.assign(disk, {
    restore() {
      Object.assign(prototype, { write, utimes, sync, datasync });
      Object.assign(promises, { stat, lstat });
      syncBuiltinESMExports();
    },
  });
}
