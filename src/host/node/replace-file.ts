import { open, rename, rm } from 'node:fs/promises';

/**
 * Replaces a file whole, mode 0600: a reader sees the old text or the new one. Where the disk does not take it, the old one
 * stays and nothing is left beside it. For writers that take turns.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const made = `${file}.new`;
  try {
    const handle = await open(made, 'w', 0o600);
    try {
      // Writes all of it, or rejects.
      await handle.writeFile(text);
      // A machine that stops after the rename would have the new name with nothing in it.
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
