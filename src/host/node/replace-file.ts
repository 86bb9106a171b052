import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces a file as a whole: a reader sees the old text or the new one. If writing fails, the old file stays and no other
 * file remains. Writers must take turns. `mode`: the rights of the new file, 0600 by default.
 */
export async function replaceFile(file: string, text: string, mode: number = 0o600): Promise<void> {
  // In the same folder, under a name that nobody can have used before, for example for a link.
  const made = join(dirname(file), `.${basename(file)}.${randomUUID()}`);
  try {
    const handle = await open(made, 'wx', mode);
    try {
      // Writes the whole text, or rejects.
      await handle.writeFile(text);
      // Without this, a machine that stops after the rename could have an empty file under the new name.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(made, file);
  } catch (thrown) {
    await rm(made, { force: true }).catch(() => {});
    throw thrown;
  }
}
