import assert from 'node:assert/strict';
import test from 'node:test';
import { badgeReport, baselineOf, htmlReport, jsonReport, judgeServer, junitReport, newFaults, readBaseline, readItems, sarifReport, textReport, wireReport, withoutSecrets } from '../../src/judge/index.ts';
import type { Evidence, Judgement, JudgeRuling, RuleVerdict } from '../../src/judge/index.ts';
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

const place = (revision: string) => ({ revision, section: `tools#${revision}`, address: `https://spec/${revision}` });
const found = (revision: string, more: Partial<Evidence> = {}): Evidence => ({ revision, conversation: 1, sent: 'S<1>', expected: 'E', came: 'C', entries: [], ...more });
/** A judgement with two places, of which the evidence names the second. */
const judgement = (id: string, verdict: RuleVerdict, more: Partial<Judgement> = {}): Judgement => ({
  rule: { id, who: 'server', level: 'MUST', text: `text of ${id}`, places: [place('old'), place('new')], weaker: [] },
  level: 'MUST', verdict, revisions: { new: verdict }, times: verdict === 'kept' ? 3 : 0, evidence: verdict === 'broken' || verdict === 'dispute' ? [found('new')] : [], ...more,
});
const made: JudgeRuling = {
  target: 'the & target', role: 'server', ruleSet: '1.0', seed: 5, revisions: ['new', 'old'], others: [], failures: [], ms: 1234,
  judgements: [
    judgement('r-kept', 'kept'), judgement('r-should', 'broken', { level: 'SHOULD' }), judgement('r-must', 'broken'), judgement('r-dispute', 'dispute'),
    judgement('r-none', 'not-applicable', { why: 'no tools' }), judgement('r-unseen', 'not-seen', { why: 'needs <a> tool' }), judgement('r-kept-2', 'kept', { level: 'SHOULD' }),
  ],
};

test('judge: the report for people, in its order, line by line', () => {
  const accused = (head: string, id: string, level = 'MUST'): string[] => [`${head} ${id} ${level}: text of ${id}`, '  https://spec/new', '  new', '    sent      S<1>', '    expected  E', '    came      C', ''];
  const head = ['the & target speaks new, old; 7 rules of a server, rule set 1.0', ''];
  const body = [...accused('broken', 'r-must'), ...accused('broken', 'r-should', 'SHOULD'), ...accused('dispute', 'r-dispute')];
  const end = ['MUST   1 broken, 1 kept, 1 disputed, 1 not applicable, 1 not seen', 'SHOULD 1 broken, 1 kept, 0 disputed, 0 not applicable, 0 not seen'];
  assert.deepEqual(textReport(made).split('\n'), [...head, ...body, ...end]);
  const all = ['kept r-kept MUST: text of r-kept', 'not-applicable r-none MUST: text of r-none: no tools', 'not-seen r-unseen MUST: text of r-unseen: needs <a> tool', 'kept r-kept-2 SHOULD: text of r-kept-2', ''];
  assert.deepEqual(textReport(made, { all: true }).split('\n'), [...head, ...body, ...all, ...end]);
  const paint = Object.fromEntries(['red', 'green', 'yellow', 'dim', 'bold'].map((name) => [name, (text: string) => `${name}(${text})`])) as unknown as NonNullable<Parameters<typeof textReport>[1]>['paint'];
  const painted = textReport({ ...made, stopped: 'it hung\n', name: 'N', revisions: [], failures: ['F'] }, { paint, all: true }).split('\n');
  assert.deepEqual([painted[0], painted[2]], ['N speaks no revision; 7 rules of a server, rule set 1.0', 'red(It could not be judged): it hung\\n']);
  for (const line of [
    'red(broken) bold(r-must) MUST: text of r-must', 'yellow(broken) bold(r-should) SHOULD: text of r-should', 'yellow(dispute) bold(r-dispute) MUST: text of r-dispute', '  dim(https://spec/new)',
    'green(kept) r-kept MUST: text of r-kept', 'dim(not-seen r-unseen MUST: text of r-unseen: needs <a> tool)', 'A probe could not be made: F',
  ]) assert.ok(painted.includes(line), `${line} in ${painted.join('|')}`);
  const long = { ...made, judgements: [judgement('r', 'broken', { evidence: [found('nowhere', { sent: undefined, came: `a\r\nb${'x'.repeat(400)}` })] })] };
  assert.deepEqual(textReport(long).split('\n').slice(2, 7), ['broken r MUST: text of r', '  https://spec/old', '  nowhere', '    expected  E', `    came      a b${'x'.repeat(397)} … (404 characters)`]);
  assert.ok(textReport(long, { characters: 403 }).includes(`a b${'x'.repeat(400)}\n`));
  assert.throws(() => textReport(made, { al: true } as object), /textReport: options\.al is unknown/);
});

test('judge: the reports for machines', () => {
  assert.deepEqual(badgeReport(made), { schemaVersion: 1, label: 'MCP rules', message: '1 broken, 1 kept', color: 'red' });
  assert.equal(badgeReport({ ...made, judgements: [judgement('r', 'kept'), judgement('s', 'broken', { level: 'SHOULD' })] })['color'], 'brightgreen');
  assert.deepEqual(badgeReport({ ...made, stopped: 'x' }), { schemaVersion: 1, label: 'MCP rules', message: 'not judged', color: 'lightgrey' });

  const json = jsonReport(made) as { judgements: Record<string, unknown>[]; others?: unknown; seed: number };
  assert.deepEqual([json.others, json.seed], [undefined, 5]);
  const sections = ['old', 'new'].map(place);
  assert.deepEqual(json.judgements[0], { id: 'r-kept', who: 'server', level: 'MUST', text: 'text of r-kept', verdict: 'kept', revisions: { new: 'kept' }, times: 3, sections });
  const { entries: _, ...evidence } = found('new');
  assert.deepEqual([json.judgements[2]?.['evidence'], json.judgements[4]?.['why']], [[evidence], 'no tools']);
  assert.equal((jsonReport({ ...made, others: [judgement('r', 'broken')] })['others'] as unknown[]).length, 1);

  const junit = junitReport({ ...made, target: 'a "b" <c> \u0000\u{1F600}' }).split('\n');
  assert.equal(junit[2], '  <testsuite name="barewire judge: server a &quot;b&quot; &lt;c&gt; �😀" tests="7" failures="1" skipped="2" time="1.234">');
  const summary = 'new\nsent: S&lt;1&gt;\nexpected: E\ncame: C\n\nhttps://spec/new';
  const cases = junit.slice(3).join('\n');
  for (const one of [
    '    <testcase classname="MUST" name="r-kept: text of r-kept"/>', `    <testcase classname="MUST" name="r-must: text of r-must">\n      <failure message="text of r-must">${summary}</failure>\n    </testcase>`,
    `    <testcase classname="SHOULD" name="r-should: text of r-should">\n      <system-out>broken: ${summary}</system-out>\n    </testcase>`,
    `    <testcase classname="MUST" name="r-dispute: text of r-dispute">\n      <system-out>dispute: ${summary}</system-out>\n    </testcase>`,
    '    <testcase classname="MUST" name="r-none: text of r-none">\n      <skipped message="not-applicable: no tools"/>\n    </testcase>',
    '    <testcase classname="MUST" name="r-unseen: text of r-unseen">\n      <skipped message="not-seen: needs &lt;a&gt; tool"/>\n    </testcase>',
  ]) assert.ok(cases.includes(one), one);
  assert.ok(junitReport({ ...made, judgements: [judgement('r', 'broken', { evidence: [found('new', { came: 'x'.repeat(2001) })] })] }).includes(`came: ${'x'.repeat(2000)} … (2001 characters)\n`));

  const { runs: [run] } = sarifReport(made) as { runs: { tool: { driver: { rules: unknown[] } }; results: { ruleId: string; ruleIndex: number; level: string; message: { text: string }; locations: unknown; partialFingerprints: unknown }[]; properties: unknown }[] };
  assert.deepEqual(run?.results.map(({ ruleId, ruleIndex, level }) => [ruleId, ruleIndex, level]), [['r-should', 0, 'warning'], ['r-must', 1, 'error'], ['r-dispute', 2, 'note']]);
  assert.deepEqual(run?.tool.driver.rules[1], { id: 'r-must', shortDescription: { text: 'text of r-must' }, helpUri: 'https://spec/new', properties: { level: 'MUST' } });
  assert.deepEqual(run?.properties, { ruleSet: '1.0', revisions: ['new', 'old'], seed: 5 });
  assert.equal(run?.results[1]?.message.text, 'text of r-must\n\nnew\nsent: S<1>\nexpected: E\ncame: C\n\nhttps://spec/new');
  assert.deepEqual([run?.results[1]?.locations, run?.results[1]?.partialFingerprints], [[{ logicalLocations: [{ fullyQualifiedName: 'server the & target' }] }], { 'barewireRule/v1': 'server/r-must' }]);
});

test('judge: the page shows each fault with its evidence, and the rest in tables', () => {
  const entries: Evidence['entries'] = [
    { direction: 'sent', text: '<sent>', at: 1 }, { direction: 'received', text: 'x'.repeat(5000), at: 2 },
    { kind: 'http', direction: 'sent', exchange: 1, method: 'POST', path: '/<a>', headers: {}, at: 3 } as never, { kind: 'http', direction: 'received', exchange: 1, status: 200, headers: {}, at: 4 } as never,
    { kind: 'event', direction: 'received', exchange: 1, data: 'an "event"', at: 5 } as never,
  ];
  const page = htmlReport({ ...made, failures: ['F<'], judgements: [...made.judgements, judgement('r-more', 'broken', { evidence: [found('new', { entries }), found('old', { sent: undefined })] })] });
  for (const part of [
    '<title>the &amp; target, judged</title>', '<p>server <code>the &amp; target</code>, revisions new, old, rule set 1.0.</p>',
    '<tr><th>MUST</th><td>2 broken</td><td>1 kept</td><td>1 disputed</td><td>1 not applicable</td><td>1 not seen</td></tr>', '<tr><th>SHOULD</th><td>1 broken</td><td>1 kept</td><td>0 disputed</td>',
    '<section class="broken MUST" id="r-must"><h3>r-must <small>MUST, broken</small></h3><p>text of r-must <a href="https://spec/new">tools#new</a></p><h4>new</h4><dl><dt>sent</dt><dd><code>S&lt;1&gt;</code></dd><dt>expected</dt><dd>E</dd><dt>came</dt><dd><code>C</code></dd></dl><details><summary>the conversation until then: 0 entries</summary><pre></pre></details></section>',
    'the conversation until then: 5 entries', '--&gt; &lt;sent&gt;\n&lt;-- xxx', '--&gt; HTTP POST /&lt;a&gt;', '&lt;-- HTTP 200', '&lt;-- an &quot;event&quot;', '<h4>old</h4><dl><dt>expected</dt>', '<p>A probe could not be made: F&lt;</p>',
  ]) assert.ok(page.includes(part), part);
  assert.ok(page.includes(`&lt;-- ${'x'.repeat(4000)}\n`));
  for (const [verdict, ids] of [['kept', ['r-kept', 'r-kept-2']], ['not-seen', ['r-unseen']], ['not-applicable', ['r-none']]] as const) {
    const [, rest = ''] = page.split('<h2>The rest</h2>');
    const [table = ''] = rest.split('<details>').filter((part) => part.includes(`>${ids[0]}<`));
    assert.deepEqual([...table.matchAll(/<tr><td>(r-[\w-]+)<\/td>/g)].map(([, id]) => id), ids, verdict);
    assert.ok(table.includes(verdict === 'kept' ? 'text of r-kept' : verdict === 'not-seen' ? 'needs &lt;a&gt; tool' : 'no tools'), table);
  }
  assert.ok(page.indexOf('id="r-must"') < page.indexOf('id="r-should"'), 'MUST comes first');
  assert.ok(page.indexOf('id="r-should"') < page.indexOf('id="r-dispute"'));
  const bare = htmlReport({ ...made, judgements: [], revisions: [], stopped: 'it <hung>', name: 'N' });
  for (const part of ['<title>N, judged</title>', 'revisions none, rule set', '<p>It could not be judged: it &lt;hung&gt;</p>', '<h2>Broken</h2><p>Nothing.</p><h2>Disputed</h2><p>Nothing.</p>']) assert.ok(bare.includes(part), part);
  assert.ok(!page.includes('It could not be judged'));
});

test('judge: a baseline is read as it was written; what is malformed is refused', () => {
  assert.deepEqual(baselineOf(made), { ruleSet: '1.0', broken: ['r-must', 'r-should'] });
  assert.deepEqual(readBaseline('{"ruleSet":"1.9","broken":["a"]}'), { ruleSet: '1.9', broken: ['a'] });
  for (const text of ['null', '[]', '{}', '{"ruleSet":1,"broken":[]}', '{"ruleSet":"1.0"}', '{"ruleSet":"1.0","broken":"x"}', '{"ruleSet":"1.0","broken":["x",5]}']) assert.throws(() => readBaseline(text), { name: 'TypeError', message: 'a baseline has ruleSet and broken, a list of rule ids' });
  assert.throws(() => readBaseline('{"ruleSet":"10.0","broken":[]}'), { message: 'the baseline is of rule set 10.0, and this one is 1.0' });
  assert.throws(() => readBaseline('{"ruleSet":"1.0","broken":[],"more":1}'), { message: 'a baseline has no member "more": did you mean broken?' });
  const ids = (baseline?: { ruleSet: string; broken: string[] }): string[] => newFaults(made, baseline).map(({ rule }) => rule.id);
  assert.deepEqual([ids(), ids({ ruleSet: '1.0', broken: ['r-must', 'r-kept'] })], [['r-should', 'r-must'], ['r-should']]);
});

test('judge: a transcript of a fault names its rule; without evidence there is none', () => {
  assert.equal(wireReport(judgement('r', 'kept')), undefined);
  const entries: Evidence['entries'] = [{ direction: 'sent', text: '{"a":1}', at: 1 }, { direction: 'received', text: '{"b":2}', at: 2 }];
  const wire = wireReport(judgement('r', 'broken', { evidence: [found('new', { expected: 'two\n  words', entries })] })) ?? '';
  assert.deepEqual(wire.split('\n').slice(0, 4), ['Rule r, MUST: text of r.', 'https://spec/new', 'In new expected: two words', '']);
  assert.ok(wire.endsWith('\n\n--> {"a": 1}\n<-- {"b": 2}\n'), wire);
});

test('judge: secrets are redacted wherever they are, in each spelling, and short ones are none', () => {
  const secret = 'k"y-0123456';
  const text = `x ${secret} ${JSON.stringify(secret)} ${encodeURIComponent(secret)}`;
  const clean = 'x [redacted] "[redacted]" [redacted]';
  const entries: Evidence['entries'] = [
    { direction: 'sent', text, at: 1 }, { kind: 'http', direction: 'sent', exchange: 1, method: 'GET', path: text, headers: { a: text }, at: 3 } as never,
    { kind: 'event', direction: 'received', exchange: 1, data: text, at: 5 } as never,
  ];
  const dirty: JudgeRuling = {
    ...made, target: text, name: text, stopped: text, failures: [text], others: [judgement('o', 'not-seen', { why: text })],
    judgements: [judgement('r', 'broken', { why: text, evidence: [found('new', { sent: text, expected: text, came: text, entries })] }), judgement('s', 'broken', { evidence: [found('new', { sent: undefined })] })],
  };
  const redacted = withoutSecrets(dirty, [`Bearer ${secret}`, 'short', 'digest']);
  const [one, other] = redacted.judgements;
  const evidence = one?.evidence[0];
  assert.deepEqual([redacted.target, redacted.name, redacted.stopped, redacted.failures, redacted.others[0]?.why, one?.why, evidence?.sent, evidence?.expected, evidence?.came], [clean, clean, clean, [clean], clean, clean, clean, clean, clean]);
  assert.deepEqual(evidence?.entries, [
    { direction: 'sent', text: clean, at: 1 }, { kind: 'http', direction: 'sent', exchange: 1, method: 'GET', path: clean, headers: { a: clean }, at: 3 }, { kind: 'event', direction: 'received', exchange: 1, data: clean, at: 5 },
  ]);
  assert.ok(other && !('why' in other) && other.evidence[0] && !('sent' in other.evidence[0] && other.evidence[0].sent !== undefined));
  const plain = withoutSecrets(made, [secret]);
  assert.ok(!('name' in plain) && !('stopped' in plain));
  for (const secrets of [[], ['short'], ['Bearer', 'BASIC', 'digest']]) assert.equal(withoutSecrets(dirty, secrets), dirty);
  const said = (target: string): string => withoutSecrets({ ...made, target }, ['bearer-ab', '123456']).target;
  assert.deepEqual([said('12345 bearer-ab 123456'), said('my bearer-'), said('x 1234'), said('x 123')], ['12345 [redacted] [redacted]', 'my [redacted]', 'x [redacted]', 'x 123']);
});
