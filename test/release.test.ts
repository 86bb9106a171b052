import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

// What a workflow may do with the identity of this project, from dist/test/release.test.js.
const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));

/** The jobs of a workflow: the lines below each name. */
function jobsOf(text: string): Map<string, string> {
  const [, jobs = ''] = text.split(/^jobs:\n/m);
  return new Map([...jobs.matchAll(/^ {2}([\w-]+):\n((?: {4}.*\n| *\n)*)/gm)].map(([, name = '', lines = '']) => [name, lines]));
}

for (const file of readdirSync(folder)) {
  const text = readFileSync(join(folder, file), 'utf8');

  test(`${file}: actions are pinned by commit, and installing runs no script`, () => {
    const used = [...text.matchAll(/uses: *(\S+)/g)].map(([, name = '']) => name);
    assert.ok(used.length > 0);
    for (const name of used) assert.match(name, /^[\w-]+\/[\w./-]+@[\da-f]{40}$/);
    for (const [line] of text.matchAll(/npm (ci|install|publish|pack)\b.*/g)) assert.match(line, /--ignore-scripts/);
    assert.match(text, /^permissions: \{\}$/m);
  });

  test(`${file}: a job that may have the identity of the project runs nothing of it, and nothing that was installed`, () => {
    const jobs = jobsOf(text);
    assert.ok(jobs.size > 0);
    for (const [name, lines] of jobs) {
      assert.match(lines, /^ {4}permissions:\n/m, name);
      if (!/id-token: *write/.test(lines)) continue;
      assert.doesNotMatch(lines, /actions\/checkout|contents: *write/, name);
      for (const [, command = ''] of lines.matchAll(/run: *(.+)/g)) assert.match(command, /^npm publish [^;&|]*--ignore-scripts$/, name);
    }
    assert.ok([...jobs.values()].some((lines) => /id-token: *write/.test(lines)));
  });
}
