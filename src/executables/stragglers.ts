import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Milliseconds after which a process that was killed and is still there is left to the kernel. */
const patienceMs = 2_000;

/**
 * Kills what a run has left behind outside of its group of processes, which `setsid` leads out of. Such a process is known by
 * the run's folder: it is its HOME, or it works there. One that has changed both is not found. On Linux only.
 */
export async function endStragglers(home: string): Promise<void> {
  for (let wait = 1; killStragglers(home) > 0 && wait < patienceMs; wait *= 2) await new Promise((resolve) => setTimeout(resolve, wait));
}

/** One look, without waiting; the number of those that were found. */
export function killStragglers(home: string): number {
  if (process.platform !== 'linux') return 0;
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) > 1 && Number(name) !== process.pid && belongs(name, home));
  for (const pid of found) kill(Number(pid));
  return found.length;
}

/** What is another user's cannot be read, and is none of ours. */
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
