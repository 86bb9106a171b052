// npm run judge:mutants [-- --only ID,… | --draw N --by TEXT | --jobs N | --seconds N]: breaks the line that keeps a rule (the edits of
// test/removals) in a copy of the compiled code, serves test/judge/target.ts from it, and looks whether the referee says so.
// Writes requirements/judge-mutants.md where no rule is chosen. It ends with 1 where more than 1 in 100 is found under a wrong rule, or fewer than
// 95 in 100 of those that can be decided are found.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readMatrix } from '../../scripts/requirements/matrix.mjs';
import { readEdits } from '../../scripts/requirements/removals.mjs';
import { Trial } from '../removals/trial.mjs';
import { allRules, judgeServer, seenRules } from '../../dist/lib/judge.js';
import { compile } from '../../dist/lib/schema-full.js';
import { stdioTransport } from '../../dist/lib/stdio.js';

const top = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: { only: { type: 'string' }, draw: { type: 'string' }, by: { type: 'string', default: '' }, jobs: { type: 'string', default: '1' }, seconds: { type: 'string' }, whole: { type: 'boolean' } },
});
const began = performance.now();
const reasons = new Map(readFileSync(join(top, 'test/judge/undecided.tsv'), 'utf8').trimEnd().split('\n').map((line) => line.split('\t')));
const who = new Map(readMatrix(top).rules.map((rule) => [rule.id, rule.who]));
/** Rules that bind both roles are often kept by a line of the client. */
const ofClient = ({ changes }) => changes.every(({ path }) => /(^|\/)client(\/|-)|src\/oauth\/client|src\/host|src\/explain/.test(path));
const edits = readEdits(top).filter((edit) => allRules().has(edit.id) && who.get(edit.id) !== 'client' && !ofClient(edit));
const place = (id) => createHash('sha256').update(`${values.by} ${id}`).digest('hex');
let chosen = edits;
if (values.only) chosen = edits.filter(({ id }) => values.only.split(',').includes(id));
if (values.draw) {
  chosen = edits.filter(({ id }) => seenRules().has(id) && !reasons.has(id)).map((edit) => [place(edit.id), edit]).sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, Number(values.draw)).map(([, edit]) => edit);
}

/** The newest revision of each era that has the rule. */
function revisionsOf(id) {
  // These compare what is said in several.
  if (/^(lifecycle-(14|19|22|24)|discover-1|versioning-1)$/.test(id)) return undefined;
  const found = [...new Set(allRules().get(id).places.map(({ revision }) => revision))].sort().reverse();
  return [found.find((one) => one >= '2026'), found.find((one) => one < '2026')].filter(Boolean);
}

const modes = (id) => (/^base-(26|27|28|30|31)$/.test(id) ? [['--codes']] : [
  [], ['--http'], ...(revisionsOf(id)?.[0] ?? '2026') >= '2026' ? [['--http', '--modern'], ['--modern']] : [], ...id.startsWith('authorization') ? [['--http', '--guarded']] : [],
]);

/** Starts the target over HTTP; resolves with its address. */
function started(root, args) {
  const child = spawn(process.execPath, [join(root, 'dist/test/judge/target.js'), ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  const url = new Promise((resolve) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => { said += text; if (said.includes('\n')) resolve(said.trim()); });
    child.once('exit', () => resolve(undefined));
  });
  return { url, stop: () => child.kill('SIGKILL') };
}

async function judged(root, args, only, revisions) {
  const options = { only, revisions, compile, answerMs: 3000, startMs: 15_000, mayCall: ({ annotations }) => annotations?.readOnlyHint === true };
  if (!args.includes('--http')) {
    return judgeServer({ name: 'target', open: (trace) => stdioTransport(process.execPath, [join(root, 'dist/test/judge/target.js'), ...args], { trace }) }, options);
  }
  const { url, stop } = started(root, args);
  try {
    const address = await url;
    if (address === undefined) return undefined;
    return await judgeServer({ name: 'target', http: { url: address, fetch } }, options);
  } finally {
    stop();
  }
}

const brokenIn = (ruling) => [...ruling.judgements, ...ruling.others].filter(({ verdict }) => verdict === 'broken');
const disputedIn = ({ judgements }, id) => judgements.find(({ rule, verdict }) => rule.id === id && verdict === 'dispute');

async function verdictOf(trial, { id, changes }) {
  return trial.edited(changes, async () => {
    const wrong = new Map();
    for (const args of modes(id)) {
      const ruling = await judged(trial.root, args, [id], revisionsOf(id));
      if (!ruling) return { verdict: 'does not start' };
      const broken = brokenIn(ruling);
      const own = broken.find(({ rule }) => rule.id === id);
      const disputed = disputedIn(ruling, id);
      if (!own && disputed) return { verdict: 'found', how: `${args.join(' ') || 'pipe'}, as a dispute` };
      if (own) return { verdict: 'found', how: args.join(' ') || 'pipe', evidence: own.evidence[0] };
      if (!args.includes('--codes')) for (const { rule, evidence } of broken) wrong.set(rule.id, evidence[0]);
    }
    // A rule that says the same, or that the edit breaks as well, is no wrong one: undecided.tsv names those.
    return wrong.size > 0 ? { verdict: 'under another rule', others: [...wrong.keys()] } : { verdict: 'not found' };
  });
}

const trials = Array.from({ length: Number(values.jobs) }, () => new Trial(top));
const rows = [];
const waiting = chosen.values();
await Promise.all(trials.map(async (trial) => {
  for (const edit of waiting) {
    if (values.seconds && performance.now() - began > Number(values.seconds) * 1000) return;
    const seen = seenRules().has(edit.id);
    const row = { id: edit.id, breaks: edit.breaks, ...!seen && !values.whole ? { verdict: 'not decided from outside' } : await verdictOf(trial, edit).catch((error) => ({ verdict: 'failed', others: [error.message] })) };
    rows.push(row);
    if (seen || values.only) console.log(`${row.id}: ${row.verdict}${row.how ? ` (${row.how})` : ''}${row.others ? ` ${row.others.join(', ')}` : ''}${row.verdict === 'found' ? '' : `: ${row.breaks}`}`);
  }
}));
for (const trial of trials) trial.remove();

const tried = rows.filter(({ verdict }) => verdict !== 'not decided from outside');
const decidable = tried.filter(({ id, verdict }) => verdict === 'found' || !reasons.has(id));
const count = (verdict) => tried.filter((row) => row.verdict === verdict).length;
const found = decidable.filter(({ verdict }) => verdict === 'found').length;
const wrong = tried.filter(({ id, verdict }) => verdict === 'under another rule' && !reasons.has(id)).length;
console.log(`${rows.length} broken rules, ${tried.length} tried: found ${count('found')}, under another rule ${count('under another rule')}, not found ${count('not found')}, does not start ${count('does not start')}, failed ${count('failed')}; of ${decidable.length} that can be decided ${found} found, ${wrong} under a wrong rule; ${Math.round((performance.now() - began) / 1000)} s`);
if (!values.only && !values.draw && !values.seconds) writeFileSync(join(top, 'requirements/judge-mutants.md'), documentOf());
if (found < decidable.length * 0.95 || wrong > Math.max(1, tried.length * 0.01)) process.exitCode = 1;

function documentOf() {
  const cell = (text) => String(text).replaceAll('|', '\\|');
  const line = ({ id, verdict, how, others, breaks }) => `| ${id} | ${verdict}${how ? `, ${how}` : ''}${others ? `: ${others.join(', ')}` : ''} | ${cell(breaks)} | ${cell(reasons.get(id) ?? '')} |`;
  const table = (some) => ['| rule | verdict | what was broken | why |', '|---|---|---|---|', ...some.sort((a, b) => (a.id < b.id ? -1 : 1)).map(line)].join('\n');
  return `# Servers with one line broken\n\nWritten by \`npm run judge:mutants\`: each line that keeps a rule of a server was broken in a copy of the code, and \`barewire judge\` was asked for that rule.\n${rows.length} edits; ${tried.length} are of rules that the referee judges. ${found} of ${decidable.length} that can be decided were found, ${wrong} under a wrong rule.\n\n## Not found\n\n${table(tried.filter(({ verdict }) => verdict !== 'found'))}\n\n## Found\n\n${table(tried.filter(({ verdict }) => verdict === 'found'))}\n`;
}
