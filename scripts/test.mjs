// npm test: every compiled test file, up to six of a folder in one process (scripts/tests/together.mjs), with one process per
// core and one more, because some wait. The time limit of a process (300 seconds) is only for hanging tests: no test measures
// time, and the machine may be busy. Hanging tests are named (scripts/tests/unfinished.mjs), and a file with something left open
// after its last test is ended (scripts/tests/end.mjs). Processes started by a file end with it (scripts/tests/leftovers.mjs).
// Programs that many tests start are bundled first (scripts/tests/bundles.mjs).
// `node scripts/test.mjs --only PATH,…` runs the files whose path contains one of the texts. Tests that check every place, or
// draw thousands of cases, run only some of them here (test/every-nth.ts). `--whole` runs the files with such tests, with all
// cases, as CI does after npm test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundlePrograms } from './tests/bundles.mjs';
import { endLeftovers } from './tests/leftovers.mjs';
import { together } from './tests/together.mjs';

const { values, tokens } = parseArgs({ strict: false, tokens: true, options: { only: { type: 'string' }, whole: { type: 'boolean' }, seconds: { type: 'string', default: '300' } } });
const others = tokens.filter(({ name }) => !['only', 'whole', 'seconds'].includes(name)).map(({ index }) => process.argv[index + 2]);
const tests = fileURLToPath(new URL('../dist/test', import.meta.url));
const part = (name) => fileURLToPath(new URL(`tests/${name}.mjs`, import.meta.url));
const only = values.only?.split(',') ?? [''];
const all = readdirSync(tests, { recursive: true }).filter((file) => file.endsWith('.test.js'));
// A misspelt text would select nothing, and without files node --test searches for files itself.
const nowhere = only.filter((text) => !all.some((file) => file.includes(text)));
if (nowhere.length > 0) throw new Error(`no test file under dist/test has ${nowhere.join(' or ')} in its path`);
const files = all
  .filter((file) => only.some((text) => file.includes(text)))
  .map((file) => `${tests}/${file}`)
  .filter((file) => !values.whole || /from '[./]*every-nth\.js'/.test(readFileSync(file, 'utf8')));
if (files.length === 0) throw new Error('none of these test files takes some of its cases');
const folder = mkdtempSync(join(tmpdir(), 'barewire-tests-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
await bundlePrograms(fileURLToPath(new URL('../dist', import.meta.url)), join(folder, 'programs'));
const runner = spawn(process.execPath, [
  `--import=${new URL('tests/end.mjs', import.meta.url)}`, '--test', `--test-timeout=${Number(values.seconds) * 1000}`, `--test-concurrency=${availableParallelism() + 1}`,
  `--test-reporter=${process.stdout.isTTY ? 'spec' : 'tap'}`, '--test-reporter-destination=stdout', `--test-reporter=${part('unfinished')}`, '--test-reporter-destination=stderr',
  ...others, ...together(files, tests, folder),
], { stdio: 'inherit', env: { ...process.env, BAREWIRE_TESTS: values.whole ? 'whole' : 'some', BAREWIRE_BUNDLES: join(folder, 'programs') } });
// A signal to this process ends the whole run.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => runner.kill(signal));
const [status] = await once(runner, 'exit');
endLeftovers(runner.pid);
process.exitCode = status ?? 1;
