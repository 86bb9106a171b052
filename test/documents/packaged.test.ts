import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

// The documents in the package, and the list of them in llms.txt.

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const { files } = JSON.parse(read('package.json')) as { files: string[] };
const leftOut = files.filter((file) => file.startsWith('!')).map((file) => file.slice(1));
const guides = ['docs', 'docs/coming-from'].flatMap((folder) => readdirSync(join(root, folder))
  .filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`)).filter((file) => !leftOut.includes(file));

test('the package has the guides, without evidence, and each page that it leaves out exists', () => {
  for (const file of ['docs/*.md', 'docs/coming-from/*.md', 'SKILL.md', 'llms.txt']) assert.ok(files.includes(file), file);
  assert.deepEqual(leftOut.filter((file) => !existsSync(join(root, file))), []);
  assert.ok(leftOut.includes('docs/evidence.md') && guides.includes('docs/server.md'));
});

test('llms.txt names each guide, and nothing that the package does not have', () => {
  const named = [...read('llms.txt').matchAll(/^- \[([^\]]+)\]\(([^)]+)\): \S/gm)].map(([, name, target]) => {
    assert.equal(name, target);
    return target as string;
  });
  assert.deepEqual(named.filter((file) => !['SKILL.md', 'CHANGELOG.md'].includes(file) && !guides.includes(file)), []);
  // The index of a folder represents its pages.
  assert.deepEqual(guides.filter((file) => !named.includes(file) && !file.startsWith('docs/coming-from/')), []);
});

test('SKILL.md names itself and says when to use it, and its pages are in the package', () => {
  const text = read('SKILL.md');
  const [, name, description = ''] = /^---\nname: (.*)\ndescription: (.*)\n---\n/.exec(text) ?? [];
  assert.equal(name, 'barewire');
  assert.ok(description.length > 50 && description.length <= 1024 && /use it when/i.test(description));
  for (const [file] of text.matchAll(/docs\/[\w-]+\.md/g)) assert.ok(guides.includes(file), file);
});
