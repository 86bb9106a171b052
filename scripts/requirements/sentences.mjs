// The normative sentences of a checkout of modelcontextprotocol/modelcontextprotocol: on its pages and in the comments of its
// schemas.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf } from './addresses.mjs';

export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

/** A sentence without markdown and with single spaces. */
export function normalised(text) {
  return text
    .replace(/&mdash;/g, '—')
    .replace(/&(?:nbsp|#160);/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\{@link\s+(\S+?)(?:\s*\|\s*([^}]*))?\}/g, (_, target, label) => label ?? target)
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/\\([<>{}_*[\]])/g, '$1')
    .replace(/\*\*|`/g, '')
    .replace(/(^|[\s(])[*_]([^*_\s][^*_]*)[*_](?=[\s).,;:]|$)/g, '$1$2')
    .replace(/\s+/g, ' ')
    .trim();
}

export const sha256 = (text) => createHash('sha256').update(text).digest('hex');

const NORMATIVE = /^(?!The key words).*\b(?:MUST|SHALL|SHOULD|REQUIRED|RECOMMENDED)\b/;
const levelOf = (text) => (/\b(?:MUST|SHALL|REQUIRED)\b/.test(text) ? 'MUST' : 'SHOULD');

/** The sentences of a block; abbreviations and numbers do not end one. */
function sentencesOf(text) {
  return text
    .replace(/\b(e\.g|i\.e|etc|vs|cf)\./g, (whole) => whole.replaceAll('.', '\u0001'))
    .split(/(?<=[.!?]["')*]*)\s+(?=[*_`"'(\[]*[A-Z])/)
    .map((sentence) => sentence.replaceAll('\u0001', '.'));
}

/** Blocks of a page: { heading, text, depth }; depth is -1 for a paragraph, otherwise a list item's indentation. */
function* blocksOf(page) {
  let heading;
  let block;
  let code = false;
  const seen = new Map();
  const lines = page.replace(/^---\n[\s\S]*?\n---\n/, '').replace(/\{\/\*[\s\S]*?\*\/\}/g, '').split('\n');
  for (const line of [...lines, '']) {
    const fence = /^\s*(?:```|~~~)/.test(line);
    const title = !code && /^#{1,6}\s+(.+)$/.exec(line)?.[1];
    const item = !code && /^(\s*)(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line);
    const row = !code && /^\s*\|(.+)\|\s*$/.exec(line);
    if (fence || code || title || item || row || line.trim() === '' || /^\s*<\/?[A-Z]\w*[^>]*>\s*$/.test(line)) {
      if (block) yield block;
      block = undefined;
    }
    if (fence) code = !code;
    if (fence || code) continue;
    if (title) {
      const address = addressOf(title);
      const count = seen.get(address) ?? 0;
      seen.set(address, count + 1);
      heading = count ? `${address}-${count + 1}` : address;
      yield { heading, title: true };
    } else if (item) block = { heading, depth: item[1].length, text: item[2] };
    else if (row) yield { heading, depth: -1, row: true, text: row[1].replaceAll('|', ' ') };
    else if (block) block.text += ` ${line.trim()}`;
    else if (line.trim() !== '' && !/^\s*<\/?[A-Za-z][^>]*>\s*$/.test(line)) block = { heading, depth: line.search(/\S/) > 0 ? line.search(/\S/) : -1, continued: true, text: line.trim() };
  }
}

/** The statements of a page: { section, text }; a list item includes its lead sentence if that is normative. */
function* statementsOf(path, page) {
  const blocks = [...blocksOf(page)];
  const leads = [];
  for (let at = 0; at < blocks.length; at++) {
    const block = blocks[at];
    if (block.title) {
      leads.length = 0;
      continue;
    }
    const section = block.heading ? `${path}#${block.heading}` : path;
    const isItem = block.depth >= 0 && !block.continued;
    while (leads.length && (isItem ? leads.at(-1).depth >= block.depth : leads.at(-1).depth >= block.depth || block.depth < 0)) leads.pop();
    const sentences = sentencesOf(block.text);
    const last = sentences.at(-1);
    const next = blocks[at + 1];
    const leadsOn = normalised(last).endsWith(':') && next && !next.title && next.depth > block.depth && !next.continued;
    const lead = leads.map((outer) => outer.text).join(' ');
    const spoken = leadsOn ? sentences.slice(0, -1) : sentences;
    if (lead && NORMATIVE.test(lead) && isItem && !NORMATIVE.test(block.text)) {
      // A normative lead makes a statement of each item without its own keyword; further sentences of the item are separate.
      if (spoken.length) {
        yield { section, text: normalised(`${lead} ${spoken[0]}`) };
        for (const sentence of spoken.slice(1)) yield { section, text: normalised(sentence) };
      }
    } else {
      for (const sentence of spoken) yield { section, text: normalised(sentence) };
    }
    if (leadsOn) {
      // A normative lead is also a statement itself, since its items may have their own keywords.
      if (NORMATIVE.test(last)) yield { section, text: normalised(last) };
      leads.push({ depth: block.depth, text: last });
    }
  }
}

/** The sentences of the doc comments of a schema: { section: 'schema#Name', text }. */
function* commentsOf(schema) {
  for (const [, comment, after] of schema.matchAll(/\/\*\*([\s\S]*?)\*\/([^\n]*\n[^\n]*)/g)) {
    const position = schema.indexOf(`/**${comment}*/`);
    const own = /^\s*export (?:interface|type|const) (\w+)/.exec(after)?.[1];
    const name = own ?? [...schema.slice(0, position).matchAll(/^export (?:interface|type|const) (\w+)/gm)].at(-1)?.[1];
    const text = comment.replace(/^\s*\* ?/gm, '').replace(/^@(?:internal|category.*|example.*|default.*|TJS-type.*)$/gm, '');
    for (const part of text.split(/\n\s*\n|\n(?=\s*[-*] )|\n@/)) {
      for (const sentence of sentencesOf(part.replace(/\s+/g, ' ').trim())) {
        yield { section: name ? `schema#${name}` : 'schema', text: normalised(sentence) };
      }
    }
  }
}

/** The extensions with rows for their own documents. Each is a repository next to that of the specification. */
export const EXTENSIONS = ['ext-tasks', 'ext-auth'];

const sentence = (revision, { section, text }) =>
  ({ revision, section, level: levelOf(text), text, sha256: sha256(text), normative: NORMATIVE.test(text) });

/** The sentences of the pages of a folder. */
function sentencesOfPages(folder, revision, leave = () => false) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.mdx?$/.test(file) && !leave(file)).sort()
    .flatMap((file) => [...statementsOf(file.replaceAll('\\', '/').replace(/\.mdx?$/, ''), readFileSync(join(folder, file), 'utf8'))])
    .filter(({ text }) => text).map((statement) => sentence(revision, statement));
}

/** All sentences of one revision: { revision, section, level, text, sha256, normative }. */
export function sentencesOfRevision(spec, revision) {
  return [
    ...sentencesOfPages(join(spec, 'docs', 'specification', revision), revision, (file) => file.endsWith('schema.mdx')),
    ...[...commentsOf(readFileSync(join(spec, 'schema', revision, 'schema.ts'), 'utf8'))]
      .filter(({ text }) => text).map((statement) => sentence(revision, statement)),
  ];
}

/** All sentences of an extension's draft, from a checkout of its repository. */
export const sentencesOfExtension = (spec, name) => sentencesOfPages(join(spec, 'specification', 'draft'), name);
