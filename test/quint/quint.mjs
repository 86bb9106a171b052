// Calls the command of Quint.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** The path of a file in this folder. */
export const file = (name) => join(here, name);

/**
 * Runs `quint ARGS`; returns whether it succeeded, and its output. In long output, errors are at the beginning and counts at the
 * end.
 */
export function quint(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file('node_modules/@informalsystems/quint/dist/src/cli.js'), ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return { ok: status === 0, said: `${stdout}${stderr}`.trim() };
}
