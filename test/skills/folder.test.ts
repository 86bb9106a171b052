import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { McpServer } from '../../src/server/index.ts';
import { skills } from '../../src/skills/index.ts';
import { readSkills } from '../../src/skills/node/index.ts';

const document = (name: string): string => `---\nname: ${name}\ndescription: What ${name} does\n---\n`;

/** A folder with these files. */
function folder(t: TestContext, files: Readonly<Record<string, string | Uint8Array>>): string {
  const path = mkdtempSync(join(tmpdir(), 'barewire-skills-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}

const served = async (definitions: Awaited<ReturnType<typeof readSkills>>): Promise<Record<string, string[]>> => {
  const { entries } = await skills(new McpServer({ name: 's', version: '1' }), definitions);
  return Object.fromEntries(entries.map(({ uri, resources }) => [uri, resources === 'dynamic' ? [] : resources.map((one) => one.uri.slice('skill://'.length))]));
};

test('readSkills: each folder with a SKILL.md is a skill, with its files and those of the skills in it', async (t) => {
  const path = folder(t, {
    'README.md': 'none of a skill', 'one/SKILL.md': document('one'), 'one/a/b.txt': 'b', 'one/.env': 'SECRET=1', 'one/.git/config': 'x',
    'team/two/SKILL.md': document('two'), 'team/two/three/SKILL.md': document('three'), '.hidden/SKILL.md': document('hidden'),
  });
  assert.deepEqual(await served(await readSkills(path, { prefix: 'acme' })), {
    'skill://acme/one/SKILL.md': ['acme/one/SKILL.md', 'acme/one/a/b.txt'],
    'skill://acme/team/two/SKILL.md': ['acme/team/two/SKILL.md', 'acme/team/two/three/SKILL.md'],
    'skill://acme/team/two/three/SKILL.md': ['acme/team/two/three/SKILL.md'],
  });
});

test('readSkills: no link leaves the folder', { skip: process.platform === 'win32' }, async (t) => {
  const outside = folder(t, { 'secret.txt': 'secret', 'deep/x': 'x' });
  const path = folder(t, { 'one/SKILL.md': document('one'), 'shared/note.md': 'note', 'two/SKILL.md': document('two'), 'three/SKILL.md': document('three'), 'four/SKILL.md': document('four') });
  symlinkSync('../shared/note.md', join(path, 'one/note.md'));
  symlinkSync(join(outside, 'secret.txt'), join(path, 'two/secret.md'));
  symlinkSync(join(outside, 'deep'), join(path, 'three/deep'));
  symlinkSync('nowhere', join(path, 'four/nothing'));
  const problems = new Map<string, string>();
  const found = await readSkills(path, { onProblem: (where, why) => problems.set(where.slice(path.length + 1), why) });
  assert.deepEqual(await served(found), { 'skill://one/SKILL.md': ['one/SKILL.md', 'one/note.md'] });
  assert.match(problems.get('two') ?? '', /link that leads out of the folder/);
  assert.match(problems.get('three') ?? '', /link that leads out of the folder/);
  assert.match(problems.get('four') ?? '', /is a broken link/);
  await assert.rejects(readSkills(path), /broken link|link that leads/);
});

test('readSkills: a link that is put in the place of a file afterwards is not followed out of the folder', { skip: process.platform === 'win32' }, async (t) => {
  const outside = folder(t, { 'secret.txt': 'note' });
  const path = folder(t, { 'one/SKILL.md': document('one'), 'one/note.md': 'note' });
  const [one] = await readSkills(path);
  const content = one?.files['note.md'];
  assert.ok(typeof content === 'function');
  rmSync(join(path, 'one/note.md'));
  symlinkSync(join(outside, 'secret.txt'), join(path, 'one/note.md'));
  await assert.rejects(async () => content(), /link that leads out/);
});

test('readSkills: a skill beyond the limits, or without a name of its own, is left out and named', async (t) => {
  const path = folder(t, {
    'many/SKILL.md': document('many'), ...Object.fromEntries(Array.from({ length: 512 }, (_, i) => [`many/${i}`, ''])),
    'big/SKILL.md': document('big'), 'big/x': new Uint8Array(16_777_216), 'other/SKILL.md': document('another'), 'good/SKILL.md': document('good'),
  });
  const problems: string[] = [];
  assert.deepEqual(Object.keys(await served(await readSkills(path, { onProblem: (_where, why) => problems.push(why) }))), ['skill://good/SKILL.md']);
  assert.match(problems.join('\n'), /big has more than 16777216 bytes\n.*many has more than 512 files\n.*name "another" is not the last segment/);
});
