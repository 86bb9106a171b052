import promises from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// A disk with faults, for tests and for the workers of the chaos run: the functions of `node:fs/promises` are replaced, for
// all who import them. Nothing needs the right to mount a file system.

/** What the disk does. All members may be changed at any time. */
export interface Disk {
  /** Bytes that writes may still take; the one that goes beyond takes a part, and those after it fail with ENOSPC. */
  room: number;
  /** What file times are cut to, in milliseconds. 0: as the file system has them. */
  tickMs: number;
  /** Whether files get the time of `Date.now()` when they are written, which a test may set. */
  stamps: boolean;
  /** What is shown of a file's time, which the real clock has set; and what is kept of one that `utimes` is given. */
  times: { shown(ms: number): number; kept(ms: number): number };
  /** Whether what is synced is. Without it many cases take less time; nobody cuts the power in a test. */
  syncs: boolean;
  /** Called before each write of a file, with its bytes; the write waits for it. */
  onWrite: (bytes: number) => void | Promise<void>;
}

const full = (): Error => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

/** Puts the disk in the place of the real one. `restore` takes it away. */
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
