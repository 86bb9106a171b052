import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import test from 'node:test';
import { barewire } from './program.ts';

function run(program: string, words: readonly string[], cwd: string): Promise<{ code: number | string | null; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, 'page', ...words], { cwd, env: { ...process.env, NODE_PATH: '' } }, (error, out, err) =>
      resolve({ code: error ? error.code ?? null : 0, out, err }));
    child.stdin?.end();
  });
}

/** A package with the page's name that prints which one it is. */
async function packageAt(folder: string, says: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'barewire-page', type: 'module', exports: { '.': { default: './page.js' } } }));
  await writeFile(join(folder, 'page.js'), `export const main = async (words) => { console.log(JSON.stringify(['${says}', ...words])); return 4; };\n`);
}

test('page: the code of a folder is not run; the package belongs to the installation', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'barewire-page-'));
  t.after(() => rm(folder, { recursive: true }));
  const repository = join(folder, 'repository');
  await packageAt(join(repository, 'node_modules/barewire-page'), 'the repository');
  await mkdir(join(repository, 'deep'));
  const installed = join(folder, 'installed/node_modules/barewire');
  await mkdir(installed, { recursive: true });
  // dist/lib/cli.js is published in one folder, dist/src/cli/main.js is compiled into one of many.
  const whole = barewire.endsWith('main.js') ? dirname(dirname(barewire)) : dirname(barewire);
  await cp(whole, join(installed, 'dist', basename(whole)), { recursive: true });
  await writeFile(join(installed, 'package.json'), JSON.stringify({ name: 'barewire', type: 'module', version: '0.0.0' }));
  const program = join(installed, 'dist', basename(whole), relative(whole, barewire));
  for (const cwd of [repository, join(repository, 'deep')]) {
    const without = await run(program, [], cwd);
    assert.deepEqual([without.code, without.out], [2, '']);
    assert.match(without.err, /npm install barewire-page.*--package/);
  }
  await packageAt(join(folder, 'installed/node_modules/barewire-page'), 'installed');
  const loaded = await run(program, ['--port', '0', '--', 'node', 'server.js'], repository);
  assert.deepEqual([loaded.code, JSON.parse(loaded.out)], [4, ['installed', '--port', '0', '--', 'node', 'server.js']]);
});
