// npm run removals [-- --only ID,… | --new | --try FILE | --draw N --by TEXT | --jobs N | --show]: makes each edit of the rules
// (test/removals/edits) in a copy of the compiled code, and checks that one of the rule's named tests fails. Stores the results
// in test/removals/results.tsv. `--only`: all edits of these rules. `--new`: only edits that were changed or added since their
// last run. `--try FILE`: the edits of a file of the same form, to see which survive; stores nothing.
// `--draw N`: N rules chosen by TEXT (a commit's hash), for at most `--seconds`; stores nothing.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readMatrix } from '../../scripts/requirements/matrix.mjs';
import { NOTICED, coverageOf, editsIn, faultsOfEdits, isFresh, readEdits, readResults, readWithout, ruleOf, writeResults } from '../../scripts/requirements/removals.mjs';
import { unknownNames } from './names.mjs';
import { Trial, patternOf, testOf } from './trial.mjs';

const top = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: {
    only: { type: 'string' }, new: { type: 'boolean' }, try: { type: 'string' }, draw: { type: 'string' }, by: { type: 'string', default: '' }, seconds: { type: 'string' },
    jobs: { type: 'string', default: '2' }, show: { type: 'boolean' },
  },
});
const git = (...args) => spawnSync('git', args, { cwd: top, encoding: 'utf8' }).stdout.trim();
const commit = git('rev-parse', '--short', 'HEAD');
const date = new Date().toISOString().slice(0, 10);
const began = performance.now();

const matrix = readMatrix(top);
const edits = values.try ? editsIn(readFileSync(values.try, 'utf8'), values.try) : readEdits(top);
const results = readResults(top);
const faults = faultsOfEdits(matrix, edits, top);
for (const fault of faults) console.error(fault);
const broken = new Set(faults.map((fault) => fault.split(':')[0]));
const rules = new Map(matrix.rules.map((rule) => [rule.id, rule]));

let chosen = edits.filter(({ id }) => !broken.has(id));
if (values.only) chosen = chosen.filter(({ id }) => values.only.split(',').includes(ruleOf(id)));
if (values.new) {
  const noticed = new Map(results.filter(({ verdict }) => NOTICED.includes(verdict)).map((row) => [row.id, row]));
  chosen = chosen.filter((edit) => !isFresh(rules.get(ruleOf(edit.id)), edit, noticed.get(edit.id)));
}
if (values.draw) {
  const place = (id) => createHash('sha256').update(`${values.by} ${id}`).digest('hex');
  chosen = chosen.map((edit) => [place(edit.id), edit]).sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, Number(values.draw)).map(([, edit]) => edit);
}

const unknown = unknownNames(top, values.only || values.try ? chosen : edits);
for (const name of unknown) console.error(name);

/** Runs the named tests with the edit until one fails. */
async function judge({ id, changes, hash }, trial) {
  const places = rules.get(ruleOf(id)).test.split(' | ').filter(testOf);
  const row = { id, edit: hash, test: places[0] ?? '', verdict: 'stays green', commit, date };
  let ran = 0;
  for (const place of places) {
    const test = testOf(place);
    const means = new RegExp(patternOf(test));
    const { results: all, late } = await trial.edited(changes, () => trial.run(test));
    if (all.some(({ ok, title }) => !ok && means.test(title))) return { ...row, test: place, verdict: 'fails' };
    ran += all.length;
    // A slow machine does not break a rule: the same test must end without the edit.
    if (late && !(await trial.run(test)).late) return { ...row, test: place, verdict: 'does not end' };
  }
  return ran ? row : { ...row, verdict: 'no test ran' };
}

const trials = Array.from({ length: Number(values.jobs) }, () => new Trial(top));
const kept = new Map(results.filter(({ id }) => edits.some((edit) => edit.id === id)).map((row) => [row.id, row]));
const keeps = !values.draw && !values.try;
const save = () => { if (keeps && done.length) writeResults(top, matrix.rules.flatMap(({ id }) => edits.filter((edit) => ruleOf(edit.id) === id).flatMap((edit) => kept.get(edit.id) ?? []))); };
const waiting = chosen.values();
const done = [];
await Promise.all(trials.map(async (trial) => {
  for (const edit of waiting) {
    if (values.seconds && performance.now() - began > Number(values.seconds) * 1000) return;
    const row = await judge(edit, trial);
    kept.set(edit.id, row);
    done.push(row);
    if (values.show || !NOTICED.includes(row.verdict)) console.log(`${row.id}: ${row.verdict}: ${edit.breaks}`);
    if (done.length % 10 === 0) save();
  }
}));
save();
for (const trial of trials) trial.remove();
if (keeps) spawnSync(process.execPath, [join(top, 'scripts/requirements.mjs')], { stdio: 'inherit' });
const noticed = done.filter(({ verdict }) => NOTICED.includes(verdict)).length;
console.log(`${done.length} of ${chosen.length} edits made: a named test noticed ${noticed}; ${Math.round((performance.now() - began) / 1000)} s`);
const { coarse } = coverageOf(matrix, edits, results, readWithout(top));
if (keeps) console.log(`${coarse.length} rules with code and a test have no edit`);
if (noticed < done.length || unknown.length > 0 || (!values.only && faults.length)) process.exitCode = 1;
