// npm test --prefix test/front-matter, after `npm run build`: reads the front matter of every SKILL.md in this folder's
// node_modules, and mutated texts (`--seed S`, `--texts N`), with barewire's reader and with the package `yaml`. `yaml` must give
// the same values for every text that barewire accepts; barewire must accept all of these skills that `yaml` accepts.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { readSkillDocument } from '../../dist/lib/skills.js';

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' }, texts: { type: 'string', default: '20000' } } });

function ours(text) {
  try {
    return { value: JSON.parse(JSON.stringify(readSkillDocument(text).frontmatter)) };
  } catch (error) {
    if (error.name !== 'FrontMatterError') throw error;
    return { error: error.message };
  }
}

function theirs(yaml) {
  try {
    return { value: JSON.parse(JSON.stringify(parse(yaml, { logLevel: 'error' }) ?? {})) };
  } catch (error) {
    return { error: error.message.split('\n')[0] };
  }
}

const folder = fileURLToPath(new URL('node_modules/', import.meta.url));
const found = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('SKILL.md'));
let same = 0;
for (const file of found) {
  const text = readFileSync(folder + file, 'utf8');
  const yaml = /^---\r?\n([^]*?\r?\n)---[ \t]*\r?(?:\n|$)/.exec(text)?.[1];
  if (yaml === undefined) continue;
  const [own, other] = [ours(text), theirs(yaml)];
  assert.deepEqual(own.value, other.value, `${file}: ${own.error ?? other.error}`);
  if (own.value) same++;
}
console.log(`${same} of ${found.length} skills of other people are read, each as yaml reads it`);
assert.ok(same >= 50);

// mulberry32
let state = Number(values.seed);
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const pick = (list) => list[Math.floor(random() * list.length)];
const texts = [
  'name: x\n', 'a: 1\nb:\n  - c\n', 'a: ', 'a:\n  b: |\n    t\n', 'd: >-\n  one\n  two\n\n   three\n', "q: 'x\n  y'\n", 'f: {a: [b, c], "d": e}\n',
  'l:\n- a\n- b: c\n  d: e\n-\n  - f\n', 'p: one\n  two\n\n  three\n',
];
const parts = [
  'a', 'b: c', 'k:', '- ', '-', ': ', ':', ' ', '  ', '    ', '\n', '\n', '\n  ', '\n    ', '\n- ', '\n  - ', '|', '>', '|-', '>+', '|2', '"', "'", "''",
  '\\', '\\n', '\\\n', '[', ']', '{', '}', ', ', ',', '#', ' # c', '1', '1.0', 'true', 'null', '~', '0x1f', '.5', '1e3', 'é', '\t', '\r\n', '? ', '& ', '*a',
  '!', '"x y"', "'it''s'", '{a: b}', '[1, two]', '\nkey: ', '\nkey2: ', '\nk3:\n', '\n\n', 'text', '"a": 1', '\n  x: y', '\n    deep: z', '@', '%', '`', '<<',
  '...', '\n...\n', '-1', '+1', '1_000', '0o7', '08', 'No', '2024-01-01',
];
let [taken, refused] = [0, 0];
for (let i = 0; i < Number(values.texts); i++) {
  let yaml = pick(texts);
  for (let changes = Math.floor(random() * 6); changes > 0; changes--) {
    const at = Math.floor(random() * (yaml.length + 1));
    yaml = yaml.slice(0, at) + pick(parts) + yaml.slice(at + (random() < 0.3 ? 1 : 0));
  }
  if (/^---[ \t]*\r?$/m.test(yaml)) continue;
  const own = ours(`---\n${yaml}\n---\n`);
  if (own.error) {
    refused++;
    continue;
  }
  taken++;
  const other = theirs(`${yaml}\n`);
  // yaml 2.9 refuses a comment at the first column between a key and its text, which YAML 1.2 allows.
  if (other.error && /\n#/.test(yaml)) continue;
  assert.deepEqual(own.value, other.value, `${JSON.stringify(yaml)}: ${other.error}`);
}
console.log(`${taken} mutated texts are read as yaml reads them, ${refused} are refused`);
