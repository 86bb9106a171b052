import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { methods } from '../../src/explain/phrases.ts';

// Each citation of the specification in a comment or in the explainer must exist: a page of that revision, and a heading on it.
// scripts/specification.mjs writes the list.

const root = fileURLToPath(new URL('../../../', import.meta.url));
const headings = JSON.parse(readFileSync(`${root}test/specification/headings.json`, 'utf8')) as
  Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
const pages = new Set(Object.values(headings).flatMap((list) => Object.keys(list)));
const folders = new Set([...pages].map((page) => page.split('/', 1)[0]));

/** The fault of a citation; undefined: it is correct. */
function astray(revision: string, page: string, heading: string | undefined): string | undefined {
  const list = headings[revision]?.[page] ?? headings[revision]?.[`${page}/index`];
  if (!list) return `${revision} has no page ${page}`;
  return heading === undefined || list.includes(heading) ? undefined : `${revision} ${page} has no heading ${heading}`;
}

/** Citations such as `2025-11-25 basic/transports#session-management`, and following ones without a revision. */
function* citations(text: string): Generator<[revision: string, page: string, heading: string | undefined]> {
  // A comment continues on the next line.
  const joined = text.replaceAll(/\n\s*(?:\*|\/\/)[ \t]*/g, ' ');
  for (const [, revision = '', page = '', heading] of joined.matchAll(/(20\d\d-\d\d-\d\d) ([a-z]+\/[a-z/-]*[a-z]|changelog|deprecated|index)(?:#([\w-]+))?/g)) {
    if (folders.has(page.split('/', 1)[0])) yield [revision, page, heading];
  }
}

/** Without installed packages: one may link back to this package. */
function* filesOf(folder: string): Generator<string> {
  for (const entry of readdirSync(`${root}${folder}`, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* filesOf(`${folder}/${entry.name}`);
    else if (entry.isFile()) yield `${folder}/${entry.name}`;
  }
}

test('comments cite what is there', () => {
  const wrong: string[] = [];
  let found = 0;
  for (const folder of ['src', 'test', 'examples']) {
    for (const file of filesOf(folder)) {
      if (!/\.(ts|mjs|wire|http)$/.test(file) || file.includes('specification')) continue;
      for (const [revision, page, heading] of citations(readFileSync(`${root}${file}`, 'utf8'))) {
        found++;
        const why = astray(revision, page, heading);
        if (why) wrong.push(`${file}: ${why}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(found > 80, String(found));
});

test('a citation of a page or a heading that does not exist is found', () => {
  assert.deepEqual([...citations('// 2025-11-25 basic/transports#no: x\n// 2026-07-28 server/none')].map((cited) => astray(...cited)), [
    '2025-11-25 basic/transports has no heading no', '2026-07-28 has no page server/none',
  ]);
});

test('the explainer points at what is there', () => {
  const wrong = new Set<string>();
  for (const [name, { where, answered = {} }] of methods) {
    for (const [revision, place] of [...Object.entries(where), ...Object.entries(answered)]) {
      if (place === '') continue;
      const [page = '', heading] = place.split('#');
      const why = astray(revision, page, heading);
      if (why) wrong.add(`${name}: ${why}`);
    }
  }
  assert.deepEqual([...wrong], []);
});
