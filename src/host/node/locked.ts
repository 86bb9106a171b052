import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** A lock whose owner has not been heard of for so long is taken over, in milliseconds. */
const staleMs = 10_000;

/**
 * Runs `work` while no other process that asks for the same lock does. The lock is a file with its owner's process id;
 * one whose owner is gone, or that is old, is taken over. Rejects after `waitMs`.
 */
export async function locked<T>(lockFile: string, work: () => Promise<T>, waitMs: number = 15_000): Promise<T> {
  const deadline = Date.now() + waitMs;
  const mark = `${process.pid} ${randomUUID()}`;
  for (;;) {
    try {
      const file = await open(lockFile, 'wx', 0o600);
      await file.writeFile(mark);
      await file.close();
      break;
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
    }
    if (Date.now() > deadline) throw new Error(`${lockFile} is locked by process ${await ownerOf(lockFile)}`);
    await takeOver(lockFile);
    await delay(2 + Math.random() * 10);
  }
  try {
    return await work();
  } finally {
    if (await ownerOf(lockFile) === mark) await rm(lockFile, { force: true });
  }
}

const ownerOf = (lockFile: string): Promise<string> => readFile(lockFile, 'utf8').catch(() => '');

/** Removes the lock of an owner that is gone. Renamed first, so that of several who try, one removes it. */
async function takeOver(lockFile: string): Promise<void> {
  const owner = await ownerOf(lockFile);
  const { mtimeMs } = await stat(lockFile).catch(() => ({ mtimeMs: Date.now() }));
  const pid = Number.parseInt(owner, 10);
  if (Date.now() - mtimeMs < staleMs && (owner === '' || (pid > 0 && isAlive(pid)))) return;
  const aside = `${lockFile}.${randomUUID()}`;
  await rename(lockFile, aside).catch(() => {});
  // Somebody may have made a new lock between our look and the renaming: it goes back.
  if (await ownerOf(aside) !== owner) await rename(aside, lockFile).catch(() => {});
  await rm(aside, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}
