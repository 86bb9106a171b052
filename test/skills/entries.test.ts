import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { checkSkill, fileOf, getSkill, listSkills, readSkill, readSkillFile, SkillError } from '../../src/skills/index.ts';
import type { Skill, SkillErrorCode } from '../../src/skills/index.ts';
import { fileDigest } from '../../src/skills/digest.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const document = '---\nname: pdf\ndescription: Does it\n---\nBody\n';
const uri = 'skill://pdf/SKILL.md';

/** An entry with these files. */
async function entry(files: Readonly<Record<string, string>>, more: object = {}): Promise<object> {
  const resources = await Promise.all(Object.entries(files).map(async ([path, text]) =>
    ({ uri: `skill://pdf/${path}`, digest: await fileDigest(bytes(text)), size: bytes(text).length })));
  return { uri, frontmatter: { name: 'pdf', description: 'Does it' }, resources, ...more };
}

/** A server that claims false facts. */
async function lying(t: TestContext, skills: readonly unknown[], contents: Readonly<Record<string, string | Uint8Array>>): Promise<{ client: McpClient; read: string[] }> {
  const read: string[] = [];
  const server = new McpServer({ name: 's', version: '1' });
  for (const [path, text] of Object.entries(contents)) {
    server.resource(`skill://pdf/${path}`, {}, (one) => {
      read.push(one);
      return text;
    });
  }
  server.extend({ id: 'io.modelcontextprotocol/skills', open: { methods: { 'skills/list': () => ({ skills }), 'skills/get': () => ({ skill: skills[0] }) } } });
  const client = new McpClient({ name: 'c', version: '1' });
  await client.connect(memoryTransport(server));
  t.after(() => client.close());
  return { client, read };
}

const refusal = (code: SkillErrorCode) => (thrown: unknown): boolean => thrown instanceof SkillError && thrown.code === code;

test('entries: malformed ones are left out of a listing, and named', async (t) => {
  const good = await entry({ 'SKILL.md': document });
  const { client, read } = await lying(t, [good, good, null, { ...good, uri: 'skill://a/SKILL.md' }], {});
  const { skills, faults } = await listSkills(client);
  assert.deepEqual(skills, [good]);
  assert.deepEqual(faults.map(({ message }) => message), [
    'the skill "skill://pdf/SKILL.md" is listed twice', 'the skill null: the entry is not an object', 'the skill "skill://a/SKILL.md": its path does not end with its name "pdf"',
  ]);
  // Skills, Lazy Retrieval: a listing reads no file.
  assert.deepEqual(read, []);
});

test('entries: what breaks a rule is refused', async () => {
  const good = await entry({ 'SKILL.md': document, 'a.md': 'a' }) as { resources: { uri: string; digest: string; size: number }[] };
  const [own, other] = good.resources as [Skill['resources'][0] & object, { uri: string; digest: string; size: number }];
  const wrong: readonly object[] = [
    { uri: 'skill://pdf/skill.md' }, { uri: 'SKILL.md' }, { uri: 1 }, { frontmatter: {} }, { frontmatter: { name: 'pdf' } }, { frontmatter: { name: 'PDF', description: '' } },
    ...['other', 'pd', 'f'].map((name) => ({ frontmatter: { name, description: '' } })),
    ...['-a', 'a-', 'a--b', 'a_b', 'A', 'é', '', 'a'.repeat(65)].map((name) => ({ uri: `skill://${name}/SKILL.md`, frontmatter: { name, description: '' }, resources: 'dynamic' })),
    { resources: undefined }, { resources: 'static' }, { resources: {} }, { resources: [other] }, { resources: [own, other, other] },
    { resources: [own, { ...other, uri: 'skill://pdf2/a.md' }] }, { resources: [own, { ...other, uri: 'skill://pdf/../x/a.md' }] },
    { resources: [own, { ...other, uri: 'skill://pdf/%2e%2E/a.md' }] }, { resources: [own, { ...other, uri: 'skill://pdf/a%2fb' }] },
    { resources: [own, { ...other, uri: 'skill://pdf/a.md?x' }] }, { resources: [own, { ...other, digest: other.digest.toUpperCase() }] },
    { resources: [own, { ...other, digest: 'sha256:0' }] }, { resources: [own, { ...other, size: -1 }] }, { resources: [own, { ...other, size: 0.5 }] },
    { resources: [own, { uri: other.uri, digest: other.digest }] }, { resources: [own, null] },
  ];
  assert.equal(checkSkill(good).uri, uri);
  for (const name of ['a', '0', 'a-b-1', 'a'.repeat(64)]) {
    assert.equal(checkSkill({ uri: `skill://x/${name}/SKILL.md`, frontmatter: { name, description: '' }, resources: 'dynamic' }).frontmatter.name, name);
  }
  for (const one of wrong) assert.throws(() => checkSkill({ ...good, ...one }), refusal('invalid-entry'), JSON.stringify(one));
  assert.throws(() => checkSkill({ ...good, resources: [own, { ...other, size: 16_777_216 }] }), refusal('too-large'));
  assert.throws(() => checkSkill({ ...good, resources: [own, ...Array.from({ length: 512 }, (_, i) => ({ ...other, uri: `skill://pdf/${i}` }))] }), refusal('too-large'));
});

test('entries: the limits themselves are within them', async () => {
  const good = await entry({ 'SKILL.md': document }) as { resources: { uri: string; digest: string; size: number }[] };
  const [own] = good.resources as [{ uri: string; digest: string; size: number }];
  const others = Array.from({ length: 511 }, (_, i) => ({ ...own, uri: `skill://pdf/${i}`, size: i === 0 ? 16_777_216 - own.size : 0 }));
  assert.equal(checkSkill({ ...good, resources: [own, ...others] }).resources.length, 512);
});

test('files: compared with the entry by size and digest', async (t) => {
  const files = { 'SKILL.md': document, 'same.md': 'same', 'size.md': 'short', 'less.md': 'long', 'digest.md': 'abc' };
  const skill = checkSkill(await entry(files));
  const { client } = await lying(t, [skill], { ...files, 'size.md': 'longer', 'less.md': 'lon', 'digest.md': 'abd', 'unlisted.md': 'x' });
  assert.equal((await readSkillFile(client, skill, 'same.md')).text, 'same');
  for (const other of ['size.md', 'less.md']) await assert.rejects(readSkillFile(client, skill, other), refusal('size'));
  await assert.rejects(readSkillFile(client, skill, 'digest.md'), refusal('digest'));
  // Binary bytes are compared like text.
  const sent = new Uint8Array([0, 255, 254]);
  const listed = { uri: 'skill://pdf/x.bin', digest: await fileDigest(sent), size: 3 };
  const server = await lying(t, [], { 'x.bin': sent });
  for (const [file, code] of [[{}, undefined], [{ digest: await fileDigest(new Uint8Array([0, 255, 253])) }, 'digest'], [{ size: 2 }, 'size'], [{ size: 4 }, 'size']] as const) {
    const binary = { ...skill, resources: [{ ...listed, ...file }] };
    if (code === undefined) assert.deepEqual((await readSkillFile(server.client, binary, 'x.bin')).bytes, sent);
    else await assert.rejects(readSkillFile(server.client, binary, 'x.bin'), refusal(code));
  }
});

test('files: only listed ones are asked for', async (t) => {
  const skill = checkSkill(await entry({ 'SKILL.md': document, 'a.md': 'x' }));
  const { client, read } = await lying(t, [skill], { 'unlisted.md': 'x' });
  for (const reference of ['unlisted.md', '../pdf/unlisted.md', 'skill://other/SKILL.md', 'file:///etc/passwd', 'skill://pdf/unlisted.md', '']) {
    await assert.rejects(readSkillFile(client, skill, reference), refusal('unlisted'), reference);
  }
  assert.deepEqual(read, []);
  const spaced = checkSkill({ ...skill, resources: [...skill.resources as object[], { uri: 'skill://pdf/c%20d.md', digest: `sha256:${'0'.repeat(64)}`, size: 0 }] });
  for (const reference of ['c d.md', './c d.md', 'c%20d.md', 'c d.md#part', 'skill://pdf/c%20d.md']) assert.equal(fileOf(spaced, reference), 'skill://pdf/c%20d.md', reference);
});

test('SKILL.md: its front matter is that of the entry, field by field', async (t) => {
  for (const frontmatter of [
    { name: 'pdf', description: 'Does something else' }, { name: 'pdf', description: 'Does it', license: 'MIT' }, { name: 'pdf', description: 'Does it', 'allowed-tools': null },
  ]) {
    const skill = checkSkill(await entry({ 'SKILL.md': document }, { frontmatter }));
    const { client } = await lying(t, [skill], { 'SKILL.md': document });
    await assert.rejects(readSkill(client, skill), refusal('frontmatter'), JSON.stringify(frontmatter));
  }
  const nested = (version: string): string => `---\nname: pdf\ndescription: Does it\nmetadata:\n  version: "${version}"\n---\n`;
  const other = checkSkill(await entry({ 'SKILL.md': nested('1') }, { frontmatter: { name: 'pdf', description: 'Does it', metadata: { version: '2' } } }));
  await assert.rejects(readSkill((await lying(t, [other], { 'SKILL.md': nested('1') })).client, other), refusal('frontmatter'));
  const same = checkSkill(await entry({ 'SKILL.md': nested('2') }, { frontmatter: { metadata: { version: '2' }, description: 'Does it', name: 'pdf' } }));
  assert.equal((await readSkill((await lying(t, [same], { 'SKILL.md': nested('2') })).client, same)).body, '');
  const more = '---\nname: pdf\ndescription: Does it\nallowed-tools: Bash\n---\n';
  const hidden = checkSkill(await entry({ 'SKILL.md': more }));
  await assert.rejects(readSkill((await lying(t, [hidden], { 'SKILL.md': more })).client, hidden), refusal('frontmatter'));
  const none = checkSkill(await entry({ 'SKILL.md': '# no front matter' }));
  await assert.rejects(readSkill((await lying(t, [none], { 'SKILL.md': '# no front matter' })).client, none), refusal('frontmatter'));
});

test('a dynamic skill has no digests, but its front matter is compared, and its files are bounded', async (t) => {
  const skill = checkSkill({ ...await entry({}), resources: 'dynamic' });
  const { client } = await lying(t, [skill], { 'SKILL.md': document, 'big.md': 'x'.repeat(100) });
  assert.equal((await readSkill(client, skill)).body, 'Body\n');
  await assert.rejects(readSkillFile(client, skill, 'big.md', {}, { maxFiles: 512, maxBytes: 99 }), refusal('size'));
  await assert.rejects(readSkillFile(client, skill, '../x'), refusal('unlisted'));
  await assert.rejects(readSkill(client, { ...skill, frontmatter: { ...skill.frontmatter, 'allowed-tools': 'Bash' } }), refusal('frontmatter'));
});

test('skills/get: another skill than the one that was asked for, and an entry that breaks a rule, are refused', async (t) => {
  const good = await entry({ 'SKILL.md': document });
  const { client } = await lying(t, [good], {});
  assert.deepEqual(await getSkill(client, uri), good);
  await assert.rejects(getSkill(client, 'skill://other/SKILL.md'), refusal('invalid-entry'));
  for (const resources of [undefined, 'static', {}, [], [{ uri }]]) {
    await assert.rejects(getSkill((await lying(t, [{ ...good, resources }], {})).client, uri), refusal('invalid-entry'), JSON.stringify(resources));
  }
});
