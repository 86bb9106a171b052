import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { barewire } from './program.ts';


function run(words: readonly string[], cwd: string): Promise<{ code: number | string | null; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [barewire, 'page', ...words], { cwd }, (error, out, err) =>
      resolve({ code: error ? error.code ?? null : 0, out, err }));
    child.stdin?.end();
  });
}

test('page: the package is loaded by its name from the folder of the command, and otherwise it says how to install it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'barewire-page-'));
  t.after(() => rm(folder, { recursive: true }));
  const without = await run([], folder);
  assert.deepEqual([without.code, without.out], [2, '']);
  assert.match(without.err, /npm install barewire-page/);
  const home = join(folder, 'node_modules/barewire-page');
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'package.json'), JSON.stringify({ name: 'barewire-page', type: 'module', exports: { '.': { default: './page.js' } } }));
  await writeFile(join(home, 'page.js'), 'export const main = async (words) => { console.log(JSON.stringify(words)); return 4; };\n');
  const loaded = await run(['--port', '0', '--', 'node', 'server.js'], folder);
  assert.deepEqual(JSON.parse(loaded.out), ['--port', '0', '--', 'node', 'server.js']);
  assert.equal(loaded.code, 4);
  const help = await run(['--help'], folder);
  assert.match(help.out, /barewire page \[options\]/);
});
