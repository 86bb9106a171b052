// npm run course: builds the checker if a source is newer than the build, and runs it.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'dist/test/course/main.js');

/** The modification time of the newest source in a folder. */
function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) latest = Math.max(latest, newest(path));
    else if (entry.name.endsWith('.ts')) latest = Math.max(latest, statSync(path).mtimeMs);
  }
  return latest;
}

const sources = ['src', 'test'].map((folder) => newest(join(root, folder)));
if (!existsSync(main) || Math.max(...sources) > statSync(main).mtimeMs) {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', root], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
process.exitCode = spawnSync(process.execPath, [main, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' }).status ?? 1;
