// npm run removals [-- --only ID,… | --all | --seed N | --tries N | --jobs N | --show]: for each rule of the requirements
// matrix with code and a test, breaks one statement, condition or value of the code, and looks whether the named test
// fails. Keeps the result in test/removals/results.tsv. A change that was kept is tried first; `--all` looks anew.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readMatrix } from '../../scripts/requirements/matrix.mjs';
import { readRemovals, readRows, removalsPath, writeRemovals } from '../../scripts/requirements/removals.mjs';
import { changesOf } from './changes.mjs';
import { declarationsOf, syntaxOf } from './syntax.mjs';
import { Trial, patternOf, ran, testOf } from './trial.mjs';

const top = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: {
    only: { type: 'string' }, seed: { type: 'string', default: '1' }, all: { type: 'boolean' }, show: { type: 'boolean' }, jobs: { type: 'string', default: '2' }, tries: { type: 'string', default: '10' },
  },
});
const git = (...args) => spawnSync('git', args, { cwd: top, encoding: 'utf8' }).stdout.trim();
const commit = git('rev-parse', '--short', 'HEAD');
const date = new Date().toISOString().slice(0, 10);

const rules = readMatrix(top).rules.filter(({ source, test }) => source && test);
const chosen = values.only ? rules.filter(({ id }) => values.only.split(',').includes(id)) : rules;
const kept = new Map(readRemovals(top).map((row) => [row.id, row]));
/** Rules that are kept by what is not there: no line of theirs can be broken. */
const absent = new Map(readRows(top, 'test/removals/absent.tsv').map(({ id, why }) => [id, why]));
const trials = Array.from({ length: Number(values.jobs) }, () => new Trial(top));

const modules = new Map();
/** { text, tree } of a module as it was compiled. */
function moduleOf(path) {
  const file = path.replace(/^src/, 'dist/src').replace(/\.ts$/, '.js');
  if (!modules.has(file)) {
    const text = readFileSync(join(top, file), 'utf8');
    modules.set(file, { file, text, tree: syntaxOf(text) });
  }
  return modules.get(file);
}

// All are read now, so that a build during the run changes nothing.
for (const { source } of chosen) for (const place of source.split(' ')) if (place.startsWith('src/')) moduleOf(place.split('#')[0]);

/** Does `work(item, trial)` for each, as many at once as there are copies. */
async function each(items, work) {
  const waiting = items.values();
  await Promise.all(trials.map(async (trial) => {
    for (const item of waiting) await work(item, trial);
  }));
}

// What each named test runs, first: a place that few tests run says most about those.
const baselines = new Map();
const places = [...new Set(rules.flatMap(({ test }) => test.split(' | ')))].filter(testOf);
const wanted = values.only ? new Set(chosen.flatMap(({ test }) => test.split(' | '))) : new Set(places);
await each(places.filter((place) => wanted.has(place)), async (place, trial) => {
  const began = performance.now();
  const baseline = await trial.covered(testOf(place));
  baselines.set(place, { ...baseline, seconds: Math.ceil(5 + (performance.now() - began) / 300) });
  if (values.show) console.log(`${place}: ${baseline.results.length} ran, ${Math.round(performance.now() - began)} ms`);
});

/** The test fails, or waits for what does not come any more. */
const good = ['fails', 'does not end'];
const harmless = [...good, 'nothing to break', 'no code'];
const means = (test, title) => new RegExp(patternOf(test)).test(title);
const words = (text) => new Set(text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().match(/[a-z]{4,}/g)?.map((word) => word.slice(0, 6)) ?? []);
const seeded = (text) => createHash('sha256').update(`${values.seed} ${text}`).digest().readUInt32BE(0) / 2 ** 32;

/** The changes that a rule's tests run, those first that few other tests run and that share words with the rule. */
function candidatesOf(rule, tests) {
  const about = words(`${rule.rule} ${rule.test}`);
  const found = [];
  for (const place of rule.source.split(' ').filter((path) => path.startsWith('src/'))) {
    const [path, symbol] = place.split('#');
    const { file, text, tree } = moduleOf(path);
    const ranges = symbol ? declarationsOf(tree, symbol) : [{ start: 0, end: text.length }];
    for (const change of changesOf(tree, text, ranges)) {
      const share = [...baselines.values()].filter((baseline) => ran(baseline.modules, file, change.start)).length / baselines.size;
      const common = [...words(change.words)].filter((word) => about.has(word)).length;
      found.push({ ...change, file, known: tests.some((test) => ran(baselines.get(test).modules, file, change.start)), symbol: `${path}${change.symbol ? `#${change.symbol}` : ''}`,
        key: `${file} ${change.start} ${change.end} ${change.replacement}`, order: share - 0.12 * Math.min(common, 3) + 0.1 * change.rank + 0.02 * seeded(`${rule.id} ${change.words}`) });
    }
  }
  found.sort((a, b) => a.order - b.order);
  // Processes that a test kills report no coverage: where nothing of the symbol ran, all of it is tried.
  if (found.some(({ known }) => known)) found.splice(0, Infinity, ...found.filter(({ known }) => known));
  const before = kept.get(rule.id);
  const at = before && !values.all ? found.findIndex(({ symbol, words: said }) => symbol === before.symbol && said === before.change) : -1;
  if (at > 0) found.unshift(...found.splice(at, 1));
  return { found, again: at >= 0 };
}

const tried = new Map();
/** Tries a change once with a test, and remembers what came of it. */
function attempt(trial, change, test, seconds) {
  const key = `${change.key} ${test.files} ${test.title}`;
  if (!tried.has(key)) tried.set(key, trial.broken(change.file, change, () => trial.run(test, { seconds })));
  return tried.get(key);
}

async function judge(rule, trial) {
  const row = { id: rule.id, symbol: '', change: '', test: '', verdict: '', failed: '', commit, date };
  if (absent.has(rule.id)) return { ...row, change: absent.get(rule.id), verdict: 'nothing to break' };
  const tests = rule.test.split(' | ').filter(testOf);
  if (!rule.source.split(' ').some((path) => path.startsWith('src/'))) return { ...row, verdict: 'no code' };
  const sound = tests.filter((test) => baselines.get(test).results.some(({ ok, title }) => ok && means(testOf(test), title)));
  if (sound.length === 0) return { ...row, verdict: tests.length ? 'test does not run by itself' : 'no code' };
  const { found, again } = candidatesOf(rule, sound);
  if (found.length === 0) return { ...row, verdict: 'no code' };
  const kills = [];
  let hang;
  let tries = 0;
  for (const change of found) {
    if (kills.length >= (again ? 1 : 2) || tries >= Number(values.tries) * (kills.length ? 0.7 : 1)) break;
    tries += 1;
    for (const place of sound) {
      const test = testOf(place);
      const { seconds } = baselines.get(place);
      const { results, late } = await attempt(trial, change, test, seconds);
      const fails = results.some(({ ok, title }) => !ok && means(test, title));
      if (!fails && late) hang ??= { ...row, symbol: change.symbol, change: change.words, test: place, verdict: 'does not end' };
      if (!fails) continue;
      // How many tests of the file fail with it says how near the change is to what the test is about.
      const whole = place.includes('.test.ts') ? await attempt(trial, change, { ...test, title: '' }, seconds + 20) : undefined;
      const failed = whole ? `${whole.results.filter(({ ok }) => !ok).length} of ${whole.results.length}` : '';
      kills.push({ ...row, symbol: change.symbol, change: change.words, test: place, verdict: 'fails', failed });
      break;
    }
    if (kills.length && (again && tries === 1 || kills[0].failed === '' || parseInt(kills[0].failed) <= 2)) break;
  }
  kills.sort((a, b) => (parseInt(a.failed) || 0) - (parseInt(b.failed) || 0));
  return kills[0] ?? hang ?? { ...row, symbol: found[0].symbol, change: `${tries} of ${found.length} tried, the first: ${found[0].words}`, test: sound[0], verdict: found[0].known ? 'stays green' : 'test does not run the code' };
}

let done = 0;
await each([...chosen].sort((a, b) => (a.test + a.source < b.test + b.source ? -1 : 1)), async (rule, trial) => {
  const row = await judge(rule, trial);
  kept.set(rule.id, row);
  done += 1;
  if (!harmless.includes(row.verdict) || values.show) console.log(`${row.id}: ${row.verdict}: ${row.symbol} ${row.change}${row.failed && ` (${row.failed})`}`);
  if (done % 5 === 0) save();
});
save();
for (const trial of trials) trial.remove();
spawnSync(process.execPath, [join(top, 'scripts/requirements.mjs')], { stdio: 'inherit' });

function save() {
  writeRemovals(top, rules.flatMap(({ id }) => kept.get(id) ?? []));
}
const rows = [...kept.values()].filter(({ id }) => chosen.some((rule) => rule.id === id));
console.log(`${rows.length} rules tried: the named test failed for ${rows.filter(({ verdict }) => good.includes(verdict)).length}; ${removalsPath}`);
if (rows.some(({ verdict }) => !harmless.includes(verdict))) process.exitCode = 1;
