import type { CallFile } from '../host/index.ts';
import { replaceFile, textOf } from './written-file.ts';

/** Named calls stand beside the configuration: `servers.json` has `servers.calls.json`. It holds no secret, and others may read it. */
export function callFileBeside(configuration: string): CallFile {
  const path = `${configuration.replace(/\.json$/, '')}.calls.json`;
  return { path, read: () => textOf(path), write: (text) => replaceFile(path, text, 0o644) };
}
