// node scripts/audit.mjs [--check]: updates the table of programs in docs/audit.md: files, lines, hours and signatures. `--check`
// changes nothing, and fails if a program or a file is missing, a folder of src/ is not listed, or a number is wrong by a fifth.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programs } from './programs.mjs';
import { readRecord } from './reading/form.mjs';
import { keptOf, totalsOf } from './reading/kept.mjs';
import { readWords } from './words.mjs';

const { values } = readWords({ check: { type: 'boolean' } });
const root = fileURLToPath(new URL('../', import.meta.url));
const page = join(root, 'docs/audit.md');
const PROGRAM = /^\| `([\w-]+)` \| ([^|]+) \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) \| ([^|]+) \|$/;
const PART = /^\| `(src\/[\w/-]+)`(?: without its folders)? \| ([^|]+) \| (.*) \|$/;
const linesAnHour = 200;
const faults = [];
const shown = (value) => value.toLocaleString('en');
const near = (said, is) => Math.abs(Number(said.replaceAll(',', '')) - is) <= is / 5;

const signedOf = (name) => {
  const { head } = readRecord(root, name) ?? {};
  return head ? `${head.date}, ${head.commit.slice(0, 9)}` : '-';
};

const lines = readFileSync(page, 'utf8').split('\n');
const before = new Map(lines.flatMap((line) => {
  const [, name, , files, code] = PROGRAM.exec(line) ?? [];
  return name ? [[name, { files, code, line }]] : [];
}));
const table = await Promise.all(programs.map(async (program) => {
  const { name, what } = program;
  const { files, code } = totalsOf(await keptOf(root, program));
  const said = before.get(name);
  if (!said) faults.push(`the program ${name} is not listed: node scripts/audit.mjs`);
  else if (!near(said.files, files) || !near(said.code, code)) faults.push(`${name}: ${said.files} files and ${said.code} lines are said, and there are ${files} and ${code}: node scripts/audit.mjs`);
  return `| \`${name}\` | ${what} | ${files} | ${shown(code)} | ${(code / linesAnHour).toFixed(1)} | ${signedOf(name)} |`;
}));
for (const name of before.keys()) if (!programs.some((program) => program.name === name)) faults.push(`no program ${name}`);

const parts = new Set();
for (const line of lines) {
  const [, part, read] = PART.exec(line) ?? [];
  if (!part) continue;
  parts.add(part);
  for (const [, name] of read.matchAll(/`([^`]+)`/g)) if (!existsSync(join(root, part, name))) faults.push(`${part}: no file ${part}/${name}`);
}
for (const { name } of readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  if (!parts.has(`src/${name}`)) faults.push(`src/${name} is not listed`);
}
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const [, name] of lines.join('\n').matchAll(/npm run ([\w:-]+)/g)) if (!scripts[name]) faults.push(`no script ${name}`);

if (values.check) {
  for (const fault of faults) console.error(`docs/audit.md: ${fault}`);
  if (faults.length) process.exitCode = 1;
} else {
  const head = ['| program | what it is | files | lines of code | hours | read as a whole |', '|---|---|---:|---:|---:|---|'];
  const from = lines.findIndex((line) => line === head[0] || line === 'PROGRAMS');
  const to = lines.findIndex((line, at) => at > from && line === '');
  writeFileSync(page, [...lines.slice(0, from), ...head, ...table, ...lines.slice(to)].join('\n'));
  console.log(`${programs.length} programs`);
}
