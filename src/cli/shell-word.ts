import { visible } from '../explain/safe-text.ts';

/** A word for a POSIX shell, in quotes if necessary. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${visible(word).replaceAll("'", "'\\''")}'`);
