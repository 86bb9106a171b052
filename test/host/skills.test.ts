import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { Host, HostError, hostSkills, memoryLog, memoryStore } from '../../src/host/index.ts';
import type { Decision, HostOptions, HostStore, SkillRequest } from '../../src/host/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { readDirectory, SkillError, skills } from '../../src/skills/index.ts';
import type { ServedSkills, SkillDefinition } from '../../src/skills/index.ts';
import { fileDigest } from '../../src/skills/digest.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

const document = (name: string, body: string = 'Body', more: string = ''): string => `---\nname: ${name}\ndescription: What ${name} does\n${more}---\n${body}\n`;
const one = (more: Readonly<Record<string, string>> = {}): SkillDefinition => ({ path: 'refunds', files: { 'SKILL.md': document('refunds'), ...more } });
const uri = 'skill://refunds/SKILL.md';

interface Made {
  readonly host: Host;
  readonly asked: SkillRequest[];
  readonly served: Readonly<Record<string, ServedSkills>>;
  /** The URIs that were read from servers. */
  readonly read: string[];
  readonly log: () => Record<string, unknown>[];
}

async function made(
  t: TestContext, servers: Readonly<Record<string, readonly SkillDefinition[]>>,
  decide: (request: SkillRequest) => Decision = () => ({ allow: 'once' }), store: HostStore = memoryStore(),
): Promise<Made> {
  const [log, read, asked] = [memoryLog(), [] as string[], [] as SkillRequest[]];
  const made: Record<string, McpServer> = {};
  const served: Record<string, ServedSkills> = {};
  for (const [name, definitions] of Object.entries(servers)) {
    const server = new McpServer({ name: 'a name of its own', version: '1' }, {
      onError: () => {},
      around: [(call, next) => {
        if (call.kind === 'resource') read.push(`${name} ${call.name}`);
        return next();
      }],
    });
    made[name] = server;
    served[name] = await skills(server, definitions);
  }
  const host = new Host({
    info: { name: 'host', version: '1' },
    servers: Object.fromEntries(Object.keys(servers).map((name) => [name, { command: name }])),
    transport: (name) => memoryTransport(made[name] as McpServer),
    log, store, skills: hostSkills,
    person: {
      async approveSkill(request) {
        asked.push(request);
        return decide(request);
      },
    },
  });
  t.after(() => host.close());
  return { host, asked, served, read, log: () => log.lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ kind }) => kind === 'skill') };
}

const refused = (thrown: unknown): boolean => thrown instanceof HostError && thrown.code === 'refused';

test('host skills: listed without reading a file, loaded after approval, tagged with their server', async (t) => {
  const { host, asked, read, log } = await made(t, { docs: [one({ 'a.md': 'A' })] });
  const [skill, ...others] = await host.skills('docs');
  assert.deepEqual(others, []);
  assert.equal(skill?.label, 'docs/refunds');
  assert.deepEqual(read, []);
  const loaded = await host.loadSkill('docs', uri);
  assert.deepEqual(asked.map(({ server, why, sameName }) => ({ server, why, sameName })), [{ server: 'docs', why: 'new', sameName: [] }]);
  assert.equal(loaded.body, 'Body\n');
  assert.match(loaded.tagged, /^--- begin: (skill "skill:\/\/refunds\/SKILL.md" of the server "docs", untrusted, [\da-f-]{36}) ---\nBody\n\n--- end: \1 ---\n$/);
  assert.deepEqual(read, [`docs ${uri}`]);
  const file = await loaded.read('a.md');
  assert.equal(file.text, 'A');
  assert.match(file.tagged ?? '', /^--- begin: (file "skill:\/\/refunds\/a.md" of the server "docs", untrusted, [\da-f-]{36}) ---\nA\n--- end: \1 ---\n$/);
  assert.notEqual(file.tagged?.split('\n')[0]?.slice(-40), loaded.tagged.split('\n')[0]?.slice(-40));
  assert.deepEqual(await loaded.read('skill://refunds/a.md'), file);
  assert.deepEqual(read, [`docs ${uri}`, 'docs skill://refunds/a.md']);
  assert.deepEqual(host.loadedSkills, [loaded]);
  loaded.close();
  assert.deepEqual(host.loadedSkills, []);
  await assert.rejects(loaded.read('a.md'), refused);
  await host.flushed();
  assert.deepEqual(log().map(({ event, server }) => [event, server]), [['allowed', 'docs'], ['loaded', 'docs'], ['closed', 'docs']]);
});

test('host skills: reading a SKILL.md as a resource loads nothing, and asks nobody', async (t) => {
  const { host, asked } = await made(t, { docs: [one()] });
  assert.equal((await host.readResource('docs', uri)).contents.length, 1);
  assert.deepEqual(asked, []);
  assert.deepEqual(host.loadedSkills, []);
  // A resource is not a skill because of its scheme.
  const server = new McpServer({ name: 's', version: '1' });
  server.resource(uri, {}, () => document('refunds'));
  const plain = await hostOf(t, server);
  assert.deepEqual(await plain.host.skills('s'), []);
  assert.match(JSON.stringify(await plain.host.readResource('s', uri)), /name: refunds/);
  await assert.rejects(plain.host.loadSkill('s', uri), (thrown: SkillError) => thrown.code === 'not-declared');
  assert.deepEqual([plain.asked, plain.host.loadedSkills], [[], []]);
  // Nor if the server has skills and this resource is not one of them.
  const mixed = new McpServer({ name: 's', version: '1' }, { onError: () => {} });
  await skills(mixed, [one()]);
  mixed.resource('skill://stray/SKILL.md', {}, () => document('stray'));
  const { host: other, asked: never } = await hostOf(t, mixed);
  assert.deepEqual((await other.skills('s')).map(({ label }) => label), ['s/refunds']);
  await assert.rejects(other.loadSkill('s', 'skill://stray/SKILL.md'), /no skill is served/);
  assert.deepEqual([never, other.loadedSkills], [[], []]);
});

test('host skills: without approval nothing is read', async (t) => {
  const { host, read } = await made(t, { docs: [one()] }, () => ({ allow: false, reason: 'not today' }));
  await assert.rejects(host.loadSkill('docs', uri), /not today/);
  const nobody = new Host({ info: { name: 'h', version: '1' }, servers: { docs: { command: 'x' } }, transport: () => { throw new Error('not started'); } });
  await assert.rejects(nobody.loadSkill('docs', uri), /made without `skills`/);
  assert.deepEqual(nobody.loadedSkills, []);
  assert.deepEqual(read, []);
  const text = new TextEncoder().encode(document('refunds'));
  const { host: silent } = await hostOf(t, unlisted([{ uri, digest: await fileDigest(text), size: text.length }]), { person: {} });
  await assert.rejects(silent.loadSkill('s', uri), /no person can be asked/);
  assert.deepEqual(silent.loadedSkills, []);
});

test('host skills: a grant is for one set of files, over restarts, and a change revokes it for good', async (t) => {
  const store = memoryStore();
  const always = (): Decision => ({ allow: 'always' });
  const first = await made(t, { docs: [one()] }, always, store);
  (await first.host.loadSkill('docs', uri)).close();
  await first.host.loadSkill('docs', uri);
  assert.equal(first.asked.length, 1);
  const second = await made(t, { docs: [one()] }, always, store);
  await second.host.loadSkill('docs', uri);
  assert.equal(second.asked.length, 0);
  await second.served['docs']?.update([one({ 'added.md': 'x' })]);
  await second.host.skills('docs');
  assert.deepEqual(await second.host.skillGrants(), []);
  await second.host.flushed();
  assert.deepEqual(second.log().filter(({ event }) => event === 'changed').map(({ server }) => server), ['docs']);
  await second.served['docs']?.update([one()]);
  await second.host.skills('docs');
  await second.host.loadSkill('docs', uri);
  assert.deepEqual(second.asked.map(({ why }) => why), ['changed']);
  assert.equal(await second.host.revokeSkills(() => true), 1);
  await second.host.loadSkill('docs', uri);
  assert.equal(second.asked.length, 2);
  // Any change counts: of a file's bytes, a file's name, or the front matter.
  const two = (more: Readonly<Record<string, string>>): SkillDefinition => one({ 'a.md': 'one', ...more });
  const third = await made(t, { docs: [two({})] }, always, memoryStore());
  for (const [changes, changed] of [
    two({ 'a.md': 'two' }), two({}), one({ 'b.md': 'one' }), two({}), two({ 'SKILL.md': document('refunds', 'Body', 'license: MIT\n') }), two({}), two({ 'SKILL.md': document('refunds', 'Other') }),
  ].entries()) {
    await third.host.skills('docs');
    (await third.host.loadSkill('docs', uri)).close();
    assert.equal((await third.host.skillGrants()).length, 1);
    await third.served['docs']?.update([changed]);
    await third.host.skills('docs');
    assert.deepEqual(await third.host.skillGrants(), [], `change ${changes}`);
  }
});

test('host skills: the order of the files says nothing; what is in the store in place of grants is passed over', async (t) => {
  const store = memoryStore();
  const always = (): Decision => ({ allow: 'always' });
  const files = await Promise.all(['a.md', 'SKILL.md', 'b.md', 'c.md'].map(async (name) => {
    const text = new TextEncoder().encode(name === 'SKILL.md' ? document('refunds') : name);
    return { uri: `skill://refunds/${name}`, digest: await fileDigest(text), size: text.length };
  }));
  for (const [at, resources] of [files, [...files].reverse()].entries()) {
    const { host, asked } = await hostOf(t, unlisted(resources), { store });
    await host.loadSkill('s', uri);
    assert.equal(asked.length, at === 0 ? 1 : 0);
  }
  const grants = await store.get('skill-grants') as readonly Record<string, unknown>[];
  assert.equal(grants.length, 1);
  const [grant = {}] = grants;
  const odd = [null, 5, 'x', [], {}, { at: 1 }, ...Object.keys(grant).flatMap((name) => [{ ...grant, [name]: undefined }, { ...grant, [name]: {} }])];
  for (const kept of [null, 5, 'x', {}, odd]) {
    await store.set('skill-grants', kept);
    const { host, asked } = await made(t, { s: [one()] }, always, store);
    assert.deepEqual(await host.skillGrants(), [], JSON.stringify(kept));
    assert.equal(asked.length, 0);
  }
  await store.set('skill-grants', [...odd, ...grants]);
  assert.deepEqual(await (await made(t, { s: [one()] }, always, store)).host.skillGrants(), grants);
});

test('host skills: the same URI of two servers is two skills, and names that meet are shown', async (t) => {
  const { host, asked, served } = await made(t, { a: [one()], b: [one(), { path: 'team/refunds', files: { 'SKILL.md': document('refunds', 'Other') } }] }, () => ({ allow: 'session' }));
  await host.skills('a');
  assert.deepEqual((await host.skills('b')).map(({ label }) => label), ['b/refunds', 'b/team/refunds']);
  await host.loadSkill('a', uri);
  await host.loadSkill('b', uri);
  assert.deepEqual(asked.map(({ label, sameName }) => [label, sameName.map((other) => other.label)]), [
    ['a/refunds', ['b/refunds', 'b/team/refunds']], ['b/refunds', ['a/refunds', 'b/team/refunds']],
  ]);
  // None of them replaces another.
  assert.equal((await host.loadSkill('b', 'skill://team/refunds/SKILL.md')).body, 'Other\n');
  assert.equal((await host.loadSkill('b', uri)).body, 'Body\n');
  assert.deepEqual(host.loadedSkills.map(({ label }) => label), ['a/refunds', 'b/refunds', 'b/team/refunds', 'b/refunds']);
  // The grant of one does not affect that of another.
  assert.equal(asked.length, 3);
  // A change at one server does not affect the other server's grant.
  await served['a']?.update([one({ 'added.md': 'x' })]);
  await host.skills('a');
  await host.revokeSkills(() => true);
  await host.loadSkill('b', uri);
  await host.loadSkill('a', uri);
  assert.deepEqual(asked.slice(3).map(({ label, why }) => [label, why]), [['b/refunds', 'new'], ['a/refunds', 'changed']]);
  await host.remove('a');
  assert.deepEqual(new Set(host.loadedSkills.map(({ server }) => server)), new Set(['b']));
});

test('host skills: of two servers with the same URI each is loaded from its own entry, read from its own files, and logged under its own name', async (t) => {
  const files = (whose: string): SkillDefinition => ({ path: 'refunds', files: { 'SKILL.md': document('refunds', whose), 'more.md': `more of ${whose}` } });
  const { host, log, read } = await made(t, { a: [files('a')], b: [files('b')] }, () => ({ allow: 'session' }));
  await host.skills('a');
  await host.skills('b');
  const [of, other] = [await host.loadSkill('a', uri), await host.loadSkill('b', uri)];
  assert.deepEqual([of.body, other.body], ['a\n', 'b\n']);
  assert.deepEqual([(await of.read('more.md')).text, (await other.read('more.md')).text], ['more of a', 'more of b']);
  assert.deepEqual(new Set(read), new Set(['a', 'b'].flatMap((name) => [`${name} ${uri}`, `${name} skill://refunds/more.md`])));
  await host.flushed();
  assert.deepEqual(log().filter(({ event }) => event === 'loaded').map(({ server }) => server), ['a', 'b']);
});

test('host skills: a skill within another is approved for itself', async (t) => {
  const { host, asked } = await made(t, { docs: [one({ 'inner/SKILL.md': document('inner', 'In', 'allowed-tools: Bash\n') }), { path: 'refunds/inner', files: { 'SKILL.md': document('inner', 'In', 'allowed-tools: Bash\n') } }] }, () => ({ allow: 'session' }));
  const outer = await host.loadSkill('docs', uri);
  // As a file of the outer skill it is plain text.
  assert.match((await outer.read('inner/SKILL.md')).text ?? '', /allowed-tools/);
  assert.equal(asked.length, 1);
  assert.deepEqual(host.loadedSkills, [outer]);
  await host.loadSkill('docs', 'skill://refunds/inner/SKILL.md');
  assert.equal(asked.length, 2);
});

test('host skills: only files of the held entry, and only of its server', async (t) => {
  const { host, served, read } = await made(t, { docs: [one()], other: [{ path: 'secret', files: { 'SKILL.md': document('secret') } }] });
  const loaded = await host.loadSkill('docs', uri);
  await served['docs']?.update([one({ 'added.md': 'x' })]);
  // The directory lists the new file, but the cached entry does not.
  const children = await readDirectory(await host.connect('docs'), 'skill://refunds');
  assert.deepEqual(children.map(({ name }) => name), ['refunds', 'added.md']);
  for (const reference of ['added.md', 'skill://refunds/added.md', '../secret/SKILL.md', 'skill://secret/SKILL.md']) {
    await assert.rejects(loaded.read(reference), (thrown: SkillError) => thrown.code === 'unlisted', reference);
  }
  assert.deepEqual(read, [`docs ${uri}`]);
});

test('host skills: a SKILL.md that is not what the entry says is not loaded, and the next load begins anew', async (t) => {
  const { host, served, asked, log } = await made(t, { docs: [one()] });
  await host.skills('docs');
  await served['docs']?.update([{ path: 'refunds', files: { 'SKILL.md': document('refunds', 'Evil') } }]);
  await assert.rejects(host.loadSkill('docs', uri), (thrown: SkillError) => thrown instanceof SkillError && thrown.code === 'digest');
  assert.deepEqual(host.loadedSkills, []);
  assert.equal((await host.loadSkill('docs', uri)).body, 'Evil\n');
  assert.equal(asked.length, 2);
  await host.flushed();
  assert.deepEqual(log().map(({ event, server }) => [event, server]), ['allowed', 'failed', 'allowed', 'loaded'].map((event) => [event, 'docs']));
});

/** A server with one skill that `skills/list` leaves out. */
function unlisted(resources: unknown, listed: boolean = false, more: object = {}): McpServer {
  const server = new McpServer({ name: 's', version: '1' });
  const skill = { uri, frontmatter: { name: 'refunds', description: 'What refunds does', ...more }, resources };
  server.resource(uri, {}, () => document('refunds'));
  server.extend({
    id: 'io.modelcontextprotocol/skills',
    open: { methods: { 'skills/list': () => ({ skills: listed ? [skill] : [] }), 'skills/get': () => ({ skill }) } },
  });
  return server;
}

async function hostOf(t: TestContext, server: McpServer, options: Partial<HostOptions> = {}): Promise<{ host: Host; asked: SkillRequest[] }> {
  const asked: SkillRequest[] = [];
  const host = new Host({
    info: { name: 'h', version: '1' }, servers: { s: { command: 's' } }, transport: () => memoryTransport(server), skills: hostSkills,
    person: {
      async approveSkill(request) {
        asked.push(request);
        return { allow: 'always' };
      },
    },
    ...options,
  });
  t.after(() => host.close());
  return { host, asked };
}

test('host skills: a skill that is not listed is loaded by its URI', async (t) => {
  const text = new TextEncoder().encode(document('refunds'));
  const { host } = await hostOf(t, unlisted([{ uri, digest: await fileDigest(text), size: text.length }]));
  assert.deepEqual(await host.skills('s'), []);
  assert.equal((await host.loadSkill('s', uri)).body, 'Body\n');
});

test('host skills: an entry that was fetched by its URI revokes a grant for other files', async (t) => {
  const { host, asked, served } = await made(t, { docs: [one()] }, () => ({ allow: 'always' }));
  await host.loadSkill('docs', uri);
  await served['docs']?.update([{ path: 'refunds', files: { 'SKILL.md': document('refunds', 'Evil') } }]);
  // The cached entry does not match the new files: the next load fetches it again.
  await assert.rejects(host.loadSkill('docs', uri), (thrown: SkillError) => thrown.code === 'digest');
  assert.equal((await host.loadSkill('docs', uri)).body, 'Evil\n');
  assert.deepEqual(asked.map(({ why }) => why), ['new', 'changed']);
  assert.equal((await host.skillGrants()).length, 1);
});

test('host skills: a skill at the limits is taken', async (t) => {
  const text = new TextEncoder().encode(document('refunds'));
  const own = { uri, digest: await fileDigest(text), size: text.length };
  const others = Array.from({ length: 511 }, (_, i) => ({ ...own, uri: `skill://refunds/${i}`, size: i === 0 ? 16_777_216 - text.length : 0 }));
  const server = unlisted([own, ...others], true);
  const [{ host }, { host: other }] = [await hostOf(t, server), await hostOf(t, server)];
  assert.equal((await host.skills('s'))[0]?.skill.resources.length, 512);
  assert.equal((await other.loadSkill('s', uri)).skill.resources.length, 512);
});

test('host skills: what SKILL.md says otherwise than its entry is not loaded, of a dynamic skill either', async (t) => {
  const text = new TextEncoder().encode(document('refunds'));
  for (const resources of ['dynamic', [{ uri, digest: await fileDigest(text), size: text.length }]]) {
    const { host } = await hostOf(t, unlisted(resources, false, { license: 'MIT' }));
    await assert.rejects(host.loadSkill('s', uri), (thrown: SkillError) => thrown.code === 'frontmatter');
    assert.deepEqual(host.loadedSkills, []);
  }
});

test('host skills: a dynamic skill is shown each time, whatever was allowed', async (t) => {
  const store = memoryStore();
  const { host, asked } = await hostOf(t, unlisted('dynamic'), { store });
  await host.loadSkill('s', uri);
  await host.loadSkill('s', uri);
  assert.deepEqual(asked.map(({ why }) => why), ['dynamic', 'dynamic']);
  assert.deepEqual(await host.skillGrants(), []);
  // A grant in the store does not count either, whoever wrote it.
  const [{ digest, principal }] = asked as [SkillRequest];
  await store.set('skill-grants', [{ server: 's', uri, digest, principal, at: 0 }]);
  assert.equal((await host.skillGrants()).length, 1);
  await host.loadSkill('s', uri);
  assert.equal(asked.length, 3);
});

test('host skills: a server that leaves takes its skills along', async (t) => {
  const { host } = await made(t, { docs: [one()] });
  const loaded = await host.loadSkill('docs', uri);
  await host.remove('docs');
  assert.deepEqual(host.loadedSkills, []);
  await assert.rejects(loaded.read('SKILL.md'), refused);
});
