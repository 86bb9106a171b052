// Evaluates results, and makes requirements/mutants.md from the kept results.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { folders } from './folders.mjs';

/** String literals are counted separately: a person checks whether a sentence changed. */
export const isText = ({ mutator }) => mutator === 'StringLiteral';

const short = (text) => text?.replaceAll(/\s+/g, ' ').slice(0, 120);

/** The kept members of a mutant: enough to find it after its line has moved. */
export const keyOf = ({ file, line, column, mutator, original, replacement, status, left }) => ({ file, line, column, status, mutator, original: short(original), replacement: short(replacement), ...(left && { left }) });

/**
 * Survivors that a person has read, with `why`. `kind`: `same` if the changed program behaves the same, `speed` if only its time or memory
 * differs, `elsewhere` if a test kills it that is not listed. An entry without `replacement` is for each change of that piece of code.
 */
const read = JSON.parse(readFileSync(new URL('survivors.json', import.meta.url), 'utf8'));
export const reading = (one) => read.find(({ file, original, replacement }) => file === one.file && original === one.original && (replacement === undefined || replacement === one.replacement));

/** Wilson's interval: contains the true share for 95 of 100 samples. */
export function interval(killed, of) {
  const z = 1.96;
  const share = killed / of;
  const middle = (share + z * z / (2 * of)) / (1 + z * z / of);
  const half = z / (1 + z * z / of) * Math.sqrt(share * (1 - share) / of + z * z / (4 * of * of));
  return [middle - half, middle + half];
}

const percent = (share) => (100 * share).toFixed(1);

/** `killed of all (percent)`, with the interval if it is a sample. */
function figure(killed, of, sampled) {
  if (of === 0) return '-';
  return `${killed} of ${of}, ${percent(killed / of)} %${sampled ? ` (${interval(killed, of).map(percent).join(' to ')})` : ''}`;
}

/** The tried commit of a run on a branch; `landed` is the same commit after the rebase. */
const commitOf = ({ commit, landed }) => (landed ? `${commit}, landed as ${landed}` : commit);

/** The result of a run before tests were written for its survivors. */
export const firstOf = ({ commit, landed, killed, survivors }) => ({ commit, landed, killed: killed.code, of: killed.code + lives(survivors).filter((one) => !isText(one)).length });

const lives = (survivors) => survivors.filter(({ status }) => status !== 'Timeout' && status !== 'Undecided');

/**
 * A sample is an estimate of the whole until tests are written for its survivors. From then on, the first figure remains the estimate, and
 * the new one is only about the same mutants.
 */
export function figures({ killed, survivors, sampled, first }) {
  const living = lives(survivors);
  const code = living.filter((one) => !isText(one));
  const same = code.filter((one) => reading(one)?.kind === 'same').length;
  return {
    first: first ? `${figure(first.killed, first.of, sampled)} at ${commitOf(first)}` : figure(killed.code, killed.code + code.length, sampled),
    now: first ? figure(killed.code, killed.code + code.length) : '',
    others: figure(killed.code, killed.code + code.length - same),
    texts: figure(killed.texts, killed.texts + living.length - code.length, sampled && !first),
    timeouts: survivors.filter(({ status }) => status === 'Timeout').length,
    undecided: survivors.filter(({ status }) => status === 'Undecided').length,
  };
}

const size = ({ sampled, seed, of }) => (sampled ? `a sample (seed ${seed}) of ${of.code}` : `all ${of.code}`);

export function describeResult(result) {
  const { first, now, others, texts, timeouts, undecided } = figures(result);
  return `${result.what}, ${size(result)}: killed ${first}${now && `; of the same mutants now ${now}`}; without those that change nothing ${others}; literals of texts ${texts}; killed by their time ${timeouts}, undecided ${undecided}; controls that failed ${result.controls.failed} of ${result.controls.of}`;
}

export function writeReport(folder, page) {
  const results = readdirSync(folder).filter((file) => file.endsWith('.json')).sort().map((file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')));
  const rows = results.map((result) => {
    const { first, now, others, texts, timeouts, undecided } = figures(result);
    return `| \`${result.what}\` | ${size(result)} | ${first} | ${now} | ${others} | ${texts} | ${timeouts} | ${undecided} | ${result.tests} | ${result.controls.failed} of ${result.controls.of} | ${commitOf(result)} | ${result.date} |`;
  });
  const never = Object.keys(folders).filter((folder) => !results.some(({ what }) => what === folder));
  const survivors = results.flatMap((result) => lives(result.survivors).filter((one) => !isText(one)));
  const byFile = new Map();
  for (const one of survivors) byFile.set(one.file, [...(byFile.get(one.file) ?? []), one]);
  const lists = [...byFile].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, list]) => `### ${file}\n\n${list.map(entry).join('\n')}`);
  const unsteady = results.flatMap(({ what, unsteady: ids = [] }) => ids.map((id) => `- \`${what}\`: ${id}`));
  const tooLong = results.flatMap(({ what, tooLong: ids }) => ids.map((id) => `- \`${what}\`: ${id}`));
  writeFileSync(page, `# Mutants

\`npm run mutants -- FOLDER\` changes the sources of a folder a little, one change at a time, and runs the tests of that
folder that reach the change (\`test/mutants/folders.mjs\` lists them). Programs that a test starts have the change too. At most
30 seconds of tests are asked for one mutant, the fastest first. A mutant that no test notices survives. It is killed where a test fails or the process dies; where it does not end in its time it is tried again
with three times as much, and then counted as killed, and in a column apart. Time is processor time, or two seconds in which no process of the test does anything: a slow
machine changes neither. What only the clock ended (two minutes, and ten times what the tests take) is undecided, and in no figure. After each twentieth kill the tests that killed run without the mutant, and must pass. Stryker's
instrumenter makes the mutants. Literals of texts are counted apart, for most are sentences.

\`--sample N\` tries N mutants of the code, and a fifth as many texts, in an order given by \`--seed\`. Such a figure is an
estimate: in brackets is the interval that holds the share of the whole folder in 95 of 100 samples. **No figure of a
sample is one of the whole.** Where tests were written for the survivors of a sample (\`--again\` tries those once more),
the figure of the first run stays the estimate; the new one says what became of the same mutants, and the share of the
whole folder lies between. Another seed estimates it anew. A commit that \`landed as\` another was rebased after the run:
the sources around the change may differ in what landed.

| what | code mutants | killed in the first run | the same mutants now | now, without those that change nothing | literals of texts killed | of these by their time | undecided | tests | controls that failed | commit | date |
|---|---|---|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

The goal is 85 % in each folder. Folders that are not in the table have not been run: ${never.map((folder) => `\`${folder}\``).join(', ')}
have lists of tests and no figure. \`npm run mutants -- src\` draws a sample over the whole of \`src\`; the row of \`src\`, where there is one, says how many of the drawn
mutants were tried. A run that was stopped has tried fewer than it drew, in the order in which they were drawn; the row says how many. The tests of the packages are not among the named ones, nor is the suite of
JSON Schema (\`npm run schema-suite\`), which tests \`schema/full\` most: a survivor here may be killed there.
${tooLong.length === 0 ? '' : `\nTests of those files that take more than two seconds are not asked:\n\n${tooLong.join('\n')}\n`}
${unsteady.length === 0 ? '' : `\nTests that failed in that run without a mutant, and so were not asked:\n\n${unsteady.join('\n')}\n`}
## Survivors

Those with a reason were read by a person (\`test/mutants/survivors.json\`): *same* says that the changed program does the
same, *speed* that only its time or memory differs, *elsewhere* which other test kills it. The others are work to do.

${lists.join('\n\n')}
`);
}

const code = (text) => `\`${(text ?? '').replaceAll('`', "'")}\``;

function entry(one) {
  const found = reading(one);
  return `- line ${one.line}, ${one.mutator}: ${code(one.original)} → ${code(one.replacement)}${one.status === 'NoCoverage' ? ' (no named test reaches it)' : ''}${one.left ? ` (${one.left} slower tests that reach it were not asked)` : ''}${found ? `: *${found.kind}*: ${found.why}` : ''}`;
}
