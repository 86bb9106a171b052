// npm run judge:mutants [-- --role server|client | --only ID,… | --draw N --by TEXT | --jobs N | --seconds N | --verbose]: breaks
// one line at a time in a copy of the compiled code (the edits of test/removals and of test/judge/mutants/edits), and checks that
// the referee names the rule. A mutant runs only the probes of its rule. Without a selection it writes
// requirements/judge-mutants.md. --from FILE stores each row there, and reuses the rows in it; --kept FILE does the same for the
// results of intact peers; --write runs nothing more. Exits 1 if more than 1 in 100 is found under a wrong rule only, or fewer
// than 95 in 100 decidable ones are found.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Trial } from '../removals/trial.mjs';
import { countsOf, documentOf } from './mutants/document.mjs';
import { clients } from './mutants/clients.mjs';
import { servers } from './mutants/servers.mjs';

const top = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: {
    role: { type: 'string' }, only: { type: 'string' }, draw: { type: 'string' }, by: { type: 'string', default: '' }, jobs: { type: 'string', default: '1' },
    seconds: { type: 'string' }, from: { type: 'string' }, kept: { type: 'string' }, write: { type: 'boolean' }, verbose: { type: 'boolean' },
  },
});
const began = performance.now();
const seconds = () => Math.round((performance.now() - began) / 1000);
const roles = [servers(top), clients(top)].filter(({ role }) => !values.role || role === values.role);

/** Reasons why an edit is invisible from outside, and when each was written: `role id sentence reason time`, by the first three. */
const reasons = new Map(readFileSync(join(top, 'test/judge/mutants/undecided.tsv'), 'utf8').split('\n').filter(Boolean).map((line) => {
  const [role, id, breaks, reason, written] = line.split('\t');
  if (!['before the run', 'after the miss'].includes(written)) throw new Error(`test/judge/mutants/undecided.tsv: ${id}: expected "before the run" or "after the miss" last`);
  return [`${role} ${id} ${breaks}`, { reason, written }];
}));
/**
 * Verdicts of a second reader on edits that were not found, `role id sentence verdict reason`, and whether an edit of the same
 * fault was found earlier.
 */
const secondRead = new Map(readFileSync(join(top, 'test/judge/mutants/second-reader.tsv'), 'utf8').split('\n').filter(Boolean).map((line) => {
  const [role, id, breaks, verdict, , earlier] = line.split('\t');
  if (!['decidable', 'only with help', 'undecidable'].includes(verdict)) throw new Error(`test/judge/mutants/second-reader.tsv: ${id}: ${verdict} is not a verdict`);
  return [`${role} ${id} ${breaks}`, { second: verdict, earlier: earlier !== undefined }];
}));
const keyOf = ({ role, id, breaks }) => `${role} ${id} ${breaks}`;
const all = roles.flatMap(({ role, edits, seen, judge }) => edits.map((edit) => ({ ...edit, role, judge, seen: seen.has(edit.id) })));
for (const key of [...reasons.keys(), ...secondRead.keys()]) if (!values.role && !all.some((edit) => keyOf(edit) === key)) throw new Error(`test/judge/mutants: undecided.tsv or second-reader.tsv: no edit is ${key}`);

const place = (edit) => createHash('sha256').update(`${values.by} ${keyOf(edit)}`).digest('hex');
let chosen = all;
if (values.only) chosen = all.filter(({ id }) => values.only.split(',').includes(id));
if (values.draw) chosen = all.filter((edit) => edit.seen && !reasons.has(keyOf(edit))).map((edit) => [place(edit), edit]).sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, Number(values.draw)).map(([, edit]) => edit);

// Rows of an interrupted earlier run.
const known = new Map(values.from && existsSync(values.from) ? readFileSync(values.from, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line)).map((row) => [keyOf(row), row]) : []);
const rows = [];
const trials = Array.from({ length: Number(values.jobs) }, () => new Trial(top));
const waiting = chosen.values();
await Promise.all(trials.map(async (trial) => {
  for (const { role, id, breaks, changes, judge, seen, instead } of waiting) {
    if (values.seconds && seconds() > Number(values.seconds)) return;
    const before = performance.now();
    const key = { role, id, breaks };
    const { reason, written } = reasons.get(keyOf(key)) ?? {};
    if (values.write && seen && !known.has(keyOf(key))) continue;
    const told = known.get(keyOf(key)) ?? (!seen && !values.only ? { verdict: 'not decided' }
      : await trial.edited(changes, () => judge(trial.root, id, reason === undefined)).catch((error) => ({ verdict: 'failed', others: [error.message] })));
    const row = { ...key, ...told, reason, written, ...secondRead.get(keyOf(key)), instead, seconds: told.seconds ?? (performance.now() - before) / 1000 };
    rows.push(row);
    if (values.from && !known.has(keyOf(key))) writeFileSync(values.from, `${JSON.stringify(row)}\n`, { flag: 'a' });
    if (row.verdict === 'not decided' || row.verdict === 'found' && !values.verbose) continue;
    console.log(`${role} ${id}: ${row.verdict}${row.how ? ` (${row.how})` : ''}${row.others ? ` ${row.others.join(', ')}` : ''}, ${row.seconds.toFixed(1)} s${row.verdict === 'found' ? '' : `: ${breaks}${reason ? ` [${reason}]` : ''}`}`);
  }
}));
for (const trial of trials) trial.remove();

let good = true;
for (const { role } of roles) {
  const counts = countsOf(rows.filter((row) => row.role === role));
  if (counts.tried === 0) continue;
  console.log(`${role}s: ${counts.tried} tried, ${counts.found} found (${counts.disputes} as a dispute), under a wrong rule ${counts.wrong}, not found ${counts.missed}, failed ${counts.failed}; of ${counts.decidable} that can be decided ${counts.found} were found`);
  // A draw may miss one: the whole has one miss.
  if (counts.decidable - counts.found > Math.max(1, counts.decidable * 0.05) || counts.wrong > Math.max(1, counts.tried * 0.01) || counts.failed > 0) good = false;
}
console.log(`${seconds()} s`);
if (!values.role && !values.only && !values.draw && !values.seconds) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: top, encoding: 'utf8' }).trim();
  const kept = values.kept && existsSync(values.kept) ? JSON.parse(readFileSync(values.kept, 'utf8')) : {};
  for (const { role, unbroken } of roles) kept[role] ??= await unbroken();
  if (values.kept) writeFileSync(values.kept, JSON.stringify(kept));
  writeFileSync(join(top, 'requirements/judge-mutants.md'), documentOf(rows, kept, { commit, seconds: Math.round(rows.reduce((sum, row) => sum + row.seconds, 0)), left: all.filter(({ seen }) => seen).length - rows.filter(({ verdict }) => verdict !== 'not decided').length }));
}
if (!good) process.exitCode = 1;
