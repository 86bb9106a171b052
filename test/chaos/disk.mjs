// The disk under the folder store in a process of the chaos run: file times come in ticks, and go by the clock that the run sets.
// While it is filling, each write fails by chance as on a full disk, after writing a part.
import { keptTime, shownTime } from './clock.mjs';
import { replaceDisk } from '../../dist/test/tasks/disk.js';

/** The tick of kernels before 6.13, in milliseconds. */
export const tickMs = 10;

/** Replaces the disk of this process. Resolves with a function that sets the chance that a write finds it full, 0 to 1. */
export async function diskOf() {
  const disk = await replaceDisk();
  Object.assign(disk, { syncs: true, tickMs, times: { shown: shownTime, kept: keptTime } });
  /** Number of writes that will still find the disk full. */
  let full = 0;
  const set = (chance) => {
    full = 0;
    disk.room = Infinity;
    disk.onWrite = (bytes) => {
      if (full > 0) full--;
      else if (Math.random() < chance) full = 1 + Math.floor(Math.random() * 3);
      else return void (disk.room = Infinity);
      disk.room = Math.floor(Math.random() * 2) * Math.floor(Math.random() * bytes);
    };
  };
  set(0);
  return Object.assign(set, { restore: disk.restore });
}
