import assert from 'node:assert/strict';
import test from 'node:test';
import { badgeReport, baselineOf, htmlReport, jsonReport, judgeServer, junitReport, newFaults, readBaseline, readItems, sarifReport, textReport, wireReport, withoutSecrets } from '../../src/judge/index.ts';
import type { JudgeRuling } from '../../src/judge/index.ts';
import { parseTranscript } from '../../src/transcript/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { target } from './target.ts';

const secret = 'sk-judge-0123456789';

/** A server that leaves out resultType and repeats a secret. */
const ruling: Promise<JudgeRuling> = judgeServer({
  name: 'a <server> & "more"',
  open: (trace) => memoryTransport(target(), { trace: (entry) => trace(entry.direction === 'received' ? { ...entry, text: entry.text.replace('"resultType":"complete",', `"said":"${secret}",`) } : entry) }),
}, { quick: true, answerMs: 500, mayCall: () => false });

test('judge: reports name the rule, its address, what was sent and what came', async () => {
  const made = await ruling;
  const text = textReport(made, { all: true });
  assert.match(text, /broken base-72 MUST/);
  assert.match(text, /https:\/\/modelcontextprotocol\.io\/specification\/2026-07-28\//);
  const { judgements } = JSON.parse(JSON.stringify(jsonReport(made))) as { judgements: { id: string; verdict: string; evidence?: { sent: string; came: string }[] }[] };
  const one = judgements.find(({ id }) => id === 'base-72');
  assert.equal(one?.verdict, 'broken');
  assert.match(one.evidence?.[0]?.came ?? '', /^\{"jsonrpc"/);
  const junit = junitReport(made);
  assert.match(junit, /<failure message="a result says its type">/);
  assert.match(junit, /a &lt;server&gt; &amp; &quot;more&quot;/);
  const { runs: [run] } = sarifReport(made) as { runs: { results: { ruleId: string; level: string }[] }[] };
  assert.ok(run?.results.some(({ ruleId, level }) => ruleId === 'base-72' && level === 'error'));
  assert.match(String(badgeReport(made)['message']), /^\d+ broken, \d+ kept$/);
});

test('judge: the page is one file without a script, and what a server says is no markup', async () => {
  const page = htmlReport(await ruling);
  assert.ok(!/<script|src=|<link/i.test(page));
  assert.match(page, /default-src 'none'/);
  assert.match(page, /a &lt;server&gt;/);
  assert.ok(!page.includes('a <server>'));
});

test('judge: a fault is a transcript that can be read again', async () => {
  const one = (await ruling).judgements.find(({ rule }) => rule.id === 'base-72');
  assert.ok(one);
  const wire = wireReport(one) ?? '';
  const { lines, title } = parseTranscript(wire);
  assert.ok(lines.length >= 2);
  assert.match(title, /base-72/);
});

test('judge: a baseline holds what is known, and refuses what it does not know', async () => {
  const made = await ruling;
  const baseline = readBaseline(JSON.stringify(baselineOf(made)));
  assert.ok(baseline.broken.includes('base-72'));
  assert.deepEqual(newFaults(made, baseline), []);
  assert.ok(newFaults(made, { ...baseline, broken: [] }).length > 0);
  assert.throws(() => readBaseline('{"ruleSet":"1.0","broken":[],"brokn":[]}'), /brokn/);
  assert.throws(() => readBaseline('{"ruleSet":"2.0","broken":[]}'), /rule set 2\.0/);
  assert.throws(() => readItems('{"slowTool":{"nam":"x"}}'), /did you mean name/);
});

test('judge: no credential stands in any report', async () => {
  const clean = withoutSecrets(await ruling, [`Bearer ${secret}`]);
  const one = clean.judgements.find(({ rule }) => rule.id === 'base-72');
  assert.ok(one);
  for (const text of [textReport(clean, { all: true, characters: 100_000 }), JSON.stringify(jsonReport(clean)), junitReport(clean), JSON.stringify(sarifReport(clean)), htmlReport(clean), wireReport(one) ?? '']) {
    assert.ok(!text.includes(secret));
    assert.ok(text.includes('[redacted]') || text.includes('base-72'));
  }
  assert.ok(htmlReport(await ruling).includes(secret), 'the server says it');
  // A text may have been cut within a credential.
  const cut = (text: string): unknown => withoutSecrets({ ...clean, stopped: text }, [`Bearer ${secret}`]).stopped;
  for (const length of [4, secret.length - 1]) assert.equal(cut(`got: ${secret.slice(0, length)}`), 'got: [redacted]');
  assert.equal(cut('www-authenticate: Bearer'), 'www-authenticate: Bearer');
});
