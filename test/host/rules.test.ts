import assert from 'node:assert/strict';
import test from 'node:test';
import { fitsName, fitsPath } from '../../src/host/patterns.ts';
import { rule } from '../../src/host/rules.ts';
import type { Rule, RuledCall, Verdict } from '../../src/host/rules.ts';

const call = (args: Record<string, unknown>, more: Partial<RuledCall> = {}): RuledCall => ({
  server: 'files', trusted: false, args,
  tool: { name: 'write_file', inputSchema: { type: 'object' } },
  ...more,
});

const decide = async (rules: readonly Rule[], about: RuledCall, links?: Record<string, string>): Promise<Verdict> =>
  (await rule(rules, about, links && (async (path) => links[path] ?? path))).verdict;

const projects: Rule = { server: 'files', tool: 'write_*', args: { path: '/projects/**' }, then: 'allow' };

test('rules: the first that fits decides, and without one it is asked', async () => {
  const rules: Rule[] = [
    { tool: 'write_file', args: { path: '/projects/secret/**' }, then: 'deny' },
    projects,
  ];
  assert.equal(await decide(rules, call({ path: '/projects/a.txt' })), 'allow');
  assert.equal(await decide(rules, call({ path: '/projects/secret/a.txt' })), 'deny');
  assert.equal(await decide(rules, call({ path: '/etc/passwd' })), 'ask');
  assert.equal(await decide(rules, call({})), 'ask');
  assert.equal(await decide(rules, call({ path: '/projects/a' }, { server: 'other' })), 'ask');
  assert.deepEqual(await rule(rules, call({ path: '/projects/a' })), { verdict: 'allow', at: 1 });
  assert.deepEqual(await rule([], call({})), { verdict: 'ask', at: -1 });
});

// Known ways to escape from a folder. None may be allowed, and each is still denied.
const escapes = [
  '/projects/../etc/passwd', '/projects/a/../../etc/passwd', '/projects/..', '/projects/a\\..\\..\\etc',
  'file:///projects/../etc', 'file:///projects/%2e%2e/etc', 'file:///projects/..%2fetc', 'file:///projects/%252e%252e/etc',
  'file:///projects/a%00.txt', '/projects/a\u0000', '/projectsx/a', 'projects/a', '//projects/../x', './projects/../../x',
  'https://host/projects/a', 'file://elsewhere/projects/a', '~/projects/../x',
];

test('rules: a path that escapes matches no allow', async () => {
  for (const path of escapes) assert.equal(await decide([projects], call({ path })), 'ask', path);
  for (const path of ['/projects/a', '/projects/a/b/c.txt', 'file:///projects/a%20b', '/projects/./a', '/projects//a']) {
    assert.equal(await decide([projects], call({ path })), 'allow', path);
  }
});

test('rules: a path that escapes into what is denied is denied', async () => {
  const rules: Rule[] = [{ args: { path: '/etc/**' }, then: 'deny' }, { then: 'allow' }];
  for (const path of ['/etc/passwd', '/projects/../etc/passwd', 'file:///x/../etc/passwd', 'file:///etc/pass%77d', '/./etc/x']) {
    assert.equal(await decide(rules, call({ path })), 'deny', path);
  }
});

test('rules: a link is followed before anything is allowed, and before it is denied', async () => {
  const links = { '/projects/link/a': '/etc/a', '/projects/real': '/projects/real' };
  assert.equal(await decide([projects], call({ path: '/projects/link/a' }), links), 'ask');
  assert.equal(await decide([projects], call({ path: '/projects/real' }), links), 'allow');
  assert.equal(await decide([{ args: { path: '/etc/**' }, then: 'deny' }, projects], call({ path: '/projects/link/a' }), links), 'deny');
  // The link's target cannot be resolved.
  assert.equal((await rule([projects], call({ path: '/projects/a' }), async () => undefined)).verdict, 'ask');
});

test('rules: annotations are the server\'s word, which allows only where the user trusts the server', async () => {
  const reads: Rule = { annotations: { readOnlyHint: true }, then: 'allow' };
  const tool = { name: 'read', inputSchema: { type: 'object' as const }, annotations: { readOnlyHint: true } };
  assert.equal(await decide([reads], call({}, { tool })), 'ask');
  assert.equal(await decide([reads], call({}, { tool, trusted: true })), 'allow');
  assert.equal(await decide([{ ...reads, then: 'deny' }], call({}, { tool })), 'deny');
  // A tool without annotations is destructive: 2025-11-25 schema, ToolAnnotations.
  assert.equal(await decide([{ annotations: { destructiveHint: true }, then: 'deny' }], call({})), 'deny');
});

test('rules: lists, other values and nested arguments', async () => {
  const allow: Rule = { args: { paths: '/projects/**' }, then: 'allow' };
  assert.equal(await decide([allow], call({ paths: ['/projects/a', '/projects/b'] })), 'allow');
  assert.equal(await decide([allow], call({ paths: ['/projects/a', '/etc/b'] })), 'ask');
  assert.equal(await decide([allow], call({ paths: [] })), 'ask');
  assert.equal(await decide([{ ...allow, then: 'deny' }], call({ paths: ['/x', '/projects/b'] })), 'deny');
  const exact: Rule = { args: { force: false, options: { depth: 1 } }, then: 'allow' };
  assert.equal(await decide([exact], call({ force: false, options: { depth: 1, more: true } })), 'allow');
  assert.equal(await decide([exact], call({ force: true, options: { depth: 1 } })), 'ask');
  assert.equal(await decide([{ args: { __proto__x: 'a' }, then: 'allow' }], call({})), 'ask');
});

test('patterns: linear, whatever the stars', () => {
  const began = process.cpuUsage().user;
  assert.equal(fitsName(`${'a*'.repeat(200)}b`, 'a'.repeat(50_000)), false);
  assert.equal(fitsPath('/**/a'.repeat(30), '/a'.repeat(2_000)), true);
  assert.ok(process.cpuUsage().user - began < 2_000_000);
  assert.equal(fitsName('a*b*c', 'axbxc'), true);
  assert.equal(fitsName('a*a', 'a'), false);
  assert.equal(fitsPath('/a/*/c', '/a/b/c'), true);
  assert.equal(fitsPath('/a/*', '/a/b/c'), false);
  assert.equal(fitsPath('/a/**', '/a'), true);
});
