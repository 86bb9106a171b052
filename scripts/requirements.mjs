// npm run requirements                   checks the matrix, and that each edit still finds its lines, and writes requirements/requirements.md and requirements/removals.md
// npm run requirements -- --check        checks it, and that both files are up to date
// npm run requirements -- --spec PATH    also compares it with a checkout of the specification, and of an extension (ext-tasks,
//                                        ext-auth) if its repository is next to that
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documentOf } from './requirements/document.mjs';
import { compare, countsOf, faultsOf, readMatrix } from './requirements/matrix.mjs';
import { lostLines, readEdits, readResults, readWithout, removalsDocument } from './requirements/removals.mjs';
import { EXTENSIONS, REVISIONS, sentencesOfExtension, sentencesOfRevision } from './requirements/sentences.mjs';
import { readWords } from './words.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const { values: { check, spec } } = readWords({ check: { type: 'boolean' }, spec: { type: 'string' } });
const matrix = readMatrix(root);
const edits = readEdits(root);
const faults = [...faultsOf(matrix, root), ...[...edits, ...readEdits(root, 'test/judge/mutants/edits')].flatMap((edit) => lostLines(edit, root))];
const pages = { 'requirements.md': documentOf(matrix), 'removals.md': removalsDocument(matrix, edits, readResults(root), readWithout(root)) };
for (const [name, text] of Object.entries(pages)) {
  const path = `${root}requirements/${name}`;
  if (check) {
    let there = '';
    try {
      there = readFileSync(path, 'utf8');
    } catch {}
    if (there !== text) faults.push(`requirements/${name} is not what the matrix says: npm run requirements`);
  } else {
    writeFileSync(path, text);
  }
}
for (const fault of faults) console.error(fault);
console.log(`${matrix.rules.length} rules, ${matrix.statements.length} sentences:`, countsOf(matrix.rules));
if (spec !== undefined) {
  const beside = EXTENSIONS.filter((name) => existsSync(join(spec, '..', name)));
  const of = new Set([...REVISIONS, ...beside]);
  const { unlisted, changed } = compare({ statements: matrix.statements.filter(({ revision }) => of.has(revision)) }, [
    ...REVISIONS.flatMap((revision) => sentencesOfRevision(spec, revision)),
    ...beside.flatMap((name) => sentencesOfExtension(join(spec, '..', name), name)),
  ]);
  for (const name of EXTENSIONS) if (!beside.includes(name)) console.log(`not compared: ${name}, since there is no ${join(spec, '..', name)}`);
  for (const { revision, section, rule } of changed) console.log(`changed or gone: ${revision} ${section} (${rule})`);
  for (const { revision, section, text: sentence } of unlisted) console.log(`no row: ${revision} ${section}: ${sentence}`);
  console.log(`${changed.length} rows whose sentence changed, ${unlisted.length} sentences without a row`);
  if (changed.length) process.exitCode = 1;
}
if (faults.length) process.exitCode = 1;
