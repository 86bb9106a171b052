/**
 * The exports of this folder for `src/cli` and `src/judge/node`, in addition to index.ts, which is public. Separate from those of
 * `src/transport`, because they need Node.
 */

export { forget, keepUntilExit } from './processes.ts';
export { killer, spawnOnWindows } from './windows.ts';
