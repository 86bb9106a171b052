// npm run mutants -- FOLDER | FILE … [--tests A,B] : mutation testing of a folder of src, or of some files of one. Writes
// test/mutants/results/NAME.json; `npm run mutants -- --report` makes docs/mutants.md of what is there.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { folders } from './folders.mjs';
import { summary, writeReport } from './report.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const top = fileURLToPath(new URL('../../', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: 'boolean' }, since: { type: 'string' }, minutes: { type: 'string' }, sample: { type: 'string' }, seed: { type: 'string', default: '1' } },
});
process.chdir(top);

const git = (...args) => spawnSync('git', args, { cwd: top, encoding: 'utf8' }).stdout.trim();

if (values.report) {
  writeReport(`${here}results`, `${top}docs/mutants.md`);
} else if (values.since) {
  await changed(values.since, Number(values.minutes ?? 3));
} else if (positionals.length === 0) {
  console.error(`npm run mutants -- FOLDER, one of ${Object.keys(folders).join(', ')}; or -- src/FOLDER/FILE.ts …`);
  process.exitCode = 2;
} else {
  for (const one of positionals) await mutate(one);
}

/** Mutates a folder or a file, and keeps the result. */
async function mutate(what) {
  const isFile = what.endsWith('.ts');
  const folder = isFile ? what.split('/')[1] : what;
  const known = folders[folder];
  if (!known) throw new Error(`${what}: not in one of ${Object.keys(folders).join(', ')}`);
  const name = isFile ? what.slice('src/'.length, -'.ts'.length).replaceAll('/', '-') : folder;
  const results = `${here}results`;
  mkdirSync(results, { recursive: true });
  const report = join(tmpdir(), `barewire-mutants-${process.pid}-${name}.json`);
  const mutants = await new Stryker({
    testRunner: 'tap',
    plugins: [import.meta.resolve('@stryker-mutator/tap-runner')],
    tap: { testFiles: known.tests.map((test) => `dist/${test}.test.js`), nodeArgs: ['-r', '{{hookFile}}', '--test-reporter=tap', '{{testFile}}'] },
    // TypeScript 7 has no API that Stryker could use: it is told of no project, and the build runs without checks.
    tsconfigFile: 'there-is-none.json',
    symlinkNodeModules: false,
    buildCommand: `node ${here}build.mjs ${top}`,
    disableTypeChecks: 'src/**/*.ts',
    mutate: isFile ? [what] : values.sample ? sampled(folder, Number(values.sample), Number(values.seed)) : [`src/${folder}/**/*.ts`, `!src/${folder}/**/index.ts`],
    coverageAnalysis: 'perTest',
    ignorePatterns: ['page', 'docs', 'bench', 'integrations', 'requirements', '**/node_modules', 'test/mutants', 'test/manifest', 'test/oauth', 'test/peers/node_modules', 'dist'],
    ignoreStatic: true,
    concurrency: Number(process.env.MUTANTS_AT_ONCE ?? 2),
    timeoutMS: 10_000,
    timeoutFactor: 3,
    dryRunTimeoutMinutes: 10,
    tempDirName: join(tmpdir(), `barewire-mutants-${process.pid}`),
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: report },
    allowConsoleColors: false,
    fileLogLevel: 'off',
    logLevel: 'warn',
    thresholds: { high: 100, low: 85, break: null },
  }).runMutationTest();
  const { files } = JSON.parse(readFileSync(report, 'utf8'));
  const kept = {
    what, commit: git('rev-parse', '--short', 'HEAD'), date: new Date().toISOString().slice(0, 10), ...(values.sample && { sample: Number(values.sample), seed: Number(values.seed) }),
    mutants: Object.entries(files).flatMap(([file, { mutants: all }]) => all.map(({ status, mutatorName, location, replacement, static: isStatic }) =>
      ({ file, line: location.start.line, status, mutator: mutatorName, replacement: replacement?.slice(0, 80), ...(isStatic && { static: true }) }))),
  };
  const lines = kept.mutants.map((mutant) => `    ${JSON.stringify(mutant)}`).join(',\n');
  writeFileSync(`${results}/${name}.json`, `${JSON.stringify({ ...kept, mutants: undefined }).slice(0, -1)}, "mutants": [\n${lines}\n]}\n`);
  console.log(`${what}: ${mutants.length} mutants; ${summary(kept.mutants)}`);
}

/** Files of a folder in a seeded order. */
function sampled(folder, count, seed) {
  const files = readdirSync(`${top}src/${folder}`, { recursive: true }).filter((file) => file.endsWith('.ts') && basename(file) !== 'index.ts').sort();
  let state = seed;
  const random = () => { state = (state * 1664525 + 1013904223) % 2 ** 32; return state / 2 ** 32; };
  return files.map((file) => ({ file, at: random() })).sort((a, b) => a.at - b.at).slice(0, count).map(({ file }) => `src/${folder}/${file}`);
}

/** The files that changed since a commit, as many as the time allows; the rest is named. */
async function changed(since, minutes) {
  const files = git('diff', '--name-only', '--diff-filter=d', since, '--', 'src').split('\n').filter((file) => file.endsWith('.ts') && basename(file) !== 'index.ts' && folders[file.split('/')[1]]);
  const ends = Date.now() + minutes * 60_000;
  const left = [];
  for (const file of files) {
    if (Date.now() < ends) await mutate(file);
    else left.push(file);
  }
  console.log(left.length === 0 ? `${files.length} changed files, all tried` : `not tried, for the ${minutes} minutes were over: ${left.join(', ')}`);
}
