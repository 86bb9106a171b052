import { open } from 'node:fs/promises';

/** A file of entries, such as a recording: it holds whole ones only. */
export interface EntriesFile {
  /** Writes an entry after those before it. After a failure nothing more is written. */
  write(entry: string): void;
  /** Ends the file. Undefined: all is written; else why not. */
  end(): Promise<Error | undefined>;
}

/**
 * Opens a file for entries, mode 0600: a new one (`w`), or one that goes on (`a`). An entry that the disk did not take
 * whole is taken back, and `onError` is told once. Rejects where the file cannot be opened.
 */
export async function openEntries(file: string, flags: 'w' | 'a', onError: (error: Error) => void): Promise<EntriesFile> {
  const handle = await open(file, flags, 0o600);
  let { size: whole } = await handle.stat();
  let failed: Error | undefined;
  let last: Promise<void> = Promise.resolve();
  const append = async (entry: string): Promise<void> => {
    if (failed) return;
    try {
      // All of it, or it rejects.
      await handle.writeFile(entry);
      whole += Buffer.byteLength(entry);
    } catch (thrown) {
      failed = thrown as Error;
      await handle.truncate(whole).catch(() => {});
      onError(failed);
    }
  };
  return {
    write(entry) {
      last = last.then(() => append(entry));
    },
    async end() {
      await last;
      await handle.close();
      return failed;
    },
  };
}
