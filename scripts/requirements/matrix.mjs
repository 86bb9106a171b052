// The requirements matrix: requirements/<area>.tsv has the rules, requirements/statements.tsv the sentences of the specification
// that each rule represents, by place and SHA-256.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** In the order of the counts. */
export const VERDICTS = ['kept', 'untested', 'partly', 'deliberately otherwise', 'open', 'not applicable'];
const LEVELS = ['MUST', 'SHOULD'];
const ROLES = ['client', 'server', 'both', 'host', 'intermediary'];

function rowsOf(file) {
  const [head = '', ...lines] = readFileSync(file, 'utf8').replace(/\n$/, '').split('\n');
  const names = head.split('\t');
  return lines.map((line, at) => {
    const cells = line.split('\t');
    if (cells.length !== names.length) throw new Error(`${file}:${at + 2}: ${cells.length} cells, expected ${names.length}`);
    return Object.fromEntries(names.map((name, cell) => [name, cells[cell]]));
  });
}

/** Reads { rules, statements } from a checkout of this repository. */
export function readMatrix(root) {
  const folder = join(root, 'requirements');
  const areas = readdirSync(folder).filter((file) => file.endsWith('.tsv') && file !== 'statements.tsv').sort();
  return {
    rules: areas.flatMap((file) => rowsOf(join(folder, file)).map((rule) => ({ ...rule, area: file.slice(0, -4) }))),
    statements: rowsOf(join(folder, 'statements.tsv')),
  };
}

/** Faults of the matrix, one per line: a missing name, a row without a verdict. */
export function faultsOf({ rules, statements }, root) {
  const faults = [];
  const texts = new Map();
  const textOf = (path) => {
    if (!texts.has(path)) {
      let text;
      try {
        text = readFileSync(join(root, path), 'utf8');
      } catch {}
      texts.set(path, text);
    }
    return texts.get(path);
  };
  const ids = new Set();
  for (const { id, level, who, verdict, rule, source, test, note } of rules) {
    const fault = (what) => faults.push(`${id}: ${what}`);
    if (ids.has(id)) fault('the id is there twice');
    ids.add(id);
    if (!rule) fault('no words for the rule');
    if (!LEVELS.includes(level)) fault(`level ${level}`);
    if (!ROLES.includes(who)) fault(`who ${who}`);
    if (!VERDICTS.includes(verdict)) fault(`no verdict: ${verdict}`);
    if ((verdict === 'kept' || verdict === 'untested') && !source) fault(`${verdict}, and no source is named`);
    if (verdict === 'kept' && !test) fault('kept, and no test is named');
    if (['partly', 'deliberately otherwise', 'open', 'not applicable'].includes(verdict) && !note) fault(`${verdict}, and no reason is given`);
    for (const place of source ? source.split(' ') : []) {
      const [path, symbol] = place.split('#');
      const text = textOf(path);
      if (text === undefined) fault(`no source ${path}`);
      else if (symbol && !declares(text, symbol)) fault(`${path} declares no ${symbol}`);
    }
    for (const place of test ? test.split(' | ') : []) {
      const at = place.indexOf(': ');
      const path = at < 0 ? place : place.slice(0, at);
      const title = at < 0 ? '' : place.slice(at + 2);
      const text = textOf(path);
      if (text === undefined) fault(`no test ${path}`);
      else if (title && !text.includes(title) && !text.includes(title.replaceAll("'", "\\'"))) fault(`${path} has no test "${title}"`);
    }
  }
  const stated = new Set();
  for (const { revision, section, sha256, rule } of statements) {
    if (!ids.has(rule)) faults.push(`${revision} ${section}: no rule ${rule}`);
    if (sha256 !== '-' && !/^[0-9a-f]{64}$/.test(sha256)) faults.push(`${revision} ${section}: no SHA-256: ${sha256}`);
    stated.add(rule);
  }
  for (const id of ids) if (!stated.has(id)) faults.push(`${id}: stands for no sentence`);
  return faults;
}

/** True if a source declares a name: a function, class, type, constant, method or member. */
function declares(text, symbol) {
  return new RegExp(`(?:^|[\\s#*])${symbol}\\s*(?:[=(<{:?!]|extends\\b|implements\\b)`, 'm').test(text);
}

/**
 * Compares the matrix with the sentences of a checkout of the specification:
 * `unlisted`: normative sentences without a row; `changed`: rows whose sentence no longer exists.
 */
export function compare({ statements }, sentences) {
  const key = ({ revision, section, sha256 }) => `${revision} ${section} ${sha256}`;
  const listed = new Set(statements.map(key));
  const there = new Set(sentences.map(key));
  return {
    unlisted: sentences.filter((sentence) => sentence.normative && !listed.has(key(sentence))),
    changed: statements.filter((statement) => statement.sha256 !== '-' && !there.has(key(statement))),
  };
}

export function countsOf(rows) {
  return Object.fromEntries(VERDICTS.map((verdict) => [verdict, rows.filter((row) => row.verdict === verdict).length]));
}
