import assert from 'node:assert/strict';
import test from 'node:test';
import { missingForQuestion, serverSupports } from '../../src/protocol/capabilities.ts';
import * as revisionTable from '../../src/protocol/revisions.ts';
import { formFormats } from '../../src/protocol/form-formats.ts';
import { clientLifecycle, mayPass, serverLifecycle } from '../../src/protocol/lifecycle.ts';
import { isImplementation } from '../../src/protocol/meta.ts';
import { decodeHeaderValue, encodeHeaderValue } from '../../src/protocol/mirrored-headers.ts';
import { withProgressToken } from '../../src/protocol/progress.ts';
import { findRevision, revisions, selectRevisions } from '../../src/protocol/revisions.ts';
import { unsupportedVersion } from '../../src/protocol/unsupported-version.ts';
import type { Revision } from '../../src/protocol/revisions.ts';
import { uriTemplate } from '../../src/protocol/uri-template.ts';

// Behaviour that mutants showed no other test in this folder covers.

/** The revisions that have each feature, from the changelog of each revision. */
type Column = { [K in keyof typeof revisionTable]: (typeof revisionTable)[K] extends (revision: Revision) => unknown ? K : never }[keyof typeof revisionTable];

const has: Readonly<Partial<Record<Column, readonly string[]>>> = {
  nullErrorId: ['2024-11-05', '2025-03-26', '2025-06-18'],
  batching: ['2025-03-26'],
  streamableHttp: ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
  toolAnnotations: ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
  audio: ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
  completionsCapability: ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
  progressMessage: ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
  versionHeader: ['2025-06-18', '2025-11-25', '2026-07-28'],
  titles: ['2025-06-18', '2025-11-25', '2026-07-28'],
  structuredContent: ['2025-06-18', '2025-11-25', '2026-07-28'],
  resourceLinks: ['2025-06-18', '2025-11-25', '2026-07-28'],
  completionContext: ['2025-06-18', '2025-11-25', '2026-07-28'],
  elicitation: ['2025-06-18', '2025-11-25', '2026-07-28'],
  ssePolling: ['2025-11-25'],
  richForms: ['2025-11-25', '2026-07-28'],
  urlElicitation: ['2025-11-25', '2026-07-28'],
  elicitationId: ['2025-11-25'],
  samplingTools: ['2025-11-25', '2026-07-28'],
  icons: ['2025-11-25', '2026-07-28'],
  coreTasks: ['2025-11-25'],
  resultType: ['2026-07-28'],
  cacheHints: ['2026-07-28'],
};

for (const [feature, versions] of Object.entries(has)) {
  test(`revisions: ${feature} is in ${versions.join(', ')}`, () => {
    const found = revisions.filter((revision) => Boolean(revisionTable[feature as Column](revision))).map(({ version }) => version);
    assert.deepEqual(found.reverse(), versions);
  });
}

test('revisions: each is found by its name alone, and a name that is none is refused', () => {
  assert.deepEqual(selectRevisions(['2025-06-18', '2026-07-28']).map(({ version }) => version), ['2026-07-28', '2025-06-18']);
  assert.deepEqual(selectRevisions(), revisions);
  assert.throws(() => selectRevisions(['2025-06-18', '2025-01-01']), /^RangeError: unknown protocol revision "2025-01-01"$/);
  assert.equal(findRevision(revisions, 7), undefined);
});

test('a server supports what it declared, and of what has a setting what it set', () => {
  const revision = findRevision(revisions, '2025-11-25') as Revision;
  const supports = (method: string, capabilities: object): boolean => serverSupports(method, capabilities, revision);
  assert.deepEqual([supports('tools/list', {}), supports('tools/list', { tools: {} })], [false, true]);
  assert.deepEqual([supports('resources/subscribe', { resources: {} }), supports('resources/subscribe', { resources: { subscribe: true } })], [false, true]);
  assert.deepEqual([supports('prompts/get', { tools: {} }), supports('logging/setLevel', {}), supports('ping', {})], [false, false, true]);
  assert.equal(supports('completion/complete', {}), false);
  assert.equal(serverSupports('completion/complete', {}, findRevision(revisions, '2024-11-05') as Revision), true, 'it had no such capability');
  assert.equal(supports('tools/list', Object.create({ tools: {} }) as object), false, 'a prototype declares nothing');
});

test('an implementation has a name and a version', () => {
  for (const value of [undefined, null, 'x', {}, { name: 'x' }, { version: '1' }, { name: 1, version: '1' }, { name: 'x', version: 1 }]) assert.equal(isImplementation(value), false, JSON.stringify(value));
  assert.equal(isImplementation({ name: 'x', version: '1' }), true);
});

test('lifecycle: nothing passes a connection that is closed, and only a handshake one that is new', () => {
  for (const lifecycle of [clientLifecycle, serverLifecycle]) {
    for (const method of ['ping', 'initialize', 'tools/list']) {
      assert.equal(mayPass(lifecycle.closed.send, method), false, method);
      assert.equal(mayPass(lifecycle.closed.receive, method), false, method);
    }
  }
  const passing = (passage: 'handshake' | 'ping' | 'operation'): boolean[] => ['initialize', 'ping', 'tools/list'].map((method) => mayPass(passage, method));
  assert.deepEqual([passing('handshake'), passing('ping'), passing('operation')], [[true, true, false], [false, true, false], [false, true, true]]);
});

test('a progress token is added to what there is, also where there is nothing', () => {
  assert.deepEqual(withProgressToken(undefined, 7), { _meta: { progressToken: 7 } });
  assert.deepEqual(withProgressToken({ a: 1 }, 'x'), { a: 1, _meta: { progressToken: 'x' } });
  assert.deepEqual(withProgressToken({ _meta: { b: 2 } }, 0), { _meta: { b: 2, progressToken: 0 } });
});

test('a header in Base64 has nothing else in it', () => {
  assert.equal(decodeHeaderValue('=?base64?QQ==?='), 'A');
  for (const text of ['=?base64?    QQ==?=', '=?base64?QQ==    ?=', '=?base64?QQ?=', '=?base64?Q-_=?=', '=?base64?/w==?=', '\u00e9']) assert.equal(decodeHeaderValue(text), undefined, text);
  for (const value of ['', ' a', 'a ', 'a\u0000', 'ü', '=?base64?QQ==?=', 'a b\tc', '~']) assert.equal(decodeHeaderValue(encodeHeaderValue(value)), value);
});

test('a date and time ends with its offset, and begins with its date', () => {
  const isDateTime = formFormats['date-time'];
  assert.ok(isDateTime('2026-02-28T23:59:60.5+14:30'));
  for (const text of ['2026-02-28T10:00:00Zx', '2026-02-28T10:00:00+01:00x', '2026-02-28 10:00:00Z', '2026-02-28T10:00:00', '2026-02-30T10:00:00Z', 'x2026-02-28T10:00:00Z']) assert.equal(isDateTime(text), false, text);
});

test('URI templates: no value ends inside a character that is percent-encoded', () => {
  for (const [template, uri, expected] of [
    ['{a}{b}', '%C3%BCx', { a: 'ü', b: 'x' }],
    ['{a}{b}', '%41%42', { a: 'A', b: 'B' }],
    ['{a}{b}', '%C3%BC%C3%A4', { a: 'ü', b: 'ä' }],
    ['{a}{+b}', '%F0%9F%98%80x', { a: '😀', b: 'x' }],
    ['{a}{b}', '%c3%bc', undefined],
  ] as const) assert.deepEqual(uriTemplate<string>(template).match(uri), expected, uri);
});

test('URI templates: their variables are the names in their braces, and no URI is longer than it may be', () => {
  assert.deepEqual(uriTemplate('a/{b}/c{?d,e}').variables, ['b', 'd', 'e']);
  assert.deepEqual(uriTemplate('plain').variables, []);
  const template = uriTemplate('a:{b}', { maxUriLength: 5 });
  assert.deepEqual(template.match('a:xyz'), { b: 'xyz' });
  assert.equal(template.match('a:xyzw'), undefined);
});

test('URI templates: a label has no separator in it, also not an encoded one', () => {
  for (const template of ['a{.b}', 'a{;b}', 'a{/b}', 'a/{b}']) {
    const { match } = uriTemplate<string>(template);
    const open = { 'a{.b}': 'a.', 'a{;b}': 'a;b=', 'a{/b}': 'a/', 'a/{b}': 'a/' }[template] ?? '';
    assert.deepEqual(match(`${open}x`), { b: 'x' }, template);
    for (const value of ['x%2Fy', 'x%5Cy', 'x%00y', 'x/y']) assert.equal(match(`${open}${value}`), undefined, `${open}${value}`);
  }
});

test('the scheme of a URI may have digits, signs and dots after its first letter, and nothing else', () => {
  for (const good of ['a:x', 'h2:x', 'a1+b.c-d:x', 'A9:x']) assert.ok(formFormats.uri(good), good);
  for (const bad of ['2h:x', '+a:x', 'a_b:x', 'a/b:x', 'a?b:x', ':x', 'ab']) assert.equal(formFormats.uri(bad), false, bad);
});

test('tools may be sent in sampling where the client and the revision have them', () => {
  const asked = { tools: [] };
  const has = { sampling: { tools: {} } };
  const missing = (version: string, capabilities: object, params: Record<string, unknown> = asked): unknown =>
    missingForQuestion('sampling/createMessage', params, capabilities, findRevision(revisions, version) as Revision)?.data;
  assert.equal(missing('2025-11-25', has), undefined);
  assert.equal(missing('2025-11-25', { sampling: {} }, {}), undefined);
  for (const [version, capabilities] of [['2025-11-25', { sampling: {} }], ['2025-06-18', has]] as const) {
    assert.deepEqual(missing(version, capabilities), { requiredCapabilities: { sampling: { tools: {} } } });
  }
  assert.deepEqual(missing('2025-11-25', {}), { requiredCapabilities: { sampling: {} } });
});

test('of a version that is not served, at most 64 characters are said back', () => {
  const refused = unsupportedVersion(revisions, 'x'.repeat(100));
  assert.equal((refused.data as { requested: string }).requested, 'x'.repeat(64));
  assert.equal((unsupportedVersion(revisions, 7).data as { requested: string }).requested, '');
});
