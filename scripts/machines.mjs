// docs/state-machines.md and docs/state-machines.json, generated from the tables of state machines: those of src/protocol, and
// those of test/machines/traced.ts, which a test compares with the code's behaviour.
//
//   node scripts/machines.mjs           writes both (after `npm run build`)
//   node scripts/machines.mjs --check   exits 1 if a file is outdated
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { driven } from '../dist/test/machines/driven.js';
import { jsonOf, pageOf } from '../dist/test/machines/page.js';
import { traced } from '../dist/test/machines/traced.js';
import { readWords } from './words.mjs';

const { values } = readWords({ check: { type: 'boolean' } });
const docs = fileURLToPath(new URL('../docs/', import.meta.url));
const machines = [...driven, ...traced];
const files = { 'state-machines.md': pageOf(machines), 'state-machines.json': jsonOf(machines) };
for (const [name, text] of Object.entries(files)) {
  if (!values.check) writeFileSync(`${docs}${name}`, text);
  else if (readFileSync(`${docs}${name}`, 'utf8') !== text) {
    console.error(`docs/${name} differs from the tables: node scripts/machines.mjs writes it`);
    process.exitCode = 1;
  }
}
