// node scripts/specification.mjs <path to a copy of modelcontextprotocol/modelcontextprotocol>
//
// Writes the facts of the specification for the tests, without its prose, to test/specification/:
//   <revision>.json   the revision's schema, reduced to its facts: types, required, const, enum, references
//   headings.json     the pages of each revision and the addresses of their headings
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressOf } from './requirements/addresses.mjs';

const from = process.argv[2];
if (from === undefined) {
  console.error('node scripts/specification.mjs <path to a copy of the specification>');
  process.exit(2);
}
const to = fileURLToPath(new URL('../test/specification/', import.meta.url));
const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

const KEPT = new Set([
  '$schema', '$ref', 'type', 'required', 'const', 'enum', 'items', 'additionalProperties', 'anyOf', 'allOf', 'oneOf',
  'minimum', 'maximum', 'minItems', 'maxItems', 'minLength', 'maxLength',
]);
const NAMED = new Set(['properties', '$defs', 'definitions']);

function facts(schema) {
  if (Array.isArray(schema)) return schema.map(facts);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]) => {
    if (NAMED.has(keyword)) {
      return [[keyword, Object.fromEntries(Object.entries(value).map(([name, child]) => [name, facts(child)]))]];
    }
    if (keyword === 'const' || keyword === 'enum' || keyword === 'required') return [[keyword, value]];
    return KEPT.has(keyword) ? [[keyword, facts(value)]] : [];
  }));
}

function headingsOf(text) {
  const seen = new Map();
  let code = false;
  const found = [];
  for (const line of text.split('\n')) {
    if (/^\s*```/.test(line)) code = !code;
    const heading = !code && /^#{1,6}\s+(.+)$/.exec(line)?.[1];
    if (!heading) continue;
    const address = addressOf(heading);
    const count = seen.get(address) ?? 0;
    seen.set(address, count + 1);
    found.push(count ? `${address}-${count + 1}` : address);
  }
  return found;
}

mkdirSync(to, { recursive: true });
const headings = {};
for (const revision of revisions) {
  const schema = JSON.parse(readFileSync(join(from, 'schema', revision, 'schema.json'), 'utf8'));
  writeFileSync(join(to, `${revision}.json`), `${JSON.stringify(facts(schema))}\n`);
  const folder = join(from, 'docs', 'specification', revision);
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.mdx')).sort();
  headings[revision] = Object.fromEntries(pages.map((file) =>
    [file.replaceAll('\\', '/').replace(/\.mdx$/, ''), headingsOf(readFileSync(join(folder, file), 'utf8'))]));
}
const lines = Object.entries(headings).map(([revision, pages]) =>
  `  "${revision}": {\n${Object.entries(pages).map(([page, list]) => `    ${JSON.stringify(page)}: ${JSON.stringify(list)}`).join(',\n')}\n  }`);
writeFileSync(join(to, 'headings.json'), `{\n${lines.join(',\n')}\n}\n`);
