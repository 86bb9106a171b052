import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const example = fileURLToPath(new URL('../../examples/host.js', import.meta.url));
// Examples import the published package. The conformance builds have no dist/lib.
const built = existsSync(fileURLToPath(new URL('../../lib/', import.meta.url))) ? {} : { skip: 'dist/lib is not built' };

/** The example's output for this answer. */
async function printed(answer: string): Promise<string> {
  const running = run(process.execPath, [example], { timeout: 60_000 });
  running.child.stdin?.end(`${answer}\n`);
  const { stdout, stderr } = await running;
  assert.equal(stderr, '');
  return stdout;
}

test('the host example calls what a person allows, and says so in its log', built, async () => {
  const text = await printed('y');
  assert.match(text, /^sums__add: Adds two numbers\n/);
  assert.match(text, /Call add of sums with \{"a":1,"b":2\}\? \[y\/n\] 3\n/);
  assert.match(text, /asked\n.* {2}decided allowed\n {2}sent\n {2}answered/s);
});

test('the host example calls nothing that a person refuses', built, async () => {
  const text = await printed('n');
  assert.match(text, /refused: sums\/add was not called: the person declined/);
  assert.match(text, / {2}decided refused\n/);
  assert.doesNotMatch(text, / {2}sent/);
});
