// Builds the packages of the engines, which the processes of the load run import.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

for (const name of ['redis', 'nats', 'postgres']) {
  const cwd = fileURLToPath(new URL(`../../../integrations/${name}/`, import.meta.url));
  execFileSync('npm', ['ci', '--silent'], { cwd, stdio: 'inherit' });
  execFileSync('npm', ['run', 'build', '--silent'], { cwd, stdio: 'inherit' });
}
