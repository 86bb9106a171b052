// npm run peers: every test of this folder, then the conformance suite. `npm run peers -- languages`: the peers of other
// languages alone.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const tests = readdirSync(here).filter((name) => name.endsWith('.test.mjs'));
const node = (...args) => spawnSync(process.execPath, args, { cwd: here, stdio: 'inherit' }).status ?? 1;
if (process.argv[2] === 'languages') process.exit(node('--test', '--test-reporter=spec', 'languages.test.mjs'));
// `|` and not `||`: the second is run whatever came of the first.
process.exitCode = node('--test', '--test-reporter=spec', ...tests) | node('conformance.mjs', ...process.argv.slice(2));
