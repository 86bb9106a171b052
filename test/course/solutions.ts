import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// npm run course:check: the solutions must pass the exam, and the wrong solutions must fail. `--short` leaves out the exam of solutions in
// other languages.

const { values: { short } } = parseArgs({ options: { short: { type: 'boolean' } } });
const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Runs a script of this folder. Returns true if it exits with 0. */
function run(file: string, ...args: string[]): boolean {
  const { status } = spawnSync(process.execPath, [here(file), ...args], { stdio: 'inherit' });
  return status === 0;
}

function quoted(command: string, path: string): string {
  return `${/\s/.test(command) ? `"${command}"` : command} "${at(path)}"`;
}

const results = [
  run('main.js', 'exam', quoted(process.execPath, 'docs/course/solution/main.mjs'), '--all'),
  run('broken.js'),
];
const python = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0);
if (existsSync(at('docs/course/solution-python')) && !short) {
  if (python === undefined) console.log('missing: python3, so its solution was not tried');
  else results.push(run('main.js', 'exam', quoted(python, 'docs/course/solution-python/mcp.py'), '--all'));
}
process.exitCode = results.every(Boolean) ? 0 : 1;
