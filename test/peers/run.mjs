// npm run peers: every test of this folder, then the conformance suite.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const tests = readdirSync(here).filter((name) => name.endsWith('.test.mjs'));
const node = (...args) => spawnSync(process.execPath, args, { cwd: here, stdio: 'inherit' }).status ?? 1;
// `|` and not `||`: the second is run whatever came of the first.
process.exitCode = node('--test', '--test-reporter=spec', ...tests) | node('conformance.mjs', ...process.argv.slice(2));
