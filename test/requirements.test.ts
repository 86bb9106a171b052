import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

// The requirements matrix (requirements/*.tsv) names existing code and tests, and every row has a verdict.

const script = fileURLToPath(new URL('../../scripts/requirements.mjs', import.meta.url));

test('the requirements matrix names what is there', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, '--check']);
  assert.equal(stderr, '');
  assert.match(stdout, /^\d+ rules, \d+ sentences:/);
});
