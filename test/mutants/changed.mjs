// The short form for CI: files whose code changed since a commit, changed lines first, as many mutants as the time allows. The copy, the
// preparation of each folder and the mutants share the time.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { transformSync } from 'esbuild';
import { mutatedCopy, top } from './copy.mjs';
import { folders } from './folders.mjs';
import { interval, isText, keyOf, reading } from './report.mjs';
import { mayBeAlone } from './trial.mjs';
import { tryAll } from './try-all.mjs';
import { WholeTrial } from './whole.mjs';

const git = (...args) => {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: top, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`);
  return stdout.trim();
};
const folderOf = (file) => file.split('/')[1];

/**
 * Tries the mutants of files whose code changed, and lists what was left out. Returns 1 if the result rules out that 85 % of the changed
 * lines' mutants are killed, or if a control run fails.
 */
export async function changed(since, minutes) {
  // What is left after it is for removing the copy.
  const until = Date.now() + minutes * 60_000 - 5_000;
  const sources = git('diff', '--name-only', '--diff-filter=d', since, '--', 'src').split('\n').filter((file) => file.endsWith('.ts') && basename(file) !== 'index.ts');
  const inCode = sources.filter((file) => codeNow(file) !== codeAt(since, file));
  if (inCode.length < sources.length) console.log(`left out, for only comments or types changed: ${sources.length - inCode.length} of ${sources.length} files`);
  const files = inCode.filter((file) => folders[folderOf(file)] && (mayBeAlone || !folders[folderOf(file)].kills));
  const others = inCode.filter((file) => !files.includes(file));
  if (others.length > 0) console.log(`left out, of folders without a list of tests, or whose mutants kill processes: ${others.join(', ')}`);
  if (files.length === 0) {
    console.log(`since ${since} the code of no file of ${Object.keys(folders).join(', ')} changed`);
    return 0;
  }
  const copy = join(tmpdir(), `barewire-mutants-${process.pid}`);
  try {
    const { mutants: all, count } = await mutatedCopy(copy, files);
    const lines = changedLines(since, files);
    const isNew = (one) => lines.get(one.file).some(([from, to]) => one.line >= from && one.line <= to);
    const code = all.filter((one) => !isText(one) && reading(keyOf(one))?.kind !== 'same');
    const trial = new WholeTrial(copy, count, until);
    const { tried, left, controls } = await tryAll(trial, [...byFolder(code.filter(isNew)), ...byFolder(code.filter((one) => !isNew(one)))], { until, atOnce: 1 });
    if (trial.slow.length > 0) console.log(`left out, for their tests take longer than the time: ${trial.slow.join(', ')}`);
    return say({ since, files, tried, left, controls, isNew });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** A source without comments and types. */
const codeOf = (text) => transformSync(text, { loader: 'ts', minifyWhitespace: true }).code;
const codeNow = (file) => codeOf(readFileSync(join(top, file), 'utf8'));

/** The code of a file at a commit, or undefined if the file did not exist. */
function codeAt(commit, file) {
  const { status, stdout } = spawnSync('git', ['show', `${commit}:${file}`], { cwd: top, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return status === 0 ? codeOf(stdout) : undefined;
}

/** Folder by folder, since each takes time to prepare: first those whose tests start no processes, then those with more mutants. */
function byFolder(mutants) {
  const names = [...new Set(mutants.map(({ file }) => folderOf(file)))];
  const of = new Map(names.map((name) => [name, mutants.filter(({ file }) => folderOf(file) === name)]));
  const starts = (name) => Number(folders[name].processes ?? false);
  return names.sort((a, b) => starts(a) - starts(b) || of.get(b).length - of.get(a).length).flatMap((name) => shuffled(of.get(name)));
}

function say({ since, files, tried, left, controls, isNew }) {
  const died = ({ status }) => status === 'Killed' || status === 'Timeout';
  const fresh = tried.filter(isNew);
  for (const { file, line, mutator, original, replacement } of fresh.filter((one) => !died(one)).map(keyOf)) console.log(`lives: ${file}:${line} ${mutator}: ${original} → ${replacement}`);
  for (const file of files) {
    const not = left.filter((one) => one.file === file).length;
    if (not > 0) console.log(`left out, for the time was over: ${not} mutants of ${file}`);
  }
  const killed = fresh.filter(died).length;
  const [, most] = fresh.length === 0 ? [0, 1] : interval(killed, fresh.length);
  console.log(`since ${since}: of ${files.length} changed files ${tried.length} mutants tried, ${tried.filter(died).length} killed; on changed lines ${killed} of ${fresh.length}; left out ${left.length}; controls that failed ${controls.failed} of ${controls.of}`);
  if (most < 0.85) console.log(`85 % should be killed, and with ${fresh.length} tried that can be ruled out`);
  return most < 0.85 || controls.failed > 0 ? 1 : 0;
}

/** File => ranges of the lines that a diff adds or changes. */
function changedLines(since, files) {
  return new Map(files.map((file) => [file, [...git('diff', '-U0', since, '--', file).matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)]
    .map(([, from, count]) => [Number(from), Number(from) + Number(count ?? 1) - 1])]));
}

/** An order that mixes the files evenly, because the time may not suffice for all. */
function shuffled(mutants) {
  const seen = new Map();
  const rank = mutants.map((mutant) => {
    seen.set(mutant.file, (seen.get(mutant.file) ?? 0) + 1);
    return { mutant, at: (seen.get(mutant.file) * 0.6180339887) % 1 };
  });
  return rank.sort((a, b) => a.at - b.at).map(({ mutant }) => mutant);
}
