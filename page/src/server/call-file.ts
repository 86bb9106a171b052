import type { CallFile } from '../host/index.ts';
import { replaceFile, textOf } from './written-file.ts';

/**
 * The file of named calls, next to the configuration: `servers.calls.json` for `servers.json`. It has no secrets, so others may read it.
 */
export function callFileBeside(configuration: string): CallFile {
  const path = `${configuration.replace(/\.json$/, '')}.calls.json`;
  return { path, read: () => textOf(path), write: (text) => replaceFile(path, text, 0o644) };
}
