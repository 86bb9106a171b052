import { pause, systemClock } from '../bounds/clock.ts';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Milliseconds after which killed processes that still exist are given up. */
const patienceMs = 2_000;

/**
 * Kills processes of a run that left its process group, for example by `setsid`. They are recognized by the run's folder,
 * as their HOME or working folder; a process that changed both is not found. Linux only.
 */
export async function endStragglers(home: string): Promise<void> {
  for (let wait = 1; killStragglers(home) > 0 && wait < patienceMs; wait *= 2) await pause(systemClock, wait);
}

/** Does one pass, without waiting; returns the number of processes found. */
export function killStragglers(home: string): number {
  if (process.platform !== 'linux') return 0;
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) > 1 && Number(name) !== process.pid && belongs(name, home));
  for (const pid of found) kill(Number(pid));
  return found.length;
}

/** Whether a process belongs to the run. Processes of other users cannot be read, and do not. */
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
    // The process has ended.
  }
}
