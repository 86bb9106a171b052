// node scripts/audit.mjs [--check]: counts the files and lines of each part in docs/audit.md anew. `--check` changes
// nothing, and fails where a part or a file is not there, a folder of src/ is not listed, or lines are a fifth off.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const page = join(root, 'docs/audit.md');
const ROW = /^\| `(src\/[\w/-]+)`( without its folders)? \| ([\d,]+) \| ([\d,]+) \| ([^|]+) \| ([\d,]+) \| (.*) \|$/;
const faults = [];
const linesOf = (files) => files.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0);
const filesIn = (folder, deep) => readdirSync(join(root, folder), { recursive: deep, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts')).map((name) => join(root, folder, name));
const number = (text) => Number(text.replaceAll(',', ''));
const shown = (value) => value.toLocaleString('en');
const near = (said, is) => Math.abs(number(said) - is) <= is / 5;

const parts = new Set();
const lines = readFileSync(page, 'utf8').split('\n').map((line) => {
  const row = ROW.exec(line);
  if (!row) return line;
  const [, part, alone = '', files, all, read, whole, ask] = row;
  parts.add(part);
  const found = filesIn(part, !alone);
  const named = [...read.matchAll(/`([^`]+)`/g)].map(([, name]) => join(root, part, name));
  for (const name of named) if (!found.includes(name)) faults.push(`${part}: no file ${name.slice(root.length)}`);
  const counts = [linesOf(found), linesOf(named.filter((name) => found.includes(name)))];
  if (!near(all, counts[0])) faults.push(`${part}: ${all} lines are said, and there are ${counts[0]}: node scripts/audit.mjs`);
  if (!near(whole, counts[1])) faults.push(`${part}: ${whole} lines to read are said, and there are ${counts[1]}: node scripts/audit.mjs`);
  if (!near(files, found.length)) faults.push(`${part}: ${files} files are said, and there are ${found.length}: node scripts/audit.mjs`);
  return `| \`${part}\`${alone} | ${found.length} | ${shown(counts[0])} | ${read} | ${shown(counts[1])} | ${ask} |`;
});
for (const { name } of readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  if (!parts.has(`src/${name}`)) faults.push(`src/${name} is not listed`);
}
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const [, name] of lines.join('\n').matchAll(/npm run ([\w:-]+)/g)) if (!scripts[name]) faults.push(`no script ${name}`);

if (process.argv[2] === '--check') {
  for (const fault of faults) console.error(`docs/audit.md: ${fault}`);
  if (faults.length) process.exitCode = 1;
} else {
  writeFileSync(page, lines.join('\n'));
  const sum = (column) => lines.flatMap((line) => ROW.exec(line)?.[column] ?? []).reduce((total, text) => total + number(text), 0);
  console.log(`${sum(3)} files, ${sum(4)} lines, ${sum(6)} of them to be read whole`);
}
