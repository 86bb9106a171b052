// npm run explore:mutants : how many of the mutants that survive the unit tests the explorer kills. The mutants are a seeded sample of each
// file that nouns.json lists (the nouns of the state machines), without mutants of string literals.
//   -- --only NOUN,…    these nouns of nouns.json
//   -- --sample N       mutants of each file; 20
//   -- --seed N         seed of the sample and of the explorer's orders; 1
//   -- --runs N         complete runs of each world that reaches the mutant; 1000
//   -- --minutes N      for each folder of src, starts no unit test after N minutes; the mutants tried by then are the sample
//   -- --known          skips the unit tests: explores all survivors of these files that `npm run mutants` has kept
//                       (test/mutants/results)
//   -- --again          skips the unit tests: explores the survivors kept in results.json
// Writes both verdicts to test/explore/mutants/results.json. MUTANTS_AT_ONCE is the number of parallel processes.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mutatedCopy, testsOf, top } from '../../mutants/copy.mjs';
import { folders } from '../../mutants/folders.mjs';
import { isText, keyOf, reading } from '../../mutants/report.mjs';
import { sampleOf } from '../../mutants/sample.mjs';
import { Trial } from '../../mutants/trial.mjs';
import { tryAll } from '../../mutants/try-all.mjs';
import { Explorer } from './explorer.mjs';

const kept = new URL('results.json', import.meta.url);
const { values } = parseArgs({ options: {
  only: { type: 'string' }, sample: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' }, runs: { type: 'string', default: '1000' },
  minutes: { type: 'string' }, again: { type: 'boolean', default: false }, known: { type: 'boolean', default: false },
} });
const nouns = JSON.parse(readFileSync(new URL('nouns.json', import.meta.url), 'utf8'));
const chosen = values.only?.split(',') ?? Object.keys(nouns);
for (const noun of chosen) if (!nouns[noun]) throw new Error(`no noun is called ${noun}: there are ${Object.keys(nouns).join(', ')}`);
const nounOf = (file) => Object.keys(nouns).find((noun) => nouns[noun].includes(file));
const folderOf = (file) => file.split('/')[1];
const files = chosen.flatMap((noun) => nouns[noun]);
const copy = join(tmpdir(), `barewire-explore-mutants-${process.pid}`);
const seed = Number(values.seed);
const before = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : { files: {} };

const result = { commit: commit(), date: new Date().toISOString().slice(0, 10), seed, runs: Number(values.runs), files: before.files };

try {
  const { mutants: all } = await mutatedCopy(copy, files);
  const { randomOf } = await import(join(copy, 'dist/test/random.js'));
  const explorer = new Explorer(copy, { seed, runs: Number(values.runs) });
  await explorer.prepare(all.length);
  // Save after each folder: the whole takes hours on a busy machine.
  for (const folder of new Set(files.map(folderOf))) {
    const own = files.filter((file) => folderOf(file) === folder);
    const units = values.again ? before.files : values.known ? keptVerdicts(own) : await unitVerdicts(folder, own, all, randomOf);
    for (const file of own.filter((one) => units[one])) result.files[file] = { ...units[file], alive: await explored(explorer, units[file].alive, all) };
    writeFileSync(kept, `${JSON.stringify(result, null, 1)}\n`);
  }
  say(result);
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** The survivors of `npm run mutants`, without duplicates: several runs may have drawn the same mutant. */
function keptVerdicts(own) {
  const folder = new URL('../../mutants/results/', import.meta.url);
  const all = readdirSync(folder).filter((name) => name.endsWith('.json')).flatMap((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')).survivors);
  const alive = new Map(all.filter((one) => own.includes(one.file) && one.status !== 'Timeout' && !isText(one)).map((one) => [JSON.stringify([one.file, one.mutator, one.original, one.replacement]), one]));
  return Object.fromEntries(own.map((file) => {
    const kept = [...alive.values()].filter((one) => one.file === file);
    return [file, { tried: kept.length, killed: 0, alive: kept }];
  }).filter(([, { tried }]) => tried > 0));
}

/** The unit tests' verdicts on a sample of the mutants of each file in a folder of src. */
async function unitVerdicts(folder, own, all, randomOf) {
  const samples = own.flatMap((file) => sampleOf(all.filter((one) => one.file === file && !isText(one)), undefined, randomOf(seed)).slice(0, Number(values.sample)));
  const trial = new Trial(copy, testsOf(folders[folder].tests));
  const { tests } = await trial.prepare(all.length);
  const until = values.minutes ? Date.now() + Number(values.minutes) * 60_000 : Infinity;
  const { tried } = await tryAll(trial, samples, { until });
  const died = ({ status }) => status === 'Killed' || status === 'Timeout';
  return Object.fromEntries(own.map((file) => {
    const judged = tried.filter((one) => one.file === file);
    const killed = judged.filter(died).length;
    console.log(`${file}: unit tests (${tests}) kill ${killed} of ${judged.length}`);
    return [file, { of: all.filter((one) => one.file === file && !isText(one)).length, tried: judged.length, killed, alive: judged.filter((one) => !died(one)).map(keyOf) }];
  }));
}

/** The explorer's verdicts on mutants, several in parallel. */
async function explored(explorer, keys, all) {
  const verdicts = new Map();
  const waiting = [...keys];
  const work = async () => {
    for (let key = waiting.shift(); key; key = waiting.shift()) {
      const { file, line, column, status, mutator, original, replacement } = key;
      const verdict = await explorer.of(mutantOf(key, all));
      verdicts.set(key, { file, line, column, status, mutator, original, replacement, ...verdict });
      console.log(`${verdict.explored.padEnd(11)}  ${file}:${line}  ${original} → ${replacement}${verdict.why ? `: ${verdict.why}` : ''}`);
    }
  };
  await Promise.all(Array.from({ length: Number(process.env.MUTANTS_AT_ONCE ?? 2) }, work));
  return keys.map((key) => verdicts.get(key));
}

/** Finds the mutant of a kept survivor: the same change, nearest to the old position. */
function mutantOf(key, all) {
  const alike = all.filter((one) => {
    const { file, mutator, original, replacement } = keyOf(one);
    return file === key.file && mutator === key.mutator && original === key.original && replacement === key.replacement;
  });
  const apart = ({ line, column }) => Math.abs(line - key.line) * 1000 + Math.abs(column - key.column);
  return alike.sort((one, other) => apart(one) - apart(other))[0];
}

function commit() {
  return spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: top, encoding: 'utf8' }).stdout.trim();
}

/** Prints the figures of each noun and the totals. */
function say({ files: judged, seed: of, runs }) {
  console.log(`\nseed ${of}, ${runs} runs of each world\n\n| noun | mutants tried | the unit tests leave alive | of these the explorer kills | change nothing | left |\n|---|---|---|---|---|---|`);
  const sums = [0, 0, 0, 0, 0];
  for (const noun of Object.keys(nouns)) {
    const own = Object.entries(judged).filter(([file]) => nounOf(file) === noun).map(([, one]) => one);
    if (own.length === 0) continue;
    const alive = own.flatMap((one) => one.alive);
    const killed = alive.filter(({ explored }) => explored === 'killed').length;
    const same = alive.filter((one) => one.explored !== 'killed' && ['same', 'speed', 'elsewhere'].includes(reading(one)?.kind)).length;
    const row = [own.reduce((sum, { tried }) => sum + tried, 0), alive.length, killed, same, alive.length - killed - same];
    row.forEach((n, i) => (sums[i] += n));
    console.log(`| ${noun} | ${row.join(' | ')} |`);
  }
  console.log(`| all | ${sums.join(' | ')} |`);
}
