import { open } from 'node:fs/promises';

/** A file of entries, such as a recording, without partial entries. */
export interface EntriesFile {
  /** Appends an entry. After a failure, nothing more is written. */
  write(entry: string): void;
  /** Ends the file. Undefined: everything was written; otherwise the error. */
  end(): Promise<Error | undefined>;
}

/**
 * Opens a file for entries with mode 0600: a new file (`w`), or for appending (`a`). If an entry cannot be written
 * completely, its part is removed, and `onError` is called once. Rejects if the file cannot be opened.
 */
export async function openEntries(file: string, flags: 'w' | 'a', onError: (error: Error) => void): Promise<EntriesFile> {
  const handle = await open(file, flags, 0o600);
  let { size: whole } = await handle.stat();
  let failed: Error | undefined;
  let last: Promise<void> = Promise.resolve();
  const append = async (entry: string): Promise<void> => {
    if (failed) return;
    try {
      // Writes everything or rejects.
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
