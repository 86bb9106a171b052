// What came of breaking the code of each rule: test/removals/results.tsv, and requirements/removals.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cell } from './markdown.mjs';

export const removalsPath = 'test/removals/results.tsv';
const COLUMNS = ['id', 'symbol', 'change', 'test', 'verdict', 'failed', 'commit', 'date'];
const VERDICTS = {
  'fails': 'the named test fails with the change',
  'does not end': 'with the change the named test waits for what does not come; its time limit fails it',
  'stays green': 'no change that was tried is noticed: the test would not notice that the rule is broken',
  'test does not run the code': 'the named test passes without the named code',
  'test does not run by itself': 'the named test does not pass when it is run alone',
  'nothing to break': 'the rule is kept by what is not there',
  'no code': 'the rule is kept by a document or a type, or its test is not one of npm test',
};

/** The rows of a file of test/removals, as objects; none where there is no file. */
export function readRows(root, path) {
  let text;
  try {
    text = readFileSync(join(root, path), 'utf8');
  } catch {
    return [];
  }
  const [head, ...lines] = text.trimEnd().split('\n').map((line) => line.split('\t'));
  return lines.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ''])));
}

export const readRemovals = (root) => readRows(root, removalsPath);

export function writeRemovals(root, rows) {
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name].replace(/\s+/g, ' ')))];
  writeFileSync(join(root, removalsPath), `${lines.map((cells) => cells.join('\t')).join('\n')}\n`);
}

/** Whether a result is of what the rule names today. */
function current(row, rule) {
  const file = row.symbol.replace(/#.*/, '');
  return (!row.symbol || rule.source.split(' ').some((place) => place.replace(/#.*/, '') === file))
    && (!row.test || rule.test.split(' | ').includes(row.test));
}

export function removalsDocument({ rules }, rows) {
  const results = new Map(rows.map((row) => [row.id, row]));
  const tried = rules.filter(({ source, test }) => source && test);
  const missing = tried.filter((rule) => !results.has(rule.id) || !current(results.get(rule.id), rule));
  const fresh = tried.filter((rule) => !missing.includes(rule)).map((rule) => ({ rule, ...results.get(rule.id) }));
  const of = (verdict) => fresh.filter((row) => row.verdict === verdict);
  const lines = [
    '# One removal a row', '',
    '<!-- Written by npm run requirements from test/removals/results.tsv, which npm run removals writes. Do not edit. -->', '',
    'For each rule of [requirements.md](requirements.md) with code and a test, one statement, condition, member or value of',
    'the compiled code was broken, and the named test was run. Which one is chosen: first what few of the named tests run and',
    'what shares words with the rule, then by a seed; where two changes make the test fail, the one that fewer tests of its',
    'file notice. The last column says how many those are: a low number says that the change is what this test is about, a',
    'high one that it broke more than the rule. Nobody judged each change by hand.', '',
    `npm run removals [-- --only ID,…] runs it again: a change that is listed is tried first, with \`--all\` none is.`, '',
    '| verdict | rules | |', '|---|---:|---|',
    ...Object.entries(VERDICTS).map(([verdict, why]) => `| ${verdict} | ${of(verdict).length} | ${why} |`),
    `| not tried | ${missing.length} | since the row was added or changed |`, '',
  ];
  for (const verdict of ['stays green', 'test does not run the code', 'test does not run by itself', 'nothing to break', 'no code']) {
    const found = of(verdict);
    if (found.length === 0) continue;
    lines.push(`## ${verdict[0].toUpperCase()}${verdict.slice(1)}`, '', '| id | rule | code | |', '|---|---|---|---|');
    for (const { id, rule, change } of found) lines.push(`| ${id} | ${cell(rule.rule)} | ${cell(rule.source)} | ${cell(change)} |`);
    lines.push('');
  }
  if (missing.length) lines.push('## Not tried', '', missing.map(({ id }) => id).join(', '), '');
  lines.push('## What was broken', '', '| id | rule | code | change | test that fails | of its file | commit, date |', '|---|---|---|---|---|---|---|');
  for (const row of fresh) {
    if (!['fails', 'does not end'].includes(row.verdict)) continue;
    const failed = row.verdict === 'fails' ? row.failed : 'does not end';
    lines.push(`| ${row.id} | ${cell(row.rule.rule)} | ${cell(row.symbol.replace(/^src\//, ''))} | ${cell(row.change)} | ${cell(row.test.replace(/^test\//, ''))} | ${failed} | ${row.commit}, ${row.date} |`);
  }
  return `${lines.join('\n')}\n`;
}
