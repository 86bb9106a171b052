// The removals of each rule: test/removals/edits/<area>.txt has an edit for each part of a rule that can be broken separately,
// test/removals/results.tsv the results of the named tests, and requirements/removals.md shows both.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cell } from './markdown.mjs';

export const resultsPath = 'test/removals/results.tsv';
export const editsFolder = 'test/removals/edits';
const COLUMNS = ['id', 'edit', 'test', 'verdict', 'commit', 'date'];
const VERDICTS = {
  'fails': 'the named test fails with the edit',
  'does not end': 'with the edit the named test waits for what does not come; its time limit fails it',
  'stays green': 'the named test does not notice that the rule is broken',
};
/** Verdicts that mean a test detects the edit. */
export const NOTICED = ['fails', 'does not end'];

/** The rows of a table with a header, as objects; none without the file. */
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

/** The rule of an edit: `tasks-41` for `tasks-41`, and for `tasks-41.2`, which breaks another part of the rule. */
export const ruleOf = (id) => id.replace(/\.\d+$/, '');

export const readResults = (root) => readRows(root, resultsPath);
/** The rules that no edit can break, with the reason. */
export const readWithout = (root) => readRows(root, 'test/removals/without.tsv');

export function writeResults(root, rows) {
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))];
  writeFileSync(join(root, resultsPath), `${lines.map((cells) => cells.join('\t')).join('\n')}\n`);
}

/**
 * The edits of a checkout: { id, breaks, changes: [{ path, find, replace }], hash }. A block is a line with the id and a sentence
 * about the broken rule, then the path of a source, the replaced lines (`- `), and their replacement (`+ `). Leading spaces do
 * not count. The id is the rule's; a rule with several statements has an edit for each: `tasks-41`, `tasks-41.2`, `tasks-41.3`.
 */
export function readEdits(root, folder = editsFolder) {
  let names;
  try {
    names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.txt')).sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => editsIn(readFileSync(join(root, folder, name), 'utf8'), name));
}

/** The edits of a text in that form; `name` is its file, for error messages. */
export const editsIn = (text, name) => text.trim().split(/\n\s*\n/).map((block) => editOf(block, name));

function editOf(block, name) {
  const [head, ...lines] = block.split('\n');
  const [, id, breaks] = /^(\S+) (.+)$/.exec(head) ?? [];
  if (!id) throw new Error(`${editsFolder}/${name}: expected an id and a sentence: ${head}`);
  const changes = [];
  let path;
  for (const line of lines) {
    const text = line.slice(2).trim();
    if (/^(?:src|docs|test)\//.test(line)) path = line.trim();
    else if (line.startsWith('- ')) {
      const last = changes.at(-1);
      if (last && last.path === path && last.replace === undefined) last.find.push(text);
      else changes.push({ path, find: [text], replace: undefined });
    } else if (/^\+( |$)/.test(line) && changes.length) (changes.at(-1).replace ??= []).push(text);
    else throw new Error(`${editsFolder}/${name}: ${id}: expected a path, "- " or "+ ": ${line}`);
  }
  if (!changes.length || !changes.every((change) => change.path)) throw new Error(`${editsFolder}/${name}: ${id}: no change`);
  return { id, breaks, file: name, changes: changes.map((change) => ({ ...change, replace: change.replace ?? [] })), hash: createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12) };
}

const literal = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Replaces the lines of a change in a text. Throws unless they occur exactly once. */
export function applied(text, { path, find, replace }) {
  const pattern = new RegExp(find.map(literal).join('[ \\t]*\\n[ \\t]*'), 'g');
  const found = [...text.matchAll(pattern)];
  if (found.length !== 1) throw new Error(`${path} has ${found.length} times, expected once: ${find.join(' ')}`);
  const [{ index, 0: { length } }] = found;
  return text.slice(0, index) + replace.join('\n') + text.slice(index + length);
}

/** True if a result belongs to this version of the edit, and to a test that the rule still names. */
export const isFresh = (rule, edit, row) => row?.edit === edit.hash && rule.test.split(' | ').includes(row.test);

const codeAndTest = ({ source, test }) => source && test;

/** Faults of the edits: an edit without its rule, a text that the code does not contain. */
export function faultsOfEdits({ rules }, edits, root) {
  const faults = [];
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const seen = new Set();
  for (const { id, breaks, changes } of edits) {
    const rule = byId.get(ruleOf(id));
    if (seen.has(id)) faults.push(`${id}: two edits`);
    seen.add(id);
    if (!rule || !codeAndTest(rule)) {
      faults.push(`${id}: an edit, and no rule with code and a test`);
      continue;
    }
    if (!breaks.endsWith('.') && breaks.split(' ').length < 3) faults.push(`${id}: no sentence`);
    const sources = rule.source.split(' ').map((place) => place.replace(/#.*/, ''));
    if (!changes.some(({ path }) => sources.includes(path))) faults.push(`${id}: the edit is in ${changes[0].path}, which the rule does not name`);
    faults.push(...lostLines({ id, changes }, root));
  }
  return faults;
}

/** Faults of an edit whose lines do not occur exactly once in the tree. */
export function lostLines({ id, changes }, root) {
  const texts = new Map();
  return changes.flatMap((change) => {
    try {
      texts.set(change.path, applied(texts.get(change.path) ?? readFileSync(join(root, change.path), 'utf8'), change));
      return [];
    } catch (error) {
      return [`${id}: ${error.message}`];
    }
  });
}

/**
 * The rules with code and a test, by the result of their edits; `coarse`: no edit was run. A rule is exact if each of its edits
 * is: `parts` has each edit with its result.
 */
export function coverageOf({ rules }, edits, results, without) {
  const byResult = new Map(results.map((row) => [row.id, row]));
  const reasons = new Map(without.map((row) => [row.id, row.why]));
  const byRule = new Map();
  for (const edit of edits) byRule.set(ruleOf(edit.id), [...byRule.get(ruleOf(edit.id)) ?? [], { edit, row: byResult.get(edit.id) }]);
  const of = { exact: [], unnoticed: [], stale: [], without: [], coarse: [] };
  for (const rule of rules.filter(codeAndTest)) {
    const parts = byRule.get(rule.id) ?? [];
    const isNoticed = ({ row }) => NOTICED.includes(row.verdict);
    const name = parts.length === 0 ? (reasons.has(rule.id) ? 'without' : 'coarse') : !parts.every(({ edit, row }) => isFresh(rule, edit, row)) ? 'stale' : parts.every(isNoticed) ? 'exact' : 'unnoticed';
    of[name].push({ rule, parts, why: reasons.get(rule.id) });
  }
  return of;
}

export function removalsDocument(matrix, edits, results, without) {
  const of = coverageOf(matrix, edits, results, without);
  const link = (path) => `[${path.replace(/^src\//, '')}](../${path})`;
  const code = (lines) => (lines.length ? `\`${cell(lines.join(' ').replaceAll('`', "'"))}\`` : 'nothing');
  const shown = ({ changes }) => changes.map(({ path, find, replace }) => `${link(path)}: ${code(find)} becomes ${code(replace)}`).join('<br>');
  const plain = (title, words, list, last) => (list.length === 0 ? [] : [
    `## ${title}`, '', words, '', '| id | rule | |', '|---|---|---|', ...list.map((one) => `| ${one.rule.id} | ${cell(one.rule.rule)} | ${last(one)} |`), '',
  ]);
  const lines = [
    '# The removals of each row', '',
    '<!-- Written by npm run requirements from test/removals. Do not edit. -->', '',
    'For each rule of [requirements.md](requirements.md) with code and a test, somebody has read the rule, the code and the',
    'test, has written the smallest edit of the source that breaks this rule, and has said in a sentence what it breaks;',
    `a rule that says several things has an edit for each (\`tasks-41\`, \`tasks-41.2\`): ${edits.length} edits for ${new Set(edits.map(({ id }) => ruleOf(id))).size} rules.`,
    '`npm run removals` makes each edit in a copy and runs the named tests: one of them has to fail.', '',
    '| | rules | |', '|---|---:|---|',
    `| exact | ${of.exact.length} | each edit breaks the rule, and a named test fails with it |`,
    `| unnoticed | ${of.unnoticed.length} | an edit breaks the rule, and no named test notices |`,
    `| to be run | ${of.stale.length} | the edit or the named test changed since it was run |`,
    `| not possible | ${of.without.length} | no edit of the code can break the rule; the reason is given |`,
    `| not judged | ${of.coarse.length} | nobody has written an edit for the rule yet |`, '',
    ...plain('Unnoticed', 'The named test passes although the rule is broken.', of.unnoticed, ({ parts }) => parts.filter(({ row }) => !NOTICED.includes(row.verdict)).map(({ edit }) => `${cell(edit.breaks)}<br>${shown(edit)}`).join('<br>')),
    ...plain('Not possible', 'Documents, types, and tests that `npm test` does not run.', of.without, ({ why }) => cell(why)),
    ...(of.stale.length ? ['## To be run', '', of.stale.map(({ rule }) => rule.id).join(', '), ''] : []),
    ...(of.coarse.length ? ['## Not judged', '', of.coarse.map(({ rule }) => rule.id).join(', '), ''] : []),
    '## Exact', '',
    '| id | rule | what the edit breaks | edit | test that notices | commit, date |', '|---|---|---|---|---|---|',
    ...of.exact.flatMap(({ rule, parts }) => parts.map(({ edit, row }) => `| ${edit.id} | ${cell(rule.rule)} | ${cell(edit.breaks)} | ${shown(edit)} | ${cell(row.test.replace(/^test\//, ''))}${row.verdict === 'fails' ? '' : ` (${row.verdict})`} | ${row.commit}, ${row.date} |`)),
    '',
  ];
  return lines.join('\n');
}
