// What came of breaking the line of each rule: test/removals/results.tsv, and docs/removals.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const removalsPath = 'test/removals/results.tsv';
const COLUMNS = ['id', 'symbol', 'change', 'test', 'verdict', 'failed', 'commit', 'date'];

/** The kept results, a row a rule. */
export function readRemovals(root) {
  let text;
  try {
    text = readFileSync(join(root, removalsPath), 'utf8');
  } catch {
    return [];
  }
  return text.trim().split('\n').slice(1).map((line) => {
    const cells = line.split('\t');
    return Object.fromEntries(COLUMNS.map((name, at) => [name, cells[at] ?? '']));
  });
}

export function writeRemovals(root, rows) {
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name].replace(/\s+/g, ' ')))];
  writeFileSync(join(root, removalsPath), `${lines.map((cells) => cells.join('\t')).join('\n')}\n`);
}
