// An auditor's form, and the record of signed programs: docs/signing-off.md.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMatrix } from '../requirements/matrix.mjs';

/** The path of a program's record. */
export const recordPath = (program) => `requirements/signed/${program}.tsv`;

/** The rules kept by a file, and the tests that fail if one is broken. */
export function rulesOf(root) {
  const byFile = new Map();
  for (const { id, source, test } of readMatrix(root).rules) {
    if (!source || !test) continue;
    for (const path of new Set(source.split(' ').map((place) => place.replace(/#.*/, '')))) {
      const { rules, tests } = byFile.get(path) ?? byFile.set(path, { rules: [], tests: new Set() }).get(path);
      rules.push(id);
      for (const place of test.split(' | ')) tests.add(place.replace(/: .*/, ''));
    }
  }
  return (path) => byFile.get(path) ?? { rules: [], tests: new Set() };
}

/** One hash of all files of a program. */
export const digestOf = (files) =>
  createHash('sha256').update(files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).sort().join('')).digest('hex');

/** The empty form of a program, as Markdown. */
export function formOf({ name, what }, { files }, commit, root) {
  const of = rulesOf(root);
  return [
    `# Signing off: ${name}`, '',
    `Program: ${name} (${what})`, `Commit: ${commit}`, `Hash of all ${files.length} files: ${digestOf(files)}`, 'Reader:', 'Date:',
    'Began, ended:', '',
    '| | file | lines | SHA-256 | rules that it keeps | tests that hold them | read | flags |', '|---:|---|---:|---|---|---|---|---|',
    ...files.map(({ path, kept, sha256 }, at) => {
      const { rules, tests } = of(path);
      return `| ${at + 1} | ${path} | ${kept} | ${sha256} | ${rules.join(' ') || '-'} | ${[...tests].map((test) => test.replace(/^test\//, '')).join(' ') || '-'} |  |  |`;
    }),
    '', 'Rules tried (`npm run removals -- --only ID`), with what came of each:', '', 'Flags, each with file and line:', '',
    'Signed, or not signed because:', '',
  ].join('\n');
}

/** The record of a signed program: { head, files: Map of paths to { sha256, read, flag } }; undefined without one. */
export function readRecord(root, program) {
  let text;
  try {
    text = readFileSync(join(root, recordPath(program)), 'utf8');
  } catch {
    return undefined;
  }
  const lines = text.trimEnd().split('\n');
  const head = Object.fromEntries(lines.filter((line) => line.startsWith('# ')).map((line) => line.slice(2).split(/: (.*)/s)));
  const rows = lines.filter((line) => !line.startsWith('# ')).slice(1).map((line) => line.split('\t'));
  return { head, files: new Map(rows.map(([path, sha256, read, flag = '']) => [path, { sha256, read, flag }])) };
}

/** Compares the files of a program with its record: { state, path }, where `state` is as signed, changed, new or gone. */
export function sinceSigned({ files }, record) {
  const rows = files.map(({ path, sha256 }) => {
    const signed = record.files.get(path);
    return { path, state: signed === undefined ? 'new' : signed.sha256 === sha256 ? 'as signed' : 'changed' };
  });
  const present = new Set(files.map(({ path }) => path));
  return [...rows, ...[...record.files.keys()].filter((path) => !present.has(path)).map((path) => ({ path, state: 'gone' }))];
}
