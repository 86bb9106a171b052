// npm test: every test file that the build made, in parallel. The time limit is for what hangs; no test measures time.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const tests = fileURLToPath(new URL('../dist/test', import.meta.url));
const files = readdirSync(tests, { recursive: true })
  .filter((file) => file.endsWith('.test.js'))
  .map((file) => `${tests}/${file}`);
const { status } = spawnSync(process.execPath, ['--test', '--test-timeout=300000', ...process.argv.slice(2), ...files], { stdio: 'inherit' });
process.exitCode = status ?? 1;
