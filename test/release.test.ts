import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { version } from '../src/judge/version.ts';

// The permissions of a workflow with this project's identity, from dist/test/release.test.js.
const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

/** The versions of CHANGELOG.md, newest first, with their entries. */
const releases = read('CHANGELOG.md').split(/^## /m).slice(1).map((text) => {
  const [, major, minor, patch, date] = /^(\d+)\.(\d+)\.(\d+) \((\d{4}-\d{2}-\d{2})(?:, [\da-f]{7})?(?:, not published)?\)\n/.exec(text) ?? [];
  return { head: text.split('\n', 1)[0], major: Number(major), minor: Number(minor), patch: Number(patch), date: date ?? '', breaking: /^- \*\*Breaking\*\*/m.test(text) };
});

test('CHANGELOG.md: each version has a number and a date, in order; what breaks before 1.0.0 is a minor version', () => {
  assert.ok(releases.length >= 5);
  releases.forEach(({ head, major, minor, patch, date, breaking }, at) => {
    assert.ok(date !== '' && date <= new Date().toISOString(), `${head} is not a version with a date`);
    const before = releases[at + 1];
    if (!before) return;
    const steps = [[before.major + 1, 0, 0], [before.major, before.minor + 1, 0], [before.major, before.minor, before.patch + 1]];
    const step = steps.findIndex((next) => next.join() === [major, minor, patch].join());
    assert.ok(step >= 0, `${head} does not follow ${before.head}`);
    assert.ok(date >= before.date, `${head} is older than ${before.head}`);
    if (breaking) assert.ok(step < (major > 0 ? 1 : 2), `${head} breaks, and its number does not say so`);
  });
});

test('the version of package.json is the newest of CHANGELOG.md, the one that README installs, and the one that the command and the doctor say', () => {
  const { version: packaged } = JSON.parse(read('package.json')) as { version: string };
  assert.equal(`${releases[0]?.major}.${releases[0]?.minor}.${releases[0]?.patch}`, packaged);
  assert.equal(version, packaged);
  assert.ok(read('README.md').includes(`barewire-${packaged}.tgz`));
  assert.ok(read('integrations/create/src/main.ts').includes(`'^${packaged}'`));
});

test('the reference has each entry of the package', () => {
  const { exports: entries } = JSON.parse(read('package.json')) as { exports: Record<string, { types?: string } | string> };
  const { entryPoints } = JSON.parse(read('docs/api/typedoc.json')) as { entryPoints: string[] };
  const sources = Object.values(entries).flatMap((entry) => (typeof entry === 'object' && entry.types !== undefined ? [entry.types] : []))
    .map((types) => `../../src/${types.replace(/^\.\/dist\/types\//, '').replace(/\.d\.ts$/, '.ts')}`);
  assert.deepEqual([...entryPoints].sort(), sources.sort());
});

/** The jobs of a workflow: name and lines. */
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
