// npm run mutants -- FOLDER … [--sample N] [--seed N] : mutation testing of folders of src, complete or by a seeded sample of mutants; or
// of files: src/FOLDER/FILE.ts; or of src, the whole, by a sample. Writes test/mutants/results/NAME.json. --again tries only the survivors
// of the kept result. --minutes N starts no mutant later than N minutes after the tests have run without one: the mutants tried by then are
// the sample. --record FILE writes each verdict at once; the same command continues from there. --no-texts leaves out string literals.
// --since COMMIT tries the files whose code changed, and ends within --minutes (3). --report makes requirements/mutants.md.
// MUTANTS_AT_ONCE is the number of parallel processes; MUTANTS_SAY=1 prints each survivor at once.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomOf } from '../../dist/test/random.js';
import { mutatedCopy, sourcesOf, testsOf, top } from './copy.mjs';
import { changed } from './changed.mjs';
import { folders } from './folders.mjs';
import { recordIn } from './record.mjs';
import { describeResult, firstOf, isText, keyOf, writeReport } from './report.mjs';
import { sampleOf } from './sample.mjs';
import { mayBeAlone, Trial } from './trial.mjs';
import { tryAll } from './try-all.mjs';
import { wholeTrial } from './whole.mjs';

const results = fileURLToPath(new URL('results', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: 'boolean' }, again: { type: 'boolean' }, since: { type: 'string' }, minutes: { type: 'string' }, record: { type: 'string' }, sample: { type: 'string' }, 'no-texts': { type: 'boolean' }, seed: { type: 'string', default: '1' } },
});
const git = (...args) => spawnSync('git', args, { cwd: top, encoding: 'utf8' }).stdout.trim();

/** Mutates a folder or a file, and writes the result. */
async function mutate(what) {
  const isFile = what.endsWith('.ts');
  const folder = isFile ? what.split('/')[1] : what;
  if (!folders[folder]) throw new Error(`${what}: not in one of ${Object.keys(folders).join(', ')}`);
  if (folders[folder].kills && !mayBeAlone) throw new Error(`${what}: its mutants kill processes, and are only tried in a PID namespace, which this user may not make`);
  const kept = keptFile(isFile ? what.slice('src/'.length, -'.ts'.length).replaceAll('/', '-') : folder);
  const copy = join(tmpdir(), `barewire-mutants-${process.pid}`);
  const began = Date.now();
  const commit = git('rev-parse', '--short', 'HEAD');
  try {
    const before = values.again ? JSON.parse(readFileSync(kept, 'utf8')) : undefined;
    let of;
    const { mutants: chosen, count } = await mutatedCopy(copy, isFile ? [what] : sourcesOf(folder), (all) => {
      of = { code: all.filter((one) => !isText(one)).length, texts: all.filter(isText).length };
      return before ? survivorsAgain(before, all) : sampleOf(values['no-texts'] ? all.filter((one) => !isText(one)) : all, values.sample && Number(values.sample), randomOf(Number(values.seed)));
    });
    const trial = new Trial(copy, testsOf(folders[folder].tests), { longest: folders[folder].longest });
    const tests = await trial.prepare(count, { once: folders[folder].processes });
    console.log(`${what}: ${of.code} mutants of the code, ${chosen.length} drawn, ${tests.tests} tests of ${tests.seconds} s; ready after ${seconds(began)} s`);
    const keep = ({ tried, controls }) => keepResult(kept, {
      what, commit, date: new Date().toISOString().slice(0, 10), seed: before ? before.seed : Number(values.seed),
      sampled: before ? before.sampled : tried.length < of.code + of.texts,
      of,
      tests: tests.tests, tooLong: trial.tooLong, unsteady: trial.unsteady,
      controls: { of: controls.of + (before?.controls.of ?? 0), failed: controls.failed + (before?.controls.failed ?? 0) },
      ...(before && { first: before.first ?? firstOf(before) }),
      ...(before ? { drawn: before.drawn } : { drawn: drawnOf(chosen, tried) }),
      killed: { code: 0, texts: 0, ...(before && before.killed) },
      survivors: before ? before.survivors.filter(({ status }) => status === 'Timeout') : [],
    }, tried);
    const seen = await tryAll(trial, chosen, { ...limits(), ...(folders[folder].processes && { atOnce: 1 }), ...(!before && { keep, ...recorded(what, commit) }) });
    console.log(`${describeResult(keep(seen))}; ${seconds(began)} s`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** A sample over the whole of src. */
async function mutateWhole() {
  if (!mayBeAlone) throw new Error('some mutants kill processes, and are only tried in a PID namespace, which this user may not make');
  const copy = join(tmpdir(), `barewire-mutants-${process.pid}`);
  const [kept, began, seed] = [keptFile('src'), Date.now(), Number(values.seed)];
  const commit = git('rev-parse', '--short', 'HEAD');
  try {
    const { chosen, of, trial } = await wholeTrial(copy, Number(values.sample), seed);
    console.log(`src: ${of.code} mutants of the code, ${chosen.length} drawn; ready after ${seconds(began)} s`);
    const keep = ({ tried, controls }) => keepResult(kept, {
      what: 'src', commit, date: new Date().toISOString().slice(0, 10), seed, sampled: true, wanted: chosen.length, of: { code: of.code, texts: of.texts },
      tests: trial.tests, tooLong: trial.tooLong, unsteady: trial.unsteady, controls, drawn: drawnOf(chosen, tried), killed: { code: 0, texts: 0 }, survivors: [],
    }, tried);
    console.log(`${describeResult(keep(await tryAll(trial, chosen, { ...limits(), atOnce: 1, keep, ...recorded('src', commit) })))}; ${seconds(began)} s`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const limits = () => (values.minutes ? { until: Date.now() + Number(values.minutes) * 60_000 } : {});
const recorded = (what, commit) => (values.record ? { record: recordIn(values.record, { what, seed: values.seed, sample: values.sample, commit }) } : {});

/** The file of a result; the name includes the seed if there is a result with another seed. */
function keptFile(name) {
  const plain = join(results, `${name}.json`);
  if (!existsSync(plain) || values.again || JSON.parse(readFileSync(plain, 'utf8')).seed === Number(values.seed)) return plain;
  return join(results, `${name}-seed-${values.seed}.json`);
}

/** Adds the verdicts to a result and writes it. Returns the result. */
function keepResult(kept, result, tried) {
  for (const one of tried) {
    if (one.status === 'Killed' || one.status === 'Timeout') result.killed[isText(one) ? 'texts' : 'code'] += 1;
    if (one.status !== 'Killed') result.survivors.push(keyOf(one));
  }
  mkdirSync(results, { recursive: true });
  writeFileSync(kept, write(result));
  return result;
}

/** The statuses of code mutants in the order of the draw, one letter each: Killed, Timeout, Survived, NoCoverage, Undecided. */
function drawnOf(chosen, tried) {
  const statuses = new Map(tried.map(({ id, status }) => [id, status[0]]));
  return chosen.filter((one) => !isText(one) && statuses.has(one.id)).map(({ id }) => statuses.get(id)).join('');
}

/**
 * The current mutants that match earlier survivors; killed ones stay killed if tests were only added. Among equal mutants, the one nearest
 * to the old position.
 */
function survivorsAgain(before, all) {
  const alike = ({ file, mutator, original, replacement }) => JSON.stringify([file, mutator, original, replacement]);
  const today = all.map((mutant) => ({ mutant, key: alike(keyOf(mutant)) }));
  const found = new Set();
  for (const one of before.survivors.filter(({ status }) => status !== 'Timeout')) {
    const apart = ({ mutant }) => Math.abs(mutant.line - one.line) + Math.abs(mutant.column - one.column) / 1000;
    const [nearest] = today.filter(({ mutant, key }) => key === alike(one) && !found.has(mutant)).sort((a, b) => apart(a) - apart(b));
    if (nearest) found.add(nearest.mutant);
    else console.log(`gone from the sources: ${alike(one)}`);
  }
  return [...found];
}

const seconds = (since) => Math.round((Date.now() - since) / 1000);

function write({ survivors, ...rest }) {
  return `${JSON.stringify(rest).slice(0, -1)},"survivors":[\n${survivors.map((one) => JSON.stringify(one)).join(',\n')}\n]}\n`;
}

if (values.report) writeReport(results, join(top, 'requirements/mutants.md'));
else if (values.since) process.exitCode = await changed(values.since, Number(values.minutes ?? 3));
else if (positionals.length === 0) {
  console.error(`npm run mutants -- FOLDER, one of ${Object.keys(folders).join(', ')}; or -- src/FOLDER/FILE.ts …`);
  process.exitCode = 2;
} else for (const one of positionals) await (one === 'src' ? mutateWhole() : mutate(one));
