import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { errorCodes } from '../../src/jsonrpc/errors.ts';
import { metaKeys } from '../../src/protocol/meta.ts';
import { methods } from '../../src/protocol/methods.ts';
import { revisions } from '../../src/protocol/revisions.ts';

// The glossary agrees with the tables of the code.

const root = fileURLToPath(new URL('../../../', import.meta.url));
const text = readFileSync(`${root}docs/glossary.md`, 'utf8');
const rows = text.split('\n').filter((line) => line.startsWith('| ')).map((line) => line.slice(1, -1).split('|').map((cell) => cell.trim()));
const section = (title: string): string[][] => {
  const [, after = ''] = text.split(`\n## ${title}\n`);
  const lines = new Set(after.split('\n## ')[0]?.split('\n'));
  return rows.filter((cells) => lines.has(`| ${cells.join(' | ')} |`));
};

test('the glossary has every method, with who sends it and its first and last revision', () => {
  const said = new Map(section('Every method').slice(1).map(([name = '', ...cells]) => [name.replaceAll('`', ''), cells]));
  assert.deepEqual([...said.keys()], Object.keys(methods));
  for (const [name, { from = 'client', since = '2024-11-05', until = '' }] of Object.entries(methods)) {
    assert.deepEqual(said.get(name)?.slice(0, 3), [from, since, until], name);
  }
});

test('the glossary has every key of _meta and every error code', () => {
  for (const key of Object.values(metaKeys)) assert.ok(rows.some(([cell]) => cell === `\`${key}\``), key);
  assert.deepEqual(section('Error codes').slice(1).map(([code]) => Number(code)).sort(), Object.values(errorCodes).sort());
});

test('a file in which a method lives names it', () => {
  for (const [name = '', ...cells] of section('Every method').slice(1)) {
    const last = name.replaceAll('`', '').split('/').at(-1) as string;
    for (const [, path = ''] of (cells.at(-1) ?? '').matchAll(/`([a-z][\w./-]*\.ts)`/g)) {
      assert.match(readFileSync(`${root}src/${path}`, 'utf8'), new RegExp(`\\b${last}\\b`), `${name}: ${path}`);
    }
  }
});

test('the revisions that the glossary names are those that there are, and its folders are there', () => {
  const known = new Set(revisions.map(({ version }) => version));
  assert.deepEqual([...new Set(text.match(/\b20\d\d-\d\d-\d\d\b/g))].filter((version) => !known.has(version)), []);
  for (const cells of rows) {
    for (const [, path = ''] of (cells.at(-1) ?? '').matchAll(/`([a-z][\w./-]*(?:\.ts|\/))`/g)) assert.ok(existsSync(`${root}src/${path}`), path);
  }
});
