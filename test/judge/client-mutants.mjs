// npm run judge:mutants:clients [-- --only ID,… | --draw N --by TEXT | --jobs N | --seconds N]: breaks the line that keeps a rule of
// clients (the edits of test/removals) in a copy of the compiled code, has the referee judge test/judge/client.ts from it, and looks
// whether the rule is found. Writes requirements/judge-client-mutants.md where no rule is chosen.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readMatrix } from '../../scripts/requirements/matrix.mjs';
import { readEdits } from '../../scripts/requirements/removals.mjs';
import { Trial } from '../removals/trial.mjs';
import { allRules, judgeClient, seenClientRules } from '../../dist/lib/judge.js';
import { clientProgram } from '../../dist/src/judge/node/client-bench.js';

const top = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: { only: { type: 'string' }, draw: { type: 'string' }, by: { type: 'string', default: '' }, jobs: { type: 'string', default: '1' }, seconds: { type: 'string' } },
});
const began = performance.now();
const reasons = new Map(readFileSync(join(top, 'test/judge/undecided-clients.tsv'), 'utf8').trimEnd().split('\n').map((line) => line.split('\t')));
const who = new Map(readMatrix(top).rules.map((rule) => [rule.id, rule.who]));
const seen = seenClientRules();
const edits = readEdits(top).filter(({ id }) => allRules().has(id) && who.get(id) !== 'server');
const place = (id) => createHash('sha256').update(`${values.by} ${id}`).digest('hex');
let chosen = edits;
if (values.only) chosen = edits.filter(({ id }) => values.only.split(',').includes(id));
if (values.draw) {
  chosen = edits.filter(({ id }) => seen.has(id) && !reasons.has(id)).map((edit) => [place(edit.id), edit]).sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, Number(values.draw)).map(([, edit]) => edit);
}

const relay = [process.execPath, join(top, 'dist/lib/cli.js'), 'judge', '--relay'];

async function verdictOf(trial, { id, changes }) {
  return trial.edited(changes, async () => {
    const others = new Set();
    const disputes = new Set();
    for (const [way, where] of [['http', '{url}'], ['stdio', '{program}']]) {
      const client = clientProgram({ command: [process.execPath, join(trial.root, 'dist/test/judge/client.js'), way, where], relay });
      const found = new Set(allRules().get(id).places.map(({ revision }) => revision));
      const newest = [...found].sort().reverse();
      const revisions = [newest.find((one) => one >= '2026'), newest.find((one) => one < '2026')].filter(Boolean);
      const ruling = await judgeClient(client, { only: [id], revisions: revisions.length === 1 && revisions[0] >= '2026' ? [...revisions, '2025-11-25'] : revisions, answerMs: 3000, startMs: 20_000, idleMs: 4000 });
      for (const one of [...ruling.judgements, ...ruling.others]) {
        if (one.verdict === 'broken' && one.rule.id === id) return { verdict: 'found', how: way };
        if (one.verdict === 'broken') others.add(one.rule.id);
        if (one.verdict === 'dispute' && one.rule.id === id) disputes.add(way);
      }
    }
    if (disputes.size > 0) return { verdict: 'disputed' };
    return others.size > 0 ? { verdict: 'under another rule', others: [...others] } : { verdict: 'not found' };
  });
}

const trials = Array.from({ length: Number(values.jobs) }, () => new Trial(top));
const rows = [];
const waiting = chosen.values();
await Promise.all(trials.map(async (trial) => {
  for (const edit of waiting) {
    if (values.seconds && performance.now() - began > Number(values.seconds) * 1000) return;
    const row = { id: edit.id, breaks: edit.breaks, ...seen.has(edit.id) ? await verdictOf(trial, edit).catch((error) => ({ verdict: 'failed', others: [error.message] })) : { verdict: 'not decided from outside' } };
    rows.push(row);
    if (seen.has(edit.id)) console.log(`${row.id}: ${row.verdict}${row.how ? ` (${row.how})` : ''}${row.others ? ` ${row.others.join(', ')}` : ''}${row.verdict === 'found' ? '' : `: ${row.breaks}`}`);
  }
}));
for (const trial of trials) trial.remove();

const tried = rows.filter(({ verdict }) => verdict !== 'not decided from outside');
const decidable = tried.filter(({ id, verdict }) => verdict === 'found' || !reasons.has(id));
const count = (verdict) => tried.filter((row) => row.verdict === verdict).length;
const found = count('found');
const wrong = count('under another rule');
console.log(`${rows.length} broken rules, ${tried.length} tried: found ${found}, disputed ${count('disputed')}, under another rule ${wrong}, not found ${count('not found')}, failed ${count('failed')}; of ${decidable.length} that can be decided ${found} found; ${Math.round((performance.now() - began) / 1000)} s`);
if (!values.only && !values.draw && !values.seconds) writeFileSync(join(top, 'requirements/judge-client-mutants.md'), documentOf());
if (found < decidable.length * 0.95 || wrong > Math.max(1, tried.length * 0.01)) process.exitCode = 1;

function documentOf() {
  const cell = (text) => String(text).replaceAll('|', '\\|');
  const line = ({ id, verdict, how, others, breaks }) => `| ${id} | ${verdict}${how ? `, ${how}` : ''}${others ? `: ${others.join(', ')}` : ''} | ${cell(breaks)} | ${cell(reasons.get(id) ?? '')} |`;
  const table = (some) => ['| rule | verdict | what was broken | why |', '|---|---|---|---|', ...some.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(line)].join('\n');
  return `# Clients with one line broken\n\nWritten by \`npm run judge:mutants:clients\`: each line that keeps a rule of a client was broken in a copy of the code, and \`barewire judge --client\` was asked for that rule.\n${rows.length} edits; ${tried.length} are of rules that a hidden server sees. ${found} of ${decidable.length} that can be decided were found.\n\n## Not found\n\n${table(tried.filter(({ verdict }) => verdict !== 'found'))}\n\n## Found\n\n${table(tried.filter(({ verdict }) => verdict === 'found'))}\n`;
}
