// Builds the engine packages that the processes of the load run import. Scripts are off, because npm would otherwise build barewire once
// for each of the three.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readWords } from '../../../scripts/words.mjs';

readWords();

for (const name of ['redis', 'nats', 'postgres']) {
  const cwd = fileURLToPath(new URL(`../../../integrations/${name}/`, import.meta.url));
  execFileSync('npm', ['ci', '--silent', '--ignore-scripts'], { cwd, stdio: 'inherit' });
  execFileSync('npm', ['run', 'build', '--silent'], { cwd, stdio: 'inherit' });
}
