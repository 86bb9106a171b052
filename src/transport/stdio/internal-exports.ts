/**
 * The exports of this folder for `src/cli`, in addition to index.ts, which is public. Separate from those of
 * `src/transport`, because they need Node.
 */

export { killer, spawnOnWindows } from './windows.ts';
