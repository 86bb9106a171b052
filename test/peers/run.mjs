// npm run peers: every test in this folder, then the conformance suite. `npm run peers -- languages`: only the peers of other
// languages.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readWords } from '../../scripts/words.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const tests = readdirSync(here).filter((name) => name.endsWith('.test.mjs'));
const node = (...args) => spawnSync(process.execPath, args, { cwd: here, stdio: 'inherit' }).status ?? 1;
const { names: [languages] } = readWords({}, ['languages']);
if (languages) process.exit(node('--test', '--test-reporter=spec', 'languages.test.mjs'));
// `|`, not `||`: the second runs whatever the first returns.
process.exitCode = node('--test', '--test-reporter=spec', ...tests) | node('conformance.mjs');
