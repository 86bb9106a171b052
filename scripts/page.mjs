// npm run page: the page of this clone. Installs its packages if they are missing or older than the lock file, builds it, and
// starts the local server with the arguments after `--`.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../page/', import.meta.url));
const npm = process.env.npm_execpath;
if (npm === undefined) throw new Error('run this by npm run page');

const time = (file) => statSync(`${folder}${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const run = (...words) => execFileSync(process.execPath, [npm, ...words, '--prefix', folder, '--silent'], { stdio: ['ignore', 'ignore', 'inherit'] });
if (time('node_modules/.package-lock.json') < time('package-lock.json')) run('ci');
run('run', 'build');

const { main } = await import('../page/dist/src/server/index.js');
process.exitCode = await main(process.argv.slice(2));
