// npm run judge:rules [-- --check]: writes src/judge/rules/{server,client,both}.ts from the matrix (requirements/*.tsv):
// the rules of the referee with their levels, revisions and sections. `--check` only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMatrix } from './requirements/matrix.mjs';
import { readWords } from './words.mjs';

const { values } = readWords({ check: { type: 'boolean' } });
const top = fileURLToPath(new URL('../', import.meta.url));
const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const rows = (name) => readFileSync(join(top, 'requirements', `${name}.tsv`), 'utf8').trimEnd().split('\n').slice(1).map((line) => line.split('\t'));

/** The sections of each rule: `digits section`, one digit per revision; `?` after the digits: a SHOULD there. */
function sectionsOf() {
  const found = new Map();
  for (const [revision, section, level, , rule] of rows('statements')) {
    const place = versions.indexOf(revision);
    if (place < 0 || !rule) continue;
    const key = `${section} ${level}`;
    const own = found.get(rule) ?? new Map();
    found.set(rule, own);
    own.set(key, own.get(key) ?? { section, level, places: new Set() });
    own.get(key).places.add(place);
  }
  return found;
}

const sections = sectionsOf();
const weak = (level) => /^(SHOULD|RECOMMENDED|NOT RECOMMENDED)/.test(level);
function lineOf({ id, level, rule }) {
  const where = [...sections.get(id)?.values() ?? []]
    .map(({ section, level: own, places }) => `${[...places].sort().join('')}${weak(own) && !weak(level) ? '?' : ''} ${section}`);
  return `${id}|${weak(level) ? 'SHOULD' : 'MUST'}|${rule.replaceAll('`', '')}|${[...new Set(where)].sort().reverse().join(';')}`;
}

const { rules } = readMatrix(top);
let stale = false;
for (const who of ['server', 'client', 'both']) {
  const file = join(top, 'src/judge/rules', `${who}.ts`);
  const lines = rules.filter((rule) => rule.who === who && sections.get(rule.id)).map(lineOf);
  const name = `${who}Rules`;
  const text = `// Written by scripts/judge-rules.mjs from the matrix; not to be edited. \`id|level|rule|sections\`: each digit of a section is a revision.\nexport const ${name}: string = \`\n${lines.join('\n')}\n\`;\n`;
  if (values.check) {
    if (readFileSync(file, 'utf8') === text) continue;
    console.error(`${file} is not what the matrix says: run npm run judge:rules`);
    stale = true;
  } else writeFileSync(file, text);
}
if (stale) process.exitCode = 1;
