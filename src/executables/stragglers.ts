import { pause, systemClock } from '../bounds/clock.ts';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Milliseconds after which a killed process that still exists is left to the kernel. */
const patienceMs = 2_000;

/**
 * Kills the processes that a run has left outside of its process group, which they can leave by `setsid`. Such a
 * process is recognized by the run's folder: it is its HOME or its working folder. A process that has changed both is
 * not found. On Linux only.
 */
export async function endStragglers(home: string): Promise<void> {
  for (let wait = 1; killStragglers(home) > 0 && wait < patienceMs; wait *= 2) await pause(systemClock, wait);
}

/** One pass, without waiting; returns the number of processes that were found. */
export function killStragglers(home: string): number {
  if (process.platform !== 'linux') return 0;
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) > 1 && Number(name) !== process.pid && belongs(name, home));
  for (const pid of found) kill(Number(pid));
  return found.length;
}

/** Processes of other users cannot be read, and do not belong to the run. */
function belongs(pid: string, home: string): boolean {
  try {
    if (`\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0HOME=${home}\0`)) return true;
    const at = readlinkSync(`/proc/${pid}/cwd`);
    return at === home || at.startsWith(`${home}/`);
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
