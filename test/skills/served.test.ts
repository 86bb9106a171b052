import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { RpcError } from '../../src/jsonrpc/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { getSkill, listSkills, readDirectory, readSkill, readSkillFile, SkillError, skills, skillsOf } from '../../src/skills/index.ts';
import type { ServedSkills, SkillDefinition, SkillsOptions } from '../../src/skills/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

export const document = (name: string, more: string = ''): string => `---\nname: ${name}\ndescription: What ${name} does\n${more}---\n\n# ${name}\n`;

const some: readonly SkillDefinition[] = [
  { path: 'git-workflow', files: { 'SKILL.md': document('git-workflow', 'license: MIT\nmetadata:\n  version: "2.1"\ntags: [a, 2]\n') } },
  { path: 'acme/billing/refunds', files: {
    'SKILL.md': document('refunds'), 'examples/e mail.md': 'Dear …', 'examples/deep/x.bin': new Uint8Array([0, 255, 254]), 'policy/SKILL.md': document('policy'),
  } },
  { path: 'acme/billing/refunds/policy', files: { 'SKILL.md': document('policy'), 'table.csv': 'a,b\n' } },
];

interface Made {
  readonly client: McpClient;
  readonly served: ServedSkills;
}

async function made(t: TestContext, options: ClientOptions = {}, given: readonly SkillDefinition[] = some, served: SkillsOptions = {}): Promise<Made> {
  const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} });
  const all = await skills(server, given, served);
  const client = new McpClient({ name: 'c', version: '1' }, options);
  await client.connect(memoryTransport(server));
  t.after(() => client.close());
  return { client, served: all };
}

for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const) {
  test(`skills: listed, got and read, ${revision}`, async (t) => {
    const { client, served } = await made(t, { revisions: [revision] });
    assert.deepEqual(skillsOf(client), { directoryRead: true });
    assert.ok(client.capabilities?.resources);
    const { skills: listed, faults } = await listSkills(client);
    assert.deepEqual(faults, []);
    assert.deepEqual(listed, served.entries);
    assert.deepEqual(listed.map(({ uri }) => uri), [
      'skill://git-workflow/SKILL.md', 'skill://acme/billing/refunds/SKILL.md', 'skill://acme/billing/refunds/policy/SKILL.md',
    ]);
    assert.deepEqual(listed[0]?.frontmatter, { name: 'git-workflow', description: 'What git-workflow does', license: 'MIT', metadata: { version: '2.1' }, tags: ['a', 2] });
    for (const skill of listed) {
      assert.deepEqual(await getSkill(client, skill.uri), skill);
      assert.match((await readSkill(client, skill)).body, /^\n# /);
      if (skill.resources === 'dynamic') continue;
      for (const { uri, size } of skill.resources) assert.equal((await readSkillFile(client, skill, uri)).bytes.length, size);
    }
    const type = revision === '2026-07-28' ? 'complete' : undefined;
    for (const [method, params] of [
      ['skills/list', undefined], ['skills/get', { uri: 'skill://git-workflow/SKILL.md' }], ['resources/directory/read', { uri: 'skill://git-workflow' }],
    ] as const) {
      const result = await client.request(method, params);
      assert.equal(result['resultType'], type, method);
      assert.equal('ttlMs' in result, type !== undefined && method !== 'resources/directory/read', method);
    }
    await assert.rejects(client.request('skills/get', { uri: 'skill://none/SKILL.md' }), (error: RpcError) => error.code === -32602);
    await assert.rejects(client.request('skills/list', { cursor: 'x' }), (error: RpcError) => error.code === -32602);
  });
}

test('skills: a skill around another lists the files of both, and each is approved by its own set', async (t) => {
  const { served } = await made(t);
  const [, refunds, policy] = served.entries;
  assert.deepEqual(refunds?.resources === 'dynamic' ? [] : refunds?.resources.map(({ uri }) => uri.slice('skill://acme/billing/refunds/'.length)).sort(), [
    'SKILL.md', 'examples/deep/x.bin', 'examples/e%20mail.md', 'policy/SKILL.md', 'policy/table.csv',
  ]);
  assert.equal(policy?.resources.length, 2);
  // Another skill, whose path begins with the same letters, is not part of it.
  const { served: beside } = await made(t, {}, ['a', 'ab'].map((path) => ({ path, files: { 'SKILL.md': document(path) } })));
  const listed = ['a', 'ab'].map((name) => [{
    uri: `skill://${name}/SKILL.md`, digest: `sha256:${createHash('sha256').update(document(name)).digest('hex')}`, size: Buffer.byteLength(document(name)),
  }]);
  assert.deepEqual(beside.entries.map(({ resources }) => resources), listed);
});

test('skills: resources have the metadata of the front matter and of the file', async (t) => {
  const { client } = await made(t);
  const listed = new Map((await client.listResources()).map((one) => [one.uri, one]));
  const { name, description, mimeType } = listed.get('skill://git-workflow/SKILL.md') ?? {};
  assert.deepEqual({ name, description, mimeType }, { name: 'git-workflow', description: 'What git-workflow does', mimeType: 'text/markdown' });
  assert.equal(listed.get('skill://acme/billing/refunds/examples/deep/x.bin')?.mimeType, 'application/octet-stream');
  const bytes = await client.readResource('skill://acme/billing/refunds/examples/deep/x.bin');
  assert.deepEqual(bytes.contents, [{ uri: 'skill://acme/billing/refunds/examples/deep/x.bin', mimeType: 'application/octet-stream', blob: 'AP/+' }]);
  await assert.rejects(client.readResource('skill://git-workflow/none.md'), RpcError);
});

test('skills: directories have their direct children, in pages', async (t) => {
  const { client } = await made(t, {}, some, { pageSize: 2 });
  const children = async (uri: string): Promise<unknown> => (await readDirectory(client, uri)).map((one) => [one.name, one.mimeType]);
  assert.deepEqual(await children('skill://acme'), [['billing', 'inode/directory']]);
  assert.deepEqual(await children('skill://acme/billing/refunds'), [['refunds', 'text/markdown'], ['examples', 'inode/directory'], ['policy', 'inode/directory']]);
  assert.deepEqual(await children('skill://acme/billing/refunds/examples'), [['e mail.md', 'text/markdown'], ['deep', 'inode/directory']]);
  // Each directory of each skill, and those above them.
  for (const [uri, names] of [
    ['skill://git-workflow', ['git-workflow']], ['skill://acme/billing', ['refunds']], ['skill://acme/billing/refunds/examples/deep', ['x.bin']],
    ['skill://acme/billing/refunds/policy', ['policy', 'table.csv']],
  ] as const) assert.deepEqual((await readDirectory(client, uri)).map((one) => one.name), names, uri);
  for (const uri of ['skill://git-workflow/SKILL.md', 'skill://none', 'skill:/', 'skill://acme/', '']) {
    await assert.rejects(readDirectory(client, uri), (error: RpcError) => error.code === -32602, uri);
  }
  const { skills: listed } = await listSkills(client);
  assert.equal(listed.length, 3);
});

test('skills: how long entries may be kept', async (t) => {
  const { client } = await made(t, {}, some, { cache: { ttlMs: 60_000, scope: 'public' } });
  for (const [method, params] of [['skills/list', undefined], ['skills/get', { uri: 'skill://git-workflow/SKILL.md' }]] as const) {
    const { ttlMs, cacheScope } = await client.request(method, params);
    assert.deepEqual([ttlMs, cacheScope], [60_000, 'public'], method);
  }
  const { client: other } = await made(t);
  const { ttlMs, cacheScope } = await other.request('skills/list');
  assert.deepEqual([ttlMs, cacheScope], [0, 'private']);
});

test('skills: an update serves others, and tells of the changed list', async (t) => {
  let told = (): void => {};
  const { client, served } = await made(t, { onListChanged: () => told() });
  const changed = new Promise<void>((resolve) => (told = resolve));
  await served.update([{ path: 'git-workflow', files: { 'SKILL.md': document('git-workflow', 'license: Apache-2.0\n'), 'a.md': 'A' } }]);
  await changed;
  assert.deepEqual((await client.listResources({ fresh: true })).map(({ uri }) => uri).sort(), ['skill://git-workflow/SKILL.md', 'skill://git-workflow/a.md']);
  const skill = await getSkill(client, 'skill://git-workflow/SKILL.md');
  assert.equal((await readSkill(client, skill)).frontmatter['license'], 'Apache-2.0');
  // The same path and size, but no longer a text.
  const typeOf = async (): Promise<unknown> => (await client.listResources({ fresh: true })).find(({ uri }) => uri === 'skill://typed/data')?.mimeType;
  for (const [content, type] of [['abc', 'text/plain'], [new Uint8Array([255, 254, 253]), 'application/octet-stream']] as const) {
    await served.update([{ path: 'git-workflow', files: { 'SKILL.md': document('git-workflow', 'license: Apache-2.0\n'), 'a.md': 'A' } }, { path: 'typed', files: { 'SKILL.md': document('typed'), data: content } }]);
    assert.equal(await typeOf(), type);
  }
  await served.update([{ path: 'git-workflow', files: { 'SKILL.md': document('git-workflow', 'license: Apache-2.0\n'), 'a.md': 'A' } }]);
  await assert.rejects(served.update([{ path: 'x', files: {} }]), /x has no SKILL.md/);
  const many = Object.fromEntries(Array.from({ length: 512 }, (_, i) => [`${i}`, '']));
  await assert.rejects(served.update([{ path: 'x', files: { 'SKILL.md': document('x'), ...many } }]), /513 files, more than 512/);
  assert.deepEqual(served.entries, [skill]);
});

test('skills: content that has changed since it was read is not served', async (t) => {
  let text: string | undefined = 'before';
  const read = (): string => {
    if (text === undefined) throw new Error('gone');
    return text;
  };
  const { client, served } = await made(t, {}, [{ path: 'live', files: { 'SKILL.md': document('live'), 'a.md': read } }]);
  const [skill] = served.entries;
  assert.ok(skill);
  assert.equal((await readSkillFile(client, skill, 'a.md')).text, 'before');
  for (text of ['after.', undefined]) await assert.rejects(readSkillFile(client, skill, 'a.md'), (error: RpcError) => error.code === -32603);
});

const broken: readonly (readonly [why: string, skill: object, message: RegExp])[] = [
  ['no SKILL.md', { path: 'a', files: { 'skill.md': document('a') } }, /a has no SKILL.md/],
  ['text before the front matter', { path: 'a', files: { 'SKILL.md': `# a\n${document('a')}` } }, /does not begin with a line ---/],
  ['an empty description', { path: 'a', files: { 'SKILL.md': '---\nname: a\ndescription: ""\n---\n' } }, /description is missing/],
  ['a name that is the end of the last segment', { path: 'xpdf', files: { 'SKILL.md': document('pdf') } }, /not the last segment/],
  ['another name', { path: 'a', files: { 'SKILL.md': document('b') } }, /not the last segment/],
  ['a name with a capital', { path: 'Ab', files: { 'SKILL.md': document('Ab') } }, /lower-case/],
  ['a name with two hyphens', { path: 'a--b', files: { 'SKILL.md': document('a--b') } }, /single hyphens/],
  ['no name', { path: 'a', files: { 'SKILL.md': '---\ndescription: x\n---\n' } }, /lower-case/],
  ['a long name', { path: 'a'.repeat(65), files: { 'SKILL.md': document('a'.repeat(65)) } }, /1 to 64/],
  ['a name with a hyphen before it', { path: '-a', files: { 'SKILL.md': document('-a') } }, /single hyphens/],
  ['a name with a hyphen behind it', { path: 'a-', files: { 'SKILL.md': document('a-') } }, /single hyphens/],
  ['a name with another character', { path: 'a_b', files: { 'SKILL.md': document('a_b') } }, /lower-case/],
  ['no description', { path: 'a', files: { 'SKILL.md': '---\nname: a\n---\n' } }, /description is missing/],
  ['a long description', { path: 'a', files: { 'SKILL.md': `---\nname: a\ndescription: ${'x'.repeat(1025)}\n---\n` } }, /longer than 1,024/],
  ['no front matter', { path: 'a', files: { 'SKILL.md': '# a' } }, /does not begin with a line ---/],
  ['bytes that are no text', { path: 'a', files: { 'SKILL.md': new Uint8Array([255]) } }, /not UTF-8 text/],
  ['a path upwards', { path: 'a', files: { 'SKILL.md': document('a'), '../b': '' } }, /not a skill path/],
  ['a path with a backslash', { path: 'a', files: { 'SKILL.md': document('a'), 'x\\y': '' } }, /not a skill path/],
  ['an absolute path', { path: '/a', files: { 'SKILL.md': document('a') } }, /not a skill path/],
  ['a misspelt member', { path: 'a', file: {} }, /did you mean files/],
  ['too many files', { path: 'a', files: { 'SKILL.md': document('a'), ...Object.fromEntries(Array.from({ length: 512 }, (_, i) => [`${i}`, ''])) } }, /513 files, more than 512/],
  ['too many bytes', { path: 'a', files: { 'SKILL.md': document('a'), x: new Uint8Array(16_777_216) } }, /bytes, more than 16777216/],
];
for (const [why, skill, message] of broken) {
  test(`skills: refused: ${why}`, async () => {
    await assert.rejects(skills(new McpServer({ name: 's', version: '1' }), [skill as SkillDefinition]), message);
  });
}

test('skills: the same path twice, and the same file with other content, are refused', async () => {
  const server = (): McpServer => new McpServer({ name: 's', version: '1' });
  const one = { path: 'a', files: { 'SKILL.md': document('a') } };
  await assert.rejects(skills(server(), [one, one]), /a occurs twice/);
  await assert.rejects(skills(server(), [
    { path: 'a', files: { 'SKILL.md': document('a'), 'b/SKILL.md': document('b') } }, { path: 'a/b', files: { 'SKILL.md': document('b', 'license: x\n') } },
  ]), /with different content/);
});

test('skills: a server without skills declares resources all the same, since skills may come', async (t) => {
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const { client, served } = await made(t, { revisions: [revision] }, []);
    assert.ok(skillsOf(client) && client.capabilities?.resources, revision);
    assert.deepEqual(await client.listResources(), []);
    await served.update(some);
    assert.equal((await client.listResources({ fresh: true })).length, 6);
  }
});

test('skills: a server that does not declare directories is not asked for them', async (t) => {
  for (const settings of [{}, { directoryRead: false }, { directoryRead: 'true' }]) {
    const asked: string[] = [];
    const server = new McpServer({ name: 's', version: '1' });
    server.extend({
      id: 'io.modelcontextprotocol/skills', settings,
      open: { methods: { 'skills/list': () => ({ skills: [] }), 'resources/directory/read': () => (asked.push('directory'), { resources: [] }) } },
    });
    const client = new McpClient({ name: 'c', version: '1' });
    await client.connect(memoryTransport(server));
    t.after(() => client.close());
    assert.deepEqual((await listSkills(client)).skills, []);
    await assert.rejects(readDirectory(client, 'skill://a'), (error: SkillError) => error instanceof SkillError && error.code === 'not-declared');
    assert.deepEqual(asked, []);
  }
});

test('skills: a server without the extension is not asked', async (t) => {
  const server = new McpServer({ name: 's', version: '1' });
  const client = new McpClient({ name: 'c', version: '1' });
  await client.connect(memoryTransport(server));
  t.after(() => client.close());
  assert.equal(skillsOf(client), undefined);
  for (const call of [listSkills(client), getSkill(client, 'skill://a/SKILL.md'), readDirectory(client, 'skill://a')]) {
    await assert.rejects(call, (error: SkillError) => error instanceof SkillError && error.code === 'not-declared');
  }
});
