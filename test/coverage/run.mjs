// npm run coverage [-- --only PATH,…]: runs the tests of `npm test` with V8's coverage, and maps it to src/ by source maps. Fails
// below the floor. `--only` runs the test files whose path contains one of the texts, without the floor.
//
// V8 counts a line as covered unless a part of it did not run; comments and types count too, so the figure for lines is high.
// Killed processes do not count: they write no report.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Slightly below the current figures, in percent. It only goes up. */
const floor = { lines: 99, branches: 91, functions: 94 };

/** Excluded files, with the reason. */
const left = { 'src/**/index.ts': 'names what an entry exports, and does nothing' };

const top = fileURLToPath(new URL('../../', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const reports = join(here, 'report');
const run = (command, args, env = {}) => spawnSync(command, args, { cwd: top, stdio: 'inherit', env: { ...process.env, ...env } }).status;

const others = process.argv.slice(2);
const part = others.some((other) => other.startsWith('--only'));
rmSync(reports, { recursive: true, force: true });
if (run('npx', ['tsc', '--sourceMap']) !== 0) process.exit(1);
const tests = run(process.execPath, [
  join(here, 'node_modules/c8/bin/c8.js'), '--include', 'src/**', '--extension', '.ts', '--extension', '.js',
  ...Object.keys(left).flatMap((path) => ['--exclude', path]), '--exclude-after-remap', '--merge-async',
  '--temp-directory', join(reports, 'v8'), '--reports-dir', reports, '--reporter', 'json-summary', '--reporter', 'text-summary',
  process.execPath, 'scripts/test.mjs', '--test-reporter=dot', '--test-reporter-destination=/dev/null', ...others,
]);
rmSync(join(reports, 'v8'), { recursive: true, force: true });

const summary = JSON.parse(readFileSync(join(reports, 'coverage-summary.json'), 'utf8'));
const folders = new Map();
for (const [path, figures] of Object.entries(summary)) {
  if (path === 'total') continue;
  const folder = path.slice(top.length).split('/').slice(0, 2).join('/');
  const sum = folders.get(folder) ?? folders.set(folder, { lines: [0, 0], branches: [0, 0], functions: [0, 0] }).get(folder);
  for (const kind of Object.keys(floor)) {
    sum[kind][0] += figures[kind].covered;
    sum[kind][1] += figures[kind].total;
  }
}
const percent = ([covered, total]) => `${(total ? (100 * covered) / total : 100).toFixed(1)} %`;
for (const [folder, sum] of [...folders].sort()) {
  console.log(folder.padEnd(18), Object.keys(floor).map((kind) => `${kind} ${percent(sum[kind])}`).join(', '));
}
for (const [path, why] of Object.entries(left)) console.log(`not counted: ${path}: ${why}`);
// A module of only types compiles to an empty file, so it is never loaded.
const unloaded = readdirSync(join(top, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('index.ts') && !summary[join(top, 'src', file)])
  .filter((file) => /[^\s;{}]/.test(readFileSync(join(top, 'dist/src', file.replace(/\.ts$/, '.js')), 'utf8').replace(/^export \{\};|\/\/.*$|\/\*[\s\S]*?\*\//gm, '')));
if (!part) console.log(`no test loads: ${unloaded.join(', ') || 'all are loaded'}`);
let failed = false;
for (const [kind, least] of Object.entries(floor)) {
  const reached = summary.total[kind].pct;
  console.log(`${kind}: ${reached} % of ${summary.total[kind].total}, floor ${least} %`);
  if (!part && reached < least) failed = true;
}
// `npm test` decides whether they pass: tests that check a program's environment see NODE_V8_COVERAGE here.
if (tests !== 0) console.log('some tests failed under coverage');
if (failed) process.exitCode = 1;
