import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = (name: string): string => fileURLToPath(new URL(`../../scripts/tests/${name}.mjs`, import.meta.url));

interface Run {
  readonly status: number | null;
  readonly report: string;
  readonly words: string;
}

/** Runs test files like scripts/test.mjs, with shorter limits. */
function runFiles(files: readonly string[], seconds: number): Run {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [
    `--import=${new URL('../../scripts/tests/end.mjs', import.meta.url)}`, '--test', `--test-timeout=${seconds * 1000}`,
    '--test-reporter=tap', '--test-reporter-destination=stdout', `--test-reporter=${script('unfinished')}`, '--test-reporter-destination=stderr', ...files,
  ], { encoding: 'utf8', env: { ...env, QUIET_MS: '200' } });
  return { status, report: stdout, words: stderr };
}

function run(code: string, seconds: number): Run {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-runner-'));
  const file = join(folder, 'one.test.mjs');
  writeFileSync(file, `import { test } from 'node:test';\nimport { createServer } from 'node:http';\n${code}`);
  try {
    return runFiles([file], seconds);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a test that hangs is named when the time of its file is over', () => {
  const { status, words } = run(`test('ends', () => {});
    test('hangs', async () => { setInterval(() => {}, 1000); await new Promise(() => {}); });`, 2);
  assert.equal(status, 1);
  assert.match(words, /its time was over\n {2}still running: hangs\n$/);
});

test('of files that share a process, what hangs is named, and what another leaves open', async () => {
  const { together } = await import(script('together')) as { together(files: readonly string[], tests: string, folder: string): string[] };
  const folder = mkdtempSync(join(tmpdir(), 'barewire-runner-'));
  try {
    const write = (name: string, code: string): string => {
      mkdirSync(join(folder, 'noun'), { recursive: true });
      const file = join(folder, 'noun', `${name}.test.js`);
      writeFileSync(file, `const { test } = require('node:test');\n${code}`);
      return file;
    };
    const files = [
      write('a', `test('ends', () => {});`), write('b', `test('hangs', async () => { setInterval(() => {}, 1000); await new Promise(() => {}); });`),
      write('c', `// In a process of its own: it must.\ntest('is by itself', () => {});`),
    ];
    const entries = together(files, folder, join(folder, 'entries'));
    assert.deepEqual(entries, [files[2], join(folder, 'entries', 'noun-1.test.mjs')]);
    const { status, report, words } = runFiles(entries, 2);
    assert.equal(status, 1);
    assert.match(report, /# pass 2\n/);
    assert.equal(words.trim(), `${files.slice(0, 2).join(', ')}: its time was over\n  still running: hangs`);
    writeFileSync(files[1] ?? '', `require('node:net').createServer().listen(0, '127.0.0.1');`);
    const open = runFiles(entries, 60);
    assert.ok((open.report + open.words).includes(`${files.slice(0, 2).join(', ')}: all tests have ended, and the process has not for 0.2 s. Still open: `), open.report + open.words);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const alive = (pid: number): boolean => {
  try {
    // An ended process that its parent has not waited for is a zombie.
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};

const skip = process.platform !== 'linux' && 'processes are found by /proc';

for (const [what, code, seconds] of [
  ['is cut because it hangs', "setInterval(() => {}, 1000); await new Promise(() => {});", 3],
  ['fails and leaves something open', "setInterval(() => {}, 1000); throw new Error('here');", 60],
  ['passes', '', 60],
] as const) {
  test(`what a test file has started ends with it: the file ${what}`, { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'barewire-runner-'));
    try {
      const pids = join(folder, 'pids');
      writeFileSync(pids, '');
      // The child starts another process without its environment.
      const child = `const { spawn } = require('node:child_process'); const { appendFileSync } = require('node:fs');
        spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env: {}, stdio: 'ignore' }).once('spawn', function () {
          appendFileSync(${JSON.stringify(pids)}, process.pid + ' ' + this.pid); console.log('up'); }); setInterval(() => {}, 1000);`;
      const { report, words } = run(`import { spawn } from 'node:child_process'; import { once } from 'node:events';
        test('starts', async () => {
          const child = spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: ['ignore', 'pipe', 'ignore'] });
          await once(child.stdout, 'data');
          child.unref();
          child.stdout.unref();
          ${code}
        });`, seconds);
      const started = readFileSync(pids, 'utf8').split(' ').map(Number);
      assert.equal(started.length, 2);
      assert.match(report + words, /ended: /);
      // The signal takes a moment.
      while (started.some(alive)) await new Promise((resolve) => setTimeout(resolve, 10));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test('a test that fails and leaves a server open does not wait for the time of its file', () => {
  const { status, report, words } = run(`test('fails', () => new Promise((done, fail) => createServer().listen(0, '127.0.0.1', () => fail(new Error('here')))));`, 60);
  assert.equal(status, 1);
  assert.match(report, /not ok 1 - fails/);
  assert.doesNotMatch(report, /testTimeoutFailure/);
  assert.match(report + words, /all tests have ended, and the process has not for 0\.2 s\. Still open: .*TCPServerWrap/);
});
