// npm run reading: the code that an auditor of one program reads: the sources that esbuild keeps for it.
//
//   node scripts/reading.mjs                   the totals of the programs that have ceilings (reading/ceilings.json)
//   node scripts/reading.mjs PROGRAM           its files in reading order. PROGRAM: a name of programs.mjs, or your own file
//   node scripts/reading.mjs PROGRAM --since COMMIT [--patch]    those that changed since then, with their patch
//   node scripts/reading.mjs PROGRAM --form     the form for signing it off: files, hashes, rules kept by each, their tests
//   node scripts/reading.mjs PROGRAM --signed   which of its files are unchanged since signing (requirements/signed)
//   node scripts/reading.mjs [PROGRAM] --check   exits 1 if a total is above its ceiling
//   node scripts/reading.mjs [PROGRAM] --lower   brings ceilings down to the totals
//
// Imports come first: each file follows those that it imports, and files of one folder stay together if possible, so that nothing
// is read before its foundations. ARCHITECTURE.md follows a message, in the other direction.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { faultsOf, lowered, readCeilings, writeCeilings } from './ceilings.mjs';
import { programNamed } from './programs.mjs';
import { changesOf, copyFiles, diffstat, patch } from './reading/changes.mjs';
import { digestOf, formOf, readRecord, recordPath, sinceSigned } from './reading/form.mjs';
import { keptOf, totalsOf } from './reading/kept.mjs';
import { commitOf, copySources, root, withFolder } from './trees.mjs';

const ceilingsFile = new URL('reading/ceilings.json', import.meta.url);
const number = (value, width) => value.toLocaleString('en').padStart(width);

/** A program by name or file. */
function programOf(name) {
  const file = resolve(name);
  return /[./\\]/.test(name) && existsSync(file) ? { name, what: 'a program of your own', file } : programNamed(name);
}

function printFiles({ name, what }, present) {
  const { files, own } = present;
  console.log(`${name}: ${what}. Imports first. Columns: lines of code kept; lines of comments and all lines of the source file; its SHA-256.`);
  const width = Math.max(...files.map(({ path }) => path.length));
  files.forEach(({ path, kept, comments, lines, sha256 }, i) =>
    console.log([`${i + 1}`.padStart(4), number(kept, 6), number(comments, 5), number(lines, 6), path.padEnd(width), sha256].join('  ')));
  console.log(`${' '.repeat(6)}${number(own, 6)}${' '.repeat(15)}  the program itself`);
  const sum = (column) => number(files.reduce((total, file) => total + file[column], 0), 0);
  const totals = totalsOf(present);
  console.log(`${totals.files} files, ${number(totals.code, 0)} lines of code kept (${number(totals.lines, 0)} with the comments that esbuild keeps in classes)`);
  console.log(`These files have ${sum('lines')} lines, ${sum('comments')} of them comments.`);
}

/** Prints the changes for a reader of the program at a commit. */
async function printChanges(program, present, since, withPatch) {
  const commit = commitOf(since);
  await withFolder(async (folder) => {
    const tree = join(folder, 'tree');
    copySources(tree, commit);
    const before = await keptOf(tree, program).catch((error) => { throw new Error(`this program cannot be bundled at ${since}: ${error.message}`); });
    copyFiles(tree, before.files, join(folder, 'then'));
    copyFiles(root, present.files, join(folder, 'now'));
    const rows = changesOf(before, present, diffstat(folder));
    const hashes = new Map(present.files.map(({ path, sha256 }) => [path, sha256]));
    const [old, now] = [totalsOf(before), totalsOf(present)];
    console.log(`${program.name} since ${since} (${commit.slice(0, 9)}): ${old.files} files and ${number(old.code, 0)} lines of code kept then; ${now.files} and ${number(now.code, 0)} now`);
    const shown = ({ path, from }) => (from === undefined ? path : `${path} (was ${from})`);
    const width = Math.max(0, ...rows.map((row) => shown(row).length));
    for (const row of rows) {
      const lines = `+${row.added} -${row.removed}`.padEnd(11);
      const kept = `${row.then ?? 0} -> ${row.now ?? 0}`.padEnd(11);
      console.log([row.state.padEnd(7), lines, kept, shown(row).padEnd(width), hashes.get(row.path) ?? ''].join('  ').trimEnd());
    }
    const count = (state) => rows.filter((row) => row.state === state).length;
    const states = ['changed', 'renamed', 'new', 'gone', 'more'].map((state) => `${count(state)} ${state}`).join(', ');
    console.log(`${states}; ${present.files.length - rows.length + count('gone')} files as they were. Columns: state, diffstat, lines kept then and now; "more": the same text, more of it is kept`);
    if (withPatch) console.log(patch(folder));
  });
}

/** Prints the changes since the program was signed. */
function printSigned({ name }, present) {
  const record = readRecord(root, name);
  if (record === undefined) throw new Error(`nobody has signed ${name}: there is no ${recordPath(name)}`);
  const rows = sinceSigned(present, record);
  const { commit, reader, date, result } = record.head;
  console.log(`${name}, read at ${commit} by ${reader} on ${date}: ${result}`);
  for (const { state, path } of rows) if (state !== 'as signed') console.log(`${state.padEnd(9)}  ${path}`);
  const count = (state) => rows.filter((row) => row.state === state).length;
  console.log(`${count('as signed')} of ${present.files.length} files as signed, ${count('changed')} changed, ${count('new')} new, ${count('gone')} gone; now ${digestOf(present.files)}`);
  if (count('as signed') < rows.length) console.log(`What to read: npm run reading -- ${name} --since ${commit} --patch`);
}

function printTotals(found, ceilings) {
  console.log('program            files    code   lines   wanted: files / lines');
  for (const [name, { files, code, lines }] of Object.entries(found)) {
    const { wanted } = ceilings[name];
    console.log(`${name.padEnd(16)} ${number(files, 7)} ${number(code, 7)} ${number(lines, 7)}   ${wanted.files} / ${number(wanted.lines, 0)}`);
  }
  console.log('code: lines of code that esbuild keeps; lines: with the comments that it keeps in classes. Ceilings are of files and code.');
}

/** Checks the totals of the programs with ceilings, or of one. */
async function check(name, { lower, print }) {
  const ceilings = readCeilings(ceilingsFile);
  if (name !== undefined && ceilings[name] === undefined) throw new Error(`${name} has no ceiling: ${Object.keys(ceilings).join(', ')} have one`);
  const judged = name === undefined ? ceilings : { [name]: ceilings[name] };
  const found = {};
  for (const program of Object.keys(judged)) found[program] = totalsOf(await keptOf(root, programNamed(program)));
  if (print) printTotals(found, ceilings);
  if (lower) writeCeilings(ceilingsFile, lowered(found, ceilings));
  for (const fault of faultsOf(found, judged)) {
    console.error(fault);
    process.exitCode = 1;
  }
}

async function main() {
  const { values, positionals: [name] } = parseArgs({
    allowPositionals: true,
    options: { since: { type: 'string' }, patch: { type: 'boolean' }, form: { type: 'boolean' }, signed: { type: 'boolean' }, check: { type: 'boolean' }, lower: { type: 'boolean' } },
  });
  if (values.patch && values.since === undefined) throw new Error('--patch wants --since COMMIT');
  if (name === undefined) {
    for (const option of ['since', 'form', 'signed']) if (values[option] !== undefined) throw new Error(`--${option} wants a program`);
    return check(undefined, { lower: values.lower, print: true });
  }
  const program = programOf(name);
  const present = await keptOf(root, program);
  if (values.form) console.log(formOf(program, present, commitOf('HEAD'), root));
  else if (values.signed) printSigned(program, present);
  else if (values.since === undefined) printFiles(program, present);
  else await printChanges(program, present, values.since, values.patch);
  if (values.check || values.lower) await check(program.name, { lower: values.lower, print: false });
}

await main().catch((error) => {
  console.error(error.message);
  process.exitCode = 2;
});
