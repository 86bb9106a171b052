// npm run everywhere: the smoke suite on every runtime, as a table of runtimes by capabilities. Exits 1 on a failure.
//
//   node test/everywhere/run.mjs             all runtimes
//   node test/everywhere/run.mjs NAME …      those whose names begin so: node, bun, deno, workerd, chromium, quickjs
import { rmSync } from 'node:fs';
import { makeBundles } from './bundles.mjs';
import { bun, deno, node } from './processes.mjs';
import { chromium } from './chromium.mjs';
import { quickjs } from './quickjs.mjs';
import { workerd } from './workerd.mjs';
import { readWords } from '../../scripts/words.mjs';

const runtimes = {
  node20: node('node20'),
  node22: node('node22'),
  node24: node('node24'),
  node26: node('node26'),
  bun,
  deno,
  workerd,
  chromium,
  quickjs,
};
const capabilities = ['connect', 'list', 'call', 'progress', 'elicit', 'cancel'];
const { names: wanted } = readWords({}, 100);
const minutes = 2;

const { out, bundles } = await makeBundles();
const rows = [];
const faults = [];
try {
  // Sequentially: a busy machine must not look like a slow runtime.
  for (const [name, run] of Object.entries(runtimes)) {
    if (wanted.length > 0 && !wanted.some((prefix) => name.startsWith(prefix.toLowerCase()))) continue;
    const started = Date.now();
    try {
      const { title, cells, lacks = [], note } = await limited(name, run(bundles, out));
      addRows(title, cells, lacks);
      console.error(`${title}: ${((Date.now() - started) / 1000).toFixed(1)} s${note ? `; ${note}` : ''}`);
    } catch (error) {
      faults.push(`${name}: ${error.stack ?? error}`);
      rows.push([name, '-', ...capabilities.map(() => 'FAILS')]);
    }
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}

function addRows(title, cells, lacks) {
  if (!Array.isArray(cells) || cells.length === 0) throw new Error(`no result, but ${JSON.stringify(cells)}`);
  for (const transport of new Set(cells.map((cell) => cell.transport))) {
    const own = cells.filter((cell) => cell.transport === transport);
    rows.push([title, transport, ...capabilities.map((capability) => {
      const [legacy, modern] = ['legacy', 'modern'].map((era) => {
        const cell = own.find((one) => one.era === era && one.capability === capability);
        // The error must not name something that the runtime has.
        const ok = cell?.ok && (!cell.lacks || lacks.includes(cell.lacks));
        if (!ok) faults.push(`${title}, ${transport}, ${era}, ${capability}: ${cell?.fault ?? 'did not run'}`);
        return ok ? (cell.lacks ? `no ${cell.lacks}` : 'ok') : 'FAILS';
      });
      return legacy === modern ? legacy : `${legacy} / ${modern}`;
    })]);
  }
}

async function limited(name, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name}: not done within ${minutes} minutes`)), minutes * 60_000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const table = [['runtime', 'transport', ...capabilities], ...rows];
const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
console.log('\nBoth eras in each cell; where they differ: legacy / modern. `no NAME`: the runtime lacks it, and says so.\n');
for (const row of table) console.log(row.map((cell, column) => cell.padEnd(widths[column])).join('  ').trimEnd());
for (const fault of faults) console.log(`\n${fault}`);
// Not exitCode: a runtime that hangs must not hold up the result.
process.exit(faults.length > 0 || rows.length === 0 ? 1 : 0);
