// npm run manifest: the capabilities that each entry of the package may use, from the import graph and the syntax trees of
// `dist/src`. Writes capabilities.json, which is in the package; `--check` fails if it is outdated, and `--where` names the
// files.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kinds } from './kinds.mjs';
import { readSource } from './touches.mjs';
import { readWords } from '../../scripts/words.mjs';

const top = fileURLToPath(new URL('../../', import.meta.url));
const root = `${top}dist/src/`;

/** All files that an entry imports, directly or not. */
function reached(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const next of readSource(file, root).local) reached(next, seen);
  return seen;
}

/** The touched names of each kind, and the files that touch them. */
function capabilities(file) {
  const found = {};
  for (const one of reached(file)) {
    for (const [name, kind] of readSource(one, root).touched) ((found[kind] ??= {})[name] ??= []).push(relative(root, one).replace(/\.js$/, '.ts'));
  }
  return found;
}

/** Only the names, as in the package. */
const namesOf = (found) => Object.fromEntries(kinds.filter((kind) => found[kind]).map((kind) => [kind, Object.keys(found[kind]).sort()]));

export function manifest() {
  const { exports, bin } = JSON.parse(readFileSync(`${top}package.json`, 'utf8'));
  const entries = {};
  for (const [path, { types }] of Object.entries(exports)) {
    if (types) entries[`barewire${path.slice(1)}`] = capabilities(types.replace('./dist/types/', root).replace('.d.ts', '.js'));
  }
  for (const name of Object.keys(bin)) entries[`the command ${name}`] = capabilities(`${root}cli/main.js`);
  return entries;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = readWords({ check: { type: 'boolean' }, where: { type: 'boolean' } });
  const file = `${top}capabilities.json`;
  const entries = manifest();
  const names = Object.fromEntries(Object.entries(entries).map(([name, found]) => [name, namesOf(found)]));
  // One line per kind.
  const text = `${JSON.stringify(names, undefined, 2).replaceAll(/\[\n\s+([^\]]*?)\n\s+\]/g, (_whole, inner) => `[${inner.replaceAll(/\n\s+/g, ' ')}]`)}\n`;
  if (values.check) {
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
      console.error('capabilities.json is not what the sources touch: run `npm run manifest`, and read what changed');
      process.exitCode = 1;
    }
  } else {
    writeFileSync(file, text);
  }
  for (const [name, touched] of Object.entries(names)) {
    console.log(`${name.padEnd(28)} ${Object.keys(touched).join(', ') || 'nothing'}`);
    if (!values.where) continue;
    for (const kind of Object.keys(touched)) for (const [what, files] of Object.entries(entries[name][kind])) console.log(`  ${kind.padEnd(12)} ${what.padEnd(24)} ${files.join(' ')}`);
  }
}
