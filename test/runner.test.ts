import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = (name: string): string => fileURLToPath(new URL(`../../scripts/tests/${name}.mjs`, import.meta.url));

/** Runs a test file as scripts/test.mjs does, with shorter times. */
function run(code: string, seconds: number): { status: number | null; report: string; words: string } {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-runner-'));
  const file = join(folder, 'one.test.mjs');
  writeFileSync(file, `import { test } from 'node:test';\nimport { createServer } from 'node:http';\n${code}`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  try {
    const { status, stdout, stderr } = spawnSync(process.execPath, [
      `--import=${new URL('../../scripts/tests/end.mjs', import.meta.url)}`, '--test', `--test-timeout=${seconds * 1000}`,
      '--test-reporter=tap', '--test-reporter-destination=stdout', `--test-reporter=${script('unfinished')}`, '--test-reporter-destination=stderr', file,
    ], { encoding: 'utf8', env: { ...env, QUIET_MS: '200' } });
    return { status, report: stdout, words: stderr };
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

test('a test that fails and leaves a server open does not wait for the time of its file', () => {
  const { status, report, words } = run(`test('fails', () => new Promise((done, fail) => createServer().listen(0, '127.0.0.1', () => fail(new Error('here')))));`, 60);
  assert.equal(status, 1);
  assert.match(report, /not ok 1 - fails/);
  assert.doesNotMatch(report, /testTimeoutFailure/);
  assert.match(report + words, /all tests have ended, and the process has not for 0\.2 s\. Still open: .*TCPServerWrap/);
});
