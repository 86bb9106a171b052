// Tests the package as a user has it: packed, installed into an empty folder, and run from there, without the clone.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-learn-')));
test.after(() => rmSync(folder, { recursive: true, force: true }));

const run = promisify(execFile);
const npm = (words, cwd) => execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const [packed] = Object.values(JSON.parse(npm(['pack', '--json', '--silent', '--pack-destination', folder], here)));
writeFileSync(join(folder, 'package.json'), '{"private":true}');
npm(['install', '--silent', '--no-audit', '--no-fund', '--offline', join(folder, packed.filename)], folder);
cpSync(join(root, 'docs/course/solution'), join(folder, 'solution'), { recursive: true });
const learn = (...words) => spawnSync(join(folder, 'node_modules/.bin/barewire-learn'), words, { cwd: folder, encoding: 'utf8' });

test('chapters are listed and read; their links lead nowhere into a clone', () => {
  assert.match(learn().stdout, /^ 1 {2}One line \(\d+ checks\)[^]*usage: barewire-learn CHAPTER/);
  for (let number = 1; number <= 12; number++) {
    const { status, stdout } = learn('read', String(number));
    assert.equal(status, 0);
    assert.match(stdout, new RegExp(`^# ${number}\\. `));
    assert.match(stdout, new RegExp(`barewire-learn ${number} "`));
    assert.doesNotMatch(stdout, /npm run course|\]\(\.\.\//);
  }
  assert.match(learn('read').stdout, /^# The course/);
  assert.equal(learn('read', '13').status, 2);
  assert.equal(learn('exam', 'x').status, 2);
});

test('the solution passes a chapter of each role, in a folder without a clone', async () => {
  await Promise.all([3, 7, 9].map(async (number) => {
    // A busy machine takes longer: no result here depends on time.
    const { stdout } = await run(join(folder, 'node_modules/.bin/barewire-learn'), [String(number), 'node solution/main.mjs', '--wait', '120000'], { cwd: folder });
    assert.match(stdout, /\nAll of it\.\n$/);
  }));
});

test('a wrong program fails, with what came', () => {
  writeFileSync(join(folder, 'wrong.mjs'), `
    import { createInterface } from 'node:readline';
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id } = JSON.parse(line);
      console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'not yet' } }));
    });`);
  const { status, stdout } = learn('1', 'node wrong.mjs');
  assert.equal(status, 1);
  assert.match(stdout, /FAIL[^]*came {6}the error \{"code":-32601,"message":"not yet"\}/);
});

test('barewire learn runs this package where it is installed beside barewire', () => {
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'dist/lib/cli.js'), 'learn', '--package', join(folder, 'node_modules/barewire-learn')], { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0);
  assert.match(stdout, /^ 1 {2}One line/);
});

test('it holds the checker, the relay and the chapters, and no more', () => {
  const held = readdirSync(join(folder, 'node_modules/barewire-learn'), { recursive: true }).map(String).filter((path) => /\.\w+$/.test(path) || path === 'LICENSE');
  assert.deepEqual(held.filter((path) => !/^(?:dist\/(?:bin|learn|relay)\.js|dist\/course\/(?:\d\d-[\w-]+|README)\.md|LICENSE|README\.md|package\.json)$/.test(path.replaceAll('\\', '/'))), []);
  assert.doesNotMatch(readFileSync(join(here, 'package.json'), 'utf8'), /"(?:peerD|d)ependencies"/);
});
