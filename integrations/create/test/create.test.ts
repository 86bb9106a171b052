import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { create } from '../src/create.ts';
import { templates } from '../src/templates.ts';

const top = fileURLToPath(new URL('../../', import.meta.url));
const main = join(top, 'dist/src/main.js');
const scratch = mkdtempSync(join(tmpdir(), 'create-barewire-test-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

test('there is a folder for each template, and no other', () => {
  assert.deepEqual(readdirSync(join(top, 'templates')).sort(), Object.keys(templates).sort());
});

for (const template of Object.keys(templates)) {
  test(`${template}: its tests pass after one command`, async () => {
    const place = join(scratch, template);
    await create(place, { template, barewire: '^0.5.0' });
    // Stands for npm install.
    symlinkSync(join(top, 'node_modules'), join(place, 'node_modules'));
    const { stdout } = await promisify(execFile)('npm', ['test', '--silent'], { cwd: place, env: { ...process.env, NODE_TEST_CONTEXT: undefined } });
    assert.match(stdout, /# pass [1-9]/);
    assert.match(stdout, /# fail 0/);
    assert.equal((JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { name: string }).name, template);
  });
}

test('the command says what to do next, and touches no folder that holds something', () => {
  const made = spawnSync(process.execPath, [main, 'shop', '--template', 'tasks', '--no-install'], { cwd: scratch, encoding: 'utf8' });
  assert.match(made.stdout, /cd shop\n {2}npm install\n {2}npm test/);
  assert.ok(existsSync(join(scratch, 'shop/.gitignore')));
  mkdirSync(join(scratch, 'full'));
  writeFileSync(join(scratch, 'full/mine'), '');
  const cases: [args: string[], says: RegExp][] = [
    [['full'], /is not empty/], [['Bad Name'], /cannot be the name/], [['x', '--template', 'none'], /expected server, client/], [[], /npm create barewire/],
    [['x', '--templat', 'y'], /--templat/],
  ];
  for (const [args, says] of cases) {
    const { status, stderr } = spawnSync(process.execPath, [main, ...args, '--no-install'], { cwd: scratch, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, says);
  }
  assert.deepEqual(readdirSync(join(scratch, 'full')), ['mine']);
  assert.equal(existsSync(join(scratch, 'x')), false);
});
