import { open, rename, rm } from 'node:fs/promises';

/**
 * Replaces a file as a whole, mode 0600: a reader sees the old text or the new one. If writing fails, the old file
 * stays and no other file remains. Writers must take turns.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const made = `${file}.new`;
  try {
    const handle = await open(made, 'w', 0o600);
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
