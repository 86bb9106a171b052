import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

test('durable: an order that is killed twice on its way arrives, and the world did each thing once', async () => {
  const main = fileURLToPath(new URL('../../examples/durable/main.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [main], { timeout: 120_000 });
  assert.equal(stdout.match(/killed, before it could write that down/g)?.length, 2, stdout);
  assert.equal(stdout.match(/which the world knew already/g)?.length, 2, stdout);
  assert.match(stdout, /result: brass lamp to Oslo: charged as \w{6}, shipped as \w{6}\./);
  assert.match(stdout, /world: {2}charged, shipped; each once/);
});
