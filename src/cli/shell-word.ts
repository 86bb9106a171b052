import { visible } from '../explain/safe-text.ts';

/** A word as a POSIX shell takes it: in quotes where it needs them. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${visible(word).replaceAll("'", "'\\''")}'`);
