import assert from 'node:assert/strict';
import test from 'node:test';
import { readItems, seenClientRules } from '../../src/judge/index.ts';
import { Ledger } from '../../src/judge/ledger.ts';
import { checkRun } from '../../src/judge/options.ts';
import { allRules, holdsIn, levelOf, rulesFor, sectionAddress } from '../../src/judge/rules.ts';
import type { Evidence } from '../../src/judge/verdict.ts';

// How the judge keeps what its probes say about rules, and reads rules, options and judge.json.

const [old, v18, v25, modern] = ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
const found = (revision: string, came: string = 'C'): Evidence => ({ revision, conversation: 1, expected: 'E', came, entries: [] });
/** The judgement about one rule. */
function judged(ledger: Ledger, id: string, spoken: readonly string[] = []) {
  return ledger.judgements(spoken, (rule) => `needs ${rule.id}`).find(({ rule }) => rule.id === id) ?? assert.fail(id);
}

test('judge: a ledger gives a rule its strongest verdict, and counts how often it was kept', () => {
  const ledger = new Ledger('server');
  assert.deepEqual([judged(ledger, 'ping-1').verdict, judged(ledger, 'ping-1').why, ledger.verdict('ping-1', v25)], ['not-applicable', 'no revision that the target speaks has it', undefined]);
  assert.deepEqual([judged(ledger, 'ping-1', [v25]).verdict, judged(ledger, 'ping-1', [v25]).why, judged(ledger, 'ping-1', [modern]).verdict], ['not-seen', 'needs ping-1', 'not-applicable']);
  ledger.notApplicable('ping-1', v25, 'no ping');
  assert.deepEqual([judged(ledger, 'ping-1').verdict, judged(ledger, 'ping-1').why, ledger.verdict('ping-1', v25)], ['not-applicable', 'no ping', 'not-applicable']);
  ledger.kept('ping-1', v25);
  ledger.kept('ping-1', v18);
  assert.deepEqual([judged(ledger, 'ping-1').verdict, judged(ledger, 'ping-1').times, 'why' in judged(ledger, 'ping-1')], ['kept', 2, false]);
  ledger.dispute('ping-1', found(v18, 'D'));
  ledger.kept('ping-1', v18);
  const disputed = judged(ledger, 'ping-1');
  assert.deepEqual([disputed.verdict, disputed.times, disputed.revisions, disputed.evidence.map(({ came }) => came)], ['dispute', 3, { [v25]: 'kept', [v18]: 'dispute' }, ['D']]);
  ledger.broken('ping-1', found(v25, 'B'));
  ledger.dispute('ping-1', found(v18, 'late'));
  const broken = judged(ledger, 'ping-1');
  assert.deepEqual([broken.verdict, broken.evidence.map(({ came }) => came), Object.entries(broken.revisions)], ['broken', ['B'], [[v25, 'broken'], [v18, 'dispute']]]);
  // The rule is judged in the revisions that the target speaks.
  assert.deepEqual([judged(ledger, 'ping-1', [v18]).verdict, judged(ledger, 'ping-1', [v18]).evidence, judged(ledger, 'ping-1', [old]).verdict], ['dispute', [], 'not-seen']);
});

test('judge: a ledger shows at most three pieces of evidence, of the newest revisions, and the reason of the newest', () => {
  const ledger = new Ledger('server');
  for (const revision of ['2025-03-26', v25, old, v18]) {
    ledger.broken('ping-1', found(revision, `first in ${revision}`));
    ledger.broken('ping-1', found(revision, 'second'));
    ledger.notApplicable('tools-3', revision, `none in ${revision}`);
  }
  assert.deepEqual(judged(ledger, 'ping-1').evidence.map(({ came }) => came), [v25, v18, '2025-03-26'].map((one) => `first in ${one}`));
  assert.equal(judged(ledger, 'tools-3').why, `none in ${v25}`);
});

test('judge: of probes that run side by side, the one with the lowest place gives the evidence and the reason', () => {
  const ledger = new Ledger('server');
  const [two, five] = [ledger.at(2), ledger.at(5)];
  five.broken('ping-1', found(v25, 'five'));
  two.broken('ping-1', found(v25, 'two'));
  ledger.at(3).broken('ping-1', found(v25, 'three'));
  five.notApplicable('tools-3', v25, 'five');
  two.notApplicable('tools-3', v25, 'two');
  ledger.at(2).notApplicable('tools-3', v25, 'two again');
  assert.deepEqual([judged(ledger, 'ping-1').evidence[0]?.came, judged(ledger, 'tools-3').why, judged(two, 'ping-1').verdict], ['two', 'two', 'broken']);
});

test('judge: a ledger judges the chosen rules of its role, and names the others that were broken', () => {
  const ledger = new Ledger('server', new Set(['ping-1']));
  assert.deepEqual([ledger.wants('ping-1'), ledger.wants('tools-3'), ledger.at(1).wants('tools-3'), new Ledger('server').wants('tools-3')], [true, false, false, true]);
  ledger.broken('tools-3', found(v25));
  ledger.kept('tools-23', modern);
  // A rule of clients, and a revision without the rule.
  ledger.broken('lifecycle-25', found(v25));
  ledger.broken('ping-1', found(modern));
  assert.deepEqual(ledger.judgements([v25], () => '').map(({ rule, verdict }) => [rule.id, verdict]), [['ping-1', 'not-seen']]);
  assert.deepEqual([ledger.others([v25]), ledger.others([]), ledger.others([old])].map((all) => all.map(({ rule }) => rule.id)), [['tools-3'], ['tools-3'], []]);
  assert.deepEqual(new Ledger('server').others([]), []);
  assert.throws(() => ledger.kept('tools-0', v25), { name: 'RangeError', message: 'the judge has no rule tools-0' });
  const client = new Ledger('client');
  client.broken('lifecycle-25', found(v25));
  assert.equal(judged(client, 'lifecycle-25').verdict, 'broken');
});

test('judge: the rules have their places and their levels by revision', () => {
  for (const { id, places, weaker, level } of allRules().values()) {
    assert.ok(places.length > 0 && places.every(({ revision, section, address }) => revision !== '' && section !== '' && address === sectionAddress(revision, section)), id);
    assert.ok(weaker.every((revision) => places.some((one) => one.revision === revision)) && (weaker.length === 0 || level === 'MUST'), `${id} is weaker in ${weaker.join()}`);
  }
  const weak = [...allRules().values()].find(({ weaker, places }) => weaker.length > 0 && places.some(({ revision }) => !weaker.includes(revision))) ?? assert.fail();
  const strong = weak.places.find(({ revision }) => !weak.weaker.includes(revision))?.revision ?? '';
  assert.deepEqual([levelOf(weak, weak.weaker[0] ?? ''), levelOf(weak, strong)], ['SHOULD', 'MUST']);
  const ledger = new Ledger(weak.who === 'client' ? 'client' : 'server');
  ledger.broken(weak.id, found(weak.weaker[0] ?? ''));
  assert.deepEqual([judged(ledger, weak.id).level, judged(new Ledger('server'), 'ping-1').level], ['SHOULD', 'MUST']);
  const ping = allRules().get('ping-1') ?? assert.fail();
  assert.deepEqual([holdsIn(ping, v25), holdsIn(ping, modern), ping.weaker], [true, false, []]);
  assert.deepEqual([sectionAddress(v25, 'basic/index#requests'), sectionAddress(v25, 'basic/index'), sectionAddress(v25, 'server/tools#index')], ['https://modelcontextprotocol.io/specification/2025-11-25/basic#requests', 'https://modelcontextprotocol.io/specification/2025-11-25/basic', 'https://modelcontextprotocol.io/specification/2025-11-25/server/tools#index']);
  for (const role of ['server', 'client'] as const) assert.deepEqual(rulesFor(role), [...allRules().values()].filter(({ who }) => who !== (role === 'server' ? 'client' : 'server')));
});

test('judge: what a run against a client may show is rules of clients', () => {
  for (const id of seenClientRules()) assert.notEqual((allRules().get(id) ?? assert.fail(id)).who, 'server', id);
});

test('judge: options that are misspelt or name nothing are refused', () => {
  for (const [name, options, words] of [
    ['judgeServer', { only: ['x-1'] }, 'judgeServer: options.only names "x-1", which is not a rule'], ['judgeClient', { revisions: ['2020-01-01'] }, 'judgeClient: options.revisions names "2020-01-01", which is not a revision'],
  ] as const) assert.throws(() => checkRun(name, options), { name: 'TypeError', message: words });
  for (const options of [{ idleMs: 5 }, { onlyy: [] }, { answerMs: -1 }, { quick: 1 }]) assert.throws(() => checkRun('judgeServer', options as object), TypeError);
  assert.throws(() => checkRun('judgeClient', { hostile: true } as object), TypeError);
  checkRun('judgeServer', { only: ['ping-1'], revisions: [v25], quick: true, hostile: true, seed: 1, answerMs: 0, startMs: 5 } as object);
  checkRun('judgeClient', { idleMs: 5 } as object);
});

test('judge: judge.json is read, and what is wrong in it is named', () => {
  const login = { server: 'https://a.example/mcp', tokenVariable: 'TOKEN' };
  const client = { server: 'http://a.example/', clientIdVariable: 'ID', clientSecretVariable: 'S', issuer: 'https://i.example' };
  const whole = { slowTool: { name: 'a' }, tools: [{ name: 'b', arguments: { c: 1 } }], resources: ['d:e'], prompts: [{ name: 'f' }], login };
  assert.deepEqual(readItems(JSON.stringify(whole)), whole);
  assert.deepEqual(readItems(JSON.stringify({ login: client })), { login: client });
  for (const [file, words] of [
    [[], /^judge\.json/], [{ slowTol: {} }, /did you mean slowTool/], [{ tools: [{ name: 'a' }, { nam: 'b' }] }, /judge\.json\.tools\[1\]/], [{ prompts: [{ nam: 'b' }] }, /judge\.json\.prompts\[0\]/], [{ slowTool: { name: 5 } }, /slowTool/], [{ resources: 'x' }, /resources/],
    [{ login: { ...login, server: 'ftp://a' } }, /judge\.json\.login\.server is not an http or https address/], [{ login: { ...login, server: 'x' } }, /login\.server is not an http/], [{ login: { tokenVariable: 'T' } }, /login\.server is missing/], [{ login: { ...client, issuer: 'x' } }, /login\.issuer is not an http/],
    [{ login: { ...login, tokenVariable: 'a secret' } }, /^judge\.json\.login\.tokenVariable is not a name of an environment variable$/], [{ login: { ...client, clientIdVariable: '1x' } }, /login\.clientIdVariable is not/], [{ login: { ...client, clientSecretVariable: '' } }, /login\.clientSecretVariable is not/],
    [{ login: { ...login, issuer: 'https://i.example' } }, /login has tokenVariable, or/], [{ login: { server: 'https://a.example' } }, /login has tokenVariable, or/], [{ login: { ...client, issuer: undefined } }, /login has tokenVariable, or/], [{ login: { ...login, sope: 'x' } }, /did you mean scope/],
  ] as const) assert.throws(() => readItems(JSON.stringify(file)), { name: 'TypeError', message: words }, JSON.stringify(file));
  assert.throws(() => readItems('{'), SyntaxError);
});
