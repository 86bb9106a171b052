// Builds. npm runs this after `npm ci`, before `npm pack` and `npm publish`, and if barewire is a git dependency.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lacking = ['typescript', 'esbuild'].filter((name) => !existsSync(`${root}node_modules/${name}`));

if (lacking.length > 0) {
  console.error(`barewire is built from its sources, and ${lacking.join(' and ')} is not installed: run npm ci with the dev dependencies.`);
  process.exitCode = 1;
} else {
  process.exitCode = spawnSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' }).status ?? 1;
}
