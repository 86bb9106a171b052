// Counts mutants, and makes docs/mutants.md of the kept results.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

const noticed = new Set(['Killed', 'Timeout', 'RuntimeError']);
/** Texts of messages are counted apart: whether a sentence changed is read by a person. */
const isText = ({ mutator }) => mutator === 'StringLiteral';
const tried = ({ status }) => noticed.has(status) || status === 'Survived' || status === 'NoCoverage';

export function counts(mutants) {
  const count = (list) => ({ of: list.length, killed: list.filter(({ status }) => noticed.has(status)).length });
  const all = mutants.filter(tried);
  return { code: count(all.filter((mutant) => !isText(mutant))), texts: count(all.filter(isText)), left: mutants.length - all.length };
}

const percent = ({ of, killed }) => (of === 0 ? '-' : `${(100 * killed / of).toFixed(1)} %`);

export function summary(mutants) {
  const { code, texts, left } = counts(mutants);
  return `code ${code.killed} of ${code.of} (${percent(code)}), literals of texts ${texts.killed} of ${texts.of} (${percent(texts)}), not tried ${left}`;
}

/** Reasons why a survivor may live, by file, and a part of what it changed. Those without one are work to do. */
const reasons = JSON.parse(readFileSync(new URL('survivors.json', import.meta.url), 'utf8'));

export function writeReport(folder, page) {
  const results = readdirSync(folder).filter((file) => file.endsWith('.json')).sort().map((file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')));
  const rows = results.map(({ what, commit, date, sample, seed, mutants }) => {
    const { code, texts, left } = counts(mutants);
    return `| \`${what}\`${sample ? ` (${sample} files, seed ${seed})` : ''} | ${code.killed} of ${code.of} | ${percent(code)} | ${texts.killed} of ${texts.of} | ${left} | ${commit} | ${date} |`;
  });
  const survivors = results.flatMap(({ what, mutants }) => mutants.filter((one) => tried(one) && !noticed.has(one.status) && !isText(one)).map((one) => ({ what, ...one })));
  const byFile = Map.groupBy ? Map.groupBy(survivors, ({ file }) => file) : group(survivors);
  const lists = [...byFile].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, list]) => `### ${file}\n\n${list.map(({ line, mutator, replacement, status }) =>
    `- line ${line}, ${mutator}${replacement ? `: \`${replacement.replaceAll(/\s+/g, ' ').replaceAll('`', "'")}\`` : ''}${status === 'NoCoverage' ? ' (no named test reaches it)' : ''}${reason(file, line, replacement)}`).join('\n')}`);
  writeFileSync(page, `# Mutants

\`npm run mutants -- FOLDER\` changes the sources of a folder a little, one change at a time, and runs the named tests of
that folder (\`test/mutants/folders.mjs\`): tests that start no process. A mutant that no test notices survives. A mutant is
killed where a test fails, where the process dies, and where it does not end within its time. Literals of texts are
counted apart, for most are sentences. Not tried: what runs once when a module is loaded, and what does not compile.

| what | killed | | literals of texts killed | not tried | commit | date |
|---|---|---|---|---|---|---|
${rows.join('\n')}

Folders that are not in the table have not been run. The goal is 85 % in each.

## Survivors

${lists.join('\n\n')}
`);
}

const reason = (file, line, replacement) => {
  const found = reasons.find((one) => one.file === file && (one.line === undefined || one.line === line) && (one.replacement === undefined || (replacement ?? '').includes(one.replacement)));
  return found ? `: ${found.why}` : '';
};

function group(list) {
  const map = new Map();
  for (const one of list) map.set(one.file, [...(map.get(one.file) ?? []), one]);
  return map;
}
