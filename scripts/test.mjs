// npm test: every test file that the build made, one a core. The time limit is for what hangs; no test measures time.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const tests = fileURLToPath(new URL('../dist/test', import.meta.url));
const files = readdirSync(tests, { recursive: true })
  .filter((file) => file.endsWith('.test.js'))
  .map((file) => `${tests}/${file}`);
const { status } = spawnSync(process.execPath, ['--test', '--test-timeout=60000', `--test-concurrency=${availableParallelism()}`, ...process.argv.slice(2), ...files], { stdio: 'inherit' });
process.exitCode = status ?? 1;
