// requirements/requirements.md, written from the matrix.
import { cell } from './markdown.mjs';
import { EXTENSIONS } from './sentences.mjs';
import { VERDICTS, countsOf } from './matrix.mjs';

const SITE = 'https://modelcontextprotocol.io/specification';
const TITLES = {
  base: 'Base protocol, lifecycle, versions', transports: 'Transports', patterns: 'Patterns and utilities',
  server: 'Server features', client: 'Client features', schema: 'Comments of the schema', tasks: 'Tasks (2025-11-25)',
  authorization: 'Authorization', 'ext-tasks': 'Extension: tasks (ext-tasks)', 'ext-auth': 'Extensions: authorization (ext-auth)',
  'ext-skills': 'Extension: skills (ext-skills, SEP-2640)', 'ext-apps': 'Extension: apps (ext-apps, SEP-1865)',
  'ext-server-card': 'Extension: server cards (experimental-ext-server-card, SEP-2127, a draft)',
};

/** The URL of a section on the specification's site. */
export function linkOf(revision, section) {
  const [page = '', heading] = section.split('#');
  if (EXTENSIONS.includes(revision)) {
    const file = `${page}.md${revision === 'ext-auth' ? 'x' : ''}`;
    return `https://github.com/modelcontextprotocol/${revision}/blob/main/specification/draft/${file}${heading ? `#${heading}` : ''}`;
  }
  if (revision === 'ext-skills') return `https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/${page}.mdx#${heading}`;
  if (revision === 'ext-apps') return `https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/${page}.mdx#${heading}`;
  if (revision === 'ext-server-card') {
    return `https://github.com/modelcontextprotocol/experimental-ext-server-card/blob/main/${page === 'schema' ? 'schema.ts' : `docs/${page}.md#${heading}`}`;
  }
  const path = page === 'index' ? '' : `/${page.replace(/\/index$/, '')}`;
  return `${SITE}/${revision}${path}${heading ? `#${page === 'schema' ? heading.toLowerCase() : heading}` : ''}`;
}

const file = (path) => path.replace(/#.*/, '');

function evidence({ source, test, note }) {
  const parts = [];
  if (source) parts.push(source.split(' ').map((place) => `[${place.replace(/^src\//, '')}](../${file(place)})`).join(', '));
  if (test) {
    parts.push(test.split(' | ').map((place) => {
      const at = place.indexOf(': ');
      const path = at < 0 ? place : place.slice(0, at);
      return `[${at < 0 ? path.replace(/^test\//, '') : cell(place.slice(at + 2))}](../${path})`;
    }).join(', '));
  }
  if (note) parts.push(cell(note));
  return parts.join('<br>');
}

export function documentOf({ rules, statements }) {
  const places = new Map();
  for (const { revision, section, rule } of statements) {
    const list = places.get(rule) ?? places.set(rule, []).get(rule);
    if (!list.some((place) => place.revision === revision)) list.push({ revision, section });
  }
  const byRule = new Map(rules.map((rule) => [rule.id, rule]));
  const stated = statements.map(({ rule }) => byRule.get(rule));
  const counted = (name, counts) => `| ${name} | ${VERDICTS.map((verdict) => counts[verdict]).join(' | ')} |`;
  const lines = [
    '# Requirements', '',
    '<!-- Written by npm run requirements from requirements/*.tsv. Do not edit. -->', '',
    'Each MUST and SHOULD of the specification, as a rule in our own words: where it stands, what obeys it, and the test',
    'or transcript that fails when it does not. A rule that several sentences or revisions repeat is one row. The link of',
    'a revision leads to the first place in it.', '',
    'To find one, search this page for the word of the wire (`Mcp-Session-Id`, `requestState`, `progress token`), for the',
    'anchor of the section (`#session-management`), or for the name of the section with a number (`cancellation-`). The other',
    'way round, [ARCHITECTURE.md](../ARCHITECTURE.md#where-each-rule-lives) and the [glossary](../docs/glossary.md) name the file.', '',
    '- **kept**: there is code, and a test that fails without it.',
    '- **untested**: there is code, or nothing to be done, and no test would notice.',
    '- **partly**: a part is kept; the last column says which is not, and why.',
    '- **deliberately otherwise**: a SHOULD that barewire does not follow on purpose; the last column says why.',
    '- **open**: not kept; the last column says why.',
    '- **not applicable**: falls on somebody else, who is named.', '',
    'The check finds names that are not there. That the named test fails when the rule is broken is tried row by row by',
    '`npm run removals`; what came of it is in [removals.md](removals.md).', '',
    `| | ${VERDICTS.join(' | ')} |`, `|---|${VERDICTS.map(() => '---:').join('|')}|`,
    counted(`rules (${rules.length})`, countsOf(rules)),
    counted(`sentences (${statements.length})`, countsOf(stated)),
    ...[...new Set(rules.map(({ area }) => area))].map((area) =>
      counted(TITLES[area] ?? area, countsOf(rules.filter((rule) => rule.area === area)))),
    '',
  ];
  for (const area of Object.keys(TITLES)) {
    const rows = rules.filter((rule) => rule.area === area);
    if (rows.length === 0) continue;
    lines.push(`## ${TITLES[area]}`, '', '| Id | Rule | | Said in | Verdict | Where |', '|---|---|---|---|---|---|');
    for (const rule of rows) {
      const said = (places.get(rule.id) ?? []).map(({ revision, section }) => `[${revision}](${linkOf(revision, section)})`);
      lines.push(`| ${rule.id} | ${cell(rule.rule)} | ${rule.level}, ${rule.who} | ${said.join(' ')} | ${rule.verdict} | ${evidence(rule)} |`);
    }
    lines.push('');
  }
  return lines.join('\n');
}
