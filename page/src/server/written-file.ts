import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { PageError } from '../host/index.ts';

/** The text of a file; '' if it does not exist. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new PageError('bad-config', `${path} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** Replaces a file atomically: a reader gets the old text or the new one. */
export function replaceFile(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomUUID()}`;
  writeFileSync(temporary, text, { mode, flag: 'wx' });
  renameSync(temporary, path);
}
