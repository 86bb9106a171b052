// npm run expressions: every regular expression of the sources takes linear time, according to a checker (recheck: its automaton
// and its fuzzer) and growing inputs. Expressions are found in the syntax trees, so new ones are included.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import test from 'node:test';
import { check } from 'recheck';
import { expressionsOf, folders, sourcesOf } from './expressions.mjs';
import { slowText } from './growing.mjs';
import { madeExpressions } from './made.mjs';

/** The checker's complaint; undefined: none. An expression that it cannot judge is a fault too. */
async function faultOf({ at, pattern, flags, most }) {
  // A fixed seed makes the check reproducible.
  const { status, complexity, attack, error } = await check(pattern, flags.replace('v', 'u'), { timeout: 60_000, randomSeed: 1, skipRecall: true });
  if (status === 'safe' || (status === 'vulnerable' && most !== undefined && complexity?.type === 'polynomial')) return undefined;
  return `${at}: /${pattern}/${flags} is ${status}, ${complexity?.summary ?? error?.kind}: ${attack?.pattern ?? ''}`;
}

test('every regular expression of the sources is linear', async (t) => {
  const files = folders.flatMap((folder) => sourcesOf(folder));
  const found = [...files.flatMap((file) => expressionsOf(file).literals), ...await madeExpressions(folders)];
  const distinct = [...new Map(found.map((one) => [`${one.pattern}/${one.flags}/${one.most}`, one])).values()];
  assert.ok(files.length > 600 && distinct.length > 250, `${files.length} files, ${distinct.length} expressions`);
  await t.test('by the checker', async () => {
    const faults = [];
    for (const one of distinct) faults.push(await faultOf(one));
    assert.deepEqual(faults.filter(Boolean), []);
  });
  await t.test('by inputs that grow', () => {
    const slow = distinct.map((one) => [one, slowText(one)]).filter(([, text]) => text !== undefined);
    assert.deepEqual(slow.map(([{ at, pattern, flags }, text]) => `${at}: /${pattern}/${flags} is slow on ${text}`), []);
  });
  t.diagnostic(`${distinct.length} expressions in ${files.length} files`);
});

// Expressions that this check once found, and two classics: proof that the check can fail.
const slow = [
  /\s*\n\s*/g, /^([^:\s]+):\s*(.*)$/, /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, /(\\*)"/g, /(\\+)$/, /(<[^>]+>)$/, /^(?:([*+?])|\{(\d+)(,?)(\d*)\})$/,
  /^(\w+\s?)*$/, /(a|a)*b/,
].map(({ source, flags }) => ({ at: 'here', pattern: source, flags }));

test('the checker finds what is not linear, and so do the inputs that grow', async () => {
  for (const one of slow) assert.match(await faultOf(one) ?? 'nothing', /polynomial|exponential/, one.pattern);
  // Growing inputs find fewer, since the input must be guessed.
  const missed = slow.filter((one) => slowText(one) === undefined);
  assert.deepEqual(missed.map(({ pattern }) => pattern), []);
});

test('a new expression is found wherever it stands, and a place that makes one is not passed over', (t) => {
  const top = `${mkdtempSync(join(tmpdir(), 'barewire-expressions-'))}${sep}`;
  t.after(() => rmSync(top, { recursive: true }));
  mkdirSync(join(top, 'src/deep'), { recursive: true });
  writeFileSync(join(top, 'src/deep/new.ts'), `const a: RegExp = /x+$/u;
export function f<T extends RegExp>(text: string, by: T = /(y)/g as T): boolean {
  return text.split(/[z]/).some((one) => new RegExp(one).test(\`\${one.replace(/w/v, '')} /not one/\`)) || by instanceof RegExp || g(RegExp);
}
`);
  writeFileSync(join(top, 'src/page.tsx'), 'export const page = <p title={"/no/"}>{/inside/.test(name)} /text/</p>;\n');
  const found = sourcesOf('src', top).sort().map((file) => expressionsOf(file, top));
  assert.deepEqual(found.flatMap(({ literals }) => literals.map(({ at, pattern, flags }) => `${at} /${pattern}/${flags}`)), [
    'src/deep/new.ts:1 /x+$/u', 'src/deep/new.ts:2 /(y)/g', 'src/deep/new.ts:3 /[z]/', 'src/deep/new.ts:3 /w/v', 'src/page.tsx:1 /inside/',
  ]);
  assert.deepEqual(found.flatMap(({ made }) => made), ['src/deep/new.ts:3', 'src/deep/new.ts:3']);
});
